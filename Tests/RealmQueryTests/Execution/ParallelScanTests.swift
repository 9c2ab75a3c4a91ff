// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct ParallelScanTests {
  /// Runs `body` as if every table of more than one cluster were large.
  private func inParts<R>(_ body: () throws -> R) rethrows -> R {
    try ScanParts.$smallestTable.withValue(0, operation: body)
  }

  @Test(arguments: RandomRuns.seeds(2)) func partsFindWhatOneScanFinds(seed: UInt64) throws {
    let tables = try SampleTables(
      seed: seed + 70, items: 900, owners: 40, spread: Int(seed % 2) + 1)
    var generator = RandomPredicates(tables: tables, random: SeededGenerator(seed: seed))
    var matched = 0
    for _ in 0..<40 {
      let predicate = generator.tree(depth: 3)
      let selection = try Selection(predicate, in: tables.items, of: tables.group)
      let keys = try selection.keys()
      let (parts, count, few, first) = try inParts {
        (
          try selection.keys(), try selection.count(), try selection.keys(limit: 7),
          try selection.first()
        )
      }
      expectEqual(parts, keys, "\(predicate)")
      expectEqual(count, keys.count)
      expectEqual(few, Array(keys.prefix(7)))
      expectEqual(first, keys.first)
      matched += keys.isEmpty || keys.count == 900 ? 0 : 1
    }
    expectTrue(matched > 10, "too few predicates tell objects apart")
  }

  /// `QueryPlan` 4: with one plan, threads would take each other's objects for those around an
  /// element.
  @Test(arguments: RandomRuns.seeds(2)) func partsKeepTheObjectsAroundApart(seed: UInt64) throws {
    let tables = try SampleTables(seed: seed + 90, items: 900, owners: 40)
    let isOlder = BoundPredicate.comparison(
      BoundComparison(.outer(1, ColumnPath(["int"])), .less, .property(ColumnPath(["age"]))))
    let predicate = BoundPredicate.comparison(
      BoundComparison(.matchCount(ColumnPath(["sharers"]), isOlder), .greater, .value(.int(0))))
    let naive = NaivePredicate(group: tables.group)
    let expected = try SelectionTests.rows(of: tables.items)
      .filter { try naive.matches(predicate, tables.items, $0.row) }.map(\.key)
    expectTrue((1..<900).contains(expected.count))
    let selection = try Selection(predicate, in: tables.items, of: tables.group)
    try expectEqual(selection.keys(), expected)
    for _ in 0..<20 {
      let parts = try inParts { try selection.keys() }
      expectEqual(parts, expected)
    }
  }

  @Test func partsAddUpToWhatOneFoldGives() throws {
    let tables = try SampleTables(seed: 80, items: 900, owners: 4)
    let some = BoundPredicate.comparison(
      BoundComparison(.property(ColumnPath(["bool"])), .equal, .value(.bool(true))))
    let selection = try Selection(some, in: tables.items, of: tables.group)
    let partCount = try inParts { try ScanParts(tables.items)?.ranges.count ?? 0 }
    try #require(partCount > 1)
    for column in tables.items.schema.columns
    where column.collection == .none && column.type != .link {
      for function in [CollectionFunction.min, .max, .sum, .average] {
        let whole = try Aggregates.compute(function, of: column, in: tables.items)
        let chosen = try selection.aggregate(function, of: column)
        let parts = try inParts {
          (
            try Aggregates.compute(function, of: column, in: tables.items),
            try selection.aggregate(function, of: column)
          )
        }
        expectTrue(isClose(parts.0, whole), "\(function) of \(column.name)")
        expectTrue(isClose(parts.1, chosen), "\(function) of \(column.name)")
      }
    }
  }

  /// Sums of floating-point numbers may differ in their last bits.
  private func isClose(_ left: MixedValue, _ right: MixedValue) -> Bool {
    if case .double(let first) = left, case .double(let second) = right, first != second {
      if first.isNaN || second.isNaN { return first.isNaN == second.isNaN }
      return abs(first - second) <= 1e-9 * max(abs(first), abs(second))
    }
    return left.compare(to: right) == 0
  }

  @Test func anErrorOfOnePartIsTheErrorOfAll() {
    do throws(StorageError) {
      _ = try Workers.map(parts: 50, tools: [1, 2]) { (_, part) throws(StorageError) -> Int in
        guard part != 17 else { throw .limitExceeded("part 17") }
        return part
      }
      Issue.record("no error")
    } catch {
      expectTrue("\(error)".contains("part 17"))
    }
  }

  @Test func resultsComeInTheOrderOfTheParts() throws {
    let results = try Workers.map(parts: 40, tools: [(), (), ()]) {
      (_, part) throws(StorageError) in part * part
    }
    expectEqual(results, (0..<40).map { $0 * $0 })
  }
}
