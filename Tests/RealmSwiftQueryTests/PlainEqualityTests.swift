// SPDX-License-Identifier: Apache-2.0

// Equalities that are bound when they are needed, against the same conditions as texts, which are
// bound at once.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private final class Bird: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var name: String
  @Persisted(indexed: true) var nick: String?
  @Persisted(indexed: true) var size: Int
  @Persisted(indexed: true) var isTame: Bool
  @Persisted var song: String
  @Persisted var weight: Double

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct PlainEqualityTests {
  private let file: TemporaryRealm
  private let realm: Realm
  private static let names = ["", "a", "A", "é", String(repeating: "a", count: 40)]

  init() throws {
    file = try TemporaryRealm([Bird.self])
    realm = try file.open()
  }

  /// The results of an equality, and those of the same condition written as a text.
  private typealias Pair = (plain: Results<Bird>, bound: Results<Bird>)

  private static func pairs(_ birds: Results<Bird>, _ random: inout SeededGenerator) -> [Pair] {
    let name = names.randomElement(using: &random) ?? ""
    let size = Int.random(in: 0...2, using: &random)
    let weight = Double(size) / 2
    let isTame = random.chance(0.5)
    return [
      (birds.where { $0.name == name }, birds.filter("name == %@", name)),
      (birds.where { $0.nick == name }, birds.filter("nick == %@", name)),
      (birds.where { $0.nick == nil }, birds.filter("nick == nil")),
      (birds.where { $0.song == name }, birds.filter("song == %@", name)),
      (birds.where { $0.size == size }, birds.filter("size == %@", size)),
      (birds.where { $0.isTame == isTame }, birds.filter("isTame == %@", isTame)),
      (birds.where { $0.weight == weight }, birds.filter("weight == %@", weight)),
    ]
  }

  private func change(_ random: inout SeededGenerator) {
    let birds = realm.objects(Bird.self)
    switch Int.random(in: 0...5, using: &random) {
    case 0...2:
      let bird = Bird()
      bird.id = (birds.max(of: \.id) ?? 0) + 1
      bird.name = Self.names.randomElement(using: &random) ?? ""
      bird.nick = random.chance(0.3) ? nil : Self.names.randomElement(using: &random)
      bird.song = Self.names.randomElement(using: &random) ?? ""
      (bird.size, bird.isTame) = (.random(in: 0...2, using: &random), random.chance(0.5))
      bird.weight = Double(bird.size) / 2
      realm.add(bird)
    case 3: birds.randomElement(using: &random).map { realm.delete($0) }
    case 4:
      birds.randomElement(using: &random)?.name = Self.names.randomElement(using: &random) ?? ""
    default: birds.randomElement(using: &random)?.size = .random(in: 0...2, using: &random)
    }
  }

  /// Asks one question, so that each state of results is met by each of them.
  private func compare(_ pair: Pair, _ random: inout SeededGenerator) {
    let (plain, bound) = pair
    switch Int.random(in: 0...8, using: &random) {
    case 0: expectEqual(plain.first?.id, bound.first?.id)
    case 1: expectEqual(plain.count, bound.count)
    case 2: expectEqual(Array(plain.map(\.id)), Array(bound.map(\.id)))
    case 3: expectEqual(plain.last?.id, bound.last?.id)
    case 4: expectEqual(plain.where { $0.size > 0 }.count, bound.where { $0.size > 0 }.count)
    case 5:
      let (first, expected) = (plain.sorted(byKeyPath: "name"), bound.sorted(byKeyPath: "name"))
      expectEqual(first.first?.id, expected.first?.id)
    case 6: expectEqual(plain.sum(of: \.size), bound.sum(of: \.size))
    case 7:
      let bird = realm.objects(Bird.self).randomElement(using: &random)
      expectEqual(bird.flatMap { plain.index(of: $0) }, bird.flatMap { bound.index(of: $0) })
    default:
      guard !realm.isInWriteTransaction else { return }
      expectEqual(Array(plain.freeze().map(\.id)), Array(bound.freeze().map(\.id)))
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func equalitiesAreTheConditionsThatTheyStandFor(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var kept: [Pair] = []
    for _ in 0..<40 {
      try realm.write {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          change(&random)
          for pair in Self.pairs(realm.objects(Bird.self), &random) { compare(pair, &random) }
          for pair in kept { compare(pair, &random) }
        }
      }
      for pair in kept { compare(pair, &random) }
      let new = Self.pairs(realm.objects(Bird.self), &random)
      for pair in new { compare(pair, &random) }
      kept = Array((kept + new).shuffled(using: &random).prefix(8))
    }
  }

  @Test @MainActor func observersAreToldOfEqualities() throws {
    let realm = try file.open()
    let named = realm.objects(Bird.self).where { $0.name == "a" }
    var counts: [Int] = []
    let token = named.observe { change in
      if case .update(let birds, _, _, _) = change { counts.append(birds.count) }
      if case .initial(let birds) = change { counts.append(birds.count) }
    }
    for (id, name) in ["a", "b", "a"].enumerated() {
      try realm.write { realm.create(Bird.self, value: ["id": id, "name": name]) }
      realm.refresh()
    }
    token.invalidate()
    expectEqual(counts.last, 2)
    expectEqual(named.count, 2)
  }

  @Test func frozenResultsOfEqualitiesAreSharedBetweenThreads() throws {
    try realm.write { realm.create(Bird.self, value: ["id": 1, "name": "a", "size": 2]) }
    // nonisolated(unsafe): frozen results may be used on any thread.
    nonisolated(unsafe) let frozen = realm.objects(Bird.self).where { $0.name == "a" }.freeze()
    nonisolated(unsafe) let ofFrozen = realm.freeze().objects(Bird.self).where { $0.size == 2 }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      expectEqual(frozen.count, 1)
      expectEqual(ofFrozen.count, 1)
      expectEqual(ofFrozen.first?.size, 2)
    }
  }
}
