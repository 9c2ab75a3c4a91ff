// SPDX-License-Identifier: Apache-2.0

// Positions of elements of lists that no realm has, found by conditions.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct UnmanagedSearchTests {
  private func people() -> List<Person> {
    let people = List<Person>()
    for (id, name) in ["Ann", "Bea", "Cem"].enumerated() {
      people.append(
        Person(
          value: [
            "id": id, "name": name, "dogs": [["name": "dog of \(name)", "age": id * 2]],
            "nicknames": [name.lowercased()],
          ] as [String: Any]))
    }
    people[2].best = people[0].dogs[0]
    return people
  }

  @Test func objectsAreFoundByEveryKindOfCondition() {
    let people = people()
    expectEqual(people.index(matching: "name == %@", "Bea"), 1)
    expectEqual(people.index(matching: NSPredicate(format: "name BEGINSWITH[c] 'c'")), 2)
    expectEqual(people.index(matching: { $0.name == "Cem" }), 2)
    expectEqual(people.index(matching: { $0.dogs.age > 2 }), 2)
    expectEqual(people.index(matching: "ANY dogs.name CONTAINS 'Bea' AND dogs.@count == 1"), 1)
    expectEqual(people.index(matching: "best.name == 'dog of Ann'"), 2)
    expectEqual(people.index(matching: "SUBQUERY(dogs, $d, $d.age == 2).@count == 1"), 1)
    expectEqual(people.index(matching: "'ann' IN nicknames"), 0)
    expectEqual(people.index(matching: { $0.name == "nobody" }), nil)
    expectEqual(AnyRealmCollection(people).index(matching: "id == 1"), 1)
    expectTrue(people[0].realm == nil)
    expectTrue(people[0].dogs[0].realm == nil)
    expectEqual(people.count, 3)
  }

  @Test func elementsWithOnePrimaryKeyAreToldApart() {
    let people = List<Person>()
    people.append(Person(value: ["id": 1, "name": "first"]))
    people.append(Person(value: ["id": 1, "name": "second"]))
    expectEqual(people.index(matching: "name == 'second'"), 1)
  }

  @Test func valuesAreFound() {
    let numbers = List<Int>()
    numbers.append(objectsIn: [1, 5, 9])
    expectEqual(numbers.index(matching: "self > 4"), 1)
    expectEqual(numbers.index(matching: NSPredicate(format: "self == 9")), 2)
    expectEqual(numbers.index(matching: { $0 > 100 }), nil)
    let texts = List<String?>()
    texts.append(objectsIn: ["a", nil])
    expectEqual(texts.index(matching: "self == nil"), 1)
    let mixed = List<AnyRealmValue>()
    mixed.append(objectsIn: [.int(1), .string("x")])
    expectEqual(mixed.index(matching: "self == 'x'"), 1)
    expectEqual(List<Person>().index(matching: "id == 1"), nil)
  }

  @Test func aListOfARealmIsAskedAsBefore() throws {
    let realm = try TemporaryRealm().open()
    let person = try realm.write {
      realm.create(Person.self, value: ["id": 1, "dogs": [["name": "A"], ["name": "B"]]])
    }
    expectEqual(person.dogs.index(matching: "name == 'B'"), 1)
    expectEqual(person.dogs.index(matching: { $0.name == "C" }), nil)
  }
}
