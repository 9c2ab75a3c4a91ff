// SPDX-License-Identifier: Apache-2.0

// The first few objects in an order, picked while a table is passed over.

import RealmStorage
import RealmTables

extension SortOrder {
  /// With more than this, sorting all is faster than keeping a heap.
  private static let pickedLimit = 4096

  /// The column by which the first `limit` matches can be picked; nil if all have to be sorted.
  func pickedColumn(
    _ limit: Int, of table: Table, in source: any TableReader
  ) throws(QueryError) -> Column? {
    guard limit > 0, limit <= Self.pickedLimit, criteria.count == 1,
      let column = try paths(from: table, in: source)[0].ownColumn, column.type != .mixed
    else { return nil }
    return column
  }

  /// The first `limit` matches in this order; nil if they have to be sorted to know.
  ///
  /// Most values are seen to come too late by their first bytes, so nothing is kept of them.
  func first(
    _ limit: Int, of selection: Selection, in source: any TableReader
  ) throws(QueryError) -> [ObjectKey]? {
    guard let column = try pickedColumn(limit, of: selection.table, in: source) else { return nil }
    return try QueryError.storing(
      selection.first(limit, by: column, isAscending: criteria[0].isAscending))
  }
}

extension Selection {
  /// The first `limit` matches by the values of a column.
  fileprivate func first(
    _ limit: Int, by column: Column, isAscending: Bool
  ) throws(StorageError) -> [ObjectKey] {
    // All that was ever taken, by the positions in items. Ascending keys keep ties in their order.
    var taken: [(key: ObjectKey, value: MixedValue)] = []
    func isBefore(_ left: SortItem, _ right: SortItem) -> Bool {
      if !left.isLevel(with: right) { return left.precedes(right) }
      let order = taken[Int(left.position)].value.compare(to: taken[Int(right.position)].value)
      if order == 0 { return left.position < right.position }
      return isAscending ? order < 0 : order > 0
    }
    var items = TopKHeap(limit: limit)
    try forEachMatch { (cluster, rows) throws(StorageError) in
      var near = rows
      if let last = items.last {
        near = try cluster.rows(rows, of: column, notAfter: last, isAscending: isAscending)
      }
      try cluster.forEachValue(of: column, in: near) { row, value in
        let key = SortKey(value, isMixed: false)
        let item = SortItem(
          prefix: key.prefix, position: UInt32(truncatingIfNeeded: taken.count), rank: key.rank,
          isAscending: isAscending)
        if items.isTooLate(item) { return }
        taken.append((cluster.key(at: row), value))
        items.offer(item, isBefore)
      }
      return true
    }
    return items.sorted(isBefore).map { taken[Int($0.position)].key }
  }
}

extension Cluster {
  /// Those of `rows` whose values may come before an item, by the first bytes alone.
  fileprivate func rows(
    _ rows: LeafMask, of column: Column, notAfter last: SortItem, isAscending: Bool
  ) throws(StorageError) -> LeafMask {
    guard column.leafKind == .string else { return rows }
    let rank = isAscending ? last.rank : ~last.rank
    guard rank == SortKey.values else { return rows }
    let leaf = try BytesLeaf(
      try leaf(column.leafIndex), count: count, terminator: 1, in: space)
    let heads = isAscending ? 0...last.prefix : ~last.prefix ... .max
    return try leaf.mask(headsIn: heads, count: count) & rows
  }
}
