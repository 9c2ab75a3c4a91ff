// SPDX-License-Identifier: Apache-2.0

// The order of a result, asked of single objects of one version.

import RealmStorage
import RealmTables

/// Compares objects by sort paths, then by key.
struct RowOrder {
  private let paths: [SortPath]
  private let table: Table

  init(_ paths: [SortPath], _ table: Table) {
    self.paths = paths
    self.table = table
  }

  /// Whether the order is that of the keys.
  var isByKey: Bool { paths.isEmpty }

  /// Whether two objects, which exist in the version, are equal in all that is sorted by.
  func areLevel(_ left: ObjectKey, _ right: ObjectKey) throws(StorageError) -> Bool {
    let (first, second) = (try existingRow(of: left), try existingRow(of: right))
    for path in paths {
      let (value, other) = (try path.value(of: first), try path.value(of: second))
      if RowOrder.compare(value, other, isMixed: path.isMixed) != 0 { return false }
    }
    return true
  }

  /// Whether an object has the same values here as in another version, in all that is sorted by.
  func hasEqualValues(_ key: ObjectKey, in other: RowOrder) throws(StorageError) -> Bool {
    assert(paths.count == other.paths.count, "orders of different queries are compared")
    let (row, otherRow) = (try existingRow(of: key), try other.existingRow(of: key))
    for (path, otherPath) in zip(paths, other.paths) {
      let (value, otherValue) = (try path.value(of: row), try otherPath.value(of: otherRow))
      if RowOrder.compare(value, otherValue, isMixed: path.isMixed) != 0 { return false }
    }
    return true
  }

  func sorted(_ keys: [ObjectKey]) throws(StorageError) -> [ObjectKey] {
    let keys = keys.count > 1 ? keys.sorted() : keys
    guard !paths.isEmpty, keys.count > 1 else { return keys }
    return try SortTable(keys, paths, table).sortedPositions().map { keys[Int($0)] }
  }

  /// The number of kept keys, which are in this order, that come before an object.
  func gap(of key: ObjectKey, in kept: KeptKeys) throws(StorageError) -> Int {
    let place = try place(of: key)
    return try (0..<kept.count).partitionPoint { (middle) throws(StorageError) in
      try isOrdered(kept[middle], before: place)
    }
  }

  /// An object with its values, read once for many comparisons.
  private struct Place {
    let key: ObjectKey
    /// By path.
    let values: [MixedValue?]
  }

  private func place(of key: ObjectKey) throws(StorageError) -> Place {
    if paths.isEmpty { return Place(key: key, values: []) }
    let row = try existingRow(of: key)
    var values: [MixedValue?] = []
    values.reserveCapacity(paths.count)
    for path in paths { values.append(try path.value(of: row)) }
    return Place(key: key, values: values)
  }

  private func existingRow(of key: ObjectKey) throws(StorageError) -> Row {
    guard let row = try table.row(of: key) else {
      throw .corrupted("a result names an object that does not exist")
    }
    return row
  }

  /// Whether an object comes before another.
  private func isOrdered(_ left: ObjectKey, before right: Place) throws(StorageError) -> Bool {
    guard !paths.isEmpty, left != right.key else { return left < right.key }
    let row = try existingRow(of: left)
    for (path, value) in zip(paths, right.values) {
      let order = RowOrder.compare(try path.value(of: row), value, isMixed: path.isMixed)
      if order != 0 { return path.isAscending ? order < 0 : order > 0 }
    }
    return left < right.key
  }

  /// The index of an object in a list of keys in this order; nil if it is not there.
  func index(of key: ObjectKey, in keys: ChunkedKeys) throws(StorageError) -> Int? {
    if !paths.isEmpty, try table.row(of: key) == nil { return nil }
    let place = try place(of: key)
    let index = try keys.partitionPoint { (other) throws(StorageError) in
      try isOrdered(other, before: place)
    }
    return index < keys.count && keys[index] == key ? index : nil
  }

  /// Compares as sorting does.
  private static func compare(_ left: MixedValue?, _ right: MixedValue?, isMixed: Bool) -> Int {
    let first = left.map { SortKey($0, isMixed: isMixed) } ?? .missing
    let second = right.map { SortKey($0, isMixed: isMixed) } ?? .missing
    if first.rank != second.rank { return first.rank < second.rank ? -1 : 1 }
    if first.prefix != second.prefix { return first.prefix < second.prefix ? -1 : 1 }
    guard let left, let right, !(first.isExact && second.isExact) else { return 0 }
    return left.compare(to: right)
  }
}
