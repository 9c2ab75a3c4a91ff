// SPDX-License-Identifier: Apache-2.0

// The records of a replica become those of a journal's version.

#if Postgres
import RealmServerEngine
import RealmStorage
import RealmTables

extension RecordJournal {
  /// Carries the journal out in tables of the versions before it.
  ///
  /// - Throws: `StoreError.damaged` where it does not fit them.
  func apply(to group: WriteGroup) throws(StoreError) {
    for table in tables {
      do throws(StorageError) {
        try Self.apply(table, to: group)
      } catch {
        guard case .limitExceeded = error else { throw .storage(error) }
        throw .damaged("the records of '\(table.name)' do not fit: \(error)")
      }
    }
  }

  private static func apply(_ entry: Table, to group: WriteGroup) throws(StorageError) {
    let target = try prepared(entry, in: group)
    for name in entry.removed {
      if let key = try find(name, in: target) { try target.delete(key) }
    }
    var columns: [RealmTables.Column] = []
    let schema = try target.table.schema
    for column in entry.columns {
      guard let found = schema.column(named: column.name) else {
        throw .corrupted("a column of '\(entry.name)' was not made")
      }
      columns.append(found)
    }
    for record in entry.changed {
      let key = try findOrCreate(record.key, in: target)
      for (column, value) in zip(columns, record.values) where !column.isPrimaryKey {
        guard try target.row(of: key)?.value(of: column) != value else { continue }
        try target.set(value, column, key)
      }
    }
  }

  /// The table of a journal, with all columns of it.
  private static func prepared(
    _ entry: Table, in group: WriteGroup
  ) throws(StorageError) -> WritableTable {
    guard let table = try group.table(named: entry.name) else {
      let table = try group.createTable(named: entry.name)
      let keys = try table.columns.add(entry.columns.map(newColumn))
      if entry.hasPrimaryKey, let key = keys.first { try table.setPrimaryKey(key) }
      return table
    }
    let schema = try table.table.schema
    let isKeyed = entry.hasPrimaryKey && schema.primaryKey?.name == entry.columns.first?.name
    guard schema.kind == .topLevel, isKeyed || (!entry.hasPrimaryKey && schema.primaryKey == nil)
    else { throw .limitExceeded("the table has other keys") }
    var missing: [NewColumn] = []
    for column in entry.columns {
      guard let found = schema.column(named: column.name) else {
        missing.append(newColumn(column))
        continue
      }
      guard found.collection == .none, found.type == column.type,
        found.isNullable == column.isNullable
      else { throw .limitExceeded("the column '\(column.name)' has another type") }
    }
    if !missing.isEmpty { _ = try table.columns.add(missing) }
    return table
  }

  private static func newColumn(_ column: Column) -> NewColumn {
    NewColumn(named: column.name, type: column.type, isNullable: column.isNullable)
  }

  private static func find(
    _ name: RecordChanges.Key, in table: WritableTable
  ) throws(StorageError) -> ObjectKey? {
    switch name {
    case .primary(let value): try table.findRow(primaryKey: value)?.key
    case .object(let key): try table.row(of: key) == nil ? nil : key
    }
  }

  private static func findOrCreate(
    _ name: RecordChanges.Key, in table: WritableTable
  ) throws(StorageError) -> ObjectKey {
    switch name {
    case .primary(let value): return try table.findOrCreate(primaryKey: value).key
    case .object(let key):
      if try table.row(of: key) == nil { _ = try table.createObject(under: key) }
      return key
    }
  }
}
#endif
