// SPDX-License-Identifier: Apache-2.0

// Journals become bytes.

#if Postgres
import RealmServerEngine
import RealmTables

/// Writes journals in their stored form: the number of the form, then the tables.
///
/// Values are packed (`PackedWriter`). A table is its name, whether it has a primary key, its
/// columns, the keys of removed records, and the changed records with the values of all columns.
/// The key of a record is the value of its primary key, or the number of its object.
struct RecordJournalWriter {
  /// The form that this program writes, and the only one that it reads.
  static let form: UInt8 = 1

  private var bytes = PackedWriter()

  static func encode(_ journal: RecordJournal) -> [UInt8] {
    var writer = RecordJournalWriter()
    writer.bytes.write(byte: form)
    writer.bytes.write(journal.tables.count)
    for table in journal.tables { writer.write(table) }
    return writer.bytes.bytes
  }

  private mutating func write(_ table: RecordJournal.Table) {
    bytes.write(table.name)
    bytes.write(table.hasPrimaryKey)
    bytes.write(table.columns.count)
    for column in table.columns {
      bytes.write(column.name)
      bytes.write(byte: RecordJournalTag(column.type)?.rawValue ?? 0)
      bytes.write(column.isNullable)
    }
    bytes.write(table.removed.count)
    for key in table.removed { write(key) }
    bytes.write(table.changed.count)
    for record in table.changed {
      if !table.hasPrimaryKey { write(record.key) }
      for value in record.values { write(value) }
    }
  }

  private mutating func write(_ key: RecordChanges.Key) {
    switch key {
    case .primary(let value): write(value)
    case .object(let key): bytes.write(UInt64(bitPattern: key.rawValue))
    }
  }

  private mutating func write(_ value: TableValue) {
    switch value {
    case .int(let value):
      bytes.write(byte: RecordJournalTag.int.rawValue)
      bytes.write(signed: value)
    case .string(let value):
      bytes.write(byte: RecordJournalTag.string.rawValue)
      bytes.write(value)
    case .binary(let value):
      bytes.write(byte: RecordJournalTag.binary.rawValue)
      bytes.write(value)
    default:
      assert(value.isNull, "`RecordJournal.types` are the only ones")
      bytes.write(byte: RecordJournalTag.null.rawValue)
    }
  }
}

/// The kinds of values in a journal.
enum RecordJournalTag: UInt8 {
  case null = 0
  case int, string, binary

  init?(_ type: ColumnType) {
    switch type {
    case .int: self = .int
    case .string: self = .string
    case .binary: self = .binary
    default: return nil
    }
  }

  /// The type of columns with such values; nil for null.
  var type: ColumnType? {
    switch self {
    case .null: nil
    case .int: .int
    case .string: .string
    case .binary: .binary
    }
  }
}
#endif
