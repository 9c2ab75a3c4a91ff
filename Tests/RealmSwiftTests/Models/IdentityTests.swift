// SPDX-License-Identifier: Apache-2.0

// Which objects are equal, and how objects describe themselves.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct IdentityTests {
  private let file: TemporaryRealm
  private let realm: Realm

  init() throws {
    file = try TemporaryRealm([Person.self, Dog.self, Shelf.self, Spot.self])
    realm = try file.open()
  }

  @Test func objectsWithAKeyAreEqualByRow() throws {
    let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
    let same = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
    expectTrue(person !== same)
    expectEqual(person, same)
    expectTrue(person.isEqual(same))
    expectEqual(person.hashValue, same.hashValue)
    expectEqual(Set([person, same]).count, 1)
    expectTrue(Person(value: ["id": 1]) != Person(value: ["id": 1]))
    expectFalse(person.isEqual(nil))
    expectFalse(person.isEqual("Ann"))
  }

  @Test func objectsWithoutAKeyAreEqualByIdentity() throws {
    let dog = try realm.write { realm.create(Dog.self) }
    let same = try #require(realm.objects(Dog.self).first)
    expectTrue(dog != same)
    expectEqual(dog, dog)
    expectTrue(dog.isSameObject(as: same))
    expectEqual(dog.freeze(), same.freeze())
    expectEqual(dog.freeze().hashValue, same.freeze().hashValue)
    expectFalse(dog.freeze().isSameObject(as: dog))
    expectTrue(dog.freeze() != dog)
  }

  @Test func sameObjects() throws {
    let (shelf, unmanaged) = (try realm.write { realm.create(Shelf.self) }, Spot())
    expectTrue(unmanaged.isSameObject(as: unmanaged))
    expectFalse(unmanaged.isSameObject(as: Spot()))
    expectFalse(unmanaged.isSameObject(as: nil))
    try realm.write { shelf.places["a"] = Spot(value: ["Main"]) }
    let spot = try #require(shelf.places["a"] ?? nil)
    let again = try #require(shelf.places["a"] ?? nil)
    expectTrue(spot !== again)
    expectTrue(spot.isSameObject(as: again))
    try realm.write { realm.delete(spot) }
    expectFalse(again.isSameObject(as: spot))
    expectTrue(spot.isInvalidated)
    expectEqual(spot.realm, realm)
  }

  @Test func objectsTellWhereTheyBelong() throws {
    let dog = Dog()
    expectTrue(dog.realm == nil)
    expectFalse(dog.isInvalidated)
    expectFalse(dog.isFrozen)
    try realm.write { realm.add(dog) }
    expectEqual(dog.realm, realm)
    expectEqual(dog.objectSchema, realm.schema["Dog"])
    try realm.write { realm.delete(dog) }
    expectEqual(dog.realm, realm)
    expectTrue(dog.isInvalidated)
    expectTrue(Object.sharedSchema() == nil)
    expectEqual(Dog.sharedSchema()?.className, "Dog")
    expectEqual(Object.className(), "Object")
    expectEqual(Dog.className(), "Dog")
  }

  @Test func propertiesByName() throws {
    let spot = Spot()
    spot["street"] = "Main"
    expectEqual(spot["street"] as? String, "Main")
    expectEqual(spot.street, "Main")
    let dog = Dog(value: ["name": "Rex"])
    dog["age"] = 4
    try realm.write { realm.add(dog) }
    expectEqual(dog["name"] as? String, "Rex")
    expectEqual(dog["age"] as? Int, 4)
    try realm.write {
      dog["age"] = 5
      let person = realm.create(Person.self, value: ["id": 1])
      person["height"] = nil
      person["dogs"] = [dog]
      person["best"] = dog
      expectTrue(person["height"] == nil)
      expectEqual(person.dogs.count, 1)
      expectEqual(person.best?.isSameObject(as: dog), true)
      person["best"] = nil
      expectTrue(person.best == nil)
      #expect((person["dogs"] as? List<Dog>)?.count == 1)
    }
    expectEqual(dog.age, 5)
  }
}
