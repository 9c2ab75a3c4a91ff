// SPDX-License-Identifier: Apache-2.0

// Keeping the first object of each value while a table is passed over.

import RealmStorage
import RealmTables

/// The objects whose values no object before them has.
struct FirstOfEach: Sendable {
  private struct First {
    let sortKey: SortKey
    let value: MixedValue
    let key: ObjectKey
  }

  private var firsts: [First] = []
  /// Open addressing: positions of the firsts, plus one; at least twice as many places as firsts.
  private var places = [UInt32](repeating: 0, count: 64)

  /// The keys of the objects, in the order in which they came.
  var keys: [ObjectKey] { firsts.map(\.key) }

  /// Whether values of a column can be told apart by their hashes: equal ones have equal bytes.
  static func canTellApart(_ column: Column) -> Bool {
    column.type != .mixed && column.type != .decimal
  }

  /// Takes an object unless one before it has the same value.
  @inline(__always)
  mutating func offer(_ value: MixedValue, _ key: @autoclosure () -> ObjectKey) {
    let sortKey = SortKey(value, isMixed: false)
    var place = Self.hash(sortKey, value) & (places.count - 1)
    while places[place] != 0 {
      let first = firsts[Int(places[place]) - 1]
      if first.sortKey.rank == sortKey.rank, first.sortKey.prefix == sortKey.prefix,
        sortKey.isExact || first.value.compare(to: value) == 0
      {
        return
      }
      place = (place + 1) & (places.count - 1)
    }
    firsts.append(First(sortKey: sortKey, value: value, key: key()))
    places[place] = UInt32(firsts.count)
    if firsts.count * 2 > places.count { grow() }
  }

  /// Takes the objects that another has found behind these.
  mutating func append(_ other: FirstOfEach) {
    for first in other.firsts { offer(first.value, first.key) }
  }

  private mutating func grow() {
    places = [UInt32](repeating: 0, count: places.count * 2)
    for (index, first) in firsts.enumerated() {
      var place = Self.hash(first.sortKey, first.value) & (places.count - 1)
      while places[place] != 0 { place = (place + 1) & (places.count - 1) }
      places[place] = UInt32(index + 1)
    }
  }

  @inline(__always)
  private static func hash(_ sortKey: SortKey, _ value: MixedValue) -> Int {
    var hash = (sortKey.prefix ^ UInt64(sortKey.rank)) &* 0x9E37_79B9_7F4A_7C15
    if !sortKey.isExact { hash ^= value.tailHash &* 0xBF58_476D_1CE4_E5B9 }
    return Int(truncatingIfNeeded: hash ^ hash &>> 32)
  }
}

extension SortOrder {
  /// The keys of the matches whose values equal those of no match before them; nil if all values
  /// have to be compared to know.
  func distinct(
    _ selection: Selection, in source: any TableSource
  ) throws(QueryError) -> [ObjectKey]? {
    guard criteria.count == 1,
      let column = try paths(from: selection.table, in: source)[0].ownColumn,
      FirstOfEach.canTellApart(column)
    else { return nil }
    return try QueryError.widen { () throws(StorageError) in
      let parts = try selection.fold(into: FirstOfEach(), reading: column.leafIndex) {
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
}
