// SPDX-License-Identifier: Apache-2.0

// Misuses of subscription sets and of synchronised realms, with the documented texts.

#if Sync
import Foundation
import RealmSwiftTestSupport
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

private class Note: Object {
  @Persisted(primaryKey: true) var id: Int

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Line: Object {
  @Persisted var text: String
  @Persisted var note: Note?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Ends the process unless a misuse is refused with a text.
private func expect(_ expected: String, _ body: @escaping @Sendable () throws -> Void) {
  let text = Traps.text(body)
  precondition(text == expected, "'\(text)' instead of '\(expected)'")
}

struct SubscriptionMisuseTests {
  /// The configuration of a realm with a subscription `all` of todos, whose classes are given.
  fileprivate static func configuration(
    _ app: MemoryApp, _ types: [ObjectBase.Type] = [Todo.self, Note.self, Line.self]
  ) async throws -> Realm.Configuration {
    var configuration = try await app.configuration("first") {
      $0.append(QuerySubscription<Todo>(name: "all"))
    }
    configuration.objectTypes = types
    return configuration
  }

  @Test func misusesOfSetsAreRefused() async {
    await #expect(processExitsWith: .success) {
      let app = try MemoryApp()
      let configuration = try await Self.configuration(app)
      expect(
        "A subscription named 'all' already exists. If you meant to update the existing "
          + "subscription please use the `update` method."
      ) {
        let set = try Realm(configuration: configuration).subscriptions
        set.update { set.append(QuerySubscription<Todo>(name: "all") { $0.priority > 1 }) }
      }
    }
    await #expect(processExitsWith: .success) {
      let app = try MemoryApp()
      let configuration = try await Self.configuration(app)
      let outside =
        "Can only add, remove, or update subscriptions within a write subscription block."
      expect(outside) {
        try Realm(configuration: configuration).subscriptions.append(QuerySubscription<Todo>())
      }
      expect(outside) { try Realm(configuration: configuration).subscriptions.removeAll() }
      expect(outside) { try Realm(configuration: configuration).subscriptions.remove(named: "all") }
      expect(outside) {
        try Realm(configuration: configuration).subscriptions.first?.updateQuery(toType: Todo.self)
      }
      expect(outside) {
        try Realm(configuration: configuration).subscriptions.first?
          .updateQuery(to: "priority > 1")
      }
      expect("This Realm was not configured with flexible sync") {
        let local = Realm.Configuration(inMemoryIdentifier: "x", objectTypes: [Todo.self])
        _ = try Realm(configuration: local).subscriptions
      }
      expect("Cannot update subscriptions in a write transaction of the Realm.") {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.subscriptions.update {} }
      }
    }
    await #expect(processExitsWith: .success) {
      let app = try MemoryApp()
      let configuration = try await Self.configuration(app)
      expect("Updating a subscription query of a different Object Type is not allowed.") {
        let set = try Realm(configuration: configuration).subscriptions
        set.update { set.first?.updateQuery(toType: Note.self) }
      }
    }
    await #expect(processExitsWith: .success) {
      let app = try MemoryApp()
      let configuration = try await Self.configuration(app)
      expect(
        "Cannot initiate a write transaction on subscription set that is already being updated."
      ) {
        let set = try Realm(configuration: configuration).subscriptions
        set.update { set.update {} }
      }
    }
  }

  @Test func subscribingNeedsAnActor() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await subscribeOnThread(Self.configuration(MemoryApp()))
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("`subscribe` can only be called on main thread or actor-isolated Realms"))
  }

  @Test func theSetOfAPartitionIsRefused() async {
    await #expect(processExitsWith: .success) {
      let app = try MemoryApp(.partition)
      let user = try await app.device("first").login(credentials: .anonymous)
      var configuration = user.configuration(partitionValue: "x")
      configuration.objectTypes = [Todo.self]
      let opened = configuration
      expect("This Realm was not configured with flexible sync") {
        _ = try Realm(configuration: opened).subscriptions
      }
    }
  }

  @Test func optionsThatSyncForbidsAreRefused() async {
    await #expect(processExitsWith: .success) {
      let app = try MemoryApp()
      let configuration = try await Self.configuration(app)
      expect("Cannot set `readOnly` when sync is enabled ('syncConfig' is set).") {
        var configuration = configuration
        configuration.readOnly = true
        _ = try Realm(configuration: configuration)
      }
      expect(
        "Cannot set 'deleteRealmIfMigrationNeeded' when sync is enabled ('syncConfig' is set)."
      ) {
        var configuration = configuration
        configuration.deleteRealmIfMigrationNeeded = true
        _ = try Realm(configuration: configuration)
      }
    }
  }

  @Test(arguments: ["add", "create", "createFromDictionary", "link", "dynamic"])
  func objectsOfClassesWithoutSubscriptionAreRefused(_ way: String) async {
    await #expect(processExitsWith: .success) { [way] in
      let app = try MemoryApp()
      let configuration = try await Self.configuration(app)
      expect(
        "Cannot write to class Note when no flexible sync subscription has been created."
      ) {
        let realm = try Realm(configuration: configuration)
        try realm.write {
          // What has a subscription is written, before and after.
          realm.add(Todo(value: ["name": "a"]))
          switch way {
          case "add": realm.add(Note(value: ["id": 1]))
          case "create": realm.create(Note.self, value: Note(value: ["id": 1]))
          case "createFromDictionary": realm.create(Note.self, value: ["id": 1])
          case "link": realm.add(Line(value: ["text": "a", "note": Note(value: ["id": 1])]))
          default: _ = realm.dynamicCreate("Note", value: ["id": 1])
          }
        }
      }
    }
  }

  /// `SubscribedClasses` 1.
  @Test @MainActor func theSubscriptionsBeforeATransactionDecide() async throws {
    let app = try MemoryApp()
    let configuration = try await Self.configuration(app)
    app.server.setOnline(false)
    let realm = try await Realm(configuration: configuration, actor: MainActor.shared)
    // Objects without primary key are written in any case.
    try realm.write { realm.add(Line(value: ["text": "a"])) }
    let set = realm.subscriptions
    set.change { set.append(QuerySubscription<Note>()) }
    expectEqual(set.state, .pending)
    try realm.write {
      realm.add(Note(value: ["id": 1]))
      realm.create(Note.self, value: ["id": 2])
    }
    set.change { set.removeAll(ofType: Note.self) }
    // An object that is there may be changed.
    try realm.write { realm.create(Note.self, value: ["id": 1], update: .modified) }
    expectEqual(realm.objects(Note.self).count, 2)
  }

  @Test func partitionsAndLocalRealmsTakeAllClasses() async throws {
    let app = try MemoryApp(.partition)
    let user = try await app.device("first").login(credentials: .anonymous)
    var configuration = user.configuration(partitionValue: "x")
    configuration.objectTypes = [Note.self]
    let opened = configuration
    try await MainActor.run {
      let realm = try Realm(configuration: opened)
      try realm.write { realm.add(Note(value: ["id": 1])) }
      let local = try Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: "\(UUID())", objectTypes: [Note.self]))
      try local.write { local.add(Note(value: ["id": 1])) }
    }
  }
}

@MainActor private func subscribeOnThread(_ configuration: Realm.Configuration) async throws {
  // Sendable: the test breaks the rule to see it enforced.
  struct Smuggled: @unchecked Sendable { let todos: Results<Todo> }
  let smuggled = try await Task.detached {
    Smuggled(todos: try todosOfAThread(configuration))
  }.value
  try await smuggled.todos.subscribe()
}

private func todosOfAThread(_ configuration: Realm.Configuration) throws -> Results<Todo> {
  try Realm(configuration: configuration).objects(Todo.self)
}
#endif
