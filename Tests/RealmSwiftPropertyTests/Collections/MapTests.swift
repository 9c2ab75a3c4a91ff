// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

struct MapTests {
  private func shelf() throws -> (Realm, Shelf) {
    let realm = try TemporaryRealm.ofShelves().open()
    return (realm, try realm.write { realm.create(Shelf.self, value: ["id": 1]) })
  }

  @Test func editsAgreeWithADictionary() throws {
    let (realm, shelf) = try shelf()
    var generator = SeededGenerator(seed: 31)
    var model: [String: Int] = [:]
    for round in 0..<30 {
      try realm.write {
        for _ in 0..<25 { change(shelf.scores, &model, &generator) }
      }
      expectEqual(shelf.scores, model, "round \(round)")
    }
  }

  @Test func unmanagedMapsAgreeWithADictionary() {
    var generator = SeededGenerator(seed: 32)
    let map = Map<String, Int>()
    var model: [String: Int] = [:]
    for _ in 0..<1500 { change(map, &model, &generator) }
    expectEqual(map, model, "unmanaged")
  }

  private func expectEqual(_ map: Map<String, Int>, _ model: [String: Int], _ text: String) {
    let keys = model.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    expectTrue(map.keys == keys && map.count == model.count, "\(text)")
    #expect(map.values == keys.compactMap { model[$0] }, "\(text)")
    expectTrue(map.map(\.key) == keys, "\(text)")
    #expect(map.asKeyValueSequence().allSatisfy { model[$0.key] == $0.value }, "\(text)")
    if !keys.isEmpty { #expect(map[map.startIndex].key == keys[0]) }
  }

  private func change(
    _ map: Map<String, Int>, _ model: inout [String: Int], _ generator: inout SeededGenerator
  ) {
    let key = ["k", "é", "K", ""].randomElement(using: &generator)! + "\(Int.random(in: 0..<9))"
    let number = Int.random(in: 0..<1000, using: &generator)
    switch Int.random(in: 0..<16, using: &generator) {
    case 0..<6:
      map[key] = number
      model[key] = number
    case 6, 7:
      map.updateValue(number, forKey: key)
      model.updateValue(number, forKey: key)
    case 8:
      map[key, default: 5] += number
      model[key, default: 5] += number
    case 9:
      map[key] = nil
      model[key] = nil
    case 10:
      map.removeObject(for: key)
      model.removeValue(forKey: key)
    case 11:
      map.merge(["k1": number, "new": 1], uniquingKeysWith: +)
      model.merge(["k1": number, "new": 1], uniquingKeysWith: +)
    case 12:
      map.setValue(number, forKey: key)
      model[key] = number
    case 13 where number < 100:
      map.removeAll()
      model.removeAll()
    default:
      #expect(map[key] == model[key] && map.object(forKey: key as AnyObject) as? Int == model[key])
      #expect(map.contains { $1 == number } == model.contains { $1 == number })
    }
  }

  @Test func everyValueTypeSurvivesReopening() throws {
    let file = try TemporaryRealm.ofShelves()
    let id = ObjectId.generate()
    let uuid = UUID()
    let date = Date(timeIntervalSince1970: -2.5)
    let wardrobe = Wardrobe(value: [
      "boolMap": ["a": true], "int8Map": ["a": 7], "floatMap": ["a": Float(1.5)],
      "doubleMap": ["a": 0.1, "b": 2.5], "stringMap": ["a": nil, "b": "x"],
      "dataMap": ["a": Data([1])], "dateMap": ["a": date], "uuidMap": ["a": uuid],
      "objectIdMap": ["a": id], "decimalMap": ["a": Decimal128(3)],
    ])
    do {
      let realm = try file.open()
      try realm.write { realm.add(wardrobe) }
    }
    let found = try #require(try file.open().objects(Wardrobe.self).first)
    expectTrue(found.boolMap["a"] == true && found.int8Map["a"] == 7 && found.floatMap["a"] == 1.5)
    expectTrue(found.doubleMap["a"] == 0.1 && found.dataMap["a"] == Data([1]))
    expectTrue(found.stringMap["a"] == .some(nil) && found.stringMap["b"] == "x")
    expectTrue(found.stringMap["c"] == nil && found.stringMap.count == 2)
    expectTrue(found.dateMap["a"] == date && found.uuidMap["a"] == uuid)
    expectTrue(found.objectIdMap["a"] == id && found.decimalMap["a"] == 3)
    expectTrue(found.doubleMap.max() == 2.5 && found.doubleMap.sum() == 2.6)
    expectTrue(found.doubleMap.average() == 1.3 && found.dateMap.min() == date)
    expectTrue(Array(found.doubleMap.sorted(ascending: false)) == [2.5, 0.1])
    try ReferenceReader.check(file.configuration)
  }

  @Test func objectsBecomeNilWhenDeleted() throws {
    let (realm, shelf) = try shelf()
    let dogs = (0..<3).map { Dog(value: ["name": "D\($0)", "age": $0]) }
    try realm.write {
      for dog in dogs { shelf.pets[dog.name] = dog }
      shelf.pets["none"] = .some(nil)
      shelf.mixed["dog"] = .object(dogs[0])
      shelf.mixed["text"] = .string("x")
    }
    expectTrue(shelf.pets.count == 4 && shelf.pets["D1"]??.age == 1)
    expectTrue(shelf.pets["none"] == .some(nil) && shelf.pets["other"] == nil)
    #expect(Array(shelf.pets.where { $0.age > 0 }).compactMap(\.self?.age).sorted() == [1, 2])
    expectTrue(shelf.pets.sorted(byKeyPath: "age", ascending: false).first??.age == 2)
    expectTrue(shelf.pets.filter("age > %@", 0).count == 2)
    expectTrue(shelf.pets.filter(NSPredicate(format: "age == 1")).first??.name == "D1")
    expectTrue(shelf.pets.sum(of: \.age) == 3 && shelf.pets.max(ofProperty: "age") == 2)
    #expect(realm.objects(Shelf.self).where { $0.scores.count == 0 }.count == 1)
    try realm.write { realm.delete(dogs[0]) }
    expectTrue(shelf.pets["D0"] == .some(nil) && shelf.pets.count == 4)
    expectTrue(shelf.mixed["dog"] == AnyRealmValue.none && shelf.mixed["text"] == .string("x"))
    try realm.write { realm.delete(shelf.pets) }
    #expect(shelf.pets.values.allSatisfy { $0 == nil } && shelf.pets.count == 4)
    expectTrue(realm.objects(Dog.self).isEmpty)
  }

  @Test func mapsInConditions() throws {
    let (realm, shelf) = try shelf()
    let dog = Dog(value: ["name": "A"])
    try realm.write {
      shelf.scores.merge(["a": 1, "b": 5], uniquingKeysWith: +)
      shelf.pets["a"] = dog
      realm.create(Shelf.self, value: ["id": 2, "scores": ["c": 5]])
    }
    let shelves = realm.objects(Shelf.self)
    #expect(shelves.where { $0.scores.contains(1) }.map(\.id) == [1])
    #expect(shelves.where { $0.scores.containsAny(in: [7, 5]) }.count == 2)
    #expect(shelves.where { $0.scores.count == 1 && $0.scores.max == 5 }.map(\.id) == [2])
    #expect(shelves.where { $0.scores.sum == 6 }.map(\.id) == [1])
    #expect(shelves.where { $0.pets.contains(dog) }.map(\.id) == [1])
    #expect(shelves.where { $0.scores["b"] == 5 }.map(\.id) == [1])
    #expect(shelves.where { $0.scores["c"] > 4 || $0.scores["a"] < 1 }.map(\.id) == [2])
    #expect(shelves.where { !($0.scores["a"] == 1) }.map(\.id) == [2])
    #expect(shelves.where { $0.scores.keys.starts(with: "c") }.map(\.id) == [2])
    #expect(shelves.where { $0.scores.keys == "a" }.map(\.id) == [1])
    #expect(shelves.where { $0.scores.values == 5 }.count == 2)
    #expect(shelves.where { $0.pets["a"] == dog }.map(\.id) == [1])
    #expect(shelves.where { $0.pets["a"] == nil }.map(\.id) == [2])
    #expect(shelves.where { $0.pets.values.name == "A" }.map(\.id) == [1])
  }

  @Test func textsOfConditionsOnMaps() {
    func text(_ query: (Query<Shelf>) -> Query<Bool>) -> String {
      let (format, arguments) = query(Query<Shelf>._constructForTesting())._constructPredicate()
      return "\(format) \(arguments.map { "\($0)" })"
    }
    #expect(text { $0.scores["a"] == 3 } == #"(scores[%@] == %@) ["a", "3"]"#)
    #expect(text { $0.scores.keys == "a" } == #"(ANY scores.@allKeys == %@) ["a"]"#)
    #expect(text { $0.scores.values > 1 } == #"(ANY scores.@allValues > %@) ["1"]"#)
    #expect(text { $0.scores.count == 1 } == #"(scores.@count == %@) ["1"]"#)
  }

  @Test func embeddedObjectsLiveAsLongAsTheirKey() throws {
    let (realm, shelf) = try shelf()
    func count() throws -> Int { try realm.core.classes[Spot.self].table.objectCount() }
    try realm.write {
      shelf.places["a"] = Spot(value: ["street": "A"])
      shelf.places["b"] = Spot(value: ["street": "B"])
      shelf.places["a"] = Spot(value: ["street": "C"])
    }
    expectTrue(shelf.places["a"]??.street == "C")
    #expect(try count() == 2)
    try realm.write { shelf.places["b"] = nil }
    #expect(try count() == 1)
    try realm.write { realm.delete(shelf) }
    #expect(try count() == 0)
  }

  @Test func createAndInitAcceptDictionaries() throws {
    let (realm, first) = try shelf()
    let plain = Shelf(value: [
      "id": 2, "scores": ["a": 1, "b": 2], "levels": ["x": "high"], "weights": ["w": nil],
      "pets": ["rex": ["name": "Rex"], "no": nil], "places": ["home": ["street": "S"]],
    ])
    expectTrue(plain.scores["b"] == 2 && plain.pets["rex"]??.name == "Rex")
    try realm.write {
      realm.add(plain)
      realm.create(
        Shelf.self,
        value: [
          "id": 3, "scores": ["c": 3], "pets": plain.pets, "places": ["work": ["street": "T"]],
        ])
      realm.create(Shelf.self, value: ["id": 3, "scores": NSNull()], update: .modified)
      first.scores = plain.scores
      first.scores = first.scores
    }
    expectTrue(plain.levels["x"] == .high && plain.weights["w"] == .some(nil))
    expectTrue(plain.places["home"]??.street == "S")
    let third = try #require(realm.object(ofType: Shelf.self, forPrimaryKey: 3))
    expectTrue(third.scores.isEmpty && third.pets["rex"]??.name == "Rex")
    expectTrue(third.places["work"]??.street == "T")
    expectTrue(first.scores.keys == ["a", "b"] && first.scores != plain.scores)
    expectTrue(realm.objects(Dog.self).count == 1)
    expectTrue(first.description.contains("[b]: 2") && first.scores.description.contains("[a]: 1"))
  }

  @Test func iteratingInAWriteGoesOverASnapshot() throws {
    let (realm, shelf) = try shelf()
    var visited = 0
    try realm.write {
      for number in 0..<300 { shelf.scores["k\(number)"] = number }
      for entry in shelf.scores {
        visited += 1
        shelf.scores[entry.key] = nil
      }
    }
    expectTrue(visited == 300 && shelf.scores.isEmpty)
  }

  @Test func frozenAndThawedMaps() throws {
    let (realm, shelf) = try shelf()
    try realm.write { shelf.scores["a"] = 1 }
    let frozen = shelf.scores.freeze()
    try realm.write { shelf.scores["a"] = 2 }
    expectTrue(frozen.isFrozen && frozen["a"] == 1 && frozen.thaw() == shelf.scores)
    expectTrue(shelf.scores["a"] == 2 && !shelf.scores.isFrozen)
    let reference = ThreadSafeReference(to: shelf.scores)
    expectTrue(realm.resolve(reference)?["a"] == 2)
    try realm.write { realm.delete(shelf) }
    expectTrue(frozen.thaw() == nil && frozen.sum() == 1)
  }
}
