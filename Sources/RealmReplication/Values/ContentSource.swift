// SPDX-License-Identifier: Apache-2.0

// The common reads of versions and write transactions.

package import RealmStorage
package import RealmTables

/// The tables of a version, or of a write transaction as it stands.
package protocol ContentSource {
  /// The keys of all tables in the order of the file.
  func tableKeys() throws(StorageError) -> [TableKey]

  /// The schema of a table; nil if there is no such table.
  func schema(of table: TableKey) throws(StorageError) -> TableSchema?

  /// An object or a tombstone; nil if the key has none.
  func row(of object: ObjectKey, in table: TableKey) throws(StorageError) -> Row?

  /// The object of a primary key; nil if there is none.
  func object(
    withPrimaryKey value: TableValue, in table: TableKey
  ) throws(StorageError) -> ObjectKey?

  /// A table with all its objects; nil if there is no such table.
  func content(of table: TableKey) throws(StorageError) -> Table?
}

extension TableGroup: ContentSource {
  package func schema(of table: TableKey) throws(StorageError) -> TableSchema? {
    try self.table(table)?.schema
  }

  package func row(of object: ObjectKey, in table: TableKey) throws(StorageError) -> Row? {
    guard let table = try self.table(table) else { return nil }
    return object.isTombstone ? try table.tombstones?.row(of: object) : try table.row(of: object)
  }

  package func object(
    withPrimaryKey value: TableValue, in table: TableKey
  ) throws(StorageError) -> ObjectKey? {
    try self.table(table)?.findRow(primaryKey: value)?.key
  }

  package func content(of table: TableKey) throws(StorageError) -> Table? {
    try self.table(table)
  }
}

extension WriteGroup: ContentSource {
  package func schema(of table: TableKey) throws(StorageError) -> TableSchema? {
    try self.table(table)?.schema
  }

  package func row(of object: ObjectKey, in table: TableKey) throws(StorageError) -> Row? {
    guard let table = try self.table(table) else { return nil }
    guard object.isTombstone else { return try table.row(of: object) }
    return try table.table.tombstones?.row(of: object)
  }

  package func object(
    withPrimaryKey value: TableValue, in table: TableKey
  ) throws(StorageError) -> ObjectKey? {
    try self.table(table)?.findRow(primaryKey: value)?.key
  }

  package func content(of table: TableKey) throws(StorageError) -> Table? {
    try self.table(table)?.table
  }
}

extension ContentSource {
  /// The tables of classes, by the names of the classes.
  package func classes() throws(StorageError) -> [String: TableSchema] {
    var classes: [String: TableSchema] = [:]
    for key in try tableKeys() {
      guard let schema = try schema(of: key), let name = schema.className else { continue }
      classes[name] = schema
    }
    return classes
  }
}
