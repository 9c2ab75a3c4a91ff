// SPDX-License-Identifier: Apache-2.0

// What may be asked of a realm on any thread, tokens as elements of sets, and queues that realms
// cannot be confined to.

import Dispatch
import Foundation
import RealmStorage
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

/// A value that is used elsewhere than where it belongs, as the rule allows.
private struct Carried<Value>: @unchecked Sendable {
  // Sendable: what is read from it may be read anywhere.
  let value: Value
}

@Suite(.timeLimit(.minutes(10))) struct ReadsFromAnywhereTests {
  /// The answers of a realm on another thread; nothing else happens meanwhile where it lives.
  @MainActor private func answers(_ realm: Realm) -> [String] {
    let carried = Carried(value: realm)
    let answers = Locked<[String]>([])
    let done = DispatchSemaphore(value: 0)
    Thread {
      let realm = carried.value
      answers.withLock {
        $0 = [
          "in write: \(realm.isInWriteTransaction)",
          "writing: \(realm.isPerformingAsynchronousWriteOperations)",
          "autorefresh: \(realm.autorefresh)",
          "schema: \(realm.schema.objectSchema.map(\.className).sorted())",
          "frozen: \(realm.isFrozen)",
        ]
      }
      done.signal()
    }.start()
    done.wait()
    return answers.withLock { $0 }
  }

  @MainActor @Test func aRealmAnswersOnAnyThread() async throws {
    let realm = try await Realm(configuration: freshConfiguration())
    let schema = "schema: [\"AsyncOwner\", \"AsyncTask\"]"
    expectEqual(
      answers(realm),
      ["in write: false", "writing: false", "autorefresh: true", schema, "frozen: false"])
    realm.autorefresh = false
    realm.beginWrite()
    expectEqual(
      answers(realm),
      ["in write: true", "writing: false", "autorefresh: false", schema, "frozen: false"])
    realm.cancelWrite()
    let told = Recorder<String>()
    realm.writeAsync({ addTasks([1], to: realm) }, onComplete: { _ in told.add("done") })
    expectEqual(answers(realm)[1], "writing: true")
    _ = await told.wait(for: 1)
    _ = await told.settled()
    expectEqual(answers(realm)[...1], ["in write: false", "writing: false"])
    expectEqual(
      answers(realm.freeze()),
      ["in write: false", "writing: false", "autorefresh: false", schema, "frozen: true"])
  }

  @MainActor @Test func tokensAreElementsOfSets() async throws {
    let realm = try await Realm(configuration: freshConfiguration())
    let first = realm.observe { _, _ in }
    let second = realm.observe { _, _ in }
    var tokens: Set<NotificationToken> = [first, second, first]
    expectEqual(tokens.count, 2)
    expectTrue(first == first)
    expectTrue(first != second)
    expectTrue(tokens.remove(first) === first)
    expectFalse(tokens.contains(first))
    for token in [first, second] { token.invalidate() }
  }

  // MARK: - Queues

  private static let text = "Realms can only be confined to serial queues or the main queue."

  static let cases: [MisuseCase] = [
    MisuseCase("aConcurrentQueue", "Invalid queue 'many' (OS_dispatch_queue_concurrent): \(text)") {
      let queue = DispatchQueue(label: "many", attributes: .concurrent)
      try queue.sync { _ = try Realm(configuration: freshConfiguration(), queue: queue) }
    },
    MisuseCase(
      "aConcurrentQueueElsewhere", "Invalid queue 'many' (OS_dispatch_queue_concurrent): \(text)"
    ) {
      let queue = DispatchQueue(label: "many", attributes: .concurrent)
      _ = try Realm(configuration: freshConfiguration(), queue: queue)
    },
    MisuseCase(
      "aGlobalQueue",
      "Invalid queue '\(DispatchQueue.global().label)' (OS_dispatch_queue_global): \(text)"
    ) {
      _ = try Realm(configuration: freshConfiguration(), queue: .global())
    },
    MisuseCase("openingForAConcurrentQueue", "Invalid queue 'many'") {
      let queue = DispatchQueue(label: "many", attributes: .concurrent)
      Realm.asyncOpen(configuration: freshConfiguration(), callbackQueue: queue) { _ in }
      sleep(60)
    },
  ]

  @Test(arguments: cases.map(\.name)) func misuse(_ name: String) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [name] in
      try ReadsFromAnywhereTests.cases.run(name)
    }
    Self.cases.expectText(of: name, result)
  }

  @Test func serialQueuesOfEveryKindHaveRealms() throws {
    let concurrent = DispatchQueue(label: "target", attributes: .concurrent)
    for queue in [
      DispatchQueue(label: "plain"), DispatchQueue(label: "quality", qos: .utility),
      DispatchQueue(label: "targeted", target: concurrent),
      DispatchQueue(label: "over all", target: .global()),
    ] {
      let count = try queue.sync {
        try Realm(configuration: freshConfiguration(), queue: queue).objects(AsyncTask.self).count
      }
      expectEqual(count, 0)
    }
  }
}
