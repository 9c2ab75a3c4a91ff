// SPDX-License-Identifier: Apache-2.0

// `Results.subscribe()` and `unsubscribe()`: names, waits, and what the caller's realm shows then.

#if Sync
import Dispatch
import Foundation
import RealmSession
import RealmStorage
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct SubscribeTests {
  private let app: MemoryApp

  init() throws { app = try MemoryApp() }

  @MainActor private func open(
    _ name: String, _ behavior: Realm.OpenBehavior = .always
  ) async throws -> Realm {
    try await Realm(
      configuration: app.configuration(name) { _ in }, downloadBeforeOpen: behavior)
  }

  /// Uploads objects of these priorities from another device.
  @MainActor private func upload(_ priorities: ClosedRange<Int>) async throws {
    let realm = try await open("writer")
    let set = realm.subscriptions
    try await set.update { set.append(QuerySubscription<Todo>(name: "all")) }
    try realm.write {
      for priority in priorities {
        realm.create(
          Todo.self, value: ["_id": ObjectId.generate(), "priority": priority] as [String: Any])
      }
    }
    try await realm.syncSession?.wait(for: .upload)
  }

  /// The realm does not follow by itself, so that only the call can have moved it.
  @Test @MainActor func theCallersRealmShowsTheObjects() async throws {
    try await upload(0...7)
    let realm = try await open("reader")
    realm.autorefresh = false
    for priority in 0..<4 {
      let todos = realm.objects(Todo.self).where { $0.priority == priority }
      try await expectEqual(todos.subscribe().count, 1)
    }
    let set = realm.subscriptions
    for priority in 4...7 {
      try await set.update {
        set.append(QuerySubscription<Todo> { $0.priority == priority })
      }
      expectEqual(realm.objects(Todo.self).where { $0.priority == priority }.count, 1)
    }
    // Nothing new is waited for, and the realm may be in a transaction.
    realm.beginWrite()
    try await expectEqual(
      realm.objects(Todo.self).where { $0.priority == 7 }.subscribe().count, 1)
    realm.cancelWrite()
  }

  /// A realm that is open on the queue shows what an opening there has waited for.
  @Test func anOpenRealmShowsWhatAnotherOpeningHasWaitedFor() async throws {
    let configuration = try await app.configuration("reader") {
      $0.append(QuerySubscription<Todo>())
    }
    let queue = DispatchQueue(label: "realm")
    let held = Locked<UnsafeTransfer<Realm>?>(nil)
    func open() async throws -> Int {
      try await withCheckedThrowingContinuation { continuation in
        Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
          continuation.resume(
            with: result.map { realm in
              realm.autorefresh = false
              let count = realm.objects(Todo.self).count
              let kept = UnsafeTransfer(realm)
              held.withLock { $0 = kept }
              return count
            })
        }
      }
    }
    try await expectEqual(open(), 0)
    try await upload(0...2)
    try await expectEqual(open(), 3)
    queue.sync { held.withLock { $0 = nil } }
  }

  @Test @MainActor func aNameMakesAnotherSubscription() async throws {
    let realm = try await open("reader")
    func todos() -> Results<Todo> { realm.objects(Todo.self).where { $0.priority > 5 } }
    func names() -> [String] { realm.subscriptions.map { $0.name ?? "-" } }
    let first = try await todos().subscribe(name: "a")
    let second = try await todos().subscribe(name: "b")
    expectEqual(names(), ["a", "b"])
    // One without a name is another one than those with names.
    let unnamed = try await todos().subscribe()
    expectEqual(names(), ["a", "b", "-"])
    try await todos().subscribe(waitForSync: .never)
    expectEqual(names(), ["a", "b", "-"])
    // What was subscribed to with a name ends by it, everything else by its query.
    second.unsubscribe()
    expectEqual(names(), ["a", "-"])
    second.unsubscribe()
    expectEqual(names(), ["a"])
    unnamed.unsubscribe()
    todos().unsubscribe()
    expectEqual(names(), ["a"])
    // The last name counts.
    try await first.subscribe(name: "c", waitForSync: .never)
    first.unsubscribe()
    expectEqual(names(), ["a"])
  }

  @Test @MainActor func alwaysWaitsForAKnownSubscription() async throws {
    let realm = try await open("reader")
    let session = try #require(realm.syncSession)
    for name in [nil, "named"] {
      let todos = realm.objects(Todo.self).where { $0.priority > (name == nil ? 5 : 50) }
      try await expectEqual(todos.subscribe(name: name, waitForSync: .always).count, 0)
      session.suspend()
      try await upload(name == nil ? 6...7 : 60...61)
      let isOver = Locked(false)
      let call = Task { @MainActor in
        let count = try await todos.subscribe(name: name, waitForSync: .always).count
        isOver.withLock { $0 = true }
        return count
      }
      try await Task.sleep(for: .milliseconds(50))
      expectFalse(isOver.withLock { $0 })
      session.resume()
      try await expectEqual(call.value, 2)
    }
    // The time that it may take counts for known ones, too.
    session.suspend()
    await #expect(throws: NSError.self) {
      _ = try await realm.objects(Todo.self).where { $0.priority > 5 }
        .subscribe(waitForSync: .always, timeout: 0.02)
    }
    try await realm.objects(Todo.self).where { $0.priority > 5 }.subscribe()
  }
}
#endif
