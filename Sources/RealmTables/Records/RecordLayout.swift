// SPDX-License-Identifier: Apache-2.0

// The tables that a program keeps for itself, as it declares them: of users, of a server's history,
// of what synchronisation has to remember. They are of no class.
//
// Invariants:
// 1. A table that was opened by its layout has a column of the declared type for each field, but
//    for later ones that an older file lacks.

package import RealmStorage

/// A column of a table of records.
package struct RecordField: Hashable, Sendable {
  package let name: String
  package let type: ColumnType
  package let collection: CollectionKind
  package let isNullable: Bool
  /// The table of the link's targets.
  package let target: String?
  /// Whether files of older versions lack the column, which reads as null there.
  package let isLater: Bool

  package init(
    _ name: String, _ type: ColumnType, collection: CollectionKind = .none,
    isNullable: Bool = false, target: String? = nil, isLater: Bool = false
  ) {
    self.name = name
    self.type = type
    self.collection = collection
    self.isNullable = isNullable
    self.target = target
    self.isLater = isLater
  }
}

/// A table of records as it is declared.
package final class RecordLayout: Sendable {
  package let name: String
  package let kind: TableKind
  /// Whether the first field is the primary key.
  package let hasPrimaryKey: Bool
  package let fields: [RecordField]

  package init(
    _ name: String, kind: TableKind = .topLevel, hasPrimaryKey: Bool = false,
    _ fields: [RecordField]
  ) {
    assert(Set(fields.map(\.name)).count == fields.count, "each field has a name of its own")
    assert(!hasPrimaryKey || fields.first?.isLater == false, "the primary key is the first field")
    assert(
      fields.allSatisfy { ($0.type == .link) == ($0.target != nil) },
      "links are the fields with a target")
    self.name = name
    self.kind = kind
    self.hasPrimaryKey = hasPrimaryKey
    self.fields = fields
  }

  // MARK: Opening

  /// The table of a version; nil if there is none.
  package func find(in group: TableGroup) throws(StorageError) -> RecordTable? {
    guard let table = try group.table(named: name) else { return nil }
    return try RecordTable(table, self)
  }

  /// The table in a transaction; nil if there is none.
  package func find(in group: WriteGroup) throws(StorageError) -> RecordTable? {
    guard let table = try group.table(named: name) else { return nil }
    return try RecordTable(table, self)
  }

  /// The table of a version, which must be there.
  package func table(in group: TableGroup) throws(StorageError) -> RecordTable {
    guard let table = try find(in: group) else { throw missing }
    return table
  }

  /// The table in a transaction, which must be there.
  package func table(in group: WriteGroup) throws(StorageError) -> RecordTable {
    guard let table = try find(in: group) else { throw missing }
    return table
  }

  private var missing: StorageError { .corrupted("the file has no table '\(name)'") }

  // MARK: Making

  /// Makes the table. The targets of its links are there.
  @discardableResult
  package func make(in group: WriteGroup) throws(StorageError) -> RecordTable {
    let table = try group.createTable(named: name, kind: kind)
    let keys = try table.columns.add(newColumns(fields, group))
    if hasPrimaryKey, let key = keys.first { try table.setPrimaryKey(key) }
    return try RecordTable(table, self)
  }

  /// Makes the table if it is missing; otherwise it is exactly as it is declared.
  package func makeIfMissing(in group: WriteGroup) throws(StorageError) {
    if try group.table(named: name) == nil {
      try make(in: group)
    } else {
      try checkExactly(in: group)
    }
  }

  /// Removes the table, if there is one.
  package func remove(from group: WriteGroup) throws(StorageError) {
    if let key = try group.key(ofTable: name) { try group.removeTable(key) }
  }

  /// Adds the columns that a file of an older version lacks.
  ///
  /// - Returns: Whether there were any.
  package func addLater(in group: WriteGroup) throws(StorageError) -> Bool {
    guard let table = try group.table(named: name) else { throw missing }
    let schema = unsafe table.schema
    let missing = fields.filter { $0.isLater && schema.column(named: $0.name) == nil }
    guard !missing.isEmpty else { return false }
    _ = try table.columns.add(newColumns(missing, group))
    return true
  }

  /// Whether the file lacks a column that it would have today.
  package func lacksFields(in group: TableGroup) throws(StorageError) -> Bool {
    let schema = try table(in: group).schema
    return fields.contains { schema.column(named: $0.name) == nil }
  }

  private func newColumns(
    _ fields: [RecordField], _ group: WriteGroup
  ) throws(StorageError) -> [NewColumn] {
    var columns: [NewColumn] = []
    for field in fields {
      var column = NewColumn(
        named: field.name, type: field.type, collection: field.collection,
        isNullable: field.isNullable)
      if let target = field.target { column.target = try group.key(ofTable: target) }
      columns.append(column)
    }
    return columns
  }

  // MARK: Checking

  /// Checks that a table of the file has the fields. See `RecordLayout` 1.
  func check(_ schema: TableSchema) throws(StorageError) {
    let columns = schema.columns
    for index in fields.indices {
      // Columns are where they were made, unless another program made the table.
      if index < columns.count, columns[index].type == fields[index].type,
        columns[index].collection == fields[index].collection,
        columns[index].name == fields[index].name
      {
        continue
      }
      let field = fields[index]
      guard let column = schema.column(named: field.name) else {
        guard !field.isLater else { continue }
        throw .corrupted("the table '\(name)' lacks '\(field.name)'")
      }
      guard column.type == field.type, column.collection == field.collection else {
        throw .corrupted("'\(name).\(field.name)' has another type")
      }
    }
  }

  /// Checks that a table of the file is exactly as it is declared.
  package func checkExactly(in group: WriteGroup) throws(StorageError) {
    guard let table = try group.table(named: name) else { throw missing }
    let schema = unsafe table.schema
    var isSame = schema.columns.count == fields.count && schema.kind == kind
    isSame = isSame && (schema.primaryKey != nil) == hasPrimaryKey
    for field in fields where isSame {
      guard let column = schema.column(named: field.name), column.type == field.type,
        column.collection == field.collection,
        column.type == .link || column.isNullable == field.isNullable
      else {
        isSame = false
        break
      }
      if let target = field.target {
        isSame = try column.targetTable == group.key(ofTable: target)
      }
    }
    guard isSame else { throw .corrupted("the table '\(name)' has another shape") }
  }
}
