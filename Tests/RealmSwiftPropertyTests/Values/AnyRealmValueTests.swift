// SPDX-License-Identifier: Apache-2.0

// Values of any type: what they are, how they compare, and in which order they come.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private class Pocket: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var thing: AnyRealmValue
  @Persisted var things: List<AnyRealmValue>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct AnyRealmValueTests {
  private let realm: Realm

  init() throws { realm = try TemporaryRealm([Pocket.self]).open() }

  /// One value of each type in ascending order.
  private func ranked() -> [AnyRealmValue] {
    [
      .none, .bool(false), .bool(true), .int(-1), .float(0.5), .double(1.5), .decimal128(2),
      .string("a"), .data(Data([1])), .date(Date(timeIntervalSince1970: 1)),
      .objectId(ObjectId("000000000000000000000001")),
      .uuid(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
    ]
  }

  @Test func valuesTellTheirType() throws {
    let id = ObjectId.generate(), uuid = UUID(), date = Date(timeIntervalSince1970: 3)
    expectEqual(AnyRealmValue(), .none)
    expectEqual(AnyRealmValue.int(3).intValue, 3)
    expectEqual(AnyRealmValue.bool(true).boolValue, true)
    expectTrue(AnyRealmValue.int(1).boolValue == nil)
    expectEqual(AnyRealmValue.float(1.5).floatValue, 1.5)
    expectTrue(AnyRealmValue.float(1).doubleValue == nil)
    expectEqual(AnyRealmValue.double(2.5).doubleValue, 2.5)
    expectEqual(AnyRealmValue.string("x").stringValue, "x")
    expectTrue(AnyRealmValue.none.stringValue == nil)
    expectEqual(AnyRealmValue.data(Data([1])).dataValue, Data([1]))
    expectEqual(AnyRealmValue.date(date).dateValue, date)
    expectEqual(AnyRealmValue.objectId(id).objectIdValue, id)
    expectEqual(AnyRealmValue.decimal128(3).decimal128Value, 3)
    expectEqual(AnyRealmValue.uuid(uuid).uuidValue, uuid)
    expectEqual(AnyRealmValue.fromArray([.int(1)]).listValue?.first, .int(1))
    expectEqual(
      AnyRealmValue.fromDictionary(["a": .none]).dictionaryValue?["a"], AnyRealmValue.none)
    let pocket = Pocket(value: ["id": 3])
    expectTrue(AnyRealmValue.object(pocket).object(Pocket.self) === pocket)
    expectEqual(AnyRealmValue.object(pocket).object(Dog.self), nil)
  }

  @Test func valuesAreHashed() {
    let values = ranked()
    expectEqual(Set(values + values).count, values.count)
    expectEqual(Set([AnyRealmValue.fromArray([.int(1)]), .fromArray([.int(1)])]).count, 1)
    expectTrue(AnyRealmValue.int(1) != .double(1))
    expectTrue(AnyRealmValue.int(1) != .bool(true))
  }

  @Test func typesHaveAnOrder() throws {
    let ordered = ranked() + [.object(Pocket(value: ["id": 500]))]
    try realm.write {
      for (index, value) in ordered.enumerated().reversed() {
        realm.create(Pocket.self, value: ["id": index, "thing": value])
      }
    }
    let own = realm.objects(Pocket.self).where { $0.id < 100 }
    expectEqual(own.sorted(byKeyPath: "thing").map(\.id), Array(0..<ordered.count))
    expectEqual(
      own.sorted(byKeyPath: "thing", ascending: false).map(\.id),
      Array((0..<ordered.count).reversed()))
  }

  @Test func equalNumbersOfOtherTypesAreEqualToQueries() throws {
    let numbers: [AnyRealmValue] = [.int(2), .float(2), .double(2), .decimal128(2), .bool(true)]
    try realm.write {
      for (index, value) in numbers.enumerated() {
        realm.create(Pocket.self, value: ["id": index, "thing": value])
      }
    }
    let all = realm.objects(Pocket.self)
    for number in numbers.dropLast() {
      expectEqual(all.filter("thing == %@", number).map(\.id), [0, 1, 2, 3])
      expectEqual(all.where { $0.thing == number }.count, 4)
    }
    expectEqual(all.where { $0.thing == .bool(true) }.map(\.id), [4])
    #expect(all.where { $0.thing > .int(1) }.count == 4)
    expectTrue(all.filter("thing < 2.5").count == 4)
  }

  @Test func assigningACollectionReplacesTheOldOne() throws {
    let pocket = try realm.write {
      realm.create(
        Pocket.self, value: ["id": 1, "thing": ["a", ["b": 2]] as [Any]] as [String: Any])
    }
    let list = try #require(pocket.thing.listValue)
    expectEqual(list[1].dictionaryValue?["b"], .int(2))
    try realm.write { pocket.thing = .fromDictionary(["x": .int(1)]) }
    expectTrue(list.isInvalidated)
    expectEqual(pocket.thing.dictionaryValue?.keys, ["x"])
    try realm.write { pocket.thing = .none }
    expectEqual(pocket.thing, .none)
  }

  @Test func nilIsNone() throws {
    let pocket = try realm.write {
      realm.create(
        Pocket.self,
        value: ["id": 1, "thing": NSNull(), "things": [NSNull(), 3, Int?.none as Any]]
          as [String: Any])
    }
    expectEqual(pocket.thing, .none)
    expectEqual(Array(pocket.things), [.none, .int(3), .none])
  }

  static let cases: [MisuseCase] = [
    MisuseCase("anEmbeddedObject", "Invalid value 'Spot {") {
      _ = Pocket(value: ["thing": Spot()])
    },
    MisuseCase("aSet", "Invalid value ") { _ = Pocket(value: ["thing": MutableSet<Int>()]) },
    MisuseCase("tooDeep", "Max nesting level reached") {
      let realm = try Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: UUID().uuidString, objectTypes: [Pocket.self]))
      var value = AnyRealmValue.int(1)
      for _ in 0..<101 { value = .fromArray([value]) }
      try realm.write { realm.create(Pocket.self, value: ["id": 1]).thing = value }
    },
  ]

  @Test(arguments: cases.map(\.name)) func misuse(_ name: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [name] in
      try Self.cases.run(name)
    }
    Self.cases.expectText(of: name, result)
  }
}
