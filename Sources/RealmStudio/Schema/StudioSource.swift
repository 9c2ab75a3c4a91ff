// SPDX-License-Identifier: Apache-2.0

// A version, or an open transaction, as the rest of Studio reads it.

#if Tools
import RealmQuery
import RealmStorage
import RealmTables

/// The shown tables.
protocol StudioSource: TableSource {
  /// The keys of all tables in the order of the file.
  func tableKeys() throws(StorageError) -> [TableKey]

  /// The object with a primary key; nil if there is none.
  func object(primaryKey: TableValue, in table: TableKey) throws(StorageError) -> ObjectKey?
}

extension TableGroup: StudioSource {
  func object(
    primaryKey: TableValue, in table: TableKey
  ) throws(StorageError) -> ObjectKey? {
    try self.table(table)?.findRow(primaryKey: primaryKey)?.key
  }
}

extension WriteGroup: StudioSource {
  func object(
    primaryKey: TableValue, in table: TableKey
  ) throws(StorageError) -> ObjectKey? {
    try self.table(table)?.findRow(primaryKey: primaryKey)?.key
  }
}
#endif
