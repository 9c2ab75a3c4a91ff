// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

/// Sorting, picking and distinct values in a scan of a table, compared with the same for keys.
struct TableScanOrderTests {
  private func columns(of tables: SampleTables) -> [Column] {
    tables.items.schema.columns.filter { $0.collection == .none && $0.type != .link }
  }

  @Test(.heavy, arguments: RandomRuns.seeds(3)) func tablesSortAsTheirKeysDo(seed: UInt64) throws {
    let tables = try SampleTables(seed: seed + 30, items: 700, owners: 5, spread: 2)
    let some = BoundPredicate.comparison(
      BoundComparison(.property(ColumnPath(["bool"])), .equal, .value(.bool(true))))
    var sortedColumns = 0
    for predicate in [BoundPredicate.constant(true), some] {
      let selection = try Selection(predicate, in: tables.items, of: tables.group)
      let keys = try selection.keys()
      for column in columns(of: tables) {
        for isAscending in [true, false] {
          let order = SortOrder([SortOrder.Criterion([column.name], isAscending: isAscending)])
          let expected = try order.sorted(keys, of: tables.items, in: tables.group)
          if let sorted = try order.sorted(selection, in: tables.group) {
            expectEqual(sorted, expected, "\(column.name), ascending \(isAscending)")
            sortedColumns += 1
          }
          for limit in [1, 7, 300] {
            let first = try order.first(limit, of: selection, in: tables.group)
            #expect(
              first == nil || first == Array(expected.prefix(limit)),
              "the first \(limit) by \(column.name), ascending \(isAscending)")
          }
        }
      }
    }
    // All but decimals and mixed values.
    expectEqual(sortedColumns, 4 * (columns(of: tables).count - 3))
  }

  @Test(arguments: RandomRuns.seeds(2)) func tablesTellApartWhatTheirKeysDo(seed: UInt64) throws {
    let tables = try SampleTables(seed: seed + 40, items: 700, owners: 5)
    let selection = try Selection(.constant(true), in: tables.items, of: tables.group)
    let keys = try selection.keys()
    for column in columns(of: tables) {
      let order = SortOrder([SortOrder.Criterion([column.name])])
      let expected = try order.distinct(keys, of: tables.items, in: tables.group)
      for smallest in [0, Int.max] {
        let firsts = try ScanParts.$smallestTable.withValue(smallest) {
          try order.distinct(selection, in: tables.group)
        }
        expectTrue(firsts == nil || firsts == expected, "\(column.name)")
        expectEqual((firsts == nil), (column.type == .mixed || column.type == .decimal))
      }
    }
  }

  /// `TableSort` 1 and 2: values that the bits in an item do not distinguish, in long runs and
  /// short ones.
  @Test func whatItemsDoNotTellIsReadAgain() throws {
    let file = try DatabaseFile.open(
      path: "/memory/level-\(UInt64.random(in: .min ... .max))",
      options: OpenOptions(isInMemory: true))
    let writing = try WriteGroup(try file.beginWrite())
    let table = try writing.createTable(named: "class_Level")
    let number = try table.addColumn(named: "number", type: .int, isNullable: true)
    let name = try table.addColumn(named: "name", type: .string, isNullable: true)
    var random = SeededGenerator(seed: 5)
    var values: [(key: ObjectKey, number: Int64?, name: String?)] = []
    for index in 0..<6000 {
      let (key, _) = try table.createObject()
      // The upper bits of the numbers differ once, so that the lower ones do not fit.
      let value: Int64? =
        index == 77
        ? 1 << 60 : random.chance(0.1) ? nil : Int64.random(in: 0..<3000, using: &random)
      let text: String? =
        random.chance(0.1)
        ? nil : "a long beginning " + String(Int.random(in: 0..<900, using: &random))
      if let value { try table.set(.int(value), number, key) }
      if let text { try table.set(.string(text), name, key) }
      values.append((key, value, text))
    }
    let selection = try Selection(.constant(true), in: table.table, of: writing)
    for isAscending in [true, false] {
      func isBefore<T: Comparable>(_ left: T?, _ right: T?) -> Bool {
        let (left, right) = isAscending ? (left, right) : (right, left)
        guard let right else { return false }
        return left.map { $0 < right } ?? true
      }
      let byNumber = SortOrder([SortOrder.Criterion(["number"], isAscending: isAscending)])
      let byName = SortOrder([SortOrder.Criterion(["name"], isAscending: isAscending)])
      // The library's sort is stable.
      try expectEqual(
        byNumber.sorted(selection, in: writing),
        values.sorted { isBefore($0.number, $1.number) }.map(\.key))
      try expectEqual(
        byName.sorted(selection, in: writing),
        values.sorted { isBefore($0.name, $1.name) }.map(\.key))
    }
  }

  /// `TableSort` 2: NaNs of different bits beside numbers that only their last bit distinguishes.
  @Test func whatIsNoNumberIsOrderedByAllOfItsBits() throws {
    let file = try DatabaseFile.open(
      path: "/memory/bits-\(UInt64.random(in: .min ... .max))",
      options: OpenOptions(isInMemory: true))
    let writing = try WriteGroup(try file.beginWrite())
    let table = try writing.createTable(named: "class_Level")
    let number = try table.addColumn(named: "number", type: .double)
    let quiet = Double.nan.bitPattern
    // In their order; negative NaN is what a processor makes of 0 / 0.
    let numbers = [
      Double(bitPattern: quiet), Double(bitPattern: quiet | 1), Double(bitPattern: quiet | 2),
      Double(bitPattern: quiet | 1 << 63), 1, 1.0.nextUp,
    ]
    var keys = Array(repeating: ObjectKey.null, count: numbers.count)
    for index in [3, 5, 2, 0, 4, 1] {
      let (key, _) = try table.createObject()
      try table.set(.double(numbers[index]), number, key)
      keys[index] = key
    }
    let selection = try Selection(.constant(true), in: table.table, of: writing)
    for isAscending in [true, false] {
      let order = SortOrder([SortOrder.Criterion(["number"], isAscending: isAscending)])
      let expected = isAscending ? keys : keys.reversed()
      try expectEqual(order.sorted(selection, in: writing), expected)
      try expectEqual(order.first(4, of: selection, in: writing), Array(expected.prefix(4)))
      let all = try selection.keys()
      try expectEqual(order.sorted(all, of: table.table, in: writing), expected)
    }
  }
}
