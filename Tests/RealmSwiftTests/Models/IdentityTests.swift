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
    #expect(person !== same && person == same && person.isEqual(same))
    #expect(person.hashValue == same.hashValue && Set([person, same]).count == 1)
    #expect(Person(value: ["id": 1]) != Person(value: ["id": 1]))
    #expect(!person.isEqual(nil) && !person.isEqual("Ann"))
  }

  @Test func objectsWithoutAKeyAreEqualByIdentity() throws {
    let dog = try realm.write { realm.create(Dog.self) }
    let same = try #require(realm.objects(Dog.self).first)
    #expect(dog != same && dog == dog && dog.isSameObject(as: same))
    #expect(dog.freeze() == same.freeze() && dog.freeze().hashValue == same.freeze().hashValue)
    #expect(!dog.freeze().isSameObject(as: dog) && dog.freeze() != dog)
  }

  @Test func sameObjects() throws {
    let (shelf, unmanaged) = (try realm.write { realm.create(Shelf.self) }, Spot())
    #expect(unmanaged.isSameObject(as: unmanaged) && !unmanaged.isSameObject(as: Spot()))
    #expect(!unmanaged.isSameObject(as: nil))
    try realm.write { shelf.places["a"] = Spot(value: ["Main"]) }
    let spot = try #require(shelf.places["a"] ?? nil)
    let again = try #require(shelf.places["a"] ?? nil)
    #expect(spot !== again && spot.isSameObject(as: again))
    try realm.write { realm.delete(spot) }
    #expect(!again.isSameObject(as: spot) && spot.isInvalidated && spot.realm == realm)
  }

  @Test func objectsTellWhereTheyBelong() throws {
    let dog = Dog()
    #expect(dog.realm == nil && !dog.isInvalidated && !dog.isFrozen)
    try realm.write { realm.add(dog) }
    #expect(dog.realm == realm && dog.objectSchema == realm.schema["Dog"])
    try realm.write { realm.delete(dog) }
    #expect(dog.realm == realm && dog.isInvalidated)
    #expect(Object.sharedSchema() == nil && Dog.sharedSchema()?.className == "Dog")
    #expect(Object.className() == "Object" && Dog.className() == "Dog")
  }

  @Test func propertiesByName() throws {
    let spot = Spot()
    spot["street"] = "Main"
    #expect(spot["street"] as? String == "Main" && spot.street == "Main")
    let dog = Dog(value: ["name": "Rex"])
    dog["age"] = 4
    try realm.write { realm.add(dog) }
    #expect(dog["name"] as? String == "Rex" && dog["age"] as? Int == 4)
    try realm.write {
      dog["age"] = 5
      let person = realm.create(Person.self, value: ["id": 1])
      person["height"] = nil
      person["dogs"] = [dog]
      person["best"] = dog
      #expect(person["height"] == nil && person.dogs.count == 1)
      expectEqual(person.best?.isSameObject(as: dog), true)
      person["best"] = nil
      #expect(person.best == nil && (person["dogs"] as? List<Dog>)?.count == 1)
    }
    expectEqual(dog.age, 5)
  }
}
