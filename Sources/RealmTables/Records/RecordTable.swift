// SPDX-License-Identifier: Apache-2.0

// A table of records, in a version or in a transaction, and its rows by the names of their fields.

package import RealmStorage

/// A table that has the columns of its layout (`RecordLayout` 1).
package struct RecordTable {
  private enum Source {
    case version(Table)
    case transaction(WritableTable)
  }

  package let layout: RecordLayout
  private let source: Source

  init(_ table: Table, _ layout: RecordLayout) throws(StorageError) {
    self.layout = layout
    source = .version(table)
    try layout.check(table.schema)
  }

  init(_ table: WritableTable, _ layout: RecordLayout) throws(StorageError) {
    self.layout = layout
    source = .transaction(table)
    try layout.check(unsafe table.schema)
  }

  var schema: TableSchema {
    switch source {
    case .version(let table): table.schema
    case .transaction(let table): unsafe table.schema
    }
  }

  /// The present state for reading.
  private var table: Table {
    get throws(StorageError) {
      switch source {
      case .version(let table): table
      case .transaction(let table): try table.table
      }
    }
  }

  /// A transaction's table, for changes.
  fileprivate var writable: WritableTable {
    switch source {
    case .version: preconditionFailure("a version is read alone")
    case .transaction(let table): table
    }
  }

  /// Changes when rows of the transaction may have moved; 0 in versions.
  fileprivate var generation: Int {
    switch source {
    case .version: 0
    case .transaction(let table): table.group.structureGeneration
    }
  }

  /// The column of a field; nil for a later one that the file lacks.
  fileprivate func column(_ name: String) throws(StorageError) -> Column? {
    if let column = schema.column(named: name) { return column }
    guard layout.fields.contains(where: { $0.name == name && $0.isLater }) else {
      throw .corrupted("the table '\(layout.name)' lacks '\(name)'")
    }
    return nil
  }

  // MARK: Reading

  /// The number of records.
  package func count() throws(StorageError) -> Int { try table.objectCount() }

  /// The record with a key; nil if there is none.
  package func record(_ key: ObjectKey) throws(StorageError) -> RecordRow? {
    switch source {
    case .version(let table): try table.row(of: key).map { RecordRow(self, key, $0) }
    case .transaction(let table): try table.row(of: key).map { RecordRow(self, key, $0) }
    }
  }

  /// The record with a primary key; nil if there is none.
  package func find(_ primaryKey: TableValue) throws(StorageError) -> RecordRow? {
    let found =
      switch source {
      case .version(let table): try table.findRow(primaryKey: primaryKey)
      case .transaction(let table): try table.findRow(primaryKey: primaryKey)
      }
    return found.map { RecordRow(self, $0.key, $0.row) }
  }

  /// Walks the records in the order of their keys, from a key on. The table must not change
  /// meanwhile.
  package func records(from first: ObjectKey? = nil) throws(StorageError) -> RecordCursor {
    var clusters = try table.clusterCursor()
    if let first { try clusters.seek(first) }
    return RecordCursor(self, clusters, from: first)
  }

  /// The keys of the records with keys in a range; of all without one.
  package func keys(in range: ClosedRange<ObjectKey>? = nil) throws(StorageError) -> [ObjectKey] {
    var keys: [ObjectKey] = []
    var records = try records(from: range?.lowerBound)
    while let key = try records.next()?.key {
      if let range, key > range.upperBound { break }
      keys.append(key)
    }
    return keys
  }

  // MARK: Changing

  /// Makes a record in a table without a primary key.
  package func create() throws(StorageError) -> RecordRow {
    assert(!layout.hasPrimaryKey, "a record is made by its primary key")
    let (key, row) = try writable.createObject()
    return RecordRow(self, key, row)
  }

  /// Makes a record under a key, in a table without a primary key.
  package func create(under key: ObjectKey) throws(StorageError) -> RecordRow {
    assert(!layout.hasPrimaryKey, "a record is made by its primary key")
    return RecordRow(self, key, try writable.createObject(under: key))
  }

  /// The record with a primary key, which is made if there is none.
  package func findOrCreate(_ primaryKey: TableValue) throws(StorageError) -> RecordRow {
    assert(layout.hasPrimaryKey, "a record is found by a key that the table does not have")
    let (key, row, _) = try writable.findOrCreate(primaryKey: primaryKey)
    return RecordRow(self, key, row)
  }

  /// Removes the record with a key.
  package func delete(_ key: ObjectKey) throws(StorageError) { try writable.delete(key) }

  /// Removes records.
  package func delete(_ keys: [ObjectKey]) throws(StorageError) {
    for key in keys { try writable.delete(key) }
  }
}

/// Walks the records of a table.
package struct RecordCursor {
  private let table: RecordTable
  private let first: ObjectKey?
  private var clusters: ClusterCursor
  private var cluster: Cluster?
  private var index = 0

  init(_ table: RecordTable, _ clusters: ClusterCursor, from first: ObjectKey?) {
    self.table = table
    self.clusters = clusters
    self.first = first
  }

  /// The next record; nil at the end.
  package mutating func next() throws(StorageError) -> RecordRow? {
    while true {
      if let cluster, index < cluster.count {
        let key = cluster.key(at: index)
        index += 1
        if let first, key < first { continue }
        return RecordRow(table, key, cluster.row(at: index - 1))
      }
      guard let next = try clusters.next() else { return nil }
      (cluster, index) = (next, 0)
    }
  }
}

/// A record of a table: typed reads, and in a transaction writes.
package struct RecordRow {
  private let table: RecordTable
  package let key: ObjectKey
  private let row: Row
  /// Of the transaction when `row` was read.
  private let generation: Int

  fileprivate init(_ table: RecordTable, _ key: ObjectKey, _ row: Row) {
    self.table = table
    self.key = key
    self.row = row
    generation = table.generation
  }

  /// Where the record is now: changes of the transaction may have moved it.
  private func current() throws(StorageError) -> Row {
    guard generation != table.generation else { return row }
    guard let row = try table.writable.row(of: key) else {
      throw .corrupted("a record of '\(table.layout.name)' is gone")
    }
    return row
  }
}

// MARK: Reading a record

extension RecordRow {
  /// The value of a field; null for a later one that the file lacks.
  package func value(_ name: String) throws(StorageError) -> TableValue {
    guard let column = try table.column(name) else { return .null }
    return try current().value(of: column)
  }

  /// A number; nil for null.
  package func optionalInteger(_ name: String) throws(StorageError) -> Int64? {
    switch try value(name) {
    case .int(let number): return number
    case .null: return nil
    default: throw other(name)
    }
  }

  /// A number; an error for null.
  package func integer(_ name: String) throws(StorageError) -> Int64 {
    guard let number = try optionalInteger(name) else { throw other(name) }
    return number
  }

  /// A number from 0 on.
  package func natural(_ name: String) throws(StorageError) -> UInt64 {
    guard let number = UInt64(exactly: try integer(name)) else { throw other(name) }
    return number
  }

  /// The bits of a number.
  package func bits(_ name: String) throws(StorageError) -> UInt64 {
    UInt64(bitPattern: try integer(name))
  }

  /// A string; nil for null.
  package func optionalText(_ name: String) throws(StorageError) -> String? {
    switch try value(name) {
    case .string(let text): return text
    case .null: return nil
    default: throw other(name)
    }
  }

  /// A string; an error for null.
  package func text(_ name: String) throws(StorageError) -> String {
    guard let text = try optionalText(name) else { throw other(name) }
    return text
  }

  /// Bytes; nil for null.
  package func optionalBytes(_ name: String) throws(StorageError) -> [UInt8]? {
    switch try value(name) {
    case .binary(let bytes): return bytes
    case .null: return nil
    default: throw other(name)
    }
  }

  /// Bytes; an error for null.
  package func bytes(_ name: String) throws(StorageError) -> [UInt8] {
    guard let bytes = try optionalBytes(name) else { throw other(name) }
    return bytes
  }

  /// A date; an error for null.
  package func timestamp(_ name: String) throws(StorageError) -> Timestamp {
    guard case .timestamp(let time) = try value(name) else { throw other(name) }
    return time
  }

  /// An object identifier; an error for null.
  package func objectId(_ name: String) throws(StorageError) -> Bytes12 {
    guard case .objectId(let id) = try value(name) else { throw other(name) }
    return id
  }

  /// The record that a link leads to; nil if there is none.
  package func link(_ name: String, in target: RecordTable) throws(StorageError) -> RecordRow? {
    guard case .link(let key) = try value(name) else { return nil }
    return try target.record(key)
  }

  /// The records of a list of links.
  package func links(_ name: String, in target: RecordTable) throws(StorageError) -> [RecordRow] {
    guard let column = try table.column(name) else { return [] }
    var records: [RecordRow] = []
    for key in try current().list(column).keys() {
      if let record = try target.record(key) { records.append(record) }
    }
    return records
  }

  private func other(_ name: String) -> StorageError {
    .corrupted("'\(table.layout.name).\(name)' has a value of another type")
  }
}

// MARK: Changing a record

extension RecordRow {
  package func set(_ value: TableValue, _ name: String) throws(StorageError) {
    try table.writable.set(value, required(name), key)
  }

  package func set(_ number: Int64?, _ name: String) throws(StorageError) {
    try set(number.map { TableValue.int($0) } ?? .null, name)
  }

  /// Stores the bits of a number.
  package func set(_ bits: UInt64, _ name: String) throws(StorageError) {
    try set(TableValue.int(Int64(bitPattern: bits)), name)
  }

  /// Stores a number, or the largest one if it is larger.
  package func set(clamping number: some BinaryInteger, _ name: String) throws(StorageError) {
    try set(TableValue.int(Int64(clamping: number)), name)
  }

  package func set(_ text: String?, _ name: String) throws(StorageError) {
    try set(text.map { TableValue.string($0) } ?? .null, name)
  }

  package func set(_ bytes: [UInt8]?, _ name: String) throws(StorageError) {
    try set(bytes.map { TableValue.binary($0) } ?? .null, name)
  }

  /// Makes the embedded record of a link.
  package func embed(_ name: String, in target: RecordTable) throws(StorageError) -> RecordRow {
    let (key, row) = try table.writable.createEmbedded(required(name), of: key)
    return RecordRow(target, key, row)
  }

  /// Adds an embedded record at the end of a list.
  package func append(to name: String, in target: RecordTable) throws(StorageError) -> RecordRow {
    let list = try list(name)
    let (key, row) = try list.insertEmbedded(at: try list.count)
    return RecordRow(target, key, row)
  }

  /// A list, for changes.
  package func list(_ name: String) throws(StorageError) -> ListEditor {
    try table.writable.list(required(name), key)
  }

  private func required(_ name: String) throws(StorageError) -> Column {
    guard let column = try table.column(name) else {
      throw .corrupted("the table '\(table.layout.name)' lacks '\(name)'")
    }
    return column
  }
}
