// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct WriteTests {
  /// `ObjectBase` 1.
  @Test func addedObjectsBecomeManagedAndAreFoundAfterReopening() throws {
    let file = try TemporaryRealm()
    do {
      let realm = try file.open()
      let rex = Dog(value: ["name": "Rex", "age": 3])
      let ann = Person(value: ["id": 7, "name": "Ann", "dogs": [rex], "best": rex])
      try realm.write { realm.add(ann) }
      expectEqual(ann.realm, realm)
      expectEqual(rex.realm, realm)
      expectEqual(ann.dogs.count, 1)
      expectEqual(ann.dogs[0].name, "Rex")
      expectEqual(rex.owners.count, 1)
      expectEqual(rex.owners.first, ann)
    }
    let realm = try file.open()
    let ann = try #require(realm.object(ofType: Person.self, forPrimaryKey: 7))
    expectEqual(ann.name, "Ann")
    expectEqual(ann.age, 18)
    expectEqual(ann.height, nil)
    expectEqual(ann.best?.age, 3)
    expectEqual(realm.objects(Dog.self).count, 1)
  }

  @Test func createFillsDefaultsAndNestedObjects() throws {
    let realm = try TemporaryRealm().open()
    try realm.write {
      let bob = realm.create(
        Person.self,
        value: [
          "id": 1, "name": "Bob", "height": 1.8, "nicknames": ["B", "Bobby"],
          "dogs": [["name": "Rex"], ["name": "Bello", "age": 5]],
        ])
      expectEqual(bob.age, 18)
      expectEqual(bob.height, 1.8)
      expectEqual(Array(bob.nicknames), ["B", "Bobby"])
      expectEqual(bob.dogs.map(\.name), ["Rex", "Bello"])
      expectEqual(bob.dogs[1].age, 5)
    }
  }

  @Test func unmanagedObjectsAreMadeFromNestedValues() {
    let person = Person(value: [
      "id": 4, "dogs": [["name": "A"], ["B", 3]], "best": ["name": "C"],
    ])
    expectEqual(person.realm, nil)
    expectEqual(person.dogs.map(\.name), ["A", "B"])
    expectEqual(person.dogs[1].age, 3)
    expectEqual(person.best?.name, "C")
    expectEqual(Person(value: person).dogs.count, 2)
  }

  @Test func aThrowingBlockLeavesNothing() throws {
    struct Stop: Error {}
    let realm = try TemporaryRealm().open()
    #expect(throws: Stop.self) {
      try realm.write {
        realm.create(Person.self, value: ["id": 1])
        throw Stop()
      }
    }
    expectFalse(realm.isInWriteTransaction)
    expectTrue(realm.isEmpty)
  }

  @Test func objectsOfACancelledTransactionAreInvalid() throws {
    let realm = try TemporaryRealm().open()
    realm.beginWrite()
    let person = realm.create(Person.self, value: ["id": 1])
    expectFalse(person.isInvalidated)
    realm.cancelWrite()
    expectTrue(person.isInvalidated)
    expectEqual(person.realm, realm)
  }

  @Test func deletingAnObjectTakesItOutOfListsAndLinks() throws {
    let realm = try TemporaryRealm().open()
    let person = try realm.write {
      realm.create(Person.self, value: ["id": 1, "dogs": [["name": "A"], ["name": "B"]]])
    }
    let first = person.dogs[0]
    try realm.write {
      person.best = first
      realm.delete(first)
    }
    expectTrue(first.isInvalidated)
    expectEqual(person.best, nil)
    expectEqual(person.dogs.map(\.name), ["B"])
  }
}
