// SPDX-License-Identifier: Apache-2.0

// Keeping the first object of each value while a table is scanned.

import RealmStorage
import RealmTables

/// The objects whose values no object before them has.
struct DistinctScan: Sendable {
  private struct First {
    let sortKey: SortKey
    let value: MixedValue
    let key: ObjectKey
  }

  private var firsts: [First] = []
  private var numbers = DistinctIndexTable()

  /// The keys of the objects, in the order in which they came.
  var keys: [ObjectKey] { firsts.map(\.key) }

  /// Whether values of a column can be compared by their hashes: equal ones have equal bytes.
  static func isHashable(_ column: Column) -> Bool {
    column.type != .mixed && column.type != .decimal
  }

  /// Takes an object unless one before it has the same value.
  @inline(__always)
  mutating func offer(_ value: MixedValue, _ key: @autoclosure () -> ObjectKey) {
    let sortKey = SortKey(value, isMixed: false)
    let isNew = numbers.insert(Self.hash(sortKey, value)) { number in
      let first = firsts[number]
      return first.sortKey.rank == sortKey.rank && first.sortKey.prefix == sortKey.prefix
        && (sortKey.isExact || first.value.compare(to: value) == 0)
    }
    if isNew { firsts.append(First(sortKey: sortKey, value: value, key: key())) }
  }

  /// Takes the objects that another scan has found after these.
  mutating func append(_ other: DistinctScan) {
    for first in other.firsts { offer(first.value, first.key) }
  }

  @inline(__always)
  private static func hash(_ sortKey: SortKey, _ value: MixedValue) -> UInt64 {
    var hash = (sortKey.prefix ^ UInt64(sortKey.rank)) &* 0x9E37_79B9_7F4A_7C15
    if !sortKey.isExact { hash ^= value.tailHash &* 0xBF58_476D_1CE4_E5B9 }
    return hash ^ hash &>> 32
  }
}

extension SortOrder {
  /// The column whose values can be compared while they are scanned; nil if there is none.
  func distinctColumn(of table: Table, in source: any TableReader) throws(QueryError) -> Column? {
    guard criteria.count == 1, let column = try paths(from: table, in: source)[0].ownColumn,
      DistinctScan.isHashable(column)
    else { return nil }
    return column
  }

  /// The keys of the matches whose values equal those of no match before them; nil if all values
  /// have to be compared to know.
  func distinct(
    _ selection: Selection, in source: any TableReader
  ) throws(QueryError) -> [ObjectKey]? {
    guard let column = try distinctColumn(of: selection.table, in: source) else { return nil }
    return try QueryError.storing(selection.distinctKeys(by: column))
  }
}

extension Selection {
  /// The keys of the matches whose value of a column no match before them has.
  fileprivate func distinctKeys(by column: Column) throws(StorageError) -> [ObjectKey] {
    let parts = try reduce(into: DistinctScan()) {
      (firsts, cluster, rows) throws(StorageError) in
      try cluster.forEachValue(of: column, in: rows) { row, value in
        firsts.offer(value, cluster.key(at: row))
      }
    }
    var all = parts[0]
    for part in parts.dropFirst() { all.append(part) }
    return all.keys
  }
}
