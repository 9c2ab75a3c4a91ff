// SPDX-License-Identifier: Apache-2.0

// Long chains of equalities are one look-up, and find what the single equalities find.

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct EqualityChainTests {
  private func equality(_ name: String, _ value: TableValue, mirrored: Bool) -> BoundPredicate {
    let path = BoundOperand.property(ColumnPath([name]))
    return .comparison(
      mirrored
        ? BoundComparison(.value(value), .equal, path)
        : BoundComparison(path, .equal, .value(value)))
  }

  @Test func aChainOfEqualitiesIsOneLookUp() {
    let chain = (0..<14_000).map { equality("n", .int(Int64($0)), mirrored: $0 % 2 == 0) }
    expectEqual(BoundPredicate.any(chain).comparisonCount, 14_000)
    let joined = BoundPredicate.any(chain).joiningEqualities()
    expectEqual(joined.comparisonCount, 1)
    let other = equality("m", .int(1), mirrored: false)
    let nested = BoundPredicate.all([.not(.any([other] + chain)), other]).joiningEqualities()
    expectEqual(nested.comparisonCount, 3)
    // Few of them, and conditions of other kinds, stay.
    let few = BoundPredicate.any(Array(chain.prefix(23)))
    expectEqual(few.joiningEqualities(), few)
    let texts = BoundPredicate.any(
      (0..<50).map { number in
        .comparison(
          BoundComparison(
            .property(ColumnPath(["s"])), .equal, .value(.string("\(number)")),
            options: .caseInsensitive))
      })
    expectEqual(texts.joiningEqualities(), texts)
  }

  @Test func longConstantsAndRegionsCountMore() {
    let path = ColumnPath(["s"])
    let text = BoundPredicate.comparison(
      BoundComparison(
        .property(path), .like, .value(.string(String(repeating: "x", count: 1_600)))))
    expectEqual(text.comparisonCount, 101)
    let corner = GeoRegion.Point(latitude: 1, longitude: 1)
    let ring = Array(repeating: corner, count: 50)
    expectEqual(BoundPredicate.within(path, .polygon([ring, ring])).comparisonCount, 101)
    expectEqual(
      BoundPredicate.comparison(
        BoundComparison(.property(path), .in, .values([.int(1), .int(2)]))
      ).comparisonCount, 1)
  }

  /// A chain over every column, beside others and alone; of each value the objects are known.
  @Test(arguments: RandomRuns.seeds(2)) func aChainFindsWhatItsPartsFind(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let odd = try OddTable(seed: seed + 500, count: Int.random(in: 1...600, using: &random))
    var joinedCount = 0
    for (index, content) in odd.contents.enumerated() {
      var values = (0..<40).map { _ in content.values.randomElement(using: &random) ?? .null }
      if content.isNullable, random.chance(0.5) { values.append(.null) }
      if content.type == .mixed { values.append(.float(0.1)) }
      let chain = values.map { equality(content.name, $0, mirrored: random.chance(0.2)) }
      let other = odd.contents[(index + 1) % odd.contents.count]
      let others =
        random.chance(0.5)
        ? [equality(other.name, other.values[0], mirrored: false)] : []
      let predicate = BoundPredicate.any(chain + others)
      if predicate.joiningEqualities() != predicate { joinedCount += 1 }
      let place = (index + 1) % odd.contents.count
      let expected = odd.rows.filter { row in
        values.contains { NaivePredicate.compare(row.values[index], .equal, $0, []) }
          || !others.isEmpty
            && NaivePredicate.compare(row.values[place], .equal, other.values[0], [])
      }.map(\.key)
      let selection = try Selection(predicate, in: odd.table, of: odd.group)
      let text: Comment = "seed \(seed), \(content.name)"
      try expectEqual(selection.keys(), expected, text)
      try expectEqual(
        odd.rows.filter { try selection.matches($0.key) }.map(\.key), expected, text)
      var scan = try KeyScan(predicate.joiningEqualities(), of: odd.table, in: odd.group)
      var stepCount = 0
      while try scan.advance(comparisons: 1) != nil { stepCount += 1 }
      expectEqual(scan.keys, expected, text)
    }
    expectTrue(joinedCount > odd.contents.count / 2)
  }

  /// A scan goes on where it was, whatever it has in a step.
  @Test func aScanFindsTheSameInAnySteps() throws {
    let odd = try OddTable(seed: 9, count: 900)
    let condition = BoundPredicate.any([
      equality("bool", .bool(true), mirrored: false), equality("int3", .int(1), mirrored: false),
    ])
    let expected = try Selection(condition, in: odd.table, of: odd.group).keys()
    expectFalse(expected.isEmpty)
    for limit in [1, 600, 100_000] {
      var scan = try KeyScan(condition, of: odd.table, in: odd.group)
      var counts: [Int] = []
      while let count = try scan.advance(comparisons: limit) { counts.append(count) }
      expectEqual(scan.keys, expected)
      expectTrue(limit > 1 || counts.count >= 3)
      expectTrue(limit < 100_000 || counts.isEmpty)
      expectTrue(counts.allSatisfy { $0 >= limit })
    }
  }
}
