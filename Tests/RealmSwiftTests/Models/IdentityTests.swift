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
    #expect(person !== same)
    expectEqual(person, same)
    #expect(person.isEqual(same))
    expectEqual(person.hashValue, same.hashValue)
    expectEqual(Set([person, same]).count, 1)
    #expect(Person(value: ["id": 1]) != Person(value: ["id": 1]))
    #expect(!person.isEqual(nil))
    #expect(!person.isEqual("Ann"))
  }

  @Test func objectsWithoutAKeyAreEqualByIdentity() throws {
    let dog = try realm.write { realm.create(Dog.self) }
    let same = try #require(realm.objects(Dog.self).first)
    #expect(dog != same)
    expectEqual(dog, dog)
    #expect(dog.isSameObject(as: same))
    expectEqual(dog.freeze(), same.freeze())
    expectEqual(dog.freeze().hashValue, same.freeze().hashValue)
    #expect(!dog.freeze().isSameObject(as: dog))
    #expect(dog.freeze() != dog)
  }

  @Test func sameObjects() throws {
    let (shelf, unmanaged) = (try realm.write { realm.create(Shelf.self) }, Spot())
    #expect(unmanaged.isSameObject(as: unmanaged))
    #expect(!unmanaged.isSameObject(as: Spot()))
    #expect(!unmanaged.isSameObject(as: nil))
    try realm.write { shelf.places["a"] = Spot(value: ["Main"]) }
    let spot = try #require(shelf.places["a"] ?? nil)
    let again = try #require(shelf.places["a"] ?? nil)
    #expect(spot !== again)
    #expect(spot.isSameObject(as: again))
    try realm.write { realm.delete(spot) }
    #expect(!again.isSameObject(as: spot))
    #expect(spot.isInvalidated)
    expectEqual(spot.realm, realm)
  }

  @Test func objectsTellWhereTheyBelong() throws {
    let dog = Dog()
    #expect(dog.realm == nil)
    #expect(!dog.isInvalidated)
    #expect(!dog.isFrozen)
    try realm.write { realm.add(dog) }
    expectEqual(dog.realm, realm)
    expectEqual(dog.objectSchema, realm.schema["Dog"])
    try realm.write { realm.delete(dog) }
    expectEqual(dog.realm, realm)
    #expect(dog.isInvalidated)
    #expect(Object.sharedSchema() == nil)
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
      #expect(person["height"] == nil)
      expectEqual(person.dogs.count, 1)
      expectEqual(person.best?.isSameObject(as: dog), true)
      person["best"] = nil
      #expect(person.best == nil)
      #expect((person["dogs"] as? List<Dog>)?.count == 1)
    }
    expectEqual(dog.age, 5)
  }
}
