// SPDX-License-Identifier: Apache-2.0

// Misuse of asynchronous writes traps with the documented message.

import Foundation
import RealmStorage
import RealmTestSupport
import Testing

@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct CallbackMisuseTests {
  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains(text), "said: \(said.prefix(400))")
  }

  /// Opens a realm of a thread without a run loop: everything happens before a call returns.
  private static func openRealm() throws -> Realm { try Realm(configuration: freshConfiguration()) }

  @Test func committingNothing() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try CallbackMisuseTests.openRealm().commitAsyncWrite()
    }
    expect("Can't commit a non-existing write transaction", in: result)
  }

  @Test func beginningInACompletion() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try CallbackMisuseTests.openRealm()
      realm.writeAsync({}, onComplete: { _ in realm.beginWrite() })
    }
    expect(
      "Can't begin a write transaction from inside a commit completion callback.", in: result)
  }

  @Test func committingInACompletion() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try CallbackMisuseTests.openRealm()
      realm.writeAsync({}, onComplete: { _ in try? realm.commitWrite() })
    }
    expect(
      "Can't commit a write transaction from inside a commit completion callback.", in: result)
  }

  @Test func cancellingInACompletion() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try CallbackMisuseTests.openRealm()
      realm.writeAsync({}, onComplete: { _ in realm.cancelWrite() })
    }
    expect(
      "Can't cancel a write transaction from inside a commit completion callback.", in: result)
  }

  @Test func writingToAFrozenRealm() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try CallbackMisuseTests.openRealm().freeze().writeAsync {}
    }
    expect("Can't perform transactions on a frozen Realm", in: result)
  }

  /// `AsyncWrites` 1.
  @Test func askingElsewhere() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // nonisolated(unsafe): the test breaks the rule to see it enforced.
      nonisolated(unsafe) let realm = try CallbackMisuseTests.openRealm()
      Thread { realm.beginAsyncWrite {} }.start()
      sleep(10)
    }
    expect("Realm accessed from incorrect thread.", in: result)
  }

  @Test func aFailureThatNobodyHears() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let directory = try TemporaryDirectory()
      let files = WatchedFiles()
      let path = directory.file("failing.realm")
      let file = try DatabaseFile.open(path: path, options: OpenOptions(), system: files)
      let realm = try Realm(
        configuration: Realm.Configuration(
          fileURL: URL(fileURLWithPath: path), objectTypes: [AsyncTask.self, AsyncOwner.self]))
      files.failSyncs()
      realm.writeAsync { realm.create(AsyncTask.self, value: ["id": 1]) }
      withExtendedLifetime(file) {}
    }
    expect("Syncing", in: result)
  }
}
