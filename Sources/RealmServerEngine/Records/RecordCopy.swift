// SPDX-License-Identifier: Apache-2.0

// Records of a file become records of another store.
//
// Invariants:
// 1. A copy that was interrupted can be made again: records that are there get the same values.

import RealmStorage
package import RealmTables

/// Copies tables of records.
package enum RecordCopy {
  /// The records of a transaction.
  private static let portionCount = 500

  /// Copies the records of tables that both sides have. Returns their number. Blocks the thread.
  package static func run(
    _ layouts: [RecordLayout], from source: TableGroup, to target: any RecordStore
  ) throws(StoreError) -> Int {
    var count = 0
    for layout in layouts {
      let keys = try StoreError.storing(layout.table(in: source).keys())
      var first = 0
      while first < keys.count {
        let portion = keys[first..<min(first + portionCount, keys.count)]
        try target.change { (group) throws(StorageError) in
          try copy(portion, layout, from: source, to: group)
          return true
        }
        first += portion.count
      }
      count += keys.count
    }
    return count
  }

  private static func copy(
    _ keys: ArraySlice<ObjectKey>, _ layout: RecordLayout, from source: TableGroup,
    to group: WriteGroup
  ) throws(StorageError) {
    let (from, to) = (try layout.table(in: source), try layout.table(in: group))
    for key in keys {
      guard let record = try from.record(key) else {
        throw .corrupted("a record of '\(layout.name)' is gone")
      }
      let copy = try place(of: record, layout, in: to)
      for field in layout.fields.dropFirst(layout.hasPrimaryKey ? 1 : 0) {
        try copy.set(record.value(field.name), field.name)
      }
    }
  }

  private static func place(
    of record: RecordRow, _ layout: RecordLayout, in table: RecordTable
  ) throws(StorageError) -> RecordRow {
    guard !layout.hasPrimaryKey else {
      return try table.findOrCreate(record.value(layout.fields[0].name))
    }
    if let known = try table.record(record.key) { return known }
    return try table.create(under: record.key)
  }
}
