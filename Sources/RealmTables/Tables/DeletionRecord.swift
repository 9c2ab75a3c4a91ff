// SPDX-License-Identifier: Apache-2.0

// The primary keys of deleted objects, for readers of the history, and the identity of the file.
//
// The history of a file says which keys of rows went. What identifies an object elsewhere is its
// primary key, which is gone with it, so a file that keeps its history for such readers
// (`DatabaseFile.historyLimit`) has a table of its own for them. The tables of classes have other
// names, so neither their users nor Realm's other SDKs see it.
//
// 1. Its rows are in the order of their versions, the versions that deleted the objects.
// 2. Rows of versions whose changes the history has dropped go with later commits.
// 3. The first row is of the version that made the table, and its object is a random number, the
//    identity of the file. In a copy, which begins at version 1, that version is not yet made: the
//    rows are those of the original, and the first commit of the copy removes them.

package import RealmStorage

/// The table of the primary keys of deleted objects.
package enum DeletionRecord {
  package static let tableName = "openrealm_deletions"

  private enum Columns {
    static let version = "version"
    static let table = "table"
    static let object = "object"
    static let primaryKey = "primary_key"
  }

  // MARK: Writing

  /// Adds the objects that a transaction deleted, before its commit, and drops what is not needed.
  static func extend(in group: WriteGroup) throws(StorageError) {
    let base = try TableGroup(group.transaction.base, schemas: group.schemas)
    let deletions = try deletions(in: group, from: base)
    let version = group.transaction.version
    assert(version > base.version, "`DeletionRecord` 1: a row of a version that there was before")
    let limit = group.transaction.base.file.historyLimit
    // As far back as the history may reach, with the entries that are dropped in batches.
    let needed = version.subtractingClamped(limit + limit / 8 + 1)
    let table = try table(in: group)
    try dropOld(in: table, upTo: needed, base.version)
    if try table.objectCount() == 0 {
      let identity = ObjectKey(Int64.random(in: 0 ... .max))
      try add(Deletion(table: .null, object: identity, primaryKey: .null), version, to: table)
    }
    for deletion in deletions { try add(deletion, version, to: table) }
  }

  private static func add(
    _ deletion: Deletion, _ version: UInt64, to table: WritableTable
  ) throws(StorageError) {
    let key = try table.createObject().key
    try set(.int(Int64(version)), Columns.version, of: key, in: table)
    try set(.int(Int64(deletion.table.rawValue)), Columns.table, of: key, in: table)
    try set(.int(deletion.object.rawValue), Columns.object, of: key, in: table)
    try set(deletion.primaryKey, Columns.primaryKey, of: key, in: table)
  }

  private struct Deletion {
    let table: TableKey
    let object: ObjectKey
    let primaryKey: TableValue
  }

  private static func deletions(
    in group: WriteGroup, from base: TableGroup
  ) throws(StorageError) -> [Deletion] {
    var deletions: [Deletion] = []
    for change in try ChangeLogParser.changes(in: CollectionOfOne(group.log.changeset)).tables {
      guard !change.deleted.isEmpty, let table = try base.table(change.table),
        let column = table.schema.primaryKey
      else { continue }
      for object in change.deleted.sorted() {
        guard let row = try table.row(of: object) else { continue }
        deletions.append(
          Deletion(
            table: change.table, object: object, primaryKey: try row.value(of: column)))
      }
    }
    return deletions
  }

  private static func table(in group: WriteGroup) throws(StorageError) -> WritableTable {
    if let table = try group.table(named: tableName) { return table }
    let table = try group.createTable(named: tableName)
    try table.addColumn(named: Columns.version, type: .int)
    try table.addColumn(named: Columns.table, type: .int)
    try table.addColumn(named: Columns.object, type: .int)
    try table.addColumn(named: Columns.primaryKey, type: .mixed, isNullable: true)
    return table
  }

  /// Drops the rows of the versions up to `needed`, but for the first; all of them if they are of
  /// another file, which this one was copied from.
  private static func dropOld(
    in table: WritableTable, upTo needed: UInt64, _ base: UInt64
  ) throws(StorageError) {
    guard let column = unsafe table.schema.column(named: Columns.version) else { return }
    guard let first = try table.table.key(at: 0) else { return }
    if try version(of: first, in: table.table, column) > base { return try table.deleteAll() }
    while try table.objectCount() > 1, let next = try table.table.key(at: 1),
      try version(of: next, in: table.table, column) <= needed
    {
      try table.delete(next)
    }
  }

  private static func set(
    _ value: TableValue, _ name: String, of key: ObjectKey, in table: WritableTable
  ) throws(StorageError) {
    guard let column = unsafe table.schema.column(named: name) else {
      throw .corrupted("table '\(tableName)' has no column '\(name)'")
    }
    try table.set(value, column, key)
  }

  // MARK: Reading

  /// The identity of the file as of a version; 0 if it had none then.
  package static func fileIdentity(
    at version: UInt64, in tables: TableGroup
  ) throws(StorageError) -> Int64 {
    guard let table = try tables.table(named: tableName), let first = try table.key(at: 0),
      let versionColumn = table.schema.column(named: Columns.version),
      let objectColumn = table.schema.column(named: Columns.object),
      try self.version(of: first, in: table, versionColumn) <= version
    else { return 0 }
    return try table.row(of: first)?.value(of: objectColumn).integer ?? 0
  }

  /// The primary keys of the objects that were deleted after a version, by their tables and keys;
  /// of several objects that had one key the newest one's.
  ///
  /// - Complexity: O(the number of them).
  package static func primaryKeys(
    after version: UInt64, in tables: TableGroup
  ) throws(StorageError) -> [TableKey: [ObjectKey: TableValue]] {
    var found: [TableKey: [ObjectKey: TableValue]] = [:]
    guard let table = try tables.table(named: tableName),
      let versionColumn = table.schema.column(named: Columns.version),
      let tableColumn = table.schema.column(named: Columns.table),
      let objectColumn = table.schema.column(named: Columns.object),
      let keyColumn = table.schema.column(named: Columns.primaryKey)
    else { return found }
    var position = try table.objectCount() - 1
    while position >= 0, let key = try table.key(at: position), let row = try table.row(of: key) {
      guard let number = try row.value(of: versionColumn).integer, number >= 0,
        UInt64(number) > version
      else { break }
      position -= 1
      guard UInt64(number) <= tables.version,
        let origin = try row.value(of: tableColumn).integer,
        let object = try row.value(of: objectColumn).integer,
        let origin = UInt32(exactly: origin)
      else { continue }
      let place = (TableKey(origin), ObjectKey(object))
      if found[place.0]?[place.1] == nil {
        found[place.0, default: [:]][place.1] = try row.value(of: keyColumn)
      }
    }
    return found
  }

  private static func version(
    of key: ObjectKey, in table: Table, _ column: Column
  ) throws(StorageError) -> UInt64 {
    guard let number = try table.row(of: key)?.value(of: column).integer, number >= 0 else {
      return 0
    }
    return UInt64(number)
  }
}

extension TableValue {
  /// The number, if the value is one.
  fileprivate var integer: Int64? { if case .int(let number) = self { number } else { nil } }
}

extension UInt64 {
  /// The difference, or 0 if that is negative.
  fileprivate func subtractingClamped(_ amount: Int) -> UInt64 {
    self > UInt64(amount) ? self - UInt64(amount) : 0
  }
}
