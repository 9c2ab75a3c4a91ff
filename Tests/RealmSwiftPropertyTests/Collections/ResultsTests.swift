// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct ResultsTests {
  private func realm(of count: Int) throws -> Realm {
    let realm = try TemporaryRealm().open()
    try realm.write {
      for id in 0..<count { realm.create(Person.self, value: ["id": id, "name": "n\(id)"]) }
    }
    return realm
  }

  @Test(arguments: [0, 1, 255, 256, 257, 1000]) func positionsAndIterationAgree(count: Int) throws {
    let realm = try realm(of: count)
    let all = realm.objects(Person.self)
    expectEqual(all.count, count)
    expectEqual(all.isEmpty, (count == 0))
    expectEqual(all.map(\.id), Array(0..<count))
    expectEqual((0..<count).map { all[$0].id }, Array(0..<count))
    expectTrue(all.first?.id == (count > 0 ? 0 : nil))
    expectTrue(all.last?.id == (count > 0 ? count - 1 : nil))
    expectEqual(all.reversed().map(\.id), (0..<count).reversed())
  }

  /// `CollectionContents` 1.
  @Test func resultsShowTheTransactionsOwnChangesAtOnce() throws {
    let realm = try realm(of: 3)
    let all = realm.objects(Person.self)
    try realm.write {
      realm.create(Person.self, value: ["id": 9])
      expectEqual(all.count, 4)
      realm.delete(try #require(all.first))
      expectEqual(all.map(\.id), [1, 2, 9])
      realm.deleteAll()
      expectTrue(all.isEmpty)
      expectTrue(realm.isEmpty)
    }
    expectTrue(all.isEmpty)
  }

  /// `RLMIterator` 1.
  @Test func aLoopOverAllSurvivesItsOwnTransactions() throws {
    let realm = try realm(of: 600)
    for person in realm.objects(Person.self) {
      try realm.write { person.age = person.id }
      if person.id > 20 { break }
    }
    expectEqual(realm.objects(Person.self)[10].age, 10)
    var visited = 0
    try realm.write {
      for person in realm.objects(Person.self) {
        visited += 1
        if person.id % 2 == 0 { realm.delete(person) }
      }
    }
    expectEqual(visited, 600)
    expectEqual(realm.objects(Person.self).count, 300)
  }

  @Test func objectsWithOnePrimaryKeyAreEqual() throws {
    let realm = try realm(of: 2)
    let all = realm.objects(Person.self)
    expectEqual(all[0], all[0])
    expectTrue(all[0] != all[1])
    expectTrue(all[0] !== all[0])
    expectEqual(Set([all[0], all[0], all[1]]).count, 2)
    expectTrue(all[0].isSameObject(as: realm.object(ofType: Person.self, forPrimaryKey: 0)))
    expectTrue(Person(value: ["id": 1]) != Person(value: ["id": 1]))
  }

  @Test func slicesAndLazyMaps() throws {
    let all = try realm(of: 10).objects(Person.self)
    expectEqual(all[2..<4].map(\.id), [2, 3])
    expectEqual(Array(all.lazy.filter { $0.id > 7 }.map(\.name)), ["n8", "n9"])
    expectEqual(all.objects(at: [1, 3]).map(\.id), [1, 3])
  }

  @Test func descriptionsNameClassAndValues() throws {
    let realm = try realm(of: 1)
    let person = try #require(realm.objects(Person.self).first)
    try realm.write { person.dogs.append(Dog(value: ["name": "Rex"])) }
    expectEqual(
      withoutAddresses(person),
      """
      Person {
      \tid = 0;
      \tname = n0;
      \tage = 18;
      \theight = (null);
      \tdogs = List<Dog> <0x> (
      \t\t[0] Dog {
      \t\t\tname = Rex;
      \t\t\tage = 0;
      \t\t}
      \t);
      \tbest = (null);
      \tnicknames = List<string> <0x> (
      \t
      \t);
      }
      """)
  }
}
