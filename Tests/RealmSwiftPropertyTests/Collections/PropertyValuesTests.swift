// SPDX-License-Identifier: Apache-2.0

// Columns of results against the properties of the objects.

import Foundation
import Observation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private final class Stone: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var nick: String?
  @Persisted var weight: Double
  @Persisted var volume: Int?
  @Persisted var isRound: Bool
  @Persisted var data: Data
  @Persisted var date: Date
  @Persisted var level: StoneLevel
  @Persisted var next: Stone?
  @Persisted var any: AnyRealmValue
  @Persisted var tags: List<String>
  @Persisted(originProperty: "next") var previous: LinkingObjects<Stone>

  var title: Int { name.count }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private enum StoneLevel: String, PersistableEnum { case low, high }

/// Numbers of every type.
private final class Gauge: Object {
  @Persisted var eight: Int8
  @Persisted var sixteen: Int16
  @Persisted var thirtyTwo: Int32
  @Persisted var sixtyFour: Int64
  @Persisted var single: Float
  @Persisted var flag: Bool
  @Persisted var maybeFlag: Bool?
  @Persisted var maybeDouble: Double?
  @Persisted var maybeSingle: Float?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct PropertyValuesTests {
  private func realm(_ count: Int, seed: UInt64 = 1) throws -> Realm {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Stone.self]))
    var random = SeededGenerator(seed: seed)
    let texts = ["", "a", "é", "longer than fifteen bytes", String(repeating: "x", count: 99)]
    try realm.write {
      for id in 0..<count {
        let stone = Stone()
        stone.id = id
        // Leaves of each form: the longest text of some hundred objects decides.
        let choice = min(id / 300 + 1, texts.count - 1)
        stone.name = texts[Int.random(in: 0...choice, using: &random)]
        stone.nick = random.chance(0.3) ? nil : texts[Int.random(in: 0...choice, using: &random)]
        stone.weight = Double(Int.random(in: 0...9, using: &random))
        stone.volume = random.chance(0.3) ? nil : Int.random(in: -300...300, using: &random)
        stone.isRound = random.chance(0.5)
        stone.data = Data(stone.name.utf8)
        stone.date = Date(timeIntervalSince1970: Double(id))
        stone.level = random.chance(0.5) ? .low : .high
        stone.any = random.chance(0.5) ? .int(id) : .string("any")
        realm.add(stone)
      }
    }
    try realm.write {
      let all = Array(realm.objects(Stone.self))
      for stone in all where random.chance(0.5) { stone.next = all.randomElement(using: &random) }
      for stone in all where random.chance(0.2) { realm.delete(stone) }
    }
    return realm
  }

  /// `PropertyWalk` 2 and 3.
  @Test(arguments: [0, 1, 256, 1500])
  func valuesAreThoseOfTheObjects(count: Int) throws {
    let realm = try realm(count)
    let all = realm.objects(Stone.self)
    let selections = [
      all, all.where { $0.weight > 4 }, all.sorted(by: \.weight), all.where { $0.id < 0 },
      all.distinct(by: ["name"]), all.freeze(), all.where { $0.isRound }.freeze(),
    ]
    for (number, stones) in selections.enumerated() {
      let objects = Array(stones)
      let ids = Array(stones.values(\.id))
      expectEqual(ids, objects.map(\.id), "selection \(number)")
      var position = 0
      for (name, nick, weight, volume, isRound) in stones.values(
        \.name, \.nick, \.weight, \.volume, \.isRound)
      {
        let object = objects[position]
        guard name == object.name, nick == object.nick, weight == object.weight,
          volume == object.volume, isRound == object.isRound
        else {
          Issue.record("object \(object.id) of selection \(number)")
          return
        }
        position += 1
      }
      expectEqual(position, objects.count)
      expectEqual(stones.values(\.id).underestimatedCount, position)
      position = 0
      for (data, date, level, any, next) in stones.values(\.data, \.date, \.level, \.any, \.next) {
        let object = objects[position]
        guard data == object.data, date == object.date, level == object.level, any == object.any,
          next?.id == object.next?.id
        else {
          Issue.record("object \(object.id) of selection \(number)")
          return
        }
        position += 1
      }
    }
  }

  /// `PropertyWalk` 4: a cluster of small numbers, one of large ones, and a part of one.
  @Test func numbersOfEveryTypeAreThoseOfTheObjects() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Gauge.self]))
    var random = SeededGenerator(seed: 7)
    try realm.write {
      for number in 0..<600 {
        let gauge = Gauge()
        let isSmall = number < 256
        gauge.eight = isSmall ? Int8(number % 2) : .random(in: .min ... .max, using: &random)
        gauge.sixteen = isSmall ? Int16(number % 4) : .random(in: .min ... .max, using: &random)
        gauge.thirtyTwo = isSmall ? Int32(number % 16) : .random(in: .min ... .max, using: &random)
        gauge.sixtyFour = isSmall ? 0 : .random(in: .min ... .max, using: &random)
        gauge.single = Float(number) / 8
        gauge.flag = random.chance(0.5)
        gauge.maybeFlag = random.chance(0.3) ? nil : random.chance(0.5)
        gauge.maybeDouble = random.chance(0.3) ? nil : Double(number) / 4
        gauge.maybeSingle = random.chance(0.3) ? nil : Float(number) / 2
        realm.add(gauge)
      }
    }
    func check() {
      let gauges = realm.objects(Gauge.self)
      let integers = Array(gauges.values(\.eight, \.sixteen, \.thirtyTwo))
      let others = gauges.values(\.sixtyFour, \.single, \.flag)
      let optionals = gauges.values(\.maybeFlag, \.maybeDouble, \.maybeSingle)
      #expect(integers.elementsEqual(gauges) { $0 == ($1.eight, $1.sixteen, $1.thirtyTwo) })
      #expect(others.elementsEqual(gauges) { $0 == ($1.sixtyFour, $1.single, $1.flag) })
      #expect(
        optionals.elementsEqual(gauges) { $0 == ($1.maybeFlag, $1.maybeDouble, $1.maybeSingle) })
      expectEqual(integers.count, gauges.count)
    }
    check()
    try realm.write {
      check()
      realm.delete(realm.objects(Gauge.self).filter { $0.flag })
      check()
    }
    check()
  }

  @Test func closuresTakeTheValues() throws {
    let stones = try realm(50).objects(Stone.self)
    let ids = stones.values(\.id).map { $0 + 1 }
    let weights = stones.values(\.id, \.weight).filter { $0.1 > 4 }.map { $0.0 }
    let sum = stones.values(\.id, \.weight, \.volume).reduce(0) { $0 + $1.1 + Double($1.2 ?? 0) }
    let pairs = zip(stones.values(\.id, \.name), stones).allSatisfy { $0.0.1 == $0.1.name }
    let four = stones.values(\.isRound, \.id, \.name, \.nick)
    let rounds = four.count { $0.0 }
    expectEqual(ids, stones.map { $0.id + 1 })
    expectEqual(weights, stones.filter { $0.weight > 4 }.map(\.id))
    expectEqual(sum, stones.reduce(0) { $0 + $1.weight + Double($1.volume ?? 0) })
    expectTrue(pairs)
    expectEqual(rounds, stones.filter(\.isRound).count)
  }

  @Test func aSequenceIsLiveAndAnIterationKeepsItsVersion() throws {
    let realm = try realm(700)
    let stones = realm.objects(Stone.self).where { $0.weight >= 0 }
    let ids = stones.values(\.id)
    let before = Array(ids)
    var seen: [Int] = []
    for id in ids {
      if seen.count % 100 == 50 {
        try realm.write { realm.delete(realm.objects(Stone.self).where { $0.id > id }.last!) }
      }
      seen.append(id)
    }
    let after = Array(ids)
    expectEqual(seen, before)
    expectTrue(after.count < before.count)
    expectEqual(after, stones.map(\.id))
    let all = realm.objects(Stone.self).values(\.id, \.weight)
    try realm.write {
      for (id, weight) in all where weight > 5 {
        realm.object(ofType: Stone.self, forPrimaryKey: id)?.weight = -1
      }
    }
    var heavyCount = 0
    for (_, weight) in all where weight > 5 { heavyCount += 1 }
    expectEqual(heavyCount, 0)
  }

  /// `PropertyWalk` 1.
  @Test func collectionsOfAnyValueAreThoseOfTheirObjects() throws {
    let realm = try realm(3)
    try realm.write {
      for stone in realm.objects(Stone.self) { stone.any = .fromArray([.int(stone.id)]) }
    }
    let ids = realm.objects(Stone.self).map(\.id)
    // The walk has ended before the lists are read.
    let values = Array(realm.objects(Stone.self).values(\.any))
    expectEqual(values.map { $0.listValue?[0].intValue }, ids.map(Optional.some))
    try realm.write { for stone in realm.objects(Stone.self) { stone.next = stone } }
    let objects = Array(realm.objects(Stone.self).values(\.next))
    expectEqual(objects.map { $0?.id }, ids.map(Optional.some))
  }

  @Test func readsAreTracked() throws {
    let realm = try realm(3)
    let stones = realm.objects(Stone.self)
    let changes = Counter()
    let sum = withObservationTracking {
      stones.values(\.weight).reduce(0, +)
    } onChange: {
      changes.value += 1
    }
    expectEqual(sum, stones.map(\.weight).reduce(0, +))
    try realm.write { stones.first?.name = "other" }
    expectEqual(changes.value, 0)
    try realm.write { stones.last?.weight += 1 }
    expectEqual(changes.value, 1)
  }

  private final class Counter: @unchecked Sendable {
    // Sendable: the realm's thread alone changes it.
    var value = 0
  }

  static let cases: [MisuseCase] = [
    MisuseCase(
      "collection",
      "values(_:) takes properties of 'Stone' that have one value, and 'tags' is none."
    ) {
      _ = try PropertyValuesTests().realm(1).objects(Stone.self).values(\.tags)
    },
    MisuseCase(
      "throughLinks",
      "values(_:) takes properties of 'Stone' that have one value, and 'next.nick' is none."
    ) {
      _ = try PropertyValuesTests().realm(1).objects(Stone.self).values(\.next?.nick)
    },
    MisuseCase(
      "computed", "values(_:) takes properties of 'Stone' that have one value, and 'name' is none."
    ) {
      _ = try PropertyValuesTests().realm(1).objects(Stone.self).values(\.title)
    },
    MisuseCase("deletedInTheLoop", "Object has been deleted or invalidated.") {
      let realm = try PropertyValuesTests().realm(5)
      try realm.write {
        for id in realm.objects(Stone.self).values(\.id) where id >= 0 { realm.deleteAll() }
      }
    },
    MisuseCase(
      "argumentOfAnotherQuery",
      "A query cannot compare with 'a QueryArgument of another query'."
    ) {
      let realm = try PropertyValuesTests().realm(1)
      var kept: QueryArgument<String>?
      _ = realm.prepare(Stone.self) { (stone, name: QueryArgument<String>) in
        kept = name
        return stone.name == name
      }
      if let kept { _ = realm.objects(Stone.self).where { $0.name == kept } }
    },
  ]

  @Test(arguments: cases.map(\.name))
  func misuseEndsWithTheDocumentedText(name: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [name] in try PropertyValuesTests.cases.run(name)
    }
    PropertyValuesTests.cases.expectText(of: name, result)
  }
}
