// SPDX-License-Identifier: Apache-2.0

// A table of records, in a version or in a transaction.

package import RealmStorage

/// A table that has the columns of its layout (`RecordLayout` 1).
package struct RecordTable {
  enum Source {
    case version(Table)
    case transaction(WritableTable)
  }

  package let layout: RecordLayout
  let source: Source

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
  var writable: WritableTable {
    switch source {
    case .version: preconditionFailure("a version is read alone")
    case .transaction(let table): table
    }
  }

  /// The column of a field; nil for a later one that the file lacks.
  func column(_ name: String) throws(StorageError) -> Column? {
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
