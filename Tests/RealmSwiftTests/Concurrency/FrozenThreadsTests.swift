// SPDX-License-Identifier: Apache-2.0

// Many threads read the same frozen things at once while versions come and go.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct FrozenThreadsTests {
  /// What all readers of a version must find.
  private struct Expected: Sendable {
    let sum: Int
    let names: [String]
    let dogs: [Int: [String]]
    let adults: Int
  }

  private struct Frozen {
    let realm: Realm
    let people: Results<Person>
    let adults: Results<Person>
    let first: Person?
    let dogs: List<Dog>?
    let byAge: SectionedResults<Int, Person>
  }

  private static let readerCount = 4

  /// `Session` 4, `SessionState` 4.
  /// `RealmCore` 3, `RealmClasses` 2, `ObjectBase` 2, `CollectionContents` 2 and
  /// `ResultsState` 4, `SectionedState` 3.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func readersOfOneVersionAgree(seed: UInt64) throws {
    let files = try TemporaryRealm()
    let realm = try files.open()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<8 {
      try realm.write { change(realm, &random) }
      let expected = expectation(realm)
      let people = realm.objects(Person.self)
      // Everything is shared: what one thread computes first is seen by the others.
      let frozen = Everywhere(
        Frozen(
          realm: realm.freeze(), people: people.freeze(),
          adults: people.where { $0.age >= 18 }.freeze(), first: people.first?.freeze(),
          dogs: people.first?.dogs.freeze(), byAge: people.sectioned(by: \.age).freeze()))
      let seeds = (0..<FrozenThreadsTests.readerCount).map { _ in random.next() }
      let readers = DispatchGroup()
      let mistakes = Mistakes()
      for seed in seeds {
        readers.enter()
        Thread {
          var random = SeededGenerator(seed: seed)
          for _ in 0..<6 {
            if let mistake = FrozenThreadsTests.read(frozen.value, expected, &random) {
              mistakes.add(mistake)
            }
          }
          readers.leave()
        }.start()
      }
      // The live realm goes on meanwhile.
      try realm.write { change(realm, &random) }
      readers.wait()
      expectEqual(mistakes.all, [], "seed \(seed)")
    }
  }

  private func change(_ realm: Realm, _ random: inout SeededGenerator) {
    let people = realm.objects(Person.self)
    for _ in 0..<Int.random(in: 20...80, using: &random) {
      let id = Int.random(in: 0..<400, using: &random)
      if random.chance(0.2), let person = realm.object(ofType: Person.self, forPrimaryKey: id) {
        realm.delete(person)
        continue
      }
      let name = String(repeating: "n\(id) ", count: Int.random(in: 0..<20, using: &random))
      let person = realm.create(
        Person.self,
        value: ["id": id, "name": name, "age": Int.random(in: 0..<90, using: &random)],
        update: .modified)
      if random.chance(0.5) { person.dogs.append(Dog(value: ["name": "d\(random.next() % 100)"])) }
      if random.chance(0.3) { person.best = person.dogs.first }
    }
    if people.count > 300 { realm.delete(people.where { $0.age < 40 }) }
  }

  private func expectation(_ realm: Realm) -> Expected {
    let people = Array(realm.objects(Person.self))
    return Expected(
      sum: people.reduce(0) { $0 + $1.age }, names: people.map(\.name),
      dogs: Dictionary(uniqueKeysWithValues: people.map { ($0.id, $0.dogs.map(\.name)) }),
      adults: people.count { $0.age >= 18 })
  }

  /// Reads one of the frozen values at random; returns what is wrong with it, if anything.
  private static func read(
    _ frozen: Frozen, _ expected: Expected, _ random: inout SeededGenerator
  ) -> String? {
    let people = frozen.people
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      return people.sum(of: \.age) == expected.sum ? nil : "sum"
    case 1:
      let names = (0..<people.count).map { people[$0].name }
      return names == expected.names ? nil : "names by position"
    case 2:
      return people.map(\.name) == expected.names ? nil : "names by iteration"
    case 3:
      return frozen.adults.count == expected.adults ? nil : "count of a query"
    case 4:
      let isRight = frozen.adults.count { $0.age >= 18 } == expected.adults
      return isRight ? nil : "objects of a query"
    case 5:
      guard let first = frozen.first else { return nil }
      let isRight =
        first.name == expected.names.first && first.dogs.map(\.name) == expected.dogs[first.id]
      return isRight && first.best.map({ $0.owners.contains(first) }) != false ? nil : "an object"
    case 7:
      let isRight =
        frozen.byAge.allSatisfy { section in section.allSatisfy { $0.age == section.key } }
        && frozen.byAge.reduce(0) { $0 + $1.count } == expected.names.count
      return isRight ? nil : "sections"
    case 6:
      guard let dogs = frozen.dogs, let first = frozen.first else { return nil }
      return dogs.map(\.name) == expected.dogs[first.id] ? nil : "a list"
    default:
      let found = frozen.realm.objects(Person.self).where { $0.dogs.name == "d7" }
      let isRight = found.allSatisfy { expected.dogs[$0.id]?.contains("d7") == true }
      return isRight ? nil : "a query across links"
    }
  }
}

/// What readers on several threads found wrong.
private final class Mistakes: @unchecked Sendable {
  // Sendable: guarded by the lock.
  private let lock = NSLock()
  private var found: [String] = []

  func add(_ mistake: String) { lock.withLock { found.append(mistake) } }
  var all: [String] { lock.withLock { found } }
}
