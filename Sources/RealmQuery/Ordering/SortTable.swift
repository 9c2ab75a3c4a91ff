// SPDX-License-Identifier: Apache-2.0

// The values that objects are sorted by, pulled out of the database into arrays.
//
// Invariants:
// 1. Positions stand for the objects handed in; `SortItem` orders by the first criterion, the
//    arrays of `columns` by all, and the position itself last: the order is total, hence stable.
// 2. The views in `details` are valid as long as the version that was sorted; a table does not
//    outlive the call that made it.

import RealmStorage
import RealmTables

/// The sort values of some objects, column by column.
struct SortTable {
  /// The values of one criterion by position.
  private struct SortColumn {
    var keys: [UInt64] = []
    var ranks: [UInt8] = []
    /// The values themselves; empty if the keys tell everything.
    var details: [MixedValue] = []
    let isAscending: Bool
  }

  /// What the sort compares first, side by side in memory.
  private struct SortItem {
    var prefix: UInt64
    var position: UInt32
    var rank: UInt8
  }

  private var columns: [SortColumn] = []
  private let count: Int

  init(_ keys: [ObjectKey], _ paths: [SortPath], _ table: Table) throws(StorageError) {
    count = keys.count
    guard count <= Int(UInt32.max) else { throw .limitExceeded("Too many objects to sort") }
    for path in paths { columns.append(try SortTable.column(path, keys, table)) }
  }

  private static func column(
    _ path: SortPath, _ keys: [ObjectKey], _ table: Table
  ) throws(StorageError) -> SortColumn {
    var column = SortColumn(isAscending: path.isAscending)
    column.keys.reserveCapacity(keys.count)
    column.ranks.reserveCapacity(keys.count)
    let isMixed = path.isMixed
    var reader = RowReader(table)
    for key in keys {
      let value =
        try reader.row(of: key).map { (row) throws(StorageError) in
          try path.value(of: row)
        } ?? .null
      let sortKey = SortKey(value, isMixed: isMixed)
      if !sortKey.isExact, column.details.isEmpty {
        column.details.reserveCapacity(keys.count)
        // Everything so far was null: whether a column's keys are exact depends on its type alone.
        column.details = [MixedValue](repeating: .null, count: column.keys.count)
      }
      if !sortKey.isExact || !column.details.isEmpty { column.details.append(value) }
      column.keys.append(sortKey.prefix)
      column.ranks.append(sortKey.rank)
    }
    return column
  }

  /// The positions in sorted order, or the first of them.
  func sortedPositions(limit: Int = .max) -> [UInt32] {
    let positions = allPositions()
    return limit < count ? Array(positions.prefix(limit)) : positions
  }

  private func allPositions() -> [UInt32] {
    guard let first = columns.first else { return Array(0..<UInt32(count)) }
    var items: [SortItem] = []
    items.reserveCapacity(count)
    // Descending is ascending by complements, so that the hot comparison has one form.
    let flip: UInt64 = first.isAscending ? 0 : .max
    let flipRank: UInt8 = first.isAscending ? 0 : .max
    for position in 0..<count {
      items.append(
        SortItem(
          prefix: first.keys[position] ^ flip, position: UInt32(position),
          rank: first.ranks[position] ^ flipRank))
    }
    let isDecidedByKeys = columns.count == 1 && first.details.isEmpty
    if isDecidedByKeys {
      items.sort { left, right in
        if left.rank != right.rank { return left.rank < right.rank }
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        return left.position < right.position
      }
    } else {
      items.sort { left, right in
        if left.rank != right.rank { return left.rank < right.rank }
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        let order = compareFully(Int(left.position), Int(right.position))
        return order == 0 ? left.position < right.position : order < 0
      }
    }
    return items.map(\.position)
  }

  /// The positions of the objects that equal none before them, ascending.
  func firstPositions() -> [UInt32] {
    var firsts: [UInt32] = []
    var previous: UInt32?
    for position in sortedPositions() {
      if let previous, compareFully(Int(previous), Int(position)) == 0 { continue }
      // The sort is stable: the first of a run of equals has the smallest position.
      firsts.append(position)
      previous = position
    }
    return firsts.sorted()
  }

  /// Compares two positions by all criteria.
  func compareFully(_ left: Int, _ right: Int) -> Int {
    for column in columns {
      let order = SortTable.compare(column, left, right)
      if order != 0 { return column.isAscending ? order : -order }
    }
    return 0
  }

  private static func compare(_ column: SortColumn, _ left: Int, _ right: Int) -> Int {
    let (first, second) = (column.ranks[left], column.ranks[right])
    if first != second { return first < second ? -1 : 1 }
    let (key, other) = (column.keys[left], column.keys[right])
    if key != other { return key < other ? -1 : 1 }
    return column.details.isEmpty ? 0 : column.details[left].compare(to: column.details[right])
  }
}
