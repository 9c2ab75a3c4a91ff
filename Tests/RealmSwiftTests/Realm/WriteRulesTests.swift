// SPDX-License-Identifier: Apache-2.0

// What adding, creating, updating and deleting do with each kind of value.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct WriteRulesTests {
  private let realm: Realm

  init() throws {
    realm = try TemporaryRealm([Person.self, Dog.self, Shelf.self, Spot.self]).open()
  }

  // MARK: Transactions

  @Test func writeGivesWhatItsBlockGives() throws {
    let count = try realm.write {
      expectTrue(realm.isInWriteTransaction)
      realm.create(Dog.self)
      return realm.objects(Dog.self).count
    }
    expectEqual(count, 1)
    expectFalse(realm.isInWriteTransaction)
  }

  @Test func aBlockMayEndItsTransaction() throws {
    try realm.write {
      realm.create(Dog.self)
      try realm.commitWrite()
    }
    try realm.write {
      realm.create(Dog.self)
      realm.cancelWrite()
    }
    expectEqual(realm.objects(Dog.self).count, 1)
    expectFalse(realm.isInWriteTransaction)
  }

  @Test func aCancelledDeletionKeepsTheObject() throws {
    let dog = try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
    realm.beginWrite()
    realm.delete(dog)
    expectTrue(dog.isInvalidated)
    realm.cancelWrite()
    expectEqual(realm.objects(Dog.self).first?.name, "Rex")
  }

  @Test func cancelledChangesAreUndone() throws {
    let person = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ann"]) }
    realm.beginWrite()
    person.name = "Bob"
    person.nicknames.append("B")
    expectEqual(person.name, "Bob")
    realm.cancelWrite()
    expectEqual(person.name, "Ann")
    expectTrue(person.nicknames.isEmpty)
    expectFalse(person.isInvalidated)
  }

  // MARK: Adding

  @Test func sequencesAreAdded() throws {
    try realm.write {
      realm.add([Dog(value: ["name": "A"]), Dog(value: ["name": "B"])])
      realm.add((1...3).lazy.map { Person(value: ["id": $0]) })
      realm.add((2...4).map { Person(value: ["id": $0, "name": "new"]) }, update: .modified)
      realm.add([Person](), update: .all)
    }
    expectEqual(realm.objects(Dog.self).map(\.name), ["A", "B"])
    expectEqual(realm.objects(Person.self).map(\.name), ["", "new", "new", "new"])
  }

  @Test func addingAgainChangesNothing() throws {
    let dog = Dog(value: ["name": "Rex"])
    try realm.write {
      realm.add(dog)
      realm.add(dog)
    }
    expectEqual(realm.objects(Dog.self).count, 1)
    expectEqual(dog.realm, realm)
  }

  // MARK: Creating

  @Test func missingKeysAreDefaultsAtFirstAndUntouchedLater() throws {
    try realm.write {
      let person = realm.create(Person.self, value: ["id": 1, "height": 1.5] as [String: Any])
      expectEqual(person.age, 18)
      expectEqual(person.name, "")
      person.name = "Ann"
      let same = realm.create(Person.self, value: ["id": 1, "age": 7], update: .all)
      expectEqual(same, person)
      expectEqual(person.name, "Ann")
      expectEqual(person.age, 7)
      expectEqual(person.height, 1.5)
    }
  }

  @Test func nullSetsOptionalsToNil() throws {
    try realm.write {
      let dog = realm.create(Dog.self)
      let person = realm.create(Person.self, value: ["id": 1, "height": 1.5, "best": dog])
      realm.create(
        Person.self, value: ["id": 1, "height": NSNull(), "best": NSNull()], update: .modified)
      expectTrue(person.height == nil)
      expectTrue(person.best == nil)
    }
  }

  @Test func collectionsGivenAsNullAreEmptied() throws {
    try realm.write {
      let shelf = realm.create(
        Shelf.self,
        value: ["id": 1, "tags": ["a"], "scores": ["x": 1], "dogs": [["name": "A"]]]
          as [String: Any])
      let person = realm.create(Person.self, value: ["id": 1, "nicknames": ["a"]])
      realm.create(
        Shelf.self,
        value: ["id": 1, "tags": NSNull(), "scores": NSNull(), "dogs": Int?.none as Any],
        update: .all)
      realm.create(Person.self, value: ["id": 1, "nicknames": NSNull()], update: .modified)
      expectTrue(shelf.tags.isEmpty)
      expectTrue(shelf.scores.isEmpty)
      expectTrue(shelf.dogs.isEmpty)
      expectTrue(person.nicknames.isEmpty)
      expectEqual(realm.objects(Dog.self).count, 1)
    }
  }

  @Test func unknownKeysAreIgnored() throws {
    let dog = try realm.write {
      realm.create(Dog.self, value: ["name": "Rex", "nope": 3] as [String: Any])
    }
    expectEqual(dog.name, "Rex")
    expectEqual(Dog(value: ["nope": 1, "age": 2]).age, 2)
  }

  @Test func arraysAreInOrderOfDeclaration() throws {
    let person = try realm.write {
      realm.create(Person.self, value: [3, "Ann", 40, NSNull(), [["Rex", 2]]] as [Any])
    }
    expectEqual(person.id, 3)
    expectEqual(person.name, "Ann")
    expectEqual(person.age, 40)
    expectTrue(person.height == nil)
    expectEqual(person.dogs.first?.age, 2)
    expectTrue(person.nicknames.isEmpty)
  }

  @Test func ownObjectsAreReturnedWhenUpdating() throws {
    try realm.write {
      let person = realm.create(Person.self, value: ["id": 1])
      expectTrue(realm.create(Person.self, value: person, update: .modified) === person)
      expectTrue(realm.create(Person.self, value: person, update: .all) === person)
      let dog = realm.create(Dog.self, value: ["name": "Rex"])
      let copy = realm.create(Dog.self, value: dog)
      expectTrue(copy !== dog)
      expectEqual(copy.name, "Rex")
      expectEqual(realm.objects(Dog.self).count, 2)
    }
  }

  @Test func objectsOfOtherRealmsAreCopied() throws {
    let (_, person) = try Misuse.realmWithPerson()
    let copy = try realm.write { realm.create(Person.self, value: person) }
    expectEqual(copy.name, "Ann")
    expectEqual(copy.realm, realm)
    expectTrue(person.realm != realm)
  }

  @Test func thePolicyGoesOnToLinkedObjects() throws {
    let (_, foreign) = try Misuse.realmWithPerson()
    expectTrue(foreign.dogs.isEmpty)
    try realm.write {
      let first = Person(value: ["id": 1, "dogs": [["name": "A"]]])
      realm.add(first, update: .modified)
      realm.create(Person.self, value: ["id": 1, "dogs": [["name": "B"]]], update: .modified)
      expectEqual(first.dogs.map(\.name), ["B"])
      // Objects without a primary key are new ones each time.
      expectEqual(realm.objects(Dog.self).count, 2)
    }
  }

  @Test func policiesHaveTheirNumbers() {
    expectEqual(Realm.UpdatePolicy.error.rawValue, 1)
    expectEqual(Realm.UpdatePolicy.all.rawValue, 2)
    expectEqual(Realm.UpdatePolicy.modified.rawValue, 3)
    expectTrue(Realm.UpdatePolicy(rawValue: 4) == nil)
    expectEqual(Realm.UpdatePolicy(rawValue: 3), .modified)
  }

  @Test func defaultsAreMadeForEachObject() throws {
    class Stamped: Object {
      @Persisted var id = UUID()
      @Persisted var mark: ObjectId
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    let realm = try TemporaryRealm([Stamped.self]).open()
    let all = try realm.write {
      [
        realm.create(Stamped.self), realm.create(Stamped.self),
        realm.create(Stamped.self, value: []),
      ]
    }
    expectEqual(Set(all.map(\.id)).count, 3)
    expectEqual(Set(all.map(\.mark)).count, 3)
    expectTrue(Stamped().id != Stamped().id)
  }

  // MARK: Collections as properties

  @Test func assigningACollectionReplacesWhatItHolds() throws {
    try realm.write {
      let person = realm.create(Person.self, value: ["id": 1, "nicknames": ["a", "b"]])
      let list = person.nicknames
      person.nicknames = person.nicknames
      expectEqual(Array(list), ["a", "b"])
      let other = List<String>()
      other.append("c")
      person.nicknames = other
      expectEqual(Array(list), ["c"])
      person["nicknames"] = ["d", "e"]
      expectEqual(Array(list), ["d", "e"])
      person.setValue(Set(["f"]), forKey: "nicknames")
      expectEqual(Array(list), ["f"])
      person["dogs"] = realm.objects(Dog.self)
      realm.create(Dog.self)
      person["dogs"] = realm.objects(Dog.self)
      expectEqual(person.dogs.count, 1)
    }
  }

  // MARK: Deleting

  @Test func everythingCanBeDeleted() throws {
    func fill() throws -> (Person, Shelf) {
      try realm.write {
        realm.deleteAll()
        let dogs = (0..<4).map { realm.create(Dog.self, value: ["age": $0]) }
        let shelf = realm.create(
          Shelf.self, value: ["id": 1, "dogs": [dogs[0]], "pets": ["a": dogs[1], "b": dogs[2]]])
        return (realm.create(Person.self, value: ["id": 1, "dogs": dogs]), shelf)
      }
    }
    var (person, shelf) = try fill()
    try realm.write { realm.delete(person.dogs) }
    expectTrue(person.dogs.isEmpty)
    expectTrue(realm.objects(Dog.self).isEmpty)
    expectFalse(person.isInvalidated)
    expectEqual(shelf.pets.keys, ["a", "b"])
    expectEqual(shelf.pets["a"], .some(nil))
    (person, shelf) = try fill()
    try realm.write { realm.delete(shelf.dogs) }
    expectEqual(person.dogs.map(\.age), [1, 2, 3])
    try realm.write { realm.delete(shelf.pets) }
    expectEqual(person.dogs.map(\.age), [3])
    try realm.write { realm.delete(realm.objects(Dog.self).where { $0.age == 3 }) }
    expectTrue(person.dogs.isEmpty)
    (person, shelf) = try fill()
    try realm.write { realm.delete(Array(person.dogs.prefix(2))) }
    expectEqual(person.dogs.count, 2)
    expectEqual(realm.objects(Dog.self).count, 2)
    try realm.write { realm.deleteAll() }
    expectTrue(realm.isEmpty)
    expectTrue(person.isInvalidated)
    expectTrue(shelf.isInvalidated)
  }
}
