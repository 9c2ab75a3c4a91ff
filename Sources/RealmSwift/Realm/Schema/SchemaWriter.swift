// SPDX-License-Identifier: Apache-2.0

// Aligns the tables of a file with the model classes.

import RealmStorage
import RealmTables

/// Applies the differences that a `SchemaComparison` found, in two steps: those that a migration
/// needs in order to fill the tables, and those that can be checked, or removed, only after it.
///
/// Values of columns whose type changes are lost. Columns that become optional, or required, keep
/// their values; nil becomes the zero of the type.
struct SchemaWriter {
  private let group: WriteGroup

  init(_ group: WriteGroup) { self.group = group }

  /// Adds what the classes have and the tables lack, and changes columns of another type. Primary
  /// keys that change are set aside.
  func prepare(_ comparison: SchemaComparison) throws {
    // Tables first: columns of links need the tables they lead to.
    for case .addClass(let schema) in comparison.differences {
      _ = try group.createTable(named: schema.tableName, kind: schema.tableKind)
    }
    // Properties of a class that follow each other are added at once.
    var added: (schema: ModelSchema, properties: [ModelProperty])?
    for difference in comparison.differences {
      if case .addProperty(let schema, let property) = difference {
        if let waiting = added, waiting.schema.tableName != schema.tableName {
          try addColumns(waiting.properties, waiting.schema)
          added = nil
        }
        added = (schema, (added?.properties ?? []) + [property])
        continue
      }
      if let waiting = added { try addColumns(waiting.properties, waiting.schema) }
      added = nil
      try prepare(difference)
    }
    if let added { try addColumns(added.properties, added.schema) }
  }

  private func prepare(_ difference: SchemaDifference) throws {
    switch difference {
    case .addClass(let schema):
      try addColumns(schema.properties, schema)
      try setPrimaryKey(schema)
    case .addProperty(let schema, let property): try addColumns([property], schema)
    case .changeType(let schema, let property, let column, _):
      let table = try table(schema)
      if table.schema.primaryKey?.key == column.key { try table.setPrimaryKey(nil) }
      try table.columns.remove(column.key)
      try addColumns([property], schema)
    case .changeNullability(let schema, let property, let column):
      try changeNullability(property, column, schema)
    case .changeIndex(let schema, let property, _): try changeIndex(property, schema)
    case .changePrimaryKey(let schema, _): try table(schema).setPrimaryKey(nil)
    case .changeKind(let schema, _):
      if schema.tableKind != .embedded { try table(schema).setKind(schema.tableKind) }
    case .removeProperty: break
    }
  }

  /// Removes what the classes lack, and makes keys primary and objects embedded.
  ///
  /// - Parameter comparison: The differences of the tables after `prepare` and the migration.
  func finish(_ comparison: SchemaComparison) throws {
    for difference in comparison.differences {
      switch difference {
      case .removeProperty(let schema, let column):
        let table = try table(schema)
        if table.schema.primaryKey?.key == column.key { try table.setPrimaryKey(nil) }
        try table.columns.remove(column.key)
      case .changeIndex(let schema, let property, _): try changeIndex(property, schema)
      case .changePrimaryKey(let schema, _): try setPrimaryKey(schema)
      case .addClass, .addProperty, .changeType, .changeNullability, .changeKind: break
      }
    }
    // A removed column may have held the second link to an object.
    for case .changeKind(let schema, _) in comparison.differences {
      do throws(StorageError) {
        try table(schema).setKind(schema.tableKind)
      } catch {
        guard case .limitExceeded(let text) = error else { throw error }
        throw Realm.Error(.fail, message: text)
      }
    }
  }

  /// Empties the file for classes that it cannot be migrated to: tables of classes that the program
  /// does not have are removed, the others lose their objects.
  func clear(keeping schemas: [ModelSchema]) throws(StorageError) {
    let names = Set(schemas.map(\.tableName))
    let tables = try group.tableSchemas().values.filter { $0.className != nil }
    for schema in tables { try group.table(schema.key)?.deleteAll() }
    let others = tables.filter { !names.contains($0.name) }
    for schema in others {
      guard let table = try group.table(schema.key) else { continue }
      while let column = table.schema.columns.last {
        if column.isPrimaryKey { try table.setPrimaryKey(nil) }
        try table.columns.remove(column.key)
      }
    }
    for schema in others { try removeTableIfUnlinked(schema.key) }
  }

  /// Removes a table, unless links of another table may lead to it.
  func removeTableIfUnlinked(_ key: TableKey) throws(StorageError) {
    do throws(StorageError) {
      try group.removeTable(key)
    } catch {
      // The table stays, empty.
      guard case .limitExceeded = error else { throw error }
    }
  }

  /// - Throws: `Realm.Error.fail` if two objects have the same primary key.
  func requireUniquePrimaryKeys(_ key: TableKey) throws {
    guard let table = try group.table(key), try !table.hasUniquePrimaryKeys() else { return }
    throw SchemaWriter.duplicates(
      table.schema.className ?? table.schema.name, table.schema.primaryKey?.name ?? "")
  }

  private static func duplicates(_ className: String, _ name: String) -> Realm.Error {
    Realm.Error(
      .fail,
      message: "Primary key property '\(className).\(name)' has duplicate values after migration.")
  }

  private func table(_ schema: ModelSchema) throws(StorageError) -> WritableTable {
    guard let table = try group.table(named: schema.tableName) else {
      throw .corrupted("the table of class '\(schema.className)' has vanished")
    }
    return table
  }

  private func addColumns(
    _ properties: [ModelProperty], _ schema: ModelSchema, indexed isIndexed: Bool = true
  ) throws {
    var columns: [NewColumn] = []
    for property in properties {
      guard let type = property.shape.columnType else { continue }
      let target = try property.shape.linkedClass.map { linked in
        try self.table(ModelSchema.of(linked)).key
      }
      columns.append(
        NewColumn(
          named: property.columnName, type: type, collection: property.shape.collectionKind,
          isNullable: property.shape.isColumnNullable, target: target,
          index: isIndexed ? property.indexKind : nil))
    }
    if !columns.isEmpty { try table(schema).columns.add(columns) }
  }

  private func changeIndex(_ property: ModelProperty, _ schema: ModelSchema) throws(StorageError) {
    let table = try table(schema)
    if let column = table.schema.column(named: property.columnName) {
      try table.columns.setIndex(property.indexKind, column.key)
    }
  }

  private func setPrimaryKey(_ schema: ModelSchema) throws {
    let table = try table(schema)
    let wanted = schema.primaryKey.flatMap { table.schema.column(named: $0.columnName) }
    guard table.schema.primaryKey?.key != wanted?.key else { return }
    do throws(StorageError) {
      try table.setPrimaryKey(wanted?.key)
    } catch {
      guard case .limitExceeded = error else { throw error }
      // The schema was validated, so its keys have allowed types.
      throw SchemaWriter.duplicates(schema.className, wanted?.name ?? "")
    }
  }

  /// Moves the values to a new column, since a column's key includes whether it is nullable.
  func changeNullability(_ property: ModelProperty, _ old: Column, _ schema: ModelSchema) throws {
    let table = try table(schema)
    if table.schema.primaryKey?.key == old.key { try table.setPrimaryKey(nil) }
    try table.columns.rename(old.key, to: "__realm_old_column")
    try addColumns([property], schema, indexed: false)
    guard let old = table.schema.column(old.key),
      let new = table.schema.column(named: property.columnName)
    else { return }
    try table.columns.copyValues(from: old.key, to: new.key)
    try table.columns.remove(old.key)
    // Built at once, instead of value by value.
    try changeIndex(property, schema)
  }
}

extension WriteGroup {
  /// The schemas of all tables by their names.
  func tableSchemas() throws(StorageError) -> [String: TableSchema] {
    var schemas: [String: TableSchema] = [:]
    for key in try tableKeys() {
      if let schema = try table(key)?.schema { schemas[schema.name] = schema }
    }
    return schemas
  }

  /// The names of classes by the keys of their tables.
  func classNames() throws(StorageError) -> [TableKey: String] {
    Dictionary(
      uniqueKeysWithValues: try tableSchemas().values.map { ($0.key, $0.className ?? $0.name) })
  }
}
