// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import RealmTables
import RealmTestSupport
import TestTraits
import Testing

@testable import RealmQuery

@Suite struct SelectionTests {
  /// All objects of a table with their keys.
  static func rows(of table: Table) throws -> [(key: ObjectKey, row: Row)] {
    var rows: [(ObjectKey, Row)] = []
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        rows.append((cluster.key(at: index), cluster.row(at: index)))
      }
    }
    return rows
  }

  @Test(.heavy, arguments: RandomRuns.seeds(4)) func randomTreesAgreeWithThePlainMeaning(
    seed: UInt64
  ) throws {
    let spread = Int(seed % 3) + 1
    let tables = try SampleTables(seed: seed, items: 300, owners: 40, spread: spread)
    let naive = NaivePredicate(group: tables.group)
    let rows = try Self.rows(of: tables.items)
    #expect(rows.count == 300)
    var generator = RandomPredicates(tables: tables, random: SeededGenerator(seed: seed + 100))
    var matched = 0
    for _ in 0..<120 {
      let predicate = generator.tree(depth: 3)
      let expected = try rows.filter { try naive.matches(predicate, tables.items, $0.row) }
        .map(\.key)
      for isScan in [true, false] {
        let selection = try Selection(
          predicate, in: tables.items, of: tables.group, isScan: isScan)
        let keys = try selection.keys()
        #expect(keys == expected, "\(predicate)")
        #expect(try selection.count() == expected.count)
        #expect(try selection.first() == expected.first)
        let single = try rows.filter { try selection.matches($0.row) }.map(\.key)
        #expect(single == expected, "row by row: \(predicate)")
        let backwards = rows.map(\.key).reversed()
        #expect(try selection.keys(among: Array(backwards)) == expected.reversed())
        guard keys == expected, single == expected else { return }
      }
      matched += expected.isEmpty || expected.count == rows.count ? 0 : 1
    }
    #expect(matched > 30, "too few predicates tell objects apart")
  }
}
