// SPDX-License-Identifier: Apache-2.0

// The common reads of versions and write transactions.

package import RealmStorage

/// The tables of a version, or of a write transaction in its present state.
package protocol TableReader {
  /// The keys of all tables in the order of the file.
  func tableKeys() throws(StorageError) -> [TableKey]

  /// The read view of a table with all its objects; nil if there is no such table.
  func readTable(_ key: TableKey) throws(StorageError) -> Table?

  /// The schema of a table; nil if there is no such table.
  func schema(of table: TableKey) throws(StorageError) -> TableSchema?

  /// An object or a tombstone; nil if the key has none.
  func row(of object: ObjectKey, in table: TableKey) throws(StorageError) -> Row?

  /// The object of a primary key; nil if there is none.
  func object(
    withPrimaryKey value: TableValue, in table: TableKey
  ) throws(StorageError) -> ObjectKey?

  /// The bytes in which all nodes are: those of the version, and of the transaction so far.
  var nodeByteCount: Int { get }
}

extension TableReader {
  /// The tables of classes in the order of the file.
  package func classSchemas() throws(StorageError) -> [TableSchema] {
    var schemas: [TableSchema] = []
    for key in try tableKeys() {
      if let schema = try schema(of: key), schema.className != nil { schemas.append(schema) }
    }
    return schemas
  }
}

extension OwnedVisits {
  /// Counts what a walk over a version, or a transaction, comes to.
  package convenience init(
    in reader: any TableReader, depthMax: Int = OwnedVisits.depthMax, repeatCount: Int = 4
  ) {
    self.init(in: { reader.nodeByteCount }, depthMax: depthMax, repeatCount: repeatCount)
  }
}

extension TableGroup: TableReader {
  package func readTable(_ key: TableKey) throws(StorageError) -> Table? { try table(key) }

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

  package var nodeByteCount: Int { snapshot.space.fileEnd }
}

// Only `readTable` enters the newest objects in the indexes.
extension WriteGroup: TableReader {
  package func readTable(_ key: TableKey) throws(StorageError) -> Table? { try table(key)?.table }

  package func schema(of table: TableKey) throws(StorageError) -> TableSchema? {
    try unsafe self.table(table)?.schema
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
  package var nodeByteCount: Int { allocator.space.fileEnd + allocator.slabByteCount }
}
