// SPDX-License-Identifier: Apache-2.0

// The values of one criterion.

import RealmStorage
import RealmTables

/// The values that some objects are sorted by first, second, …, by position.
struct SortColumn {
  private var keys: [UInt64] = []
  private var ranks: [UInt8] = []
  /// The values themselves; empty if the keys are exact.
  private var details: [MixedValue] = []
  let isAscending: Bool
  /// Whether values that are equal have equal bytes.
  private(set) var isHashable = true

  init(_ path: SortPath, _ objects: [ObjectKey], _ table: Table) throws(StorageError) {
    isAscending = path.isAscending
    keys.reserveCapacity(objects.count)
    ranks.reserveCapacity(objects.count)
    isHashable = !path.isMixed
    if let column = path.ownColumn, try addAscending(column, objects, table) {
      assert(isWhole(objects.count), "each object has a key and a rank")
      return
    }
    keys.removeAll(keepingCapacity: true)
    ranks.removeAll(keepingCapacity: true)
    details = []
    var reader = RowReader(table)
    for object in objects {
      if let row = try reader.row(of: object), let value = try path.value(of: row) {
        add(value, isMixed: path.isMixed)
      } else {
        addMissing()
      }
    }
    assert(isWhole(objects.count), "each object has a key and a rank")
  }

  /// Whether the arrays are of one length, for assertions.
  private func isWhole(_ count: Int) -> Bool {
    keys.count == count && ranks.count == count && (details.isEmpty || details.count == count)
  }

  /// Whether values with equal keys are equal.
  var isExact: Bool { details.isEmpty }

  @inline(__always)
  func item(at position: Int) -> SortItem {
    SortItem(
      prefix: keys[position], position: UInt32(position), rank: ranks[position],
      isAscending: isAscending)
  }

  /// Compares two values, ascending.
  func compare(_ left: Int, _ right: Int) -> Int {
    let (first, second) = (ranks[left], ranks[right])
    if first != second { return first < second ? -1 : 1 }
    let (key, other) = (keys[left], keys[right])
    if key != other { return key < other ? -1 : 1 }
    return details.isEmpty ? 0 : details[left].compare(to: details[right])
  }

  /// The same for equal values, if the column is hashable.
  func hash(_ position: Int) -> UInt64 {
    let hash = keys[position] ^ UInt64(ranks[position])
    return details.isEmpty ? hash : hash ^ details[position].tailHash
  }

  // MARK: Filling

  @inline(__always)
  private mutating func add(_ value: MixedValue, isMixed: Bool = false) {
    let sortKey = SortKey(value, isMixed: isMixed)
    if !sortKey.isExact, details.isEmpty {
      details.reserveCapacity(keys.capacity)
      // Everything so far was null or missing: whether a column's keys are exact depends on its
      // type alone.
      details = [MixedValue](repeating: .null, count: keys.count)
    }
    if !sortKey.isExact || !details.isEmpty { details.append(value) }
    if case .decimal = value { isHashable = false }
    keys.append(sortKey.prefix)
    ranks.append(sortKey.rank)
  }

  /// Adds what no link leads to.
  private mutating func addMissing() {
    if !details.isEmpty { details.append(.null) }
    keys.append(SortKey.missing.prefix)
    ranks.append(SortKey.missing.rank)
  }

  /// Adds the values of a column, cluster by cluster.
  ///
  /// - Returns: Whether all objects were met in their order: they ascend and exist.
  private mutating func addAscending(
    _ column: Column, _ objects: [ObjectKey], _ table: Table
  ) throws(StorageError) -> Bool {
    guard column.leafKind != .mixed else { return false }
    var met = 0
    var runs = RowRuns(of: objects, in: table)
    while let (cluster, rows) = try runs.next() {
      guard cluster.key(at: rows.first ?? 0) == objects[met] else { return false }
      met += rows.count
      try cluster.forEachValue(of: column, in: rows) { (_, value) in add(value) }
    }
    return met == objects.count
  }
}

extension Cluster {
  /// Calls `body` with the values of a column in some rows, in their order.
  @inline(__always)
  func forEachValue(
    of column: Column, in rows: LeafMask, _ body: (Int, MixedValue) -> Void
  ) throws(StorageError) {
    switch column.leafKind {
    case .double:
      let cells = try unsafe cellLeaf(column.leafIndex, widthCode: 4).payload
      for row in rows {
        let number = unsafe cells.load(fromByteOffset: row &* 8, as: Double.self)
        body(row, number.bitPattern == DoubleCondition.nullBits ? .null : .double(number))
      }
    case .int:
      let node = try packedLeaf(column.leafIndex, extra: 0)
      for row in rows { body(row, .int(node.uncheckedInteger(at: row))) }
    case .string:
      let leaf = try BytesLeaf(
        try scannedLeaf(column.leafIndex), count: count, terminator: 1, in: space)
      for row in rows { body(row, try leaf.bytes(at: row).map { .string($0) } ?? .null) }
    case .enumeratedString:
      let positions = try packedLeaf(column.leafIndex, extra: 0)
      let values = try enumerations.leaf(ofColumnAt: column.leafIndex, in: space)
      let valueCount = try StringLeaf.count(values, in: space)
      let leaf = try BytesLeaf(
        try space.node(at: values), count: valueCount, terminator: 1, in: space)
      for row in rows {
        let position = Int(positions.uncheckedInteger(at: row))
        guard position >= 0, position < valueCount else {
          throw .corrupted("a position is not in the enumeration")
        }
        body(row, try leaf.bytes(at: position).map { .string($0) } ?? .null)
      }
    default:
      for row in rows { body(row, try self.row(at: row).mixedValue(of: column)) }
    }
  }
}

extension MixedValue {
  /// A hash of the part of the value that its sort key does not have.
  var tailHash: UInt64 {
    switch self {
    case .string(let bytes), .binary(let bytes): bytes.tailHash
    case .timestamp(let date): UInt64(truncatingIfNeeded: date.nanoseconds)
    case .objectId(let id): UInt64(id.low) &<< 16
    case .uuid(let id): id.low
    default: 0
    }
  }
}

extension ByteView {
  /// A hash of the bytes after the first eight.
  fileprivate var tailHash: UInt64 {
    var hash = UInt64(truncatingIfNeeded: count)
    var index = 8
    while index < count {
      hash = (hash ^ UInt64(self[index])) &* 0x100_0000_01B3
      index &+= 1
    }
    return hash
  }
}
