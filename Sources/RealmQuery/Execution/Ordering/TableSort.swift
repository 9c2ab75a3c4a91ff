// SPDX-License-Identifier: Apache-2.0

// Sorting what a scan finds by one of its own columns, in little memory.
//
// Memory that was never touched costs more than the work done on it, so an object is eight bytes
// here: the 32 bits of its value that order most, then its key. They are distributed to and fro
// between two arrays, of which one becomes the result. Objects that are level in these 32 bits
// are few as a rule; their values are read again.
//
// Invariants:
// 1. Items that are level stand in the order of their keys, ascending, whatever the direction.
// 2. An item's upper half never orders two values against their full order.

import RealmStorage
import RealmTables

/// Orders the matches of a selection by one column.
struct TableSort {
  private let selection: Selection
  private let column: Column
  private let isAscending: Bool
  /// The form of the upper half of items.
  private let layout: Layout

  /// Nil if the table's keys need more than 32 bits, or if values have to be compared in full.
  init?(_ selection: Selection, by path: SortPath) throws(StorageError) {
    guard let column = TableSort.column(of: path) else { return nil }
    self.selection = selection
    self.column = column
    isAscending = path.isAscending
    let parts = try selection.reduce(into: Survey()) {
      (survey, cluster, rows) throws(StorageError) in
      try survey.add(column, of: cluster, rows)
    }
    guard let layout = Layout(Survey(merging: parts)) else { return nil }
    self.layout = layout
  }

  /// The column that is sorted by; nil if its values have to be compared in full.
  static func column(of path: SortPath) -> Column? {
    guard let column = path.ownColumn, column.type != .mixed, column.type != .decimal else {
      return nil
    }
    return column
  }

  func keys() throws(StorageError) -> [ObjectKey] {
    var items: [UInt64] = []
    items.reserveCapacity(layout.count)
    try selection.forEachMatch {
      (cluster, rows) throws(StorageError) in
      try cluster.forEachValue(of: column, in: rows) { row, value in
        items.append(item(SortKey(value, isMixed: false), cluster.key(at: row)))
      }
      return true
    }
    assert(items.count == layout.count, "the survey saw other objects")
    var failure: StorageError?
    let keys = unsafe [ObjectKey](count: items.count) { buffer in
      unsafe buffer.withMemoryRebound(to: UInt64.self) { other in
        unsafe items.withUnsafeMutableBufferPointer { items in
          let sorted = unsafe RadixSort.sort(items, other, byUpper: layout.bitCount)
          do throws(StorageError) { try unsafe settle(sorted) } catch { failure = error }
          for index in 0..<sorted.count { unsafe other[index] = unsafe sorted[index] & 0xFFFF_FFFF }
        }
      }
    }
    if let failure { throw failure }
    return keys
  }

  @inline(__always)
  private func item(_ sortKey: SortKey, _ key: ObjectKey) -> UInt64 {
    assert(key.ordinal <= UInt64(UInt32.max), "`TableSort` 2")
    let upper = layout.upper(sortKey)
    return UInt64(isAscending ? upper : ~upper) &<< 32 | key.ordinal
  }

  // MARK: Items that are level

  /// Orders the runs of items whose upper halves are the same.
  private func settle(_ items: UnsafeMutableBufferPointer<UInt64>) throws(StorageError) {
    guard !layout.isExact else { return }
    var reader = RowReader(selection.table)
    var start = 0
    while start < items.count {
      var end = start &+ 1
      while end < items.count, unsafe items[end] &>> 32 == items[start] &>> 32 { end &+= 1 }
      if end &- start > 1 {
        try unsafe settle(UnsafeMutableBufferPointer(rebasing: items[start..<end]), &reader)
      }
      start = end
    }
  }

  private struct Candidate {
    let item: SortItem
    let value: MixedValue
    let original: UInt64
  }

  private func settle(
    _ run: UnsafeMutableBufferPointer<UInt64>, _ reader: inout RowReader
  ) throws(StorageError) {
    var candidates: [Candidate] = []
    candidates.reserveCapacity(run.count)
    var isAnyDifferent = false
    for index in run.indices {
      let item = unsafe run[index]
      let key = ObjectKey(Int64(item & 0xFFFF_FFFF))
      guard let value = try reader.row(of: key)?.mixedValue(of: column) else {
        throw .corrupted("object \(key.rawValue) was seen, but is not there")
      }
      let sortKey = SortKey(value, isMixed: false)
      let candidate = Candidate(
        item: SortItem(
          prefix: sortKey.prefix, position: UInt32(key.rawValue), rank: sortKey.rank,
          isAscending: isAscending), value: value, original: item)
      if let first = candidates.first, comparison(first, candidate) != 0 { isAnyDifferent = true }
      candidates.append(candidate)
    }
    // Columns of few values have long runs of one.
    guard isAnyDifferent else { return }
    candidates.sort { left, right in
      let order = comparison(left, right)
      return order == 0 ? left.item.position < right.item.position : order < 0
    }
    for (index, candidate) in candidates.enumerated() { unsafe run[index] = candidate.original }
  }

  private func comparison(_ left: Candidate, _ right: Candidate) -> Int {
    if !left.item.isLevel(with: right.item) { return left.item.precedes(right.item) ? -1 : 1 }
    let order = left.value.compare(to: right.value)
    return isAscending ? order : -order
  }

  /// The bits that the values have in common.
  private struct Survey {
    var count = 0
    var last = ObjectKey(0)
    /// The bits that are set in some prefix, and in all.
    var some: UInt64 = 0
    var all: UInt64 = .max
    /// Bit r is set if a value has rank r.
    var ranks: UInt64 = 0
    var isExact = true

    init() {}

    init(merging parts: [Survey]) {
      for part in parts {
        count += part.count
        if part.count > 0 { last = part.last }
        some |= part.some
        all &= part.all
        ranks |= part.ranks
        isExact = isExact && part.isExact
      }
    }

    mutating func add(_ column: Column, of cluster: Cluster, _ rows: LeafMask) throws(StorageError)
    {
      count &+= rows.count
      for row in rows { last = cluster.key(at: row) }
      try cluster.forEachValue(of: column, in: rows) { _, value in
        let key = SortKey(value, isMixed: false)
        ranks |= 1 &<< UInt64(key.rank)
        if key.rank == SortKey.values {
          some |= key.prefix
          all &= key.prefix
        }
        // Of what is no number only the rank stands in an item.
        if !key.isExact || key.rank == SortKey.notNumbers { isExact = false }
      }
    }
  }

  /// The bits of a sort key that an item has.
  private struct Layout {
    let count: Int
    /// Whether items that are level have equal values.
    let isExact: Bool
    /// The bits of the upper half that are used.
    let bitCount: UInt64
    private let rankShift: UInt64
    private let shift: UInt64
    private let mask: UInt64

    init?(_ survey: Survey) {
      guard survey.last.ordinal <= UInt64(UInt32.max) else { return nil }
      count = survey.count
      let rankBits: UInt64 = survey.ranks.nonzeroBitCount > 1 ? 2 : 0
      let differing = survey.some & ~survey.all
      let significant = UInt64(64 - differing.leadingZeroBitCount)
      let valueBits = min(significant, 32 - rankBits)
      shift = significant - valueBits
      mask = significant == 64 ? .max : 1 &<< significant &- 1
      rankShift = rankBits == 0 ? 63 : valueBits
      bitCount = valueBits + rankBits
      isExact = survey.isExact && shift == 0
      assert(bitCount <= 32, "`TableSort` 2: an upper half is 32 bits")
    }

    @inline(__always)
    func upper(_ key: SortKey) -> UInt32 {
      // Without rank bits the rank is shifted out.
      let rank = rankShift == 63 ? 0 : UInt64(key.rank) &<< rankShift
      // The bits in which numbers differ do not order other values.
      let value = key.rank == SortKey.values ? (key.prefix & mask) &>> shift : 0
      return UInt32(truncatingIfNeeded: rank | value)
    }
  }
}

extension SortOrder {
  /// The matches in this order; nil if it takes more than one of their own columns.
  func sorted(
    _ selection: Selection, in source: any TableReader
  ) throws(QueryError) -> [ObjectKey]? {
    guard criteria.count == 1 else { return nil }
    let path = try paths(from: selection.table, in: source)[0]
    return try QueryError.storing(TableSort(selection, by: path)?.keys())
  }
}
