// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct ListTests {
  private func person() throws -> (Realm, Person) {
    let realm = try TemporaryRealm().open()
    return (realm, try realm.write { realm.create(Person.self, value: ["id": 1]) })
  }

  @Test func editsAgreeWithAnArray() throws {
    let (realm, person) = try person()
    var generator = SeededGenerator(seed: 11)
    var model: [String] = []
    for round in 0..<40 {
      try realm.write {
        for _ in 0..<25 { change(person.nicknames, &model, &generator) }
      }
      expectEqual(Array(person.nicknames), model, "round \(round)")
      expectEqual(person.nicknames.first, model.first)
      expectEqual(person.nicknames.last, model.last)
    }
  }

  @Test func unmanagedListsAgreeWithAnArray() {
    var generator = SeededGenerator(seed: 12)
    let list = List<String>()
    var model: [String] = []
    for _ in 0..<2000 { change(list, &model, &generator) }
    expectEqual(Array(list), model)
  }

  private func change(
    _ list: List<String>, _ model: inout [String], _ generator: inout SeededGenerator
  ) {
    let text = String(repeating: "x", count: Int.random(in: 0..<30, using: &generator))
    let count = model.count
    switch Int.random(in: 0..<10, using: &generator) {
    case 0, 1, 2:
      list.append(text)
      model.append(text)
    case 3:
      let index = Int.random(in: 0...count, using: &generator)
      list.insert(text, at: index)
      model.insert(text, at: index)
    case 4 where count > 0:
      let index = Int.random(in: 0..<count, using: &generator)
      list[index] = text
      model[index] = text
    case 5 where count > 0:
      let index = Int.random(in: 0..<count, using: &generator)
      list.remove(at: index)
      model.remove(at: index)
    case 6 where count > 1:
      let from = Int.random(in: 0..<count, using: &generator)
      let to = Int.random(in: 0..<count, using: &generator)
      list.move(from: from, to: to)
      model.insert(model.remove(at: from), at: to)
    case 7 where count > 1:
      let other = Int.random(in: 0..<count, using: &generator)
      list.swapAt(0, other)
      model.swapAt(0, other)
    case 8:
      list.append(objectsIn: ["a", text])
      model += ["a", text]
    case 9 where count > 3:
      list.replaceSubrange(1..<3, with: [text])
      model.replaceSubrange(1..<3, with: [text])
    default: break
    }
  }

  @Test func movingOffsetsAgreesWithTheStandardMeaning() {
    for destination in 0...6 {
      for mask in 0..<64 {
        let offsets = IndexSet((0..<6).filter { mask >> $0 & 1 == 1 })
        let list = List<Int>()
        list.append(objectsIn: 0..<6)
        list.move(fromOffsets: offsets, toOffset: destination)
        let moved = (0..<6).filter { offsets.contains($0) }
        let before = (0..<destination).filter { !offsets.contains($0) }
        let after = (destination..<6).filter { !offsets.contains($0) }
        expectEqual(Array(list), before + moved + after)
      }
    }
  }

  @Test func assigningAListReplacesItsContentsAndKeepsIt() throws {
    let (realm, person) = try person()
    let names = person.nicknames
    let other = List<String>()
    other.append(objectsIn: ["a", "b"])
    try realm.write {
      person.nicknames = other
      person.nicknames = person.nicknames
    }
    expectEqual(Array(names), ["a", "b"])
    expectEqual(names, person.nicknames)
  }

  @Test func appendingAListToItselfEnds() throws {
    let (realm, person) = try person()
    try realm.write {
      person.nicknames.append(objectsIn: ["a", "b"])
      person.nicknames.append(objectsIn: person.nicknames)
    }
    expectEqual(Array(person.nicknames), ["a", "b", "a", "b"])
  }

  @Test func deletingWhileIteratingVisitsEveryElement() throws {
    let (realm, person) = try person()
    try realm.write {
      for age in 0..<300 { person.dogs.append(Dog(value: ["age": age])) }
    }
    var visited = 0
    try realm.write {
      for dog in person.dogs {
        visited += 1
        realm.delete(dog)
      }
    }
    expectEqual(visited, 300)
    expectTrue(person.dogs.isEmpty)
    expectTrue(realm.objects(Dog.self).isEmpty)
  }

  @Test func deletingTheObjectsOfAListDeletesEachOnce() throws {
    let (realm, person) = try person()
    try realm.write {
      let dog = realm.create(Dog.self, value: ["name": "A"])
      person.dogs.append(objectsIn: [dog, dog])
      realm.create(Dog.self, value: ["name": "B"])
    }
    expectEqual(person.dogs.count, 2)
    try realm.write { realm.delete(person.dogs) }
    expectEqual(realm.objects(Dog.self).map(\.name), ["B"])
  }

  @Test func indexOfObjectsAndBacklinks() throws {
    let (realm, person) = try person()
    let dogs = (0..<5).map { Dog(value: ["age": $0]) }
    try realm.write { person.dogs.append(objectsIn: dogs) }
    expectEqual(person.dogs.index(of: dogs[3]), 3)
    expectEqual(person.dogs.index(of: Dog()), nil)
    expectEqual(realm.objects(Dog.self).index(of: dogs[4]), 4)
    expectEqual(dogs[2].owners.count, 1)
    expectEqual(dogs[2].owners.index(of: person), 0)
    try realm.write { person.dogs.remove(at: 2) }
    expectTrue(dogs[2].owners.isEmpty)
  }
}
