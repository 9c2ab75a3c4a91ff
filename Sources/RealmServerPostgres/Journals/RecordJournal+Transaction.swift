// SPDX-License-Identifier: Apache-2.0

// The journal of a transaction: the change log says which records it touched, the tables say what
// has become of them.

#if Postgres
import RealmServerEngine
import RealmStorage
import RealmTables

extension RecordJournal {
  /// The journal of the changes so far.
  ///
  /// - Parameter names: The tables that are left out.
  /// - Throws: `StorageError.limitExceeded` for what a journal cannot say.
  init(of group: WriteGroup, leavingOut names: Set<String>) throws(StorageError) {
    let changes = try ChangeLogParser.changes(in: [group.log.changeset])
    guard !changes.removedTables else {
      throw .limitExceeded("a table of shared records cannot be removed")
    }
    let before = try TableGroup(group.transaction.base, schemas: group.schemas)
    // A table that is new may have no record.
    let keys =
      changes.schemaChanged
      ? try group.tableKeys() : changes.tables.filter { !$0.isEmpty }.map(\.table)
    for key in keys {
      guard let table = try group.table(key)?.table, !names.contains(table.schema.name) else {
        continue
      }
      var entry = try Self.outline(of: table.schema)
      if let changed = changes[key] {
        entry.removed = try Self.removed(changed, from: before.table(key), entry)
        entry.changed = try Self.changed(changed, in: table, entry)
      }
      tables.append(entry)
    }
  }

  private static func outline(of schema: TableSchema) throws(StorageError) -> Table {
    let columns = schema.columns.map { column in
      Column(name: column.name, type: column.type, isNullable: column.isNullable)
    }
    let hasPlainColumns = schema.columns.allSatisfy {
      $0.collection == .none && types.contains($0.type)
    }
    let hasKeyFirst = schema.primaryKey == nil || schema.primaryKey == schema.columns.first
    guard hasPlainColumns, hasKeyFirst, schema.kind == .topLevel else {
      throw .limitExceeded("the table '\(schema.name)' cannot be shared")
    }
    return Table(name: schema.name, hasPrimaryKey: schema.primaryKey != nil, columns: columns)
  }

  private static func removed(
    _ changes: TableChanges, from old: RealmTables.Table?, _ entry: Table
  ) throws(StorageError) -> [RecordChanges.Key] {
    guard let old else { return [] }
    var keys: [RecordChanges.Key] = []
    for key in changes.deleted.sorted() {
      guard let column = old.schema.primaryKey else {
        keys.append(.object(key))
        continue
      }
      guard let row = try old.row(of: key) else {
        throw .corrupted("a removed record of '\(entry.name)' was not there")
      }
      keys.append(.primary(try row.value(of: column)))
    }
    return keys
  }

  private static func changed(
    _ changes: TableChanges, in table: RealmTables.Table, _ entry: Table
  ) throws(StorageError) -> [Record] {
    var records: [Record] = []
    // In the order of their keys, in which they get those in other replicas.
    for key in Set(changes.inserted.sorted()).union(changes.modifications.keys).sorted() {
      guard let row = try table.row(of: key) else {
        throw .corrupted("a changed record of '\(entry.name)' is not there")
      }
      var values: [TableValue] = []
      for column in table.schema.columns { values.append(try row.value(of: column)) }
      let name: RecordChanges.Key = entry.hasPrimaryKey ? .primary(values[0]) : .object(key)
      records.append(Record(key: name, values: values))
    }
    return records
  }
}
#endif
