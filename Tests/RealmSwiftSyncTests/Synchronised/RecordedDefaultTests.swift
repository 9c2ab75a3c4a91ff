// SPDX-License-Identifier: Apache-2.0

// Values that the program did not set are recorded as defaults, which lose against values that
// another device has set.

#if Sync
import Foundation
import RealmStorage
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmSwift

private class Defaulted: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var title: String
  @Persisted var priority = 3
  @Persisted var date = Date(timeIntervalSince1970: 9)
  @Persisted var token = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  @Persisted var next: Defaulted?
  @Persisted var value: AnyRealmValue = .int(4)

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class DefaultedOwner: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var part: DefaultedPart? = DefaultedPart(value: ["text": "of the owner"])
  @Persisted var other: Defaulted? = Defaulted(value: ["_id": 7, "title": "linked"])

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class DefaultedPart: EmbeddedObject {
  @Persisted var text: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class CodedTask: Object, Decodable {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var title: String
  @Persisted var note: String?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct RecordedDefaultTests {
  /// The properties of recorded updates, and whether they are defaults.
  private func defaults(
    _ synced: SynchronisedRealm, _ body: (Realm) -> Void
  ) throws -> [String: Bool] {
    let realm = try synced.open()
    let version = try synced.file().snapshot().version
    try realm.write { body(realm) }
    var found: [String: Bool] = [:]
    for changeset in try synced.recorded(after: version) {
      for case .update(let update) in changeset.instructions
      where update.path.elements.isEmpty {
        found[changeset.text(of: update.path.field)] = update.isDefault
      }
    }
    try synced.expectReplayIsEqual()
    return found
  }

  @Test func whatWasAssignedIsNoDefault() throws {
    let found = try defaults(SynchronisedRealm([Defaulted.self])) { realm in
      let object = Defaulted()
      object._id = 1
      object.priority = 3
      _ = object.title
      object.value = .int(5)
      realm.add(object)
    }
    expectEqual(
      found, ["title": true, "priority": false, "date": true, "token": true, "value": false])
  }

  @Test func valuesThatObjectsAreMadeOfAreNoDefaults() throws {
    let found = try defaults(SynchronisedRealm([Defaulted.self])) { realm in
      realm.add(Defaulted(value: ["_id": 1, "date": Date()] as [String: Any]))
    }
    expectEqual(
      found, ["title": true, "priority": true, "date": false, "token": true, "value": true])
  }

  @Test func createdObjectsGetTheirDefaultsAsDefaults() throws {
    let found = try defaults(SynchronisedRealm([Defaulted.self])) { realm in
      let object = realm.create(Defaulted.self, value: ["_id": 1, "date": Date()] as [String: Any])
      object.token = UUID()
    }
    expectEqual(found, ["priority": true, "date": false, "token": false, "value": true])
  }

  @Test func updatesOfObjectsThatAreThereAreNoDefaults() throws {
    let synced = try SynchronisedRealm([Defaulted.self])
    let realm = try synced.open()
    try realm.write { realm.add(Defaulted(value: ["_id": 1, "title": "a", "priority": 9])) }
    let found = try defaults(synced) { realm in
      realm.add(Defaulted(value: ["_id": 1]), update: .modified)
    }
    expectEqual(found, ["title": false, "priority": false])
  }

  /// What linked objects hold is told by their own properties.
  @Test func defaultObjectsAreLinkedByDefault() throws {
    let types = [DefaultedOwner.self, Defaulted.self, DefaultedPart.self]
    let found = try defaults(SynchronisedRealm(types)) { realm in
      realm.add(DefaultedOwner(value: ["_id": 1]))
    }
    expectEqual(found["part"], true)
    expectEqual(found["other"], true)
    expectEqual(found["title"], false)
    expectEqual(found["priority"], true)
    expectEqual(found["next"], nil)
    let created = try defaults(SynchronisedRealm(types)) { realm in
      realm.create(DefaultedOwner.self, value: ["_id": 1])
    }
    expectEqual(created["part"], true)
    expectEqual(created["title"], false)
    expectEqual(created["priority"], true)
  }

  @Test func decodedValuesAreNoDefaults() throws {
    let json = Data(#"{"_id": 1, "title": "coded"}"#.utf8)
    let object = try JSONDecoder().decode(CodedTask.self, from: json)
    let found = try defaults(SynchronisedRealm([CodedTask.self])) { realm in
      realm.add(object)
    }
    expectEqual(found, ["title": false, "note": true])
  }
}
#endif
