// SPDX-License-Identifier: Apache-2.0

// The values that objects are sorted by, pulled out of the database into arrays.
//
// Invariants:
// 1. Positions are those of the objects handed in; `SortItem` orders by the first criterion, the
//    columns by all, and the position itself last: the order is total, hence stable.
// 2. The views in `details` are valid as long as the version that was sorted; a table does not
//    outlive the call that made it.

import RealmStorage
import RealmTables

/// The sort values of some objects, column by column.
struct SortTable {
  private let columns: [SortColumn]
  private let objects: [ObjectKey]

  init(_ keys: [ObjectKey], _ paths: [SortPath], _ table: Table) throws(StorageError) {
    guard keys.count <= Int(UInt32.max) else { throw .limitExceeded("Too many objects to sort") }
    objects = keys
    var columns: [SortColumn] = []
    for path in paths { columns.append(try SortColumn(path, keys, table)) }
    self.columns = columns
  }

  private var count: Int { objects.count }

  // MARK: Sorting

  /// From one object in so many on, picking the first ones is faster than sorting all.
  private static let pickedPart = 32

  /// The positions in sorted order, or the first of them.
  func sortedPositions(limit: Int = .max) -> [UInt32] {
    guard let first = columns.first else {
      return Array(0..<UInt32(min(limit, count)))
    }
    if limit < count / Self.pickedPart { return firstPositions(limit, by: first) }
    var items = (0..<count).map { first.item(at: $0) }
    RadixSort.sort(&items)
    if columns.count > 1 || !first.isExact { settleLevelRuns(&items) }
    assert(
      items.count > 256 || zip(items, items.dropFirst()).allSatisfy(isBefore), "SortTable 1")
    if limit < count { items.removeLast(count - limit) }
    return items.map(\.position)
  }

  /// Sorts the runs of items that are level in rank and prefix.
  private func settleLevelRuns(_ items: inout [SortItem]) {
    var start = 0
    while start < items.count {
      var end = start + 1
      while end < items.count, items[end].isLevel(with: items[start]) { end += 1 }
      if end - start > 1 { items[start..<end].sort(by: isBefore) }
      start = end
    }
  }

  private func firstPositions(_ limit: Int, by first: SortColumn) -> [UInt32] {
    guard limit > 0 else { return [] }
    var items = TopKHeap(limit: limit)
    for position in 0..<count { items.offer(first.item(at: position), isBefore) }
    return items.sorted(isBefore).map(\.position)
  }

  /// The whole order, of two different items.
  private func isBefore(_ left: SortItem, _ right: SortItem) -> Bool {
    if !left.isLevel(with: right) { return left.precedes(right) }
    let order = compareFully(Int(left.position), Int(right.position))
    return order == 0 ? left.position < right.position : order < 0
  }

  /// Compares two positions by all criteria.
  private func compareFully(_ left: Int, _ right: Int) -> Int {
    for column in columns {
      let order = column.compare(left, right)
      if order != 0 { return column.isAscending ? order : -order }
    }
    return 0
  }

  // MARK: Distinct

  /// The positions of the objects that equal none before them, ascending.
  func distinctPositions() -> [UInt32] {
    guard columns.allSatisfy(\.isHashable) else { return groupedPositions().firsts }
    var firsts: [UInt32] = []
    var numbers = DistinctIndexTable()
    for position in 0..<count {
      let isNew = numbers.insert(hash(position)) { compareFully(Int(firsts[$0]), position) == 0 }
      if isNew { firsts.append(UInt32(position)) }
    }
    return firsts
  }

  @inline(__always)
  private func hash(_ position: Int) -> UInt64 {
    var hash: UInt64 = 0
    for column in columns {
      hash = (hash ^ column.hash(position)) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash &>> 32
    }
    return hash
  }

  /// The positions with those of equals side by side, and, ascending, the first of each group.
  func groupedPositions() -> (all: [UInt32], firsts: [UInt32]) {
    let all = sortedPositions()
    var firsts: [UInt32] = []
    var previous: UInt32?
    for position in all {
      if let previous, compareFully(Int(previous), Int(position)) == 0 { continue }
      // The sort is stable: the first of a run of equals has the smallest position.
      firsts.append(position)
      previous = position
    }
    return (all, firsts.sorted())
  }
}
