// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct ObjectSnapshotTests {
  private func person() throws -> (Realm, Person) {
    let realm = try TemporaryRealm().open()
    let person = try realm.write {
      realm.create(
        Person.self,
        value: [
          "id": 3, "name": "Ann", "height": 1.5, "dogs": [["name": "A"], ["name": "B", "age": 4]],
          "best": ["name": "C"], "nicknames": ["x", "y"],
        ])
    }
    return (realm, person)
  }

  @Test func propertiesAreRead() throws {
    let (realm, person) = try person()
    let snapshot = ObjectSnapshot(person)
    try realm.write { realm.deleteAll() }
    expectEqual(snapshot.id, 3)
    expectEqual(snapshot.name, "Ann")
    expectEqual(snapshot.age, 18)
    expectEqual(snapshot.height, 1.5)
    expectEqual(snapshot.nicknames, ["x", "y"])
    expectEqual(snapshot.dogs.map(\.name), ["A", "B"])
    expectEqual(snapshot.best?.name, "C")
  }

  @MainActor @Test func snapshotsGoAnywhere() async throws {
    let (realm, _) = try person()
    let snapshots = realm.objects(Person.self).snapshots()
    let names = await Task.detached { snapshots.flatMap { $0.dogs.map(\.name) } }.value
    expectEqual(names, ["A", "B"])
    expectEqual(snapshots, realm.objects(Person.self).freeze().snapshots())
    expectEqual(Set(snapshots).count, 1)
  }

  @Test func allTypesSurviveCoding() throws {
    let realm = try TemporaryRealm([AllTypes.self, Shelf.self, Dog.self, Person.self, Spot.self])
      .open()
    let (all, shelf) = try realm.write {
      (
        realm.create(
          AllTypes.self,
          value: [
            "int": 5, "float": 0.1, "date": Date(timeIntervalSince1970: 1.25), "data": Data([7]),
            "decimal": "1.5", "optionalUUID": UUID(), "optionalString": "ö",
          ]),
        realm.create(
          Shelf.self,
          value: [
            "id": 1, "tags": ["b", "a"], "optionals": [1, nil], "grades": ["high"],
            "anything": [1, 2.5, "x", nil], "scores": ["k": 3], "weights": ["w": nil],
            "pets": ["p": ["name": "Rex"], "q": nil], "places": ["home": ["street": "S"]],
            "mixed": ["m": Data([1])],
          ])
      )
    }
    let first = ObjectSnapshot(all)
    let second = ObjectSnapshot(shelf)
    try expectEqual(
      JSONDecoder().decode(
        ObjectSnapshot<AllTypes>.self, from: JSONEncoder().encode(first)), first)
    let back = try JSONDecoder().decode(
      ObjectSnapshot<Shelf>.self, from: JSONEncoder().encode(second))
    expectEqual(back, second)
    expectEqual(back.optionals.count, 2)
    expectTrue(back.optionals.contains(nil))
    expectEqual(back.grades, [.high])
    expectEqual(back.scores, ["k": 3])
    expectEqual(back.weights, ["w": nil])
    expectEqual(back.pets["p"]??.name, "Rex")
    expectEqual(back.pets["q"], .some(nil))
    expectEqual(back.places["home"]??.street, "S")
    let copy = back.makeObject()
    expectTrue(copy.realm == nil)
    expectEqual(Array(copy.tags), ["a", "b"])
    expectEqual(copy.mixed["m"], .data(Data([1])))
    expectEqual(copy.anything.count, 4)
    try realm.write { realm.add(copy, update: .modified) }
    expectEqual(ObjectSnapshot(shelf), second)
  }

  @Test func depthEndsAtPrimaryKeys() throws {
    let realm = try TemporaryRealm([
      CreateTests.Node.self, CreateTests.Loose.self, CreateTests.Box.self,
    ])
    .open()
    let node = try realm.write {
      let node = realm.create(
        CreateTests.Node.self,
        value: ["id": 1, "box": ["width": 2], "next": ["id": 2, "next": ["id": 3]]])
      node.next?.next?.next = node
      return node
    }
    let shallow = ObjectSnapshot(node, depth: 0)
    expectEqual(shallow.next?.id, 2)
    expectEqual(shallow.box?.width, 2)
    let deep = ObjectSnapshot(node, depth: 3)
    expectEqual(deep.next?.next?.next?.id, 1)
    expectEqual(deep.next?.next?.next?.next?.id, 2)
    let encoded = try JSONEncoder().encode(shallow)
    try expectEqual(
      JSONDecoder().decode(ObjectSnapshot<CreateTests.Node>.self, from: encoded), shallow)
  }

  @Test func creatingFromASnapshotLeavesDistantObjectsAlone() throws {
    let classes = [CreateTests.Node.self, CreateTests.Loose.self, CreateTests.Box.self]
    let realm = try TemporaryRealm(classes).open()
    let node = try realm.write {
      realm.create(
        CreateTests.Node.self,
        value: [
          "id": 1, "box": ["width": 2], "boxes": [["width": 3], ["width": 4]],
          "next": ["id": 2, "box": ["width": 7]],
        ] as [String: Any])
    }
    let snapshot = ObjectSnapshot(node, depth: 0)
    try realm.write {
      node.box = nil
      node.next = nil
      node.boxes.removeLast()
      expectEqual(realm.create(from: snapshot, update: .modified), node)
    }
    expectEqual(node.box?.width, 2)
    expectEqual(node.boxes.map(\.width), [3, 4])
    expectEqual(node.next?.box?.width, 7)
    expectEqual(realm.objects(CreateTests.Node.self).count, 2)
    try realm.write { realm.create(from: ObjectSnapshot(node), update: .all) }
    expectEqual(node.next?.box?.width, 7)
    expectEqual(realm.objects(CreateTests.Node.self).count, 2)
    let other = try TemporaryRealm(classes).open()
    try other.write { other.create(from: snapshot) }
    expectEqual(other.objects(CreateTests.Node.self).count, 2)
    expectEqual(other.object(ofType: CreateTests.Node.self, forPrimaryKey: 2)?.box, nil)
  }

  @Test func creatingWhatIsThere() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm([Person.self, Dog.self]).open()
      try realm.write {
        let person = realm.create(Person.self, value: ["id": 1])
        realm.create(from: ObjectSnapshot(person))
      }
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains("existing primary key"))
  }

  @Test func readingBeyondTheDepth() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let node = CreateTests.Node(value: ["id": 1, "next": ["id": 2]])
      _ = ObjectSnapshot(node, depth: 0).next?.box
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains("The snapshot of a 'Node' has only its primary key, not 'box'"))
  }

  @MainActor @Test func identifiersFindTheirObjectAnywhere() async throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    let (person, dog) = try realm.write {
      (
        realm.create(Person.self, value: ["id": 9, "name": "Ann"]),
        realm.create(Dog.self, value: ["name": "Rex"])
      )
    }
    let ids = (PersistentID(person), PersistentID(dog))
    let configuration = file.configuration
    let names = try await Task.detached {
      let realm = try Realm(configuration: configuration)
      return [realm[ids.0]?.name, realm[ids.1]?.name]
    }.value
    expectEqual(names, ["Ann", "Rex"])
    expectEqual(PersistentID(person), ids.0)
    expectEqual(PersistentID(Person(value: ["id": 9])), ids.0)
    let coded = try JSONEncoder().encode([ids.1])
    try expectEqual(JSONDecoder().decode([PersistentID<Dog>].self, from: coded), [ids.1])
    let keyed = try JSONDecoder().decode(
      PersistentID<Person>.self, from: JSONEncoder().encode(ids.0))
    expectEqual(realm[keyed], person)
    expectEqual(realm[keyed]?.freeze().isFrozen, true)
    try realm.write { realm.deleteAll() }
    expectTrue(realm[ids.0] == nil)
    expectTrue(realm[ids.1] == nil)
  }
}
