// SPDX-License-Identifier: Apache-2.0

// Subscription sets: what changes them, what finds them, and their states.

#if Sync
import Foundation
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

private class Note: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var text: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct SubscriptionSetTests {
  private let app: MemoryApp

  init() throws { app = try MemoryApp() }

  /// The realm of a new user, without subscriptions unless a block adds some.
  @MainActor private func open(
    _ subscriptions: @escaping @Sendable (SyncSubscriptionSet) -> Void = { _ in }
  ) async throws -> Realm {
    var configuration = try await app.configuration("first", subscriptions)
    configuration.objectTypes = [Todo.self, Note.self]
    return try await Realm(configuration: configuration, actor: MainActor.shared)
  }

  @Test @MainActor func appendedSubscriptionsAreThere() async throws {
    let realm = try await open()
    let set = realm.subscriptions
    expectTrue(set.count == 0 && set.first == nil && set.last == nil && set[0] == nil)
    set.change {
      set.append(QuerySubscription<Todo>(name: "urgent") { $0.priority > 5 })
      set.append(
        QuerySubscription<Note>(), QuerySubscription<Note>(name: "short", where: "text == %@", ""))
    }
    expectEqual(set.count, 3)
    expectEqual([set[0]?.name, set[1]?.name, set[2]?.name], ["urgent", nil, "short"])
    expectEqual(set.map(\.name), ["urgent", nil, "short"])
    var iterator = set.makeIterator()
    expectEqual(iterator.next()?.name, "urgent")
    expectEqual(set.first?.name, "urgent")
    expectEqual(set.last?.name, "short")
    expectTrue(set[3] == nil)
    expectEqual(realm.subscriptions.count, 3)
    let created = try #require(set.first).createdAt
    expectTrue(abs(created.timeIntervalSinceNow) < 60)
    expectEqual(set.first?.updatedAt, created)
  }

  @Test @MainActor func aConditionThatIsNilMatchesAll() async throws {
    let set = try await open().subscriptions
    let condition: QuerySubscription<Todo>.QueryFunction? = nil
    set.change {
      set.append(QuerySubscription<Todo>(name: "a", query: condition))
      set.append(QuerySubscription<Todo>(query: nil))
    }
    expectEqual(set.count, 2)
    expectEqual(set.first(ofType: Todo.self, where: "TRUEPREDICATE")?.name, "a")
  }

  @Test @MainActor func anEqualSubscriptionIsAddedOnce() async throws {
    let set = try await open().subscriptions
    set.change {
      for _ in 0..<2 {
        set.append(QuerySubscription<Todo>(name: "all"))
        set.append(QuerySubscription<Todo> { $0.priority > 1 })
      }
    }
    expectEqual(set.count, 2)
  }

  @Test @MainActor func subscriptionsAreFoundByNameAndQuery() async throws {
    let set = try await open().subscriptions
    set.change {
      set.append(QuerySubscription<Todo>(name: "a") { $0.priority > 1 })
      set.append(QuerySubscription<Note>(name: "b", where: "text == 'x'"))
    }
    expectEqual(set.first(named: "b")?.name, "b")
    expectTrue(set.first(named: "c") == nil)
    expectEqual(set.first(ofType: Todo.self) { $0.priority > 1 }?.name, "a")
    #expect(set.first(ofType: Todo.self) { $0.priority > 2 } == nil)
    expectEqual(set.first(ofType: Todo.self, where: "priority > %@", 1)?.name, "a")
    expectEqual(set.first(ofType: Note.self, where: "text == %@", "x")?.name, "b")
    expectTrue(set.first(ofType: Todo.self, where: "text == %@", "x") == nil)
  }

  @Test @MainActor func subscriptionsAreRemoved() async throws {
    let set = try await open().subscriptions
    func fill() {
      set.removeAll()
      set.append(QuerySubscription<Todo>(name: "a") { $0.priority > 1 })
      set.append(QuerySubscription<Todo> { $0.priority > 2 })
      set.append(QuerySubscription<Note>(name: "b"))
      set.append(QuerySubscription<Note> { $0.text == "x" })
    }
    func names(after change: () -> Void) -> [String] {
      set.change {
        fill()
        change()
      }
      return (0..<set.count).map { set[$0]?.name ?? "-" }
    }
    expectEqual(names { set.remove(named: "a") }, ["-", "b", "-"])
    expectEqual(names { set.remove(named: "c") }, ["a", "-", "b", "-"])
    expectEqual(names { if let first = set.first { set.remove(first) } }, ["-", "b", "-"])
    expectEqual(names { set.remove(ofType: Todo.self) { $0.priority > 2 } }, ["a", "b", "-"])
    expectEqual(names { set.remove(ofType: Note.self, where: "text == %@", "x") }, ["a", "-", "b"])
    expectEqual(names { set.removeAll(unnamedOnly: true) }, ["a", "b"])
    expectEqual(names { set.removeAll(ofType: Note.self) }, ["a", "-"])
    expectEqual(names { set.removeAll() }, [])
  }

  @Test @MainActor func queriesAreReplaced() async throws {
    let set = try await open { $0.append(QuerySubscription<Todo>(name: "a")) }.subscriptions
    let updated = try #require(set.first).updatedAt
    try await Task.sleep(for: .milliseconds(5))
    set.change { set.first(named: "a")?.updateQuery(toType: Todo.self) { $0.priority > 3 } }
    expectEqual(set.first(ofType: Todo.self) { $0.priority > 3 }?.name, "a")
    #expect(try #require(set.first).updatedAt > updated)
    set.change { set.first?.updateQuery(toType: Todo.self, where: "priority < %@", 3) }
    expectEqual(set.first(ofType: Todo.self) { $0.priority < 3 }?.name, "a")
    set.change { set.first?.updateQuery(to: "priority == %@", 4) }
    expectEqual(set.first(ofType: Todo.self) { $0.priority == 4 }?.name, "a")
    set.change { set.first?.updateQuery(to: NSPredicate(format: "priority == %@", 5)) }
    expectEqual(set.first(ofType: Todo.self) { $0.priority == 5 }?.name, "a")
    set.change { set.first?.updateQuery(toType: Todo.self) }
    expectEqual(set.count, 1)
    expectTrue(set.first(ofType: Todo.self, where: "TRUEPREDICATE") != nil)
  }

  @Test @MainActor func aSetIsPendingThenCompleteThenSuperseded() async throws {
    let realm = try await open()
    app.server.setOnline(false)
    let set = realm.subscriptions
    set.change { set.append(QuerySubscription<Todo>(name: "all")) }
    expectEqual(set.state, .pending)
    app.server.setOnline(true)
    realm.syncSession?.reconnect()
    try await set.update { set.append(QuerySubscription<Note>(name: "notes")) }
    expectTrue(set.state == .complete)
    expectEqual(set.count, 2)
    let next = realm.subscriptions
    try await next.update { next.remove(named: "notes") }
    expectTrue(next.state == .complete)
    expectTrue(set.state == .superseded)
  }

  @Test @MainActor func aRefusedSetSaysSo() async throws {
    let realm = try await open()
    let set = realm.subscriptions
    await #expect(throws: Realm.Error.self) {
      // The server queries no dictionaries.
      try await set.update { set.append(QuerySubscription<Todo>(where: "extra.size > 2")) }
    }
    guard case .error(let error) = set.state else {
      Issue.record("\(set.state)")
      return
    }
    expectEqual((error as? Realm.Error)?.code, .subscriptionFailed)
  }

  @Test func completionBlocksAreCalled() async throws {
    let configuration = try await app.configuration("first") { _ in }
    let error: (any Error)? = await withCheckedContinuation { continuation in
      Task { @MainActor in
        let realm = try await Realm(configuration: configuration, actor: MainActor.shared)
        let set = realm.subscriptions
        set.update({ set.append(QuerySubscription<Todo>(name: "all")) }) {
          continuation.resume(returning: $0)
        }
      }
    }
    expectTrue(error == nil)
  }

  @Test @MainActor func firstSubscriptionsAreMadeOnce() async throws {
    let all: @Sendable (SyncSubscriptionSet) -> Void = {
      $0.append(QuerySubscription<Todo>(name: "all"))
    }
    let configuration = try await app.configuration("first", all)
    do {
      let realm = try await Realm(configuration: configuration, actor: MainActor.shared)
      let set = realm.subscriptions
      set.change { set.removeAll() }
    }
    let realm = try await Realm(configuration: configuration, actor: MainActor.shared)
    expectEqual(realm.subscriptions.count, 0)
  }
}
#endif
