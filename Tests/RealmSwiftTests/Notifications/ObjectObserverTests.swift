// SPDX-License-Identifier: Apache-2.0

// Observers of objects: which properties, which values, and the end.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

/// A change that an observer of an object was notified of, with values as strings.
private enum ToldObject: Equatable, Sendable {
  case change([String])
  case deleted
  case error

  init<T>(_ change: ObjectChange<T>) {
    switch change {
    case .change(_, let properties):
      self = .change(
        properties.map { property in
          let old = property.oldValue.map { "\($0)" } ?? "nil"
          let new = property.newValue.map { "\($0)" } ?? "nil"
          return "\(property.name): \(old) -> \(new)"
        })
    case .deleted: self = .deleted
    case .error: self = .error
    }
  }
}

@MainActor @Suite(.timeLimit(.minutes(10))) struct ObjectObserverTests {
  private let configuration = freshConfiguration()
  private let told = Recorder<ToldObject>()

  private func open() async throws -> (Realm, AsyncTask) {
    let realm = try await Realm(configuration: configuration)
    let task = try realm.write {
      realm.create(AsyncTask.self, value: ["id": 1, "name": "one", "priority": 3])
    }
    return (realm, task)
  }

  private func setElsewhere(_ body: @escaping @Sendable (AsyncTask) -> Void) async throws {
    try await writeElsewhere(configuration) { realm in
      if let task = realm.object(ofType: AsyncTask.self, forPrimaryKey: 1) { body(task) }
    }
  }

  @Test func aWriteElsewhereTellsOldAndNewValues() async throws {
    let (_, task) = try await open()
    let token = task.observe { [told] (change: ObjectChange<AsyncTask>) in
      told.add(ToldObject(change))
    }
    try await setElsewhere { task in
      task.priority = 4
      task.name = "two"
    }
    await expectEqual(
      told.wait(for: 1), [.change(["priority: 3 -> 4", "name: one -> two"])])
    expectEqual(task.name, "two")
    token.invalidate()
  }

  @Test func anOwnWriteTellsNoOldValues() async throws {
    let (realm, task) = try await open()
    let token = task.observe { [told] (change: ObjectChange<AsyncTask>) in
      told.add(ToldObject(change))
    }
    try realm.write { task.name = "two" }
    expectTrue(told.all.isEmpty)
    await expectEqual(told.wait(for: 1), [.change(["name: nil -> two"])])
    token.invalidate()
  }

  @Test func settingTheSameValueCounts() async throws {
    let (_, task) = try await open()
    let token = task.observe { [told] (change: ObjectChange<AsyncTask>) in
      told.add(ToldObject(change))
    }
    try await setElsewhere { $0.name = $0.name }
    await expectEqual(told.wait(for: 1), [.change(["name: one -> one"])])
    token.invalidate()
  }

  @Test func deletionIsToldOnceAndIsTheEnd() async throws {
    let (realm, task) = try await open()
    let token = task.observe { [told] (change: ObjectChange<AsyncTask>) in
      told.add(ToldObject(change))
    }
    try await setElsewhere { $0.realm?.delete($0) }
    await expectEqual(told.wait(for: 1), [.deleted])
    expectTrue(task.isInvalidated)
    expectFalse(token.invalidate())
    try realm.write { _ = realm.create(AsyncTask.self, value: ["id": 1]) }
    await expectEqual(told.settled().count, 1)
  }

  @Test func linkedObjectsAreToldOnlyForKeyPaths() async throws {
    let (realm, task) = try await open()
    let owner = try realm.write { () -> AsyncOwner in
      task.owner = realm.create(AsyncOwner.self, value: ["name": "Ann"])
      return task.owner ?? AsyncOwner()
    }
    let all = Recorder<ToldObject>()
    let allToken = task.observe { (change: ObjectChange<AsyncTask>) in all.add(ToldObject(change)) }
    let token = task.observe(keyPaths: [\AsyncTask.owner?.name]) { [told] change in
      told.add(ToldObject(change))
    }
    try realm.write { owner.name = "Bob" }
    await expectEqual(told.wait(for: 1).count, 1)
    expectTrue(all.all.isEmpty)
    try realm.write { task.priority = 9 }
    await expectEqual(all.wait(for: 1), [.change(["priority: nil -> 9"])])
    await expectEqual(told.settled().count, 1)
    allToken.invalidate()
    token.invalidate()
  }

  @Test func aListPropertyIsToldWithoutValues() async throws {
    let (realm, task) = try await open()
    let owner = try realm.write { realm.create(AsyncOwner.self, value: ["name": "Ann"]) }
    let token = owner.observe { [told] (change: ObjectChange<AsyncOwner>) in
      told.add(ToldObject(change))
    }
    try realm.write { owner.tasks.append(task) }
    await expectEqual(told.wait(for: 1), [.change(["tasks: nil -> nil"])])
    token.invalidate()
  }

  @Test func aRealmIsObserved() async throws {
    let realm = try await Realm(configuration: configuration)
    let notifications = Recorder<String>()
    let token = realm.observe { notification, observed in
      expectEqual(observed, realm)
      notifications.add(notification.rawValue)
    }
    try realm.write { addTasks(0..<1, to: realm) }
    expectEqual(notifications.all.count, 1)  // synchronous for own writes
    try await writeElsewhere(configuration) { addTasks(1..<2, to: $0) }
    await expectEqual(notifications.wait(for: 2).count, 2)
    realm.autorefresh = false
    try await writeElsewhere(configuration) { addTasks(2..<3, to: $0) }
    await expectEqual(
      notifications.wait(for: 3).last, Realm.Notification.refreshRequired.rawValue)
    token.invalidate()
    realm.refresh()
    await expectEqual(notifications.settled().count, 3)
  }
}
