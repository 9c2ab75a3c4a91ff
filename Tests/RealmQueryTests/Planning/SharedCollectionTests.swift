// SPDX-License-Identifier: Apache-2.0

// Queries over collections in mixed values of damaged files that have the same one again and again:
// they end.

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct SharedCollectionTests {
  /// Asks for a number in the elements of elements.
  private func keys(
    _ parts: [CollectionPart], areLists: Bool, levels: Int, value: TableValue = .int(7)
  ) throws -> [ObjectKey] {
    let file = try DatabaseFile.open(
      path: "/memory/shared-\(UInt64.random(in: .min ... .max))",
      options: OpenOptions(isInMemory: true))
    try SharedParts.makeNested(levels: levels, areLists: areLists, in: file)
    let group = try TableGroup(try file.snapshot())
    let table = try #require(try group.table(named: "class_NestedOwner"))
    let path = ColumnPath(["value"], parts: [0: parts])
    let condition = BoundPredicate.comparison(
      BoundComparison(.property(path), .equal, .value(value)))
    return try Selection(condition, in: table, of: group).keys()
  }

  /// Each of five collections has the one before twenty times.
  @Test(arguments: [true, false]) func pathsThroughSharedCollectionsEnd(areLists: Bool) {
    let every = [CollectionPart](repeating: .every, count: 5)
    let paths = areLists ? [every] : [every, every.dropLast() + [.keys]]
    for path in paths {
      #expect(throws: StorageError.corrupted("nested collections do not end")) {
        try keys(path, areLists: areLists, levels: 5)
      }
    }
  }

  /// Fewer than there are nodes are all looked at.
  @Test(arguments: [true, false]) func pathsThroughFewCollectionsFindAll(areLists: Bool) throws {
    try expectEqual(
      keys([.every, .every], areLists: areLists, levels: 2, value: .null).count, 1)
  }

  /// Two hundred rows have a list each, all of which have one list twenty times: each row has few
  /// collections, and all of them more than the file. `QueryPlan` 5.
  @Test(arguments: [(5, 1), (200, 1_000)])
  func rowsWithSharedCollectionsEnd(count: Int, nullCount: Int) throws {
    let file = try DatabaseFile.open(
      path: "/memory/shared-rows-\(UInt64.random(in: .min ... .max))",
      options: OpenOptions(isInMemory: true))
    try SharedParts.makeSharedRows(count, nullCount: nullCount, in: file)
    let group = try TableGroup(try file.snapshot())
    let table = try #require(try group.table(named: "class_NestedOwner"))
    let path = ColumnPath(["value"], parts: [0: [.every, .every]])
    let condition = BoundPredicate.comparison(
      BoundComparison(.property(path), .equal, .value(.int(7))))
    let selection = try Selection(condition, in: table, of: group)
    if nullCount == 1 {
      // Another pass begins.
      for _ in 0..<100 { try expectEqual(selection.count(), 0) }
    } else {
      #expect(throws: StorageError.corrupted("nested collections do not end")) {
        _ = try selection.count()
      }
    }
  }
}
