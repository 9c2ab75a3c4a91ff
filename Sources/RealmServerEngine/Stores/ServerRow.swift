// SPDX-License-Identifier: Apache-2.0

// Writing a row of an internal table.

import RealmStorage
import RealmTables

/// A row of an internal table in a write transaction.
struct ServerRow {
  private let table: WritableTable
  private let key: ObjectKey

  /// - Parameter isNew: Whether the row is made.
  init(
    _ kind: ServerTables, at key: ObjectKey, in group: WriteGroup, isNew: Bool
  ) throws(StorageError) {
    guard let table = try group.table(named: kind.rawValue) else {
      throw .corrupted("the file has no table \(kind.rawValue)")
    }
    self.table = table
    self.key = key
    if isNew { _ = try table.createObject(under: key) }
  }

  func set(_ value: TableValue, _ name: String) throws(StorageError) {
    guard let column = table.schema.column(named: name) else {
      throw .corrupted("table \(table.schema.name) has no column \(name)")
    }
    try table.set(value, column, key)
  }

  func set(_ value: UInt64, _ name: String) throws(StorageError) {
    try set(.int(Int64(bitPattern: value)), name)
  }
}
