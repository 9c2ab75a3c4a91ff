// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct MoreAggregatesTests {
  @Test func valuesThatMayBeNil() throws {
    let realm = try TemporaryRealm.ofShelves().open()
    let shelf = try realm.write {
      realm.create(Shelf.self, value: ["id": 1, "optionals": [3, nil, 1]])
    }
    expectEqual(shelf.optionals.min(), 1)
    expectEqual(shelf.optionals.max(), 3)
    expectEqual(shelf.optionals.sum(), 4)
    expectEqual(shelf.optionals.average(), 2.0)
    try realm.write { shelf.optionals.removeAll() }
    let mean: Double? = shelf.optionals.average()
    expectTrue(shelf.optionals.min() == nil)
    expectEqual(shelf.optionals.sum(), 0)
    expectTrue(mean == nil)
  }

  @Test func valuesOfAnyType() throws {
    let realm = try TemporaryRealm.ofShelves().open()
    let shelf = try realm.write {
      realm.create(Shelf.self, value: ["id": 1, "mixed": ["a": 2, "b": "y", "c": 7]])
    }
    expectEqual(shelf.mixed.min(), .int(2))
    expectEqual(shelf.mixed.max(), .int(7))
    expectEqual(shelf.mixed.sum(), .decimal128(9))
    expectEqual(shelf.mixed.average(), .double(4.5))
    try realm.write { shelf.mixed.removeAll() }
    expectEqual(shelf.mixed.sum(), .int(0))
    expectTrue(shelf.mixed.max() == nil)
  }

  @Test func sumsOfMixedValuesAreDecimalsInARealm() throws {
    let realm = try TemporaryRealm.ofShelves().open()
    let shelf = realm.createShelf()
    let list = List<AnyRealmValue>()
    expectEqual(list.sum(), .int(0))
    expectEqual(shelf.anything.sum(), .decimal128(0))
    list.append(objectsIn: [.int(1), .int(2)])
    expectEqual(list.sum(), .double(3))
    list.append(.float(0.5))
    expectEqual(list.sum(), .double(3.5))
    list.append(.decimal128("1.25"))
    expectEqual(list.sum(), .decimal128("4.75"))
    try realm.write {
      shelf.anything.insert(objectsIn: [.double(0.1), .double(0.2), .string("x")])
      shelf.mixed["a"] = .int(4)
    }
    expectEqual(shelf.anything.sum(), .decimal128("0.3"))
    expectEqual(AnyRealmCollection(shelf.anything).sum(), .decimal128("0.3"))
    expectEqual(shelf.mixed.sum(), .decimal128(4))
    expectTrue(Map<String, AnyRealmValue>().sum() == .int(0))
  }

  @Test func objectsOfMaps() throws {
    let realm = try TemporaryRealm.ofShelves().open()
    let shelf = try realm.write {
      realm.create(
        Shelf.self,
        value: ["id": 1, "pets": ["a": ["age": 5, "name": "A"], "b": ["age": 2, "name": "B"]]])
    }
    expectEqual(shelf.pets.sorted(by: \.age).map { $0?.name }, ["B", "A"])
  }

  // MARK: Objects of other classes

  class Animal: Object {
    @Persisted var legs: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Bird: Animal {
    @Persisted var wings: Int
  }

  class Zoo: Object {
    @Persisted var all: List<Animal>
    @Persisted var named: Map<String, Animal?>
    @Persisted var first: Animal?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private static func zoo() throws -> (Realm, Zoo) {
    let realm = try TemporaryRealm([Animal.self, Bird.self, Zoo.self]).open()
    return (realm, try realm.write { realm.create(Zoo.self) })
  }

  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func subclassesHaveTablesOfTheirOwn() async {
    let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, zoo) = try Self.zoo()
      try realm.write { zoo.all.append(Bird()) }
    }
    expect("Object of type 'Bird' does not match RLMArray type 'Animal'.", in: list)
    let map = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, zoo) = try Self.zoo()
      try realm.write { zoo.named["a"] = Bird() }
    }
    expect("Value of type 'Bird' does not match RLMDictionary value type 'Animal'.", in: map)
    let link = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, zoo) = try Self.zoo()
      try realm.write { zoo.first = realm.create(Bird.self) }
    }
    expect("for '<Animal>?' property 'Zoo.first'.", in: link)
  }
}
