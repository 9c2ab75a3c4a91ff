// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

/// Random programs against a dictionary: what the API shows is what was written, through rollbacks
/// and reopening, and the files are sound.
struct ModelComparisonTests {
  private struct Entry: Equatable {
    var name = ""
    var age = 18
    var height: Double?
    var nicknames: [String] = []
    var dogs: [Int] = []
    var best: Int?
  }

  private struct Model: Equatable {
    var people: [Int: Entry] = [:]
    /// The dogs, which their age distinguishes.
    var dogs: Set<Int> = []
    var nextDog = 0
  }

  @Test(arguments: [1, 2, 3]) func randomProgramsAgreeWithADictionary(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let file = try TemporaryRealm()
    var model = Model()
    for _ in 0..<6 {
      let realm = try file.open()
      for _ in 0..<8 {
        let before = model
        realm.beginWrite()
        for _ in 0..<40 { try step(realm, &model, &generator) }
        if Int.random(in: 0..<4, using: &generator) == 0 {
          realm.cancelWrite()
          model = before
        } else {
          try realm.commitWrite()
        }
        expectEqual(snapshot(of: realm), comparable(model), "seed \(seed)")
      }
      let group = try realm.core.readableTables()
      let findings =
        try realm.core.file.check()
        + DatabaseCheck.run(
          tableNames: group.snapshot.roots.tableNames, tables: group.snapshot.roots.tables,
          in: group.snapshot.space)
      expectTrue(findings.isEmpty, "seed \(seed): \(findings.prefix(3))")
    }
    try ReferenceReader.check(file.configuration)
  }

  /// `SessionState` 2: objects find their rows again wherever these were moved.
  /// `ClusterEditor` 4, `WriteGroup` 2.
  @Test(arguments: [1, 2, 3] as [UInt64]) func heldObjectsReadTheirPresentRows(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let realm = try TemporaryRealm().open()
    var held: [(person: Person, age: Int)] = []
    var nextID = 0
    for round in 0..<60 {
      let before = held
      let isCancelled = generator.chance(0.25)
      realm.beginWrite()
      for step in 0..<20 {
        let action = Int.random(in: 0..<3, using: &generator)
        let index = held.isEmpty ? 0 : Int.random(in: 0..<held.count, using: &generator)
        if action == 0, !held.isEmpty, !isCancelled {
          realm.delete(held.remove(at: index).person)
        } else if action == 1, !held.isEmpty {
          held[index].age = round * 100 + step
          held[index].person.age = round * 100 + step
        } else {
          let person = realm.create(Person.self, value: ["id": nextID, "age": nextID])
          held.append((person, nextID))
          nextID += 1
        }
        #expect(held.allSatisfy { $0.person.age == $0.age }, "seed \(seed), round \(round)")
      }
      if isCancelled {
        realm.cancelWrite()
        held = before
      } else {
        try realm.commitWrite()
      }
      #expect(held.allSatisfy { $0.person.age == $0.age }, "seed \(seed), round \(round)")
    }
  }

  private func step(
    _ realm: Realm, _ model: inout Model, _ generator: inout SeededGenerator
  ) throws {
    let id = Int.random(in: 0..<120, using: &generator)
    let name = "name\(Int.random(in: 0..<20, using: &generator))"
    guard let person = realm.object(ofType: Person.self, forPrimaryKey: id) else {
      expectEqual(model.people[id], nil)
      realm.create(Person.self, value: ["id": id, "name": name])
      model.people[id] = Entry(name: name)
      return
    }
    switch Int.random(in: 0..<12, using: &generator) {
    case 0:
      realm.delete(person)
      model.people[id] = nil
    case 1, 2:
      let height = Bool.random(using: &generator) ? nil : Double(id) / 3
      person.height = height
      model.people[id]?.height = height
    case 3:
      realm.create(Person.self, value: ["id": id, "age": id * 7], update: .modified)
      model.people[id]?.age = id * 7
    case 4:
      realm.add(Person(value: ["id": id, "name": name]), update: .all)
      model.people[id] = Entry(name: name)
    case 5, 6, 7:
      person.dogs.append(Dog(value: ["age": model.nextDog]))
      model.people[id]?.dogs.append(model.nextDog)
      model.dogs.insert(model.nextDog)
      model.nextDog += 1
    case 8:
      guard let dog = person.dogs.first else { return }
      person.best = dog
      model.people[id]?.best = dog.age
    case 9:
      guard let dog = realm.objects(Dog.self).first else { return }
      remove(dog.age, from: &model)
      realm.delete(dog)
    case 10:
      person.nicknames.insert(name, at: 0)
      model.people[id]?.nicknames.insert(name, at: 0)
    default:
      person.name = name
      model.people[id]?.name = name
    }
  }

  private func remove(_ dog: Int, from model: inout Model) {
    model.dogs.remove(dog)
    for id in model.people.keys {
      model.people[id]?.dogs.removeAll { $0 == dog }
      if model.people[id]?.best == dog { model.people[id]?.best = nil }
    }
  }

  private func snapshot(of realm: Realm) -> Model {
    var model = Model()
    for person in realm.objects(Person.self) {
      model.people[person.id] = Entry(
        name: person.name, age: person.age, height: person.height,
        nicknames: Array(person.nicknames), dogs: Array(person.dogs.map(\.age)),
        best: person.best?.age)
    }
    model.dogs = Set(realm.objects(Dog.self).map(\.age))
    return model
  }

  private func comparable(_ model: Model) -> Model {
    var model = model
    model.nextDog = 0
    return model
  }
}
