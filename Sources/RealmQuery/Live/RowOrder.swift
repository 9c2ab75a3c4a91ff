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

  /// Whether `left` comes before `right`; both exist in the version.
  func isOrdered(_ left: ObjectKey, before right: ObjectKey) throws(StorageError) -> Bool {
    guard !paths.isEmpty, left != right else { return left < right }
    let order = try compare(left, right)
    return order == 0 ? left < right : order < 0
  }

  /// Whether two objects, which exist in the version, are equal in all that is sorted by.
  func areLevel(_ left: ObjectKey, _ right: ObjectKey) throws(StorageError) -> Bool {
    try compare(left, right) == 0
  }

  private func compare(_ left: ObjectKey, _ right: ObjectKey) throws(StorageError) -> Int {
    guard let first = try table.row(of: left), let second = try table.row(of: right) else {
      throw .corrupted("a result names an object that does not exist")
    }
    for path in paths {
      let order = RowOrder.compare(
        try path.value(of: first), try path.value(of: second), isMixed: path.isMixed)
      if order != 0 { return path.isAscending ? order : -order }
    }
    return 0
  }

  /// The keys in order.
  func sorted(_ keys: [ObjectKey]) throws(StorageError) -> [ObjectKey] {
    let keys = keys.count > 1 ? keys.sorted() : keys
    guard !paths.isEmpty, keys.count > 1 else { return keys }
    return try SortTable(keys, paths, table).sortedPositions().map { keys[Int($0)] }
  }

  /// How many of the keys that are kept, which are in this order, come before an object.
  func gap(of key: ObjectKey, in kept: KeptKeys) throws(StorageError) -> Int {
    var low = 0
    var high = kept.count
    while low < high {
      let middle = (low + high) / 2
      if try isOrdered(kept[middle], before: key) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The index of an object in a list of keys in this order; nil if it is not there.
  func index(of key: ObjectKey, in keys: ChunkedKeys) throws(StorageError) -> Int? {
    if !paths.isEmpty, try table.row(of: key) == nil { return nil }
    let index = try keys.partitionPoint { (other) throws(StorageError) in
      try isOrdered(other, before: key)
    }
    return index < keys.count && keys[index] == key ? index : nil
  }

  /// Compares as sorting does.
  private static func compare(_ left: MixedValue, _ right: MixedValue, isMixed: Bool) -> Int {
    let (first, second) = (SortKey(left, isMixed: isMixed), SortKey(right, isMixed: isMixed))
    if first.rank != second.rank { return first.rank < second.rank ? -1 : 1 }
    if first.prefix != second.prefix { return first.prefix < second.prefix ? -1 : 1 }
    return first.isExact && second.isExact ? 0 : left.compare(to: right)
  }
}
