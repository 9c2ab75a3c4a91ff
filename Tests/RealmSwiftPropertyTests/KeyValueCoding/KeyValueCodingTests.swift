// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct KeyValueCodingTests {
  /// A person with dogs, in a realm or not.
  private func person(managed: Bool) throws -> (Realm, Person) {
    let realm = try TemporaryRealm().open()
    let person = Person(
      value: [
        "id": 1, "name": "Ann", "dogs": [["name": "A", "age": 3], ["name": "B", "age": 5]],
        "nicknames": ["x", "y"],
      ])
    person.best = person.dogs[1]
    if managed { try realm.write { realm.add(person) } }
    return (realm, person)
  }

  @Test(arguments: [false, true]) func propertiesByName(managed: Bool) throws {
    let (realm, person) = try person(managed: managed)
    expectEqual(person["name"] as? String, "Ann")
    expectTrue(person["height"] == nil)
    expectEqual(person.value(forKey: "age") as? Int, 18)
    #expect(person.value(forKey: "self") as? Person === person)
    expectEqual((person["dogs"] as? List<Dog>)?.count, 2)
    expectEqual(person.value(forKeyPath: "best.name") as? String, "B")
    expectEqual(person.value(forKeyPath: "dogs.name") as? [String], ["A", "B"])
    expectEqual(person.value(forKeyPath: "dogs.@count") as? Int, 2)
    expectEqual(person.value(forKeyPath: "dogs.@avg.age") as? Double, 4)
    try realm.write {
      person["name"] = "Bea"
      person.setValue(1.5, forKey: "height")
      person.setValue("C", forKeyPath: "best.name")
      person.setValue(NSNumber(value: 7), forKeyPath: "dogs.age")
      person["nicknames"] = ["z"]
    }
    expectEqual(person.name, "Bea")
    expectEqual(person.height, 1.5)
    expectEqual(person.best?.name, "C")
    expectEqual(person.dogs.map(\.age), [7, 7])
    expectEqual(Array(person.nicknames), ["z"])
    try realm.write {
      person.setValue(nil, forKey: "height")
      person["best"] = nil
      person.setValue("nobody", forKeyPath: "best.name")
    }
    expectTrue(person.height == nil)
    expectTrue(person.best == nil)
    expectTrue(person.value(forKeyPath: "best.name") == nil)
  }

  @Test(arguments: [false, true]) func collectionsVectorise(managed: Bool) throws {
    let (realm, person) = try person(managed: managed)
    expectEqual(person.dogs.value(forKey: "name") as? [String], ["A", "B"])
    expectEqual(person.nicknames.value(forKey: "self") as? [String], ["x", "y"])
    expectEqual(person.nicknames.value(forKeyPath: "@count") as? Int, 2)
    try realm.write {
      person.dogs.setValue(9, forKey: "age")
      person.nicknames.setValue("n", forKey: "self")
    }
    expectEqual(person.dogs.map(\.age), [9, 9])
    expectEqual(Array(person.nicknames), ["n", "n"])
  }

  @Test func operatorsFoldResults() throws {
    let realm = try TemporaryRealm().open()
    try realm.write {
      for (id, height) in [(1, 1.5), (2, nil), (3, 2.5)] as [(Int, Double?)] {
        realm.create(
          Person.self,
          value: [
            "id": id, "name": "n\(id % 2)", "height": height as Any, "nicknames": ["a", "b\(id)"],
          ])
      }
    }
    let people = realm.objects(Person.self)
    func fold(_ path: String) -> Any? { people.value(forKeyPath: path) }
    expectEqual(fold("@sum.id") as? Int, 6)
    expectEqual(fold("@avg.id") as? Double, 2)
    expectEqual(fold("@min.height") as? Double, 1.5)
    expectEqual(fold("@max.height") as? Double, 2.5)
    expectEqual(fold("@avg.height") as? Double, 2)
    expectEqual(fold("@sum.height") as? Double, 4)
    expectEqual(fold("@count") as? Int, 3)
    expectEqual(fold("@unionOfObjects.name") as? [String], ["n1", "n0", "n1"])
    expectEqual(fold("@distinctUnionOfObjects.name") as? [String], ["n1", "n0"])
    expectEqual(
      fold("@distinctUnionOfArrays.nicknames") as? [String], ["a", "b1", "b2", "b3"])
    let heights = people.value(forKey: "height") as? [Any]
    expectEqual(heights?.count, 3)
    expectTrue(heights?[1] is NSNull)
    expectEqual(people.where { $0.id > 9 }.value(forKeyPath: "@sum.id") as? Int, 0)
    #expect(people.where { $0.id > 9 }.value(forKeyPath: "@max.id") == nil)
    try realm.write { people.setValue("same", forKey: "name") }
    expectEqual(people.map(\.name), ["same", "same", "same"])
  }

  @Test func setsAndMaps() throws {
    let realm = try TemporaryRealm.ofShelves().open()
    let shelf = try realm.write {
      realm.create(
        Shelf.self,
        value: [
          "id": 1, "numbers": [4, 1], "scores": ["a": 1, "b": 5],
          "pets": ["x": ["name": "Rex", "age": 2], "y": nil], "dogs": [["age": 6]],
          "mixed": ["m": 3, "n": 1.5],
        ])
    }
    expectEqual(shelf.numbers.value(forKey: "self") as? [Int], [1, 4])
    expectEqual(shelf.scores.value(forKeyPath: "@sum.self") as? Int, 6)
    expectEqual(shelf.scores.value(forKeyPath: "@allKeys") as? [String], ["a", "b"])
    expectEqual(shelf.mixed.value(forKeyPath: "@sum.self") as? Double, 4.5)
    expectEqual(shelf.pets.value(forKeyPath: "x.name") as? String, "Rex")
    expectEqual(shelf.value(forKeyPath: "pets.x.age") as? Int, 2)
    try realm.write {
      shelf.setValue(8, forKeyPath: "scores.c")
      shelf.numbers.setValue(2, forKey: "self")
      shelf.dogs.setValue(7, forKey: "age")
    }
    expectEqual(shelf.scores["c"], 8)
    expectEqual(Array(shelf.numbers), [2])
    expectEqual(shelf.dogs[0].age, 7)
  }

  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func misuse() async {
    let name = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Person().value(forKey: "nam")
    }
    expect("Invalid property name 'nam' for class 'Person'.", in: name)
    let key = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Misuse.realmWithPerson().realm.write {}
      let (realm, person) = try Misuse.realmWithPerson()
      try realm.write { person["id"] = 3 }
    }
    expect("Primary key can't be changed to '3' after an object is inserted.", in: key)
    let write = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Misuse.realmWithPerson().realm.objects(Person.self).setValue(1, forKey: "age")
    }
    expect("Cannot modify Results outside of a write transaction.", in: write)
    let sum = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Misuse.realmWithPerson().realm.objects(Person.self).value(forKeyPath: "@sum.name")
    }
    expect("@sum is not supported for string property 'Person.name'", in: sum)
    let unknown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Person().dogs.value(forKeyPath: "@median.age")
    }
    expect("Unsupported KVC collection operator found in key path '@median.age'", in: unknown)
  }
}
