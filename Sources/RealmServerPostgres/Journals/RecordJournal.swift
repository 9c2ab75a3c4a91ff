// SPDX-License-Identifier: Apache-2.0

// What a transaction did to tables of records, for the replicas of other servers.
//
// Invariants:
// 1. Carried out after the versions before it, a journal gives the records of its version: a
//    changed record is in it with all its values, a removed one with its key.
// 2. A journal has the columns of its tables, so that a replica gets those that it lacks, and keeps
//    the values of those that its program does not know.

#if Postgres
import RealmServerEngine
import RealmTables

/// The changed records of a version.
struct RecordJournal: Hashable, Sendable {
  /// A column of a table.
  struct Column: Hashable, Sendable {
    let name: String
    let type: ColumnType
    let isNullable: Bool

    /// Whether the column can have a value.
    func takes(_ value: TableValue) -> Bool {
      value.isNull ? isNullable : value.type == type
    }
  }

  /// A record with the values of all columns.
  struct Record: Hashable, Sendable {
    let key: RecordChanges.Key
    let values: [TableValue]
  }

  /// The changes of a table.
  struct Table: Hashable, Sendable {
    let name: String
    /// Whether the first column is the primary key.
    let hasPrimaryKey: Bool
    let columns: [Column]
    var removed: [RecordChanges.Key] = []
    var changed: [Record] = []
  }

  /// The types of the values of records.
  static let types: [ColumnType] = [.int, .string, .binary]

  var tables: [Table] = []

  var isEmpty: Bool { tables.isEmpty }

  /// The names of the records in it.
  var changes: RecordChanges {
    var changes = RecordChanges()
    for table in tables {
      for key in table.removed { changes.insert(key, of: table.name) }
      for record in table.changed { changes.insert(record.key, of: table.name) }
    }
    return changes
  }
}
#endif
