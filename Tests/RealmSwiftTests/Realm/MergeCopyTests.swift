// SPDX-License-Identifier: Apache-2.0

// Copies into files that have data already.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private enum Smaller {
  class Dog: Object {
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

private enum Other {
  class Dog: Object {
    @Persisted var name: String
    @Persisted var age: Double
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

struct MergeCopyTests {
  private static let types: [ObjectBase.Type] = [
    Person.self, Dog.self, AllTypes.self, Shelf.self, Spot.self, Wardrobe.self, MixedHolder.self,
  ]

  private let source: TemporaryRealm
  private let destination: TemporaryRealm

  init() throws {
    source = try TemporaryRealm(Self.types)
    destination = try TemporaryRealm(Self.types)
  }

  private func fill(_ realm: Realm) throws {
    try realm.write {
      let dog = realm.create(Dog.self, value: ["name": "Rex", "age": 3])
      let person = realm.create(
        Person.self, value: ["id": 1, "name": "Ann", "nicknames": ["a", "b"], "height": 1.5])
      person.dogs.append(objectsIn: [dog, Dog(value: ["name": "Ada"]), dog])
      person.best = dog
      realm.create(Person.self, value: ["id": 2, "name": "New"]).dogs.append(dog)
      let shelf = realm.create(
        Shelf.self, value: ["id": 1, "tags": ["x", "y"], "places": ["home": ["street": "S"]]])
      shelf.dogs.insert(dog)
      shelf.pets["p"] = dog
      let holder = realm.create(MixedHolder.self, value: ["id": 1])
      holder.any = .fromArray([.object(person), .fromDictionary(["d": .object(dog)]), .int(4)])
      holder.set.insert(objectsIn: [.object(holder), .string("s")])
      holder.map["deep"] = .fromArray([.object(dog)])
    }
  }

  /// `RealmMerge` 1.
  @Test func objectsWithKeysTakeThePlaceOfThoseThere() throws {
    let realm = try source.open()
    try fill(realm)
    let there = try destination.open()
    try there.write {
      let rex = there.create(Dog.self, value: ["name": "Rex", "age": 40])
      there.create(
        Person.self, value: ["id": 1, "name": "Old", "age": 99, "dogs": [rex], "nicknames": ["z"]])
      there.create(Person.self, value: ["id": 3, "name": "Stays", "best": rex])
      there.create(Shelf.self, value: ["id": 1, "places": ["gone": ["street": "G"]]])
    }
    try realm.writeCopy(configuration: destination.configuration)
    there.refresh()
    expectEqual(there.objects(Person.self).map(\.name).sorted(), ["Ann", "New", "Stays"])
    let ann = try #require(there.object(ofType: Person.self, forPrimaryKey: 1))
    expectEqual(ann.age, 18)
    expectEqual(ann.height, 1.5)
    expectEqual(Array(ann.nicknames), ["a", "b"])
    expectEqual(ann.dogs.map(\.name), ["Rex", "Ada", "Rex"])
    expectEqual(ann.best?.age, 3)
    expectTrue(ann.dogs[0].isSameObject(as: ann.best))
    expectTrue(ann.dogs[2].isSameObject(as: ann.best))
    // Dogs have no keys: those that were there are others.
    expectEqual(there.objects(Dog.self).map(\.age).sorted(), [0, 3, 40])
    expectEqual(there.object(ofType: Person.self, forPrimaryKey: 3)?.best?.age, 40)
    let new = there.object(ofType: Person.self, forPrimaryKey: 2)
    expectEqual(new?.dogs.first?.isSameObject(as: ann.best), true)
    let shelf = try #require(there.object(ofType: Shelf.self, forPrimaryKey: 1))
    expectEqual(Set(shelf.tags), ["x", "y"])
    expectEqual(shelf.places.keys, ["home"])
    expectEqual(shelf.pets["p"]??.age, 3)
    expectEqual(shelf.dogs.first?.age, 3)
    expectEqual(there.dynamicObjects("Dog").count, 3)
    let holder = try #require(there.object(ofType: MixedHolder.self, forPrimaryKey: 1))
    expectEqual(holder.any.listValue?[0].object(Person.self)?.id, 1)
    expectEqual(holder.any.listValue?[1].dictionaryValue?["d"]?.object(Dog.self)?.age, 3)
    expectTrue(holder.set.contains(.object(holder)))
    expectEqual(holder.map["deep"]?.listValue?[0].object(Dog.self)?.name, "Rex")
    try ReferenceReader.check(destination.configuration)
    // Once more: what has a key is there, what has none comes again.
    try realm.writeCopy(configuration: destination.configuration)
    there.refresh()
    expectEqual(there.objects(Person.self).count, 3)
    expectEqual(there.objects(Dog.self).count, 5)
    expectEqual(ann.dogs.count, 3)
    expectEqual(shelf.places["home"]??.street, "S")
    try ReferenceReader.check(destination.configuration)
  }

  @Test func whatATransactionMadeIsCopied() throws {
    let realm = try source.open()
    try autoreleasepool { try destination.open().write {} }
    realm.beginWrite()
    let dog = realm.create(Dog.self, value: ["name": "uncommitted"])
    realm.create(Person.self, value: ["id": 5, "best": dog])
    try realm.writeCopy(configuration: destination.configuration)
    realm.cancelWrite()
    try expectEqual(destination.open().objects(Person.self).first?.best?.name, "uncommitted")
    expectTrue(realm.isEmpty)
  }

  @Test func aFrozenRealmIsCopiedAsItWas() throws {
    let realm = try source.open()
    try fill(realm)
    let frozen = realm.freeze()
    try realm.write { realm.deleteAll() }
    try autoreleasepool { _ = try destination.open() }
    try frozen.writeCopy(configuration: destination.configuration)
    try expectEqual(destination.open().objects(Person.self).count, 2)
  }

  @Test func whatDoesNotFitIsRefused() throws {
    let realm = try source.open()
    try fill(realm)
    func refusal(_ types: [ObjectBase.Type]) throws -> String? {
      let other = try TemporaryRealm(types)
      let there = try other.open()
      let error = #expect(throws: Realm.Error.self) {
        try realm.writeCopy(configuration: other.configuration)
      }
      expectEqual(error?.code, .schemaMismatch)
      expectTrue(there.isEmpty)
      return error?.localizedDescription
    }
    let start = "The Realm cannot be copied into the file: "
    try realm.write {
      realm.delete(realm.objects(Person.self))
      realm.delete(realm.objects(Shelf.self))
      realm.delete(realm.objects(MixedHolder.self))
    }
    try expectEqual(refusal([AllTypes.self]), start + "it lacks class 'Dog'.")
    try expectEqual(refusal([Smaller.Dog.self]), start + "it lacks property 'Dog.age'.")
    try expectEqual(
      refusal([Other.Dog.self]), start + "property 'Dog.age' is of another type there.")
    let own = #expect(throws: Realm.Error.self) {
      try realm.writeCopy(configuration: source.configuration)
    }
    expectEqual(own?.code, .fileExists)
  }
}
