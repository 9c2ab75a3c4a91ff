// SPDX-License-Identifier: Apache-2.0

// Prepared queries, and the short way of binding, against the way that all queries can go.

import Foundation
import RealmQuery
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private final class Plant: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var name: String
  @Persisted(indexed: true) var nick: String?
  @Persisted var height: Int
  @Persisted var width: Double
  @Persisted var isDry: Bool
  @Persisted var tags: List<String>
  @Persisted var parent: Plant?
  @Persisted var level: PlantLevel

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private enum PlantLevel: Int, PersistableEnum { case low, high }

struct PreparedQueryTests {
  private let file: TemporaryRealm
  private let realm: Realm
  private let plants: [Plant]
  private static let names = ["", "a", "A", "ab", "é", "b", String(repeating: "a", count: 80)]

  init() throws {
    file = try TemporaryRealm([Plant.self])
    realm = try file.open()
    var random = SeededGenerator(seed: 3)
    let realm = realm
    plants = try realm.write {
      var plants: [Plant] = []
      for id in 0..<60 {
        let plant = realm.create(Plant.self, value: ["id": id])
        plant.name = Self.names.randomElement(using: &random) ?? ""
        plant.nick = random.chance(0.3) ? nil : Self.names.randomElement(using: &random)
        plant.height = .random(in: -2...2, using: &random)
        plant.width = Double(Int.random(in: 0...3, using: &random)) / 2
        plant.isDry = random.chance(0.5)
        plant.tags.append(objectsIn: Self.names.filter { _ in random.chance(0.2) })
        plant.parent = random.chance(0.5) ? plants.randomElement(using: &random) : nil
        plant.level = random.chance(0.5) ? .low : .high
        plants.append(plant)
      }
      for plant in plants where plant.id % 7 == 3 { realm.delete(plant) }
      return plants.filter { !$0.isInvalidated }
    }
  }

  private func ids(_ isIncluded: (Plant) -> Bool) -> [Int] {
    plants.filter(isIncluded).map(\.id)
  }

  @Test func oneArgument() {
    let named = realm.prepare(Plant.self) { (plant, name: QueryArgument<String>) in
      plant.name == name
    }
    for name in Self.names + ["absent"] {
      let found = named(name)
      expectEqual(found.map(\.id), ids { $0.name == name }, "\(name)")
      expectEqual(named(name).count, ids { $0.name == name }.count)
      expectEqual(named(name).first?.id, ids { $0.name == name }.first)
    }
  }

  @Test func severalArgumentsAndConstants() {
    let query = realm.prepare(Plant.self) {
      (plant, nick: QueryArgument<String?>, least: QueryArgument<Int>, dry: QueryArgument<Bool>) in
      plant.nick == nick && plant.height >= least && plant.isDry != dry && plant.width < 1.5
    }
    for nick in Self.names.map(Optional.some) + [nil] {
      for least in -2...2 {
        let expected = ids {
          $0.nick == nick && $0.height >= least && $0.isDry != true && $0.width < 1.5
        }
        expectEqual(query(nick, least, true).map(\.id), expected, "\(nick ?? "nil"), \(least)")
      }
    }
  }

  @Test func everyOperatorTakesArguments() {
    for text in ["a", "A", "é", ""] {
      func expect(
        _ query: PreparedQuery<Plant, String>, _ isIncluded: (Query<Plant>) -> Query<Bool>,
        sourceLocation: SourceLocation = #_sourceLocation
      ) {
        let expected = Array(realm.objects(Plant.self).where(isIncluded).map(\.id))
        #expect(query(text).map(\.id) == expected, sourceLocation: sourceLocation)
      }
      expect(realm.prepare(Plant.self) { $0.name != $1 }) { $0.name != text }
      expect(realm.prepare(Plant.self) { $0.nick == $1 }) { $0.nick == text }
      expect(realm.prepare(Plant.self) { $0.nick != $1 }) { $0.nick != text }
      expect(realm.prepare(Plant.self) { $0.name < $1 }) { $0.name < text }
      expect(realm.prepare(Plant.self) { $0.name <= $1 }) { $0.name <= text }
      expect(realm.prepare(Plant.self) { $0.name > $1 }) { $0.name > text }
      expect(realm.prepare(Plant.self) { $0.name >= $1 }) { $0.name >= text }
      expect(realm.prepare(Plant.self) { $0.name.contains($1) }) { $0.name.contains(text) }
      expect(realm.prepare(Plant.self) { $0.name.contains($1, options: .caseInsensitive) }) {
        $0.name.contains(text, options: .caseInsensitive)
      }
      expect(realm.prepare(Plant.self) { $0.name.starts(with: $1) }) { $0.name.starts(with: text) }
      expect(realm.prepare(Plant.self) { $0.name.ends(with: $1) }) { $0.name.ends(with: text) }
      expect(realm.prepare(Plant.self) { $0.name.equals($1, options: .caseInsensitive) }) {
        $0.name.equals(text, options: .caseInsensitive)
      }
      expect(realm.prepare(Plant.self) { $0.name.like($1, caseInsensitive: true) }) {
        $0.name.like(text, caseInsensitive: true)
      }
      expect(realm.prepare(Plant.self) { $0.tags.contains($1) }) { $0.tags.contains(text) }
      expect(realm.prepare(Plant.self) { !($0.name == $1 || $0.parent.name == $1) }) {
        !($0.name == text || $0.parent.name == text)
      }
    }
  }

  @Test func argumentsOfOtherTypes() throws {
    let among = realm.prepare(Plant.self) { (plant, names: QueryArgument<[String]>) in
      plant.name.in(names)
    }
    expectEqual(among(["a", "é"]).map(\.id), ids { ["a", "é"].contains($0.name) })
    expectTrue(among([]).isEmpty)
    let below = realm.prepare(Plant.self) { (plant, parent: QueryArgument<Plant?>) in
      plant.parent == parent
    }
    let parent = try #require(plants.compactMap(\.parent).first)
    expectEqual(below(parent).map(\.id), ids { $0.parent?.id == parent.id })
    expectEqual(below(nil).map(\.id), ids { $0.parent == nil })
    let onLevel = realm.prepare(Plant.self) { (plant, level: QueryArgument<PlantLevel>) in
      plant.level == level
    }
    expectEqual(onLevel(.high).map(\.id), ids { $0.level == .high })
    let all = realm.prepare(Plant.self) { plant in plant.isDry }
    expectEqual(all().map(\.id), ids(\.isDry))
  }

  @Test func resultsAreLiveAndTheQueryOutlivesVersions() throws {
    let named = realm.prepare(Plant.self) { (plant, name: QueryArgument<String>) in
      plant.name == name
    }
    let before = named("new")
    expectTrue(before.isEmpty)
    try realm.write {
      realm.create(Plant.self, value: ["id": 100, "name": "new"])
      expectEqual(before.count, 1)
      expectEqual(named("new").first?.id, 100)
    }
    expectEqual(before.first?.id, 100)
    expectEqual(named("new").count, 1)
    let frozen = realm.freeze()
    let frozenNamed = frozen.prepare(Plant.self) { (plant, name: QueryArgument<String>) in
      plant.name == name
    }
    try realm.write { realm.delete(before) }
    expectTrue(named("new").first == nil)
    expectEqual(frozenNamed("new").first?.id, 100)
  }

  /// What `PlainBinder` binds is what `QueryBinder` makes of it.
  @Test func theShortWayOfBindingHasTheResultOfTheLongOne() throws {
    let schema = ModelSchema.of(Plant.self)
    let core = realm.core
    let query = Query<Plant>.subject
    let plain: [Query<Bool>] = [
      query.name == "a", query.nick != "b", query.height > 3, query.width <= 0.5,
      query.isDry == true, query.name.contains("x", options: .caseInsensitive),
      query.height >= 1 && query.height < 3 && query.name == "a",
      query.height == 1 || !(query.name.starts(with: "a") && query.width > 2),
      query.name.like("a*"), query.level.rawValue == 1,
    ]
    for condition in plain.map(\.asCondition) {
      let short = try #require(PlainBinder(schema).bind(condition))
      let long = try QueryBinder(RealmQuerySchema(core: core), on: schema).bind(condition)
      expectEqual(short, long)
    }
    let others: [Query<Bool>] = [
      query.nick == nil, query.tags.contains("a"), query.parent.name == "a",
      query.height.in([1, 2]), query.height.contains(1...2), query.tags.count == 1,
      query.level == .high, query.height == query.height, query.height == 1 && query.parent == nil,
    ]
    for condition in others.map(\.asCondition) {
      expectEqual(PlainBinder(schema).bind(condition), nil)
    }
  }

  /// `KnownKeyPaths` 1
  @Test func namesOfKeyPathsAreThoseOfTheirProperties() {
    // Made anew each time, as generic code does it, at addresses that are used again.
    func name<Model: Plant>(_ type: Model.Type, _ isFirst: Bool) -> String {
      isFirst ? _name(for: \Model.name) : _name(for: \Model.parent?.nick)
    }
    for round in 0..<5_000 {
      let isFirst = round % 3 == 0
      let found = name(Plant.self, isFirst)
      if found != (isFirst ? "name" : "parent.nick") {
        Issue.record("\(found) in round \(round)")
        return
      }
    }
    expectEqual(_name(for: \Plant.height), "height")
    expectEqual(_name(for: \Plant.height), "height")
  }
}
