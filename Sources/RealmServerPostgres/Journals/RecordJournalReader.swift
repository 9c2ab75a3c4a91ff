// SPDX-License-Identifier: Apache-2.0

// Bytes become journals.

#if Postgres
import RealmServerEngine
import RealmTables

/// Reads the bytes of `RecordJournalWriter`; other bytes give an error.
struct RecordJournalReader {
  /// The longest name of a table or column.
  private static let nameByteCountMax = 63
  private static let columnCountMax = 1_000

  private var bytes: PackedReader

  /// - Throws: `StoreError.damaged`.
  static func decode(_ bytes: [UInt8]) throws(StoreError) -> RecordJournal {
    var reader = RecordJournalReader(bytes: PackedReader(bytes))
    do throws(PackedBytesError) {
      return try reader.journal()
    } catch {
      throw .damaged("records: \(error)")
    }
  }

  private mutating func journal() throws(PackedBytesError) -> RecordJournal {
    let form = try bytes.byte()
    guard form == RecordJournalWriter.form else {
      throw PackedBytesError(
        "they are in form \(form), and this realm-server knows "
          + "\(RecordJournalWriter.form). Install a newer realm-server")
    }
    var journal = RecordJournal()
    for _ in 0..<(try bytes.count()) { journal.tables.append(try table()) }
    try bytes.finish()
    return journal
  }

  private mutating func table() throws(PackedBytesError) -> RecordJournal.Table {
    let name = try self.name()
    let hasPrimaryKey = try bytes.flag()
    var columns: [RecordJournal.Column] = []
    let columnCount = try bytes.count()
    guard (1...Self.columnCountMax).contains(columnCount) else {
      throw PackedBytesError("the table '\(name)' has \(columnCount) columns")
    }
    for _ in 0..<columnCount {
      let name = try self.name()
      guard let type = RecordJournalTag(rawValue: try bytes.byte())?.type else {
        throw PackedBytesError("the column '\(name)' has no type")
      }
      columns.append(RecordJournal.Column(name: name, type: type, isNullable: try bytes.flag()))
    }
    guard Set(columns.map(\.name)).count == columns.count,
      !hasPrimaryKey || columns[0].type != .binary
    else { throw PackedBytesError("the columns of '\(name)' are none of a table") }
    var table = RecordJournal.Table(name: name, hasPrimaryKey: hasPrimaryKey, columns: columns)
    for _ in 0..<(try bytes.count()) {
      table.removed.append(hasPrimaryKey ? .primary(try value(of: columns[0])) : try objectKey())
    }
    for _ in 0..<(try bytes.count()) {
      let key = hasPrimaryKey ? nil : try objectKey()
      var values: [TableValue] = []
      for column in columns { values.append(try value(of: column)) }
      table.changed.append(
        RecordJournal.Record(key: key ?? .primary(values[0]), values: values))
    }
    return table
  }

  private mutating func objectKey() throws(PackedBytesError) -> RecordChanges.Key {
    guard let number = Int64(exactly: try bytes.number()) else {
      throw PackedBytesError("a record has no object key")
    }
    return .object(ObjectKey(number))
  }

  private mutating func value(
    of column: RecordJournal.Column
  ) throws(PackedBytesError) -> TableValue {
    guard let tag = RecordJournalTag(rawValue: try bytes.byte()) else {
      throw PackedBytesError("a value has no type")
    }
    let value: TableValue
    switch tag {
    case .null: value = .null
    case .int:
      value = .int(try bytes.signed())
    case .string: value = .string(try bytes.text())
    case .binary: value = .binary(try bytes.content())
    }
    guard column.takes(value) else {
      throw PackedBytesError("the column '\(column.name)' has a value of another type")
    }
    return value
  }

  private mutating func name() throws(PackedBytesError) -> String {
    let name = try bytes.text()
    guard (1...Self.nameByteCountMax).contains(name.utf8.count) else {
      throw PackedBytesError("a name has \(name.utf8.count) bytes")
    }
    return name
  }
}
#endif
