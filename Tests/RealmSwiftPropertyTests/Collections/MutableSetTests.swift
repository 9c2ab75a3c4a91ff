// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct MutableSetTests {
  private func shelf() throws -> (Realm, Shelf) {
    let realm = try TemporaryRealm.ofShelves().open()
    return (realm, try realm.write { realm.create(Shelf.self, value: ["id": 1]) })
  }

  @Test func editsAgreeWithASet() throws {
    let (realm, shelf) = try shelf()
    var generator = SeededGenerator(seed: 21)
    var model: Set<String> = []
    for round in 0..<30 {
      try realm.write {
        for _ in 0..<25 { change(shelf.tags, &model, &generator) }
      }
      expectEqual(Set(shelf.tags), model, "round \(round)")
      expectEqual(shelf.tags.count, model.count, "round \(round)")
      expectEqual(Array(shelf.tags), model.sorted(), "round \(round)")
    }
  }

  @Test func unmanagedSetsAgreeWithASet() {
    var generator = SeededGenerator(seed: 22)
    let set = MutableSet<String>()
    var model: Set<String> = []
    for _ in 0..<1500 { change(set, &model, &generator) }
    expectEqual(Set(set), model)
    expectEqual(set.count, model.count)
  }

  // MARK: Unmanaged sets of objects

  /// Counts how often its objects are compared.
  private final class Compared: Object {
    @Persisted(primaryKey: true) var id: Int
    // nonisolated(unsafe): one test alone has such objects, and uses them on one thread.
    nonisolated(unsafe) static var comparisons = 0

    override func isEqual(_ object: Any?) -> Bool {
      unsafe Compared.comparisons += 1
      return super.isEqual(object)
    }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// `UnmanagedSet` 2.
  @Test func unmanagedSetsOfObjectsCompareAFewOnly() {
    let count = 3000
    let objects = (0..<count).map { Compared(value: [$0]) }
    let set = MutableSet<Compared>()
    unsafe Compared.comparisons = 0
    for object in objects { set.insert(object) }
    for object in objects { set.insert(object) }
    expectEqual(set.count, count)
    expectTrue(objects.allSatisfy(set.contains))
    expectFalse(set.contains(Compared(value: [1])))
    for object in objects.dropFirst(2).reversed() { set.remove(object) }
    expectEqual(Set(set.map(\.id)), [0, 1])
    while let first = set.first { set.remove(first) }
    expectTrue(set.isEmpty)
    // Each of some 18,000 operations compares the objects of one hash, of which there is one.
    expectTrue(unsafe Compared.comparisons < 20 * count)
  }

  private final class Keyed: Object {
    @Persisted(primaryKey: true) var id: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// An object that becomes managed, or is deleted, gets another hash, and equals others then
  /// (`UnmanagedSet` 1).
  @Test func unmanagedSetsFindObjectsThatBecameManaged() throws {
    let realm = try TemporaryRealm([Keyed.self]).open()
    var generator = SeededGenerator(seed: 23)
    for _ in 0..<40 {
      let set = MutableSet<Keyed>()
      var objects: [Keyed] = []
      for _ in 0..<30 {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0...1:
          objects.append(Keyed(value: [Int.random(in: 0..<8, using: &generator)]))
          set.insert(objects[objects.count - 1])
        case 2:
          guard let object = objects.randomElement(using: &generator) else { continue }
          if !object.isInvalidated { try realm.write { realm.add(object, update: .modified) } }
        case 3:
          let key = Int.random(in: 0..<8, using: &generator)
          if let object = realm.object(ofType: Keyed.self, forPrimaryKey: key) {
            set.insert(object)
            if !objects.contains(object) { objects.append(object) }
          }
        case 4:
          guard let object = objects.randomElement(using: &generator) else { continue }
          // Two objects may have become the same one.
          while set.contains(object) { set.remove(object) }
          objects.removeAll { $0 == object }
        default:
          if let object = realm.objects(Keyed.self).randomElement(using: &generator) {
            try realm.write { realm.delete(object) }
          }
        }
        for object in objects { #expect(set.contains(object)) }
        expectTrue(set.allSatisfy(objects.contains))
      }
      try realm.write { realm.deleteAll() }
    }
  }

  private func change(
    _ set: MutableSet<String>, _ model: inout Set<String>, _ generator: inout SeededGenerator
  ) {
    let text = "t\(Int.random(in: 0..<40, using: &generator))"
    let other = MutableSet<String>()
    other.insert(objectsIn: (0..<20).map { "t\($0 * 2)" })
    let plain = Set(other)
    switch Int.random(in: 0..<24, using: &generator) {
    case 0..<12:
      set.insert(text)
      model.insert(text)
    case 12..<17:
      set.remove(text)
      model.remove(text)
    case 17:
      set.removeAll()
      model.removeAll()
    case 18:
      set.formIntersection(other)
      model.formIntersection(plain)
    case 19:
      set.subtract(other)
      model.subtract(plain)
    case 20:
      set.formUnion(other)
      model.formUnion(plain)
    case 21:
      set.insert(objectsIn: set)
      set.formUnion(set)
      set.formIntersection(set)
    default:
      expectEqual(set.contains(text), model.contains(text))
      expectEqual(set.isSubset(of: other), model.isSubset(of: plain))
      expectEqual(other.isSubset(of: set), plain.isSubset(of: model))
      expectEqual(set.intersects(other), !model.isDisjoint(with: plain))
    }
  }

  @Test func everyElementTypeSurvivesReopening() throws {
    let file = try TemporaryRealm.ofShelves()
    let ids = [ObjectId.generate(), ObjectId.generate()]
    let uuids = [UUID(), UUID()]
    let dates = [Date(timeIntervalSince1970: 1.5), Date(timeIntervalSince1970: -2)]
    let wardrobe = Wardrobe()
    wardrobe.bools.insert(objectsIn: [true, false, true])
    wardrobe.int8s.insert(objectsIn: [3, -128, 127, 3])
    wardrobe.floats.insert(objectsIn: [1.5, -0.25, .infinity])
    wardrobe.doubles.insert(objectsIn: [0.1, -1e300])
    wardrobe.strings.insert(objectsIn: ["b", nil, "", "a", nil])
    wardrobe.datas.insert(objectsIn: [Data([2]), Data(), Data([1, 9])])
    wardrobe.dates.insert(objectsIn: dates)
    wardrobe.uuids.insert(objectsIn: uuids)
    wardrobe.objectIds.insert(objectsIn: ids)
    wardrobe.decimals.insert(objectsIn: [1, 1.5, -3])
    do {
      let realm = try file.open()
      try realm.write { realm.add(wardrobe) }
    }
    let found = try #require(try file.open().objects(Wardrobe.self).first)
    expectEqual(Array(found.bools), [false, true])
    expectEqual(Array(found.int8s), [-128, 3, 127])
    expectEqual(Array(found.floats), [-0.25, 1.5, .infinity])
    expectEqual(Array(found.doubles), [-1e300, 0.1])
    expectEqual(Array(found.strings), [nil, "", "a", "b"])
    expectEqual(Array(found.datas), [Data(), Data([1, 9]), Data([2])])
    expectEqual(Array(found.dates), dates.reversed())
    expectEqual(Set(found.uuids), Set(uuids))
    expectEqual(Set(found.objectIds), Set(ids))
    expectEqual(Array(found.decimals), [-3, 1, 1.5])
    expectTrue(found.strings.contains(nil))
    expectTrue(found.decimals.contains(1.5))
    expectEqual(found.decimals.max(), 1.5)
    expectEqual(found.doubles.min(), -1e300)
    expectEqual(found.int8s.sum(), 2)
    expectEqual(found.dates.max(), dates[0])
    try ReferenceReader.check(file.configuration)
  }

  @Test func mixedValuesKeepTheirTypes() throws {
    let (realm, shelf) = try shelf()
    let dog = Dog(value: ["name": "A"])
    try realm.write {
      shelf.anything.insert(objectsIn: [
        .string("a"), .data(Data([97])), .int(1), .double(1), .none, .object(dog), .bool(true),
      ])
      expectTrue(shelf.anything.contains(.object(dog)))
    }
    #expect(
      shelf.anything.dropLast().elementsEqual([
        .none, .bool(true), .int(1), .string("a"), .data(Data([97])),
      ]))
    expectEqual(shelf.anything.last?.object(Dog.self)?.name, "A")
    expectFalse(shelf.anything.contains(.object(Dog())))
    expectEqual(shelf.anything.sorted(byKeyPath: "self").index(of: .object(Dog())), nil)
    expectEqual(realm.objects(Dog.self).count, 1)
    try realm.write { realm.delete(dog) }
    expectEqual(shelf.anything.count, 5)
  }

  @Test func objectsAreAddedOnceAndLeaveWhenDeleted() throws {
    let (realm, shelf) = try shelf()
    let dogs = (0..<4).map { Dog(value: ["age": $0]) }
    try realm.write {
      shelf.dogs.insert(objectsIn: dogs + dogs)
      expectEqual(shelf.dogs.count, 4)
      realm.delete(dogs[1])
      shelf.dogs.remove(dogs[2])
    }
    expectEqual(shelf.dogs.map(\.age), [0, 3])
    expectTrue(shelf.dogs.contains(dogs[3]))
    expectFalse(shelf.dogs.contains(dogs[2]))
    expectFalse(shelf.dogs.contains(Dog()))
    expectEqual(Array(shelf.dogs.where { $0.age > 1 }.map(\.age)), [3])
    expectEqual(shelf.dogs.filter("age < 3").map(\.age), [0])
    expectEqual(shelf.dogs.sorted(byKeyPath: "age", ascending: false).map(\.age), [3, 0])
    expectEqual(shelf.dogs.sum(of: \.age), 3)
    expectEqual(shelf.dogs.max(ofProperty: "age"), 3)
    expectEqual(realm.objects(Shelf.self).where { $0.dogs.age == 3 }.count, 1)
    #expect(realm.objects(Shelf.self).where { $0.dogs.age == 2 }.isEmpty)
    try realm.write { realm.delete(shelf.dogs) }
    expectTrue(shelf.dogs.isEmpty)
    expectEqual(realm.objects(Dog.self).map(\.age), [2])
  }

  @Test func createAndInitAcceptSequences() throws {
    let (realm, _) = try shelf()
    let plain = Shelf(value: [
      "id": 2, "tags": ["b", "a", "b"], "numbers": Set([3, 1]), "grades": ["low", "high"],
      "dogs": [["name": "A"], ["name": "B"]],
    ])
    expectEqual(Set(plain.tags), ["a", "b"])
    expectEqual(plain.dogs.count, 2)
    try realm.write {
      realm.add(plain)
      let other = realm.create(Shelf.self, value: plain, update: .all)
      expectEqual(other.id, 2)
      realm.create(
        Shelf.self,
        value: ["id": 3, "tags": ["x"], "optionals": [nil, 4], "dogs": Array(plain.dogs)])
      realm.create(Shelf.self, value: ["id": 3, "tags": NSNull()], update: .modified)
    }
    expectEqual(Array(plain.tags), ["a", "b"])
    expectEqual(Array(plain.numbers), [1, 3])
    expectEqual(Array(plain.grades), [.high, .low])
    let third = try #require(realm.object(ofType: Shelf.self, forPrimaryKey: 3))
    expectTrue(third.tags.isEmpty)
    expectEqual(Array(third.optionals), [nil, 4])
    expectEqual(third.dogs.map(\.name), plain.dogs.map(\.name))
    expectEqual(realm.objects(Dog.self).count, 2)
  }

  @Test func assigningASetReplacesItsContentsAndKeepsIt() throws {
    let (realm, shelf) = try shelf()
    let tags = shelf.tags
    let other = MutableSet<String>()
    other.insert(objectsIn: ["a", "b"])
    try realm.write {
      shelf.tags = other
      shelf.tags = shelf.tags
    }
    expectEqual(Array(tags), ["a", "b"])
    expectTrue(tags == shelf.tags)
    expectTrue(tags.description.contains("MutableSet<string>"))
    expectTrue(shelf.description.contains("tags = MutableSet<string>"))
    expectEqual(realm.objects(Shelf.self).where { $0.tags.contains("b") }.count, 1)
    #expect(realm.objects(Shelf.self).where { $0.tags.count == 3 }.isEmpty)
  }

  @Test func frozenAndThawedSets() throws {
    let (realm, shelf) = try shelf()
    try realm.write { shelf.tags.insert("a") }
    let frozen = shelf.tags.freeze()
    try realm.write { shelf.tags.insert("b") }
    expectTrue(frozen.isFrozen)
    expectFalse(shelf.tags.isFrozen)
    expectEqual(Array(frozen), ["a"])
    expectTrue(frozen.contains("a"))
    expectFalse(frozen.contains("b"))
    expectEqual(frozen.thaw(), shelf.tags)
    let reference = ThreadSafeReference(to: shelf.tags)
    expectEqual(realm.resolve(reference).map { Array($0) }, ["a", "b"])
    try realm.write { realm.delete(shelf) }
    expectTrue(frozen.thaw() == nil)
    expectEqual(frozen.count, 1)
  }
}
