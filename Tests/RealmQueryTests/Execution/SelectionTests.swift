// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct SelectionTests {
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

  /// `QueryPlan` 3, for conditions of all kinds.
  @Test(.heavy, arguments: RandomRuns.seeds(4)) func randomTreesAgreeWithThePlainMeaning(
    seed: UInt64
  ) throws {
    let spread = Int(seed % 3) + 1
    let tables = try SampleTables(seed: seed, items: 300, owners: 40, spread: spread)
    let naive = NaivePredicate(group: tables.group)
    let rows = try Self.rows(of: tables.items)
    expectEqual(rows.count, 300)
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
        expectEqual(keys, expected, "\(predicate)")
        try expectEqual(selection.count(), expected.count)
        try expectEqual(selection.first(), expected.first)
        let single = try rows.filter { try selection.matches($0.row) }.map(\.key)
        expectEqual(single, expected, "row by row: \(predicate)")
        let backwards = rows.map(\.key).reversed()
        try expectEqual(selection.keys(among: Array(backwards)), expected.reversed())
        guard keys == expected, single == expected else { return }
      }
      matched += expected.isEmpty || expected.count == rows.count ? 0 : 1
    }
    expectTrue(matched > 30, "too few predicates tell objects apart")
  }

  /// `QueryPlan` 2
  @Test(arguments: RandomRuns.seeds(2)) func childrenStandBeforeTheirParents(seed: UInt64) throws {
    let tables = try SampleTables(seed: seed + 200, items: 20, owners: 40)
    var generator = RandomPredicates(tables: tables, random: SeededGenerator(seed: seed))
    for _ in 0..<100 {
      let predicate = generator.tree(depth: 4)
      let selection = try Selection(predicate, in: tables.items, of: tables.group)
      let plan = selection.plan
      expectEqual(selection.root, plan.nodes.count - 1, "\(predicate)")
      for (index, node) in plan.nodes.enumerated() {
        switch node {
        case .all(let children), .any(let children):
          #expect(plan.children[children].allSatisfy { $0 < index }, "\(predicate)")
        case .not(let child): #expect(child < index, "\(predicate)")
        default: break
        }
      }
    }
  }

  /// `QueryPlan` 1 and `SortTable` 2: a query reads the version it is asked of, in a transaction
  /// also between two changes.
  @Test(arguments: RandomRuns.seeds(2)) func queriesReadTheirVersion(seed: UInt64) throws {
    let tables = try SampleTables(seed: seed + 300, items: 80, owners: 12)
    var random = SeededGenerator(seed: seed)
    let string = try #require(tables.items.schema.column(named: "string"))
    let int = try #require(tables.items.schema.column(named: "int"))
    let link = try #require(tables.items.schema.column(named: "owner"))
    let age = try #require(tables.owners.schema.column(named: "age"))
    let isOfAge = BoundPredicate.comparison(
      BoundComparison(.property(ColumnPath(["owner", "age"])), .greaterOrEqual, .value(.int(0))))
    let query = TableQuery(
      tables.items.key, where: isOfAge,
      order: SortOrder([.init(["string"]), .init(["int"], isAscending: false)]))
    func plain(_ items: Table, _ owners: Table) throws -> [ObjectKey] {
      var found: [(key: ObjectKey, string: TableValue, int: TableValue)] = []
      for (key, row) in try Self.rows(of: items) {
        guard let ownerKey = try row.link(link.leafIndex), let owner = try owners.row(of: ownerKey),
          case .int(let years) = try owner.value(of: age), years >= 0
        else { continue }
        found.append((key, try row.value(of: string), try row.value(of: int)))
      }
      // The library's sort is stable.
      found.sort { left, right in
        let order = SortOrderTests.order(left.string, right.string)
        return order == 0 ? SortOrderTests.order(right.int, left.int) < 0 : order < 0
      }
      return found.map(\.key)
    }
    let before = try plain(tables.items, tables.owners)
    try expectEqual(query.keys(of: tables.items, in: tables.group), before)
    let writing = try WriteGroup(try tables.group.snapshot.file.beginWrite())
    let items = try #require(try writing.table(tables.items.key))
    let owners = try #require(try writing.table(tables.owners.key))
    for _ in 0..<4 {
      for _ in 0..<20 {
        let place = Int.random(in: 0..<80, using: &random)
        let item = try #require(try items.table.key(at: place))
        let owner = try #require(try owners.table.key(at: place % 12))
        try items.set(SampleTables.value(of: string, &random), string, item)
        try items.set(SampleTables.value(of: int, &random), int, item)
        try owners.set(SampleTables.value(of: age, &random), age, owner)
      }
      let expected = try plain(items.table, owners.table)
      try expectEqual(query.keys(of: items.table, in: writing), expected)
    }
    let next = try TableGroup(try writing.commit())
    let nextItems = try #require(try next.table(tables.items.key))
    let nextOwners = try #require(try next.table(tables.owners.key))
    let after = try plain(nextItems, nextOwners)
    expectTrue(after != before)
    try expectEqual(query.keys(of: nextItems, in: next), after)
    try expectEqual(query.keys(of: tables.items, in: tables.group), before)
  }
}
