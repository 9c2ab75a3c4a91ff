// SPDX-License-Identifier: Apache-2.0

// The internal tables of synchronisation (P3 C). They are of no class, so they are neither recorded
// nor shown.

import RealmStorage
import RealmTables

/// An internal table as it must be.
struct InternalTable {
  struct Property {
    let name: String
    let type: ColumnType
    var collection = CollectionKind.none
    var isNullable = false
    /// The table of the link's targets.
    var target: String?
  }

  let name: String
  var kind = TableKind.topLevel
  /// The first property is the primary key.
  var hasPrimaryKey = false
  let properties: [Property]
}

/// A group of internal tables with one version.
struct InternalTables {
  let name: String
  let version: Int64
  /// Targets of links come first.
  let tables: [InternalTable]

  private static let versions = InternalTable(
    name: "sync_internal_schemas", hasPrimaryKey: true,
    properties: [
      .init(name: "schema_group_name", type: .string), .init(name: "schema_version", type: .int),
    ])

  /// Whether the tables are there. If so, they are as they must be.
  ///
  /// - Throws: `StorageError.corrupted` if they are not.
  func exist(in group: WriteGroup) throws(StorageError) -> Bool {
    guard let last = tables.last, try group.table(named: last.name) != nil else { return false }
    for table in tables { try Self.check(table, group) }
    return true
  }

  /// Makes the tables, if they are missing.
  func make(in group: WriteGroup) throws(StorageError) {
    if try exist(in: group) { return }
    for table in tables { try Self.make(table, group) }
    if try group.table(named: Self.versions.name) == nil { try Self.make(Self.versions, group) }
    try Self.check(Self.versions, group)
    let versions = try Self.table(Self.versions.name, group)
    let key = try versions.findOrCreate(primaryKey: .string(name)).key
    try versions.set(.int(version), versions.required("schema_version"), key)
  }

  /// Makes missing tables, and checks the others.
  static func make(_ tables: [InternalTable], _ group: WriteGroup) throws(StorageError) {
    for table in tables {
      if try group.table(named: table.name) == nil {
        try make(table, group)
      } else {
        try check(table, group)
      }
    }
  }

  static func table(_ name: String, _ group: WriteGroup) throws(StorageError) -> WritableTable {
    guard let table = try group.table(named: name) else {
      throw .corrupted("the internal table '\(name)' is missing")
    }
    return table
  }

  private static func make(_ table: InternalTable, _ group: WriteGroup) throws(StorageError) {
    if try group.table(named: table.name) != nil { return }
    let made = try group.createTable(named: table.name, kind: table.kind)
    for property in table.properties {
      var target: TableKey?
      if let name = property.target { target = try Self.table(name, group).key }
      let column = try made.addColumn(
        named: property.name, type: property.type, collection: property.collection,
        isNullable: property.isNullable, target: target)
      if table.hasPrimaryKey, property.name == table.properties[0].name {
        try made.setPrimaryKey(column.key)
      }
    }
  }

  private static func check(_ table: InternalTable, _ group: WriteGroup) throws(StorageError) {
    let found = try Self.table(table.name, group).schema
    var isSame = found.columns.count == table.properties.count && found.kind == table.kind
    isSame = isSame && (found.primaryKey != nil) == table.hasPrimaryKey
    for property in table.properties where isSame {
      guard let column = found.column(named: property.name), column.type == property.type,
        column.collection == property.collection,
        column.type == .link || column.isNullable == property.isNullable
      else {
        isSame = false
        break
      }
      if let target = property.target {
        isSame = try column.targetTable == group.key(ofTable: target)
      }
    }
    guard isSame else { throw .corrupted("the internal table '\(table.name)' has another shape") }
  }
}

extension WritableTable {
  /// A column of an internal table.
  func required(_ name: String) throws(StorageError) -> Column {
    guard let column = schema.column(named: name) else {
      throw .corrupted("the internal table '\(schema.name)' lacks '\(name)'")
    }
    return column
  }

  /// A required number of an internal table.
  func integer(_ name: String, _ row: Row) throws(StorageError) -> Int64 {
    guard case .int(let number) = try row.value(of: try required(name)) else {
      throw .corrupted("'\(name)' of the internal table '\(schema.name)' is no number")
    }
    return number
  }

  /// A number from 0 on.
  func version(_ name: String, _ row: Row) throws(StorageError) -> UInt64 {
    guard let number = UInt64(exactly: try integer(name, row)) else {
      throw .corrupted("'\(name)' of the internal table '\(schema.name)' is negative")
    }
    return number
  }

  func set(_ value: Int64, _ name: String, _ key: ObjectKey) throws(StorageError) {
    try set(.int(value), required(name), key)
  }

  /// The keys of all objects.
  func keys() throws(StorageError) -> [ObjectKey] {
    var keys: [ObjectKey] = []
    var cursor = try table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count { keys.append(cluster.key(at: index)) }
    }
    return keys
  }
}
