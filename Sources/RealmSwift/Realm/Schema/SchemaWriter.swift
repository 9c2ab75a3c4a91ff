// SPDX-License-Identifier: Apache-2.0

// Brings the tables of a file in line with the model classes.

import RealmStorage
import RealmTables

/// Applies the differences that a `SchemaComparison` found.
///
/// Values of columns whose type changes are lost. Columns that become optional, or required, keep
/// their values; nil becomes the zero of the type.
struct SchemaWriter {
  private let group: WriteGroup

  init(_ group: WriteGroup) { self.group = group }

  /// Applies all differences and stores the schema version.
  func apply(_ comparison: SchemaComparison, version: UInt64) throws {
    // Tables first: columns of links need the tables they lead to.
    for case .addClass(let schema) in comparison.differences {
      _ = try group.createTable(named: schema.tableName, kind: schema.tableKind)
    }
    for difference in comparison.differences { try apply(difference) }
    if comparison.storedVersion != version { try group.setSchemaVersion(version) }
  }

  private func apply(_ difference: SchemaDifference) throws {
    switch difference {
    case .addClass(let schema):
      for property in schema.properties { try addColumn(property, schema) }
      try setPrimaryKey(schema)
    case .addProperty(let schema, let property): try addColumn(property, schema)
    case .removeProperty(let schema, let column):
      let table = try table(schema)
      if table.schema.primaryKey?.key == column.key { try table.setPrimaryKey(nil) }
      try table.removeColumn(column.key)
    case .changeType(let schema, let property, let column, _):
      let table = try table(schema)
      if table.schema.primaryKey?.key == column.key { try table.setPrimaryKey(nil) }
      try table.removeColumn(column.key)
      try addColumn(property, schema)
      try setPrimaryKey(schema)
    case .changeNullability(let schema, let property, let column):
      try changeNullability(property, column, schema)
    case .changeIndex(let schema, let property, _):
      let table = try table(schema)
      if let column = table.schema.column(named: property.columnName) {
        try table.setIndexed(property.isIndexed, column.key)
      }
    case .changePrimaryKey(let schema, _): try setPrimaryKey(schema)
    case .changeKind(let schema, let from):
      throw Realm.Error(
        .schemaMismatch,
        message: "Class '\(schema.className)' cannot be changed from \(from.name) to "
          + "\(schema.tableKind.name) by this version.")
    }
  }

  private func table(_ schema: ModelSchema) throws(StorageError) -> WritableTable {
    guard let table = try group.table(named: schema.tableName) else {
      throw .corrupted("the table of class '\(schema.className)' has vanished")
    }
    return table
  }

  private func addColumn(_ property: ModelProperty, _ schema: ModelSchema) throws {
    guard let type = property.shape.columnType else { return }
    let table = try table(schema)
    let target = try property.shape.linkedClass.map { linked in
      try self.table(ModelSchema.of(linked)).key
    }
    let column = try table.addColumn(
      named: property.columnName, type: type, collection: property.shape.collectionKind,
      isNullable: property.shape.isColumnNullable, target: target)
    if property.isIndexed { try table.setIndexed(true, column.key) }
  }

  private func setPrimaryKey(_ schema: ModelSchema) throws(StorageError) {
    let table = try table(schema)
    let wanted = schema.primaryKey.flatMap { table.schema.column(named: $0.columnName) }
    if table.schema.primaryKey?.key != wanted?.key { try table.setPrimaryKey(wanted?.key) }
  }

  /// A column's key says whether it is nullable, so the values move to a new column.
  private func changeNullability(
    _ property: ModelProperty, _ old: Column, _ schema: ModelSchema
  ) throws {
    let table = try table(schema)
    if table.schema.primaryKey?.key == old.key { try table.setPrimaryKey(nil) }
    try table.renameColumn(old.key, to: "__realm_old_column")
    try addColumn(property, schema)
    guard let new = table.schema.column(named: property.columnName) else { return }
    for position in 0..<(try table.objectCount()) {
      guard let key = try table.table.key(at: position), let row = try table.row(of: key) else {
        continue
      }
      let value = try row.value(of: old)
      let converted = value.converted(nullable: new.isNullable)
      if let converted { try table.set(converted, new, key) }
    }
    try table.removeColumn(old.key)
    try setPrimaryKey(schema)
  }
}

extension TableValue {
  /// The value without nil where it must not be; nil if the zero of a new column says it already.
  fileprivate func converted(nullable: Bool) -> TableValue? {
    switch self {
    case .null: return nil
    case .list(let elements): return .list(nullable ? elements : elements.filter { !$0.isNull })
    case .dictionary(let map):
      let entries = map.entries
      return .dictionary(TableDictionary(nullable ? entries : entries.filter { !$0.value.isNull }))
    default: return self
    }
  }
}
