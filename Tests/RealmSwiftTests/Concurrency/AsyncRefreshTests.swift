// SPDX-License-Identifier: Apache-2.0

// Refreshing without blocking the actor.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

@MainActor @Suite(.timeLimit(.minutes(10))) struct AsyncRefreshTests {
  private let configuration = freshConfiguration()

  private func open() async throws -> Realm {
    let realm = try await Realm(configuration: configuration)
    realm.autorefresh = false
    try realm.write { addTasks(0..<1, to: realm) }
    return realm
  }

  @Test func itTellsWhetherThereWasANewerVersion() async throws {
    let realm = try await open()
    await expectEqual(realm.asyncRefresh(), false)
    try await writeElsewhere(configuration) { addTasks(1..<3, to: $0) }
    let tasks = realm.objects(AsyncTask.self)
    expectEqual(tasks.count, 1)
    #expect(await realm.asyncRefresh())
    expectEqual(tasks.count, 3)
    await expectEqual(realm.asyncRefresh(), false)
  }

  @Test func observersAreToldBeforeItReturns() async throws {
    let realm = try await open()
    let told = Recorder<ToldChange>()
    let token = realm.objects(AsyncTask.self).observe { told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    try await writeElsewhere(configuration) { addTasks(1..<3, to: $0) }
    await expectEqual(told.settled().count, 1, "the realm does not refresh by itself")
    #expect(await realm.asyncRefresh())
    expectEqual(
      told.all.last, .update(count: 3, deletions: [], insertions: [1, 2], modifications: []))
    token.invalidate()
  }

  @Test func severalTasksMayWait() async throws {
    let realm = try await open()
    try await writeElsewhere(configuration) { addTasks(1..<3, to: $0) }
    let waiters = (0..<20).map { _ in
      Task { @MainActor in
        _ = await realm.asyncRefresh()
        return realm.objects(AsyncTask.self).count
      }
    }
    for waiter in waiters { await expectEqual(waiter.value, 3) }
  }

  @Test func aCancelledTaskIsToldFalse() async throws {
    let realm = try await open()
    try await writeElsewhere(configuration) { addTasks(1..<3, to: $0) }
    let task = Task { @MainActor in await realm.asyncRefresh() }
    task.cancel()
    await expectEqual(task.value, false)
    #expect(await realm.asyncRefresh(), "others are not concerned")
  }

  @Test func aTransactionShowsTheNewestVersionAnyway() async throws {
    let realm = try await open()
    realm.beginWrite()
    await expectEqual(realm.asyncRefresh(), false)
    expectTrue(realm.isInWriteTransaction)
    realm.cancelWrite()
    await expectEqual(realm.freeze().asyncRefresh(), false)
  }

  @Test func misuse() async {
    let onThread = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await refreshARealmOfAThread()
    }
    expect(
      "asyncRefresh() can only be called on main thread or actor-isolated Realms", in: onThread)
    let readOnly = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await refreshAReadOnlyRealm()
    }
    expect("Read-only Realms do not change and cannot be refreshed.", in: readOnly)
  }

  private func expect(
    _ text: String, in result: ExitTest.Result?, _ location: SourceLocation = #_sourceLocation
  ) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains(text), "said: \(said.prefix(400))", sourceLocation: location)
  }
}

private func realmOfAThread() throws -> Realm { try Realm(configuration: freshConfiguration()) }

@MainActor private func refreshARealmOfAThread() async throws {
  // Sendable: the test breaks the rule to see it enforced.
  struct Smuggled: @unchecked Sendable { let realm: Realm }
  let smuggled = try await Task.detached { Smuggled(realm: try realmOfAThread()) }.value
  _ = await smuggled.realm.asyncRefresh()
}

@MainActor private func refreshAReadOnlyRealm() async throws {
  let file = try TemporaryRealm()
  try { try file.open().write {} }()
  _RealmTesting.resetState()
  file.configuration.readOnly = true
  _ = await (try file.open()).asyncRefresh()
}
