// SPDX-License-Identifier: Apache-2.0

// The version number that an application gives its schema (file format 3.11).

package import RealmStorage

/// The table `metadata` and its one object.
package enum SchemaVersion {
  package static let tableName = "metadata"
  package static let columnName = "version"

  /// The stored version; nil if the file has none.
  package static func read(from table: Table?) throws(StorageError) -> UInt64? {
    guard let table, let column = table.schema.column(named: columnName),
      column.leafKind == .int, let key = try table.key(at: 0), let row = try table.row(of: key)
    else { return nil }
    let value = try row.int(column.leafIndex)
    return value == -1 ? nil : UInt64(bitPattern: value)
  }
}

extension TableGroup {
  /// The version of the schema that the application stored; nil if it never did.
  package func schemaVersion() throws(StorageError) -> UInt64? {
    try SchemaVersion.read(from: try table(named: SchemaVersion.tableName))
  }
}

extension WriteGroup {
  /// The version of the schema that the application stored; nil if it never did.
  package func schemaVersion() throws(StorageError) -> UInt64? {
    try SchemaVersion.read(from: try table(named: SchemaVersion.tableName)?.table)
  }

  /// Stores the version of the schema in the one object of the table `metadata`.
  package func setSchemaVersion(_ version: UInt64) throws(StorageError) {
    let name = SchemaVersion.tableName
    var table = try table(named: name)
    if table == nil { table = try createTable(named: name) }
    guard let table else { return }
    var column = unsafe table.schema.column(named: SchemaVersion.columnName)
    if column == nil { column = try table.addColumn(named: SchemaVersion.columnName, type: .int) }
    var key = try table.table.key(at: 0)
    if key == nil { key = try table.createObject().key }
    guard let column, let key else { return }
    try table.set(.int(Int64(bitPattern: version)), column, key)
  }
}
