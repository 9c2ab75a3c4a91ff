// SPDX-License-Identifier: Apache-2.0

// Results that are kept from version to version, against those of a new query, over random commits.

import Foundation
import RealmSession
import RealmStorage
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private final class Leaf: Object {
  @Persisted var number = 0
  @Persisted var other = 0
  @Persisted var word: String?
  @Persisted var tree: Tree?
  @Persisted var numbers: List<Int>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Tree: Object {
  @Persisted var height = 0
  @Persisted var leaves: List<Leaf>
  @Persisted var forest: Forest?
  @Persisted(originProperty: "tree") var grown: LinkingObjects<Leaf>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Forest: Object {
  @Persisted var size = 0

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct LiveResultsTests {
  /// Queries of each kind that changes may concern in another way.
  private static func leaves(_ realm: Realm) -> [Results<Leaf>] {
    let all = realm.objects(Leaf.self)
    return [
      all.where { $0.number > 4 }, all.where { $0.word == "b" && $0.number < 6 },
      all.where { $0.tree.height > 3 }, all.where { $0.tree.forest.size > 1 },
      all.where { $0.numbers.count > 1 }, all.where { $0.numbers.contains(3) },
      all.sorted(byKeyPath: "number"),
      all.where { $0.other < 5 }.sorted(by: ["word", SortDescriptor(keyPath: "number")]),
      all.sorted(byKeyPath: "tree.height", ascending: false),
      all.where { $0.number > 1 }.sorted(byKeyPath: "tree.forest.size"),
      all.filter("TRUEPREDICATE SORT(numbers.@sum ASC)"),
      all.filter("number > 2 SORT(number ASC) LIMIT(7)"), all.distinct(by: ["number"]),
      all.sorted(byKeyPath: "word").distinct(by: ["other", "tree.height"]),
      all.distinct(by: ["number"]).sorted(byKeyPath: "other").limit(3), all.limit(5),
    ]
  }

  private static func trees(_ realm: Realm) -> [Results<Tree>] {
    let all = realm.objects(Tree.self)
    return [
      all.where { $0.leaves.number > 6 }, all.filter("leaves.@sum.number > 9"),
      all.where { ($0.leaves.number > 3 && $0.leaves.word == "a").count > 1 },
      all.where { $0.grown.count > 2 }, all.where { $0.height > 2 }.sorted(byKeyPath: "height"),
      all.filter("ALL leaves.number < 7"), all.filter("ANY grown.number == 3"),
    ]
  }

  private static func change(_ realm: Realm, _ random: inout SeededGenerator) {
    let trees = realm.objects(Tree.self)
    let leaves = realm.objects(Leaf.self)
    func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    switch number(10) {
    case 0...1:
      let leaf = realm.create(Leaf.self, value: ["number": number(10), "other": number(10)])
      leaf.word = [nil, "a", "b"][number(3)]
      leaf.tree = trees.isEmpty ? nil : trees[number(trees.count)]
      leaf.numbers.append(objectsIn: (0..<number(4)).map { $0 * 3 })
    case 2:
      let tree = realm.create(Tree.self, value: ["height": number(6)])
      tree.forest = realm.objects(Forest.self).last
    case 3: realm.create(Forest.self, value: ["size": number(4)])
    case 4 where !leaves.isEmpty: realm.delete(leaves[number(leaves.count)])
    case 5 where !trees.isEmpty && number(3) == 0: realm.delete(trees[number(trees.count)])
    case 6 where !trees.isEmpty: trees[number(trees.count)].height = number(6)
    case 7 where !leaves.isEmpty:
      let leaf = leaves[number(leaves.count)]
      leaf.number = number(10)
      leaf.word = [nil, "a", "b"][number(3)]
      if leaf.numbers.count > 1 { leaf.numbers.remove(at: 0) } else { leaf.numbers.append(3) }
    case 8 where !trees.isEmpty && !leaves.isEmpty:
      let tree = trees[number(trees.count)]
      if tree.leaves.count > 3 { tree.leaves.removeAll() }
      tree.leaves.append(leaves[number(leaves.count)])
    default:
      if let leaf = leaves.last { leaf.other = number(10) }
      realm.objects(Forest.self).first?.size = number(4)
    }
  }

  /// `ResultsState` 3.
  @Test(.heavy, arguments: RandomRuns.seeds(6)) func keptResultsAreThoseOfNewQueries(
    seed: UInt64
  ) throws {
    let file = try TemporaryRealm([Leaf.self, Tree.self, Forest.self])
    let realm = try file.open()
    var random = SeededGenerator(seed: seed)
    try realm.write { for _ in 0..<150 { Self.change(realm, &random) } }
    let leaves = Self.leaves(realm)
    let trees = Self.trees(realm)
    for round in 0..<60 {
      try realm.write {
        for _ in 0...Int.random(in: 0...3, using: &random) { Self.change(realm, &random) }
        // An evaluation within a transaction is not the one that is kept.
        if round % 7 == 0 { expectEqual(leaves[0].count, Self.leaves(realm)[0].count) }
      }
      // Some results are not evaluated in each version.
      for (kept, new) in zip(leaves, Self.leaves(realm)) where random.chance(0.7) {
        expectEqual(Array(kept.map(\._key)), Array(new.map(\._key)), "seed \(seed), round \(round)")
      }
      for (kept, new) in zip(trees, Self.trees(realm)) where random.chance(0.7) {
        expectEqual(kept.count, new.count, "seed \(seed), round \(round)")
        expectEqual(Array(kept.map(\._key)), Array(new.map(\._key)), "seed \(seed), round \(round)")
      }
    }
  }

  /// Within a transaction, of which every third is undone (`ResultsHistory` 2).
  @Test(.heavy, arguments: RandomRuns.seeds(4)) func resultsFollowAnOpenTransaction(
    seed: UInt64
  ) throws {
    let realm = try TemporaryRealm([Leaf.self, Tree.self, Forest.self]).open()
    var random = SeededGenerator(seed: seed)
    try realm.write { for _ in 0..<100 { Self.change(realm, &random) } }
    let leaves = Self.leaves(realm)
    let trees = Self.trees(realm)
    for round in 0..<9 {
      realm.beginWrite()
      // The log does not record what an earlier evaluation has seen of it.
      let created = realm.create(Leaf.self)
      for step in 0..<12 {
        Self.change(realm, &random)
        if !created.isInvalidated { created.number = Int.random(in: 0..<10, using: &random) }
        let text = "seed \(seed), round \(round), step \(step)"
        for (kept, new) in zip(leaves, Self.leaves(realm)) where random.chance(0.5) {
          expectEqual(kept.first?._key, new.first?._key, "\(text)")
          expectEqual(kept.count, new.count, "\(text)")
          expectEqual(Array(kept.map(\._key)), Array(new.map(\._key)), "\(text)")
        }
        for (kept, new) in zip(trees, Self.trees(realm)) where random.chance(0.5) {
          expectEqual(Array(kept.map(\._key)), Array(new.map(\._key)), "\(text)")
        }
      }
      if round % 3 == 2 { realm.cancelWrite() } else { try realm.commitWrite() }
      for (kept, new) in zip(leaves, Self.leaves(realm)) where random.chance(0.7) {
        expectEqual(Array(kept.map(\._key)), Array(new.map(\._key)), "seed \(seed), \(round)")
      }
    }
  }

  private func numbered(_ realm: Realm) -> Results<Leaf> {
    realm.objects(Leaf.self).where { $0.number > 4 }.sorted(byKeyPath: "number")
  }

  /// `ResultsState` 1.
  @Test func nothingIsFoundForResultsThatNobodyReads() throws {
    let realm = try TemporaryRealm([Leaf.self, Tree.self, Forest.self]).open()
    let leaves = numbered(realm)
    for number in 0..<8 { try realm.write { realm.create(Leaf.self, value: ["number": number]) } }
    expectEqual(leaves.state.history.evaluationCount, 0)
    for _ in 0..<3 { expectEqual(leaves.map(\.number), [5, 6, 7]) }
    expectEqual(leaves.state.history.evaluationCount, 1)
  }

  /// `ResultsState` 2.
  @Test @MainActor func whatAnObserverHasSeenIsNotFoundAgain() async throws {
    let files = try TemporaryRealm([Leaf.self, Tree.self, Forest.self])
    let realm = try await Realm(configuration: files.configuration)
    let leaves = numbered(realm)
    let counts = Recorder<Int>()
    let token = leaves.observe { _ in counts.add(leaves.map(\.number).count) }
    await expectEqual(counts.wait(for: 1), [0])
    for number in 4..<7 {
      try realm.write { realm.create(Leaf.self, value: ["number": number, "other": number]) }
      expectEqual(leaves.map(\.number), Array(5..<max(number + 1, 5)))
    }
    await expectEqual(counts.wait(for: 3).last, 2)
    expectEqual(leaves.state.history.evaluationCount, 0)
    token.invalidate()
  }

  /// `ResultsHistory` 1.
  @Test func keptResultsHoldNoVersion() throws {
    let files = try TemporaryRealm([Leaf.self, Tree.self, Forest.self])
    let realm = try files.open()
    try realm.write { for number in 0..<9 { realm.create(Leaf.self, value: ["number": number]) } }
    let leaves = Self.leaves(realm)
    for results in leaves { expectTrue(!Array(results).isEmpty || results.isEmpty) }
    let file = realm.core.file
    let old = file.newestVersion
    expectEqual(file.pinnedVersions, [old])
    try onAnotherThread { try files.open().write {} }
    expectTrue(realm.refresh())
    expectEqual(file.pinnedVersions, [old + 1])
    withExtendedLifetime(leaves) {}
  }

  @Test func deletingTheFirstUntilNoneIsLeft() throws {
    let realm = try TemporaryRealm([Leaf.self, Tree.self, Forest.self]).open()
    try realm.write {
      for number in 0..<600 { realm.create(Leaf.self, value: ["number": number % 10]) }
      let leaves = realm.objects(Leaf.self)
      for results in [leaves.where { $0.number > 7 }, leaves.sorted(byKeyPath: "number")] {
        var count = results.count
        while let leaf = results.first {
          realm.delete(leaf)
          count -= 1
          expectEqual(results.count, count)
        }
        expectEqual(count, 0)
      }
      expectTrue(leaves.isEmpty)
    }
  }

  /// `ResultsHistory` 2.
  @Test func abandonedTransactionsLeaveTheResults() throws {
    let realm = try TemporaryRealm([Leaf.self, Tree.self, Forest.self]).open()
    let leaves = realm.objects(Leaf.self).where { $0.number > 4 }
    try realm.write { for number in 0..<10 { realm.create(Leaf.self, value: ["number": number]) } }
    expectEqual(leaves.map(\.number), [5, 6, 7, 8, 9])
    realm.beginWrite()
    leaves.first?.number = 0
    expectEqual(leaves.map(\.number), [6, 7, 8, 9])
    realm.cancelWrite()
    expectEqual(leaves.map(\.number), [5, 6, 7, 8, 9])
  }

  @Test func resultsThatNobodyLookedAtForLongAreFoundAnew() throws {
    let realm = try TemporaryRealm([Leaf.self, Tree.self, Forest.self]).open()
    let leaves = realm.objects(Leaf.self).where { $0.number > 4 }
    expectTrue(leaves.isEmpty)
    for number in 0..<40 { try realm.write { realm.create(Leaf.self, value: ["number": number]) } }
    expectEqual(leaves.map(\.number), Array(5..<40))
    try realm.write { realm.deleteAll() }
    expectTrue(Array(leaves).isEmpty)
  }
}
