// SPDX-License-Identifier: Apache-2.0

// Journals become bytes.

#if Postgres
import RealmServerEngine
import RealmTables

/// Writes journals in their stored form: the number of the form, then the tables.
///
/// Numbers are in seven-bit groups, the lowest first; signed ones are zigzagged. Texts and bytes
/// follow their number of bytes. A table is its name, whether it has a primary key, its columns,
/// the keys of removed records, and the changed records with the values of all columns. The key of
/// a record is the value of its primary key, or the number of its object.
struct RecordJournalWriter {
  /// The form that this program writes, and the only one that it reads.
  static let form: UInt8 = 1

  private var bytes = [Self.form]

  static func encode(_ journal: RecordJournal) -> [UInt8] {
    var writer = RecordJournalWriter()
    writer.number(UInt64(journal.tables.count))
    for table in journal.tables { writer.write(table) }
    return writer.bytes
  }

  private mutating func write(_ table: RecordJournal.Table) {
    text(table.name)
    bytes.append(table.hasPrimaryKey ? 1 : 0)
    number(UInt64(table.columns.count))
    for column in table.columns {
      text(column.name)
      bytes.append(RecordJournalTag(column.type)?.rawValue ?? 0)
      bytes.append(column.isNullable ? 1 : 0)
    }
    number(UInt64(table.removed.count))
    for key in table.removed { write(key) }
    number(UInt64(table.changed.count))
    for record in table.changed {
      if !table.hasPrimaryKey { write(record.key) }
      for value in record.values { write(value) }
    }
  }

  private mutating func write(_ key: RecordChanges.Key) {
    switch key {
    case .primary(let value): write(value)
    case .object(let key): number(UInt64(bitPattern: key.rawValue))
    }
  }

  private mutating func write(_ value: TableValue) {
    switch value {
    case .int(let value):
      bytes.append(RecordJournalTag.int.rawValue)
      number(UInt64(bitPattern: value << 1 ^ value >> 63))
    case .string(let value):
      bytes.append(RecordJournalTag.string.rawValue)
      text(value)
    case .binary(let value):
      bytes.append(RecordJournalTag.binary.rawValue)
      number(UInt64(value.count))
      bytes += value
    default:
      assert(value.isNull, "`RecordJournal.types` are the only ones")
      bytes.append(RecordJournalTag.null.rawValue)
    }
  }

  private mutating func text(_ text: String) {
    number(UInt64(text.utf8.count))
    bytes += text.utf8
  }

  private mutating func number(_ value: UInt64) {
    var rest = value
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
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
