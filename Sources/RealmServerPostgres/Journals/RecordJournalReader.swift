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

  private let bytes: [UInt8]
  private var position = 0

  /// - Throws: `StoreError.damaged`.
  static func decode(_ bytes: [UInt8]) throws(StoreError) -> RecordJournal {
    var reader = RecordJournalReader(bytes: bytes)
    let form = try reader.byte()
    guard form == RecordJournalWriter.form else {
      throw .damaged(
        "records are in form \(form), and this realm-server knows "
          + "\(RecordJournalWriter.form). Install a newer realm-server")
    }
    var journal = RecordJournal()
    for _ in 0..<(try reader.count()) { journal.tables.append(try reader.table()) }
    guard reader.position == bytes.count else {
      throw .damaged("records have bytes at their end")
    }
    return journal
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func table() throws(StoreError) -> RecordJournal.Table {
    let name = try self.name()
    let hasPrimaryKey = try flag()
    var columns: [RecordJournal.Column] = []
    let columnCount = try count()
    guard (1...Self.columnCountMax).contains(columnCount) else {
      throw .damaged("the table '\(name)' has \(columnCount) columns")
    }
    for _ in 0..<columnCount {
      let name = try self.name()
      guard let type = RecordJournalTag(rawValue: try byte())?.type else {
        throw .damaged("the column '\(name)' has no type")
      }
      columns.append(RecordJournal.Column(name: name, type: type, isNullable: try flag()))
    }
    guard Set(columns.map(\.name)).count == columns.count,
      !hasPrimaryKey || columns[0].type != .binary
    else { throw .damaged("the columns of '\(name)' are none of a table") }
    var table = RecordJournal.Table(name: name, hasPrimaryKey: hasPrimaryKey, columns: columns)
    for _ in 0..<(try count()) {
      table.removed.append(hasPrimaryKey ? .primary(try value(of: columns[0])) : try objectKey())
    }
    for _ in 0..<(try count()) {
      let key = hasPrimaryKey ? nil : try objectKey()
      var values: [TableValue] = []
      for column in columns { values.append(try value(of: column)) }
      table.changed.append(
        RecordJournal.Record(key: key ?? .primary(values[0]), values: values))
    }
    return table
  }

  private mutating func objectKey() throws(StoreError) -> RecordChanges.Key {
    guard let number = Int64(exactly: try number()) else {
      throw .damaged("a record has no object key")
    }
    return .object(ObjectKey(number))
  }

  private mutating func value(of column: RecordJournal.Column) throws(StoreError) -> TableValue {
    guard let tag = RecordJournalTag(rawValue: try byte()) else {
      throw .damaged("a value has no type")
    }
    let value: TableValue
    switch tag {
    case .null: value = .null
    case .int:
      let bits = try number()
      value = .int(Int64(bitPattern: bits >> 1) ^ -Int64(bits & 1))
    case .string: value = .string(try text())
    case .binary: value = .binary(Array(try slice()))
    }
    guard column.takes(value) else {
      throw .damaged("the column '\(column.name)' has a value of another type")
    }
    return value
  }

  private mutating func name() throws(StoreError) -> String {
    let name = try text()
    guard (1...Self.nameByteCountMax).contains(name.utf8.count) else {
      throw .damaged("a name has \(name.utf8.count) bytes")
    }
    return name
  }

  private mutating func flag() throws(StoreError) -> Bool {
    switch try byte() {
    case 0: return false
    case 1: return true
    default: throw .damaged("records have a flag that is neither set nor cleared")
    }
  }

  private mutating func byte() throws(StoreError) -> UInt8 {
    guard position < bytes.count else { throw .damaged("records end early") }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func number() throws(StoreError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      let byte = try byte()
      let group = UInt64(byte & 0x7F)
      guard shift < 63 || group <= 1 else { break }
      value |= group << shift
      if byte < 0x80 { return value }
    }
    throw .damaged("a number in records is too large")
  }

  /// A number of things with a byte each at least.
  private mutating func count() throws(StoreError) -> Int {
    let count = try number()
    guard count <= UInt64(bytes.count - position) else { throw .damaged("records end early") }
    return Int(count)
  }

  private mutating func slice() throws(StoreError) -> ArraySlice<UInt8> {
    let count = try count()
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func text() throws(StoreError) -> String {
    guard let text = String(validating: try slice(), as: UTF8.self) else {
      throw .damaged("a text in records is not UTF-8")
    }
    return text
  }
}
#endif
