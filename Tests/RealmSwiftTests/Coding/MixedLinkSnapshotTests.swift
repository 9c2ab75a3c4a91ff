// SPDX-License-Identifier: Apache-2.0

// Links in mixed values, in snapshots and their coding.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

class SnapshotTarget: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var numbers: List<Int>
  @Persisted var next: AnyRealmValue

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class SnapshotHolder: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var any: AnyRealmValue
  @Persisted var list: List<AnyRealmValue>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct MixedLinkSnapshotTests {
  private func holder() throws -> (Realm, SnapshotHolder) {
    let realm = try TemporaryRealm([SnapshotTarget.self, SnapshotHolder.self]).open()
    let holder = try realm.write {
      let far = realm.create(SnapshotTarget.self, value: ["name": "far", "numbers": [9]])
      let near = realm.create(SnapshotTarget.self, value: ["name": "near", "numbers": [1, 2]])
      near.next = .object(far)
      let holder = realm.create(SnapshotHolder.self)
      holder.any = .object(near)
      holder.list.append(objectsIn: [
        .int(1), .fromDictionary(["deep": .fromArray([.object(far), .none])]), .object(near),
      ])
      return holder
    }
    return (realm, holder)
  }

  private func check(_ snapshot: ObjectSnapshot<SnapshotHolder>) throws {
    let near = try #require(snapshot.any.object(SnapshotTarget.self))
    expectTrue(near.realm == nil)
    expectEqual(near.name, "near")
    expectEqual(Array(near.numbers), [1, 2])
    // Further away than asked for: the key alone.
    let far = try #require(near.next.object(SnapshotTarget.self))
    expectEqual(far.name, "far")
    expectTrue(far.numbers.isEmpty)
    let object = snapshot.makeObject()
    expectEqual(object.any.object(SnapshotTarget.self)?.numbers.count, 2)
    expectTrue(object.list.count == 3 && object.list[0] == .int(1))
    let deep = object.list[1].dictionaryValue?["deep"]?.listValue
    expectEqual(deep?.count, 2)
    expectEqual(deep?[0].object(SnapshotTarget.self)?.numbers.first, 9)
    expectEqual(deep?[1], AnyRealmValue.none)
  }

  @Test func linksAreKept() throws {
    let (realm, holder) = try holder()
    let snapshot = ObjectSnapshot(holder)
    expectEqual(snapshot, ObjectSnapshot(holder.freeze()))
    expectEqual(Set([snapshot]).count, 1)
    try realm.write { realm.deleteAll() }
    try check(snapshot)
  }

  @Test func linksSurviveCodingByTheNamesOfTheirClasses() throws {
    let snapshot = ObjectSnapshot(try holder().1)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(snapshot)
    let text = String(decoding: data, as: UTF8.self)
    #expect(
      text.contains(
        #""any":{"object":{"class":"SnapshotTarget","properties":{"name":"near","next":"#
          + #"{"object":{"class":"SnapshotTarget","properties":{"name":"far"}}},"numbers":[1,2]}}}"#
      ), "\(text)")
    let decoded = try JSONDecoder().decode(ObjectSnapshot<SnapshotHolder>.self, from: data)
    expectEqual(decoded, snapshot)
    try check(decoded)
    let unknown = text.replacing("SnapshotTarget", with: "NoSuchClass")
    let rest = try JSONDecoder().decode(
      ObjectSnapshot<SnapshotHolder>.self, from: Data(unknown.utf8))
    expectEqual(rest.any, .none)
    expectEqual(rest.makeObject().list.count, 3)
    expectEqual(rest.makeObject().list[0], .int(1))
  }

  @Test func creatingLeavesWhatIsKnownByItsKeyAlone() throws {
    let (realm, holder) = try holder()
    let snapshot = ObjectSnapshot(holder)
    try realm.write {
      holder.list.removeAll()
      realm.object(ofType: SnapshotTarget.self, forPrimaryKey: "far")?.numbers.append(10)
      realm.object(ofType: SnapshotTarget.self, forPrimaryKey: "near")?.numbers.removeAll()
      // The list holds `far` whole, `near` knows its key alone.
      realm.create(from: snapshot, update: .modified)
    }
    expectEqual(ObjectSnapshot(holder), snapshot)
    expectEqual(realm.objects(SnapshotTarget.self).count, 2)
    let near = try #require(realm.object(ofType: SnapshotTarget.self, forPrimaryKey: "near"))
    let shallow = ObjectSnapshot(near, depth: 0)
    try realm.write {
      near.numbers.removeAll()
      near.next = .none
      let made = realm.create(from: shallow, update: .modified)
      expectEqual(made, near)
      expectEqual(Array(near.numbers), [1, 2])
    }
    expectEqual(near.next.object(SnapshotTarget.self)?.numbers.first, 9)
    let other = try TemporaryRealm([SnapshotTarget.self, SnapshotHolder.self]).open()
    try other.write { other.create(from: shallow) }
    expectEqual(other.objects(SnapshotTarget.self).count, 2)
    expectEqual(other.object(ofType: SnapshotTarget.self, forPrimaryKey: "far")?.numbers.count, 0)
  }

  @Test func decodedObjectsCanBeAdded() throws {
    let (realm, holder) = try holder()
    let data = try JSONEncoder().encode(ObjectSnapshot(holder))
    let decoded = try JSONDecoder().decode(ObjectSnapshot<SnapshotHolder>.self, from: data)
    let other = try TemporaryRealm([SnapshotTarget.self, SnapshotHolder.self]).open()
    try other.write { other.add(decoded.makeObject(), update: .modified) }
    expectEqual(other.objects(SnapshotHolder.self).count, 1)
    let near = other.objects(SnapshotHolder.self)[0].any.object(SnapshotTarget.self)
    expectEqual(near?.realm, other)
    expectEqual(near?.numbers.count, 2)
    expectEqual(realm.objects(SnapshotTarget.self).count, 2)
  }
}
