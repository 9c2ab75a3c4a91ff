// SPDX-License-Identifier: Apache-2.0

// Values that lead to objects of classes that the realm's schema does not have.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private class Holder: Object {
  @Persisted var any: AnyRealmValue
  @Persisted var many: List<AnyRealmValue>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct StoredClassTests {
  private func makeFile() throws -> TemporaryRealm {
    let file = try TemporaryRealm([Holder.self, Person.self, Dog.self])
    let realm = try file.open()
    try realm.write {
      let ann = realm.create(
        Person.self, value: ["id": 1, "name": "Ann", "dogs": [["name": "Rex"]]])
      let holder = realm.create(Holder.self)
      holder.any = .object(ann)
      holder.many.append(.object(ann.dogs[0]))
    }
    return file
  }

  private func expectDynamic(_ realm: Realm) throws {
    let holder = try #require(realm.objects(Holder.self).first)
    let ann = try #require(holder.any.dynamicObject)
    expectEqual(ann["name"] as? String, "Ann")
    expectEqual(ann.realm, realm)
    expectEqual((ann["dogs"] as? List<DynamicObject>)?.first?["name"] as? String, "Rex")
    expectEqual(holder.many.first?.dynamicObject?["name"] as? String, "Rex")
    expectEqual(holder.any.object(Dog.self), nil)
  }

  @Test func objectsOfOtherClassesAreDynamic() throws {
    let file = try makeFile()
    file.configuration.objectTypes = [Holder.self]
    let realm = try file.open()
    try expectDynamic(realm)
    try expectDynamic(realm.freeze())
    let ann = try #require(realm.objects(Holder.self).first?.any.dynamicObject)
    try realm.write { ann["name"] = "Anna" }
    expectEqual(ann["name"] as? String, "Anna")
    try realm.write { realm.objects(Holder.self).first?.any = .none }
    expectEqual(realm.objects(Holder.self).first?.any.dynamicObject, nil)
  }

  @Test func classesOfTheProgramStayThemselves() throws {
    let file = try makeFile()
    let holder = try #require(try file.open().objects(Holder.self).first)
    expectEqual(holder.any.object(Person.self)?.name, "Ann")
    expectEqual(holder.any.dynamicObject?["name"] as? String, "Ann")
  }

  /// Another realm of the file, in another place, may bring classes with it. `StoredClasses` 1.
  @Test func classesThatComeLaterAreFound() throws {
    let file = try TemporaryRealm([Holder.self])
    let realm = try file.open()
    let holder = try realm.write { realm.create(Holder.self) }
    let everything = file.configuration
    try onAnotherThread {
      var configuration = everything
      configuration.objectTypes = [Holder.self, Person.self, Dog.self]
      for name in ["Ann", "Rex"] {
        let realm = try Realm(configuration: configuration)
        try realm.write {
          realm.objects(Holder.self).first?.many.append(.object(Dog(value: ["name": name])))
        }
      }
    }
    realm.refresh()
    expectEqual(holder.many.map { $0.dynamicObject?["name"] as? String }, ["Ann", "Rex"])
    // Those that were found stay, also when the file has others.
    let rex = try #require(holder.many.last?.dynamicObject)
    struct Known { weak var info: ClassInfo? }
    let dogs = Known(info: rex._info)
    try onAnotherThread {
      var configuration = everything
      configuration.objectTypes = [Holder.self, Person.self, Dog.self, AllTypes.self]
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.objects(Holder.self).first?.any = .object(AllTypes()) }
    }
    realm.refresh()
    expectEqual(holder.any.dynamicObject?["int"] as? Int, 0)
    expectTrue(dogs.info != nil && holder.any.dynamicObject?._info !== dogs.info)
    expectEqual(rex["name"] as? String, "Rex")
  }
}
