// SPDX-License-Identifier: Apache-2.0

// The file of an app's users.
//
// Invariants:
// 1. What a call has changed is on the disk when it returns; a call that throws changes nothing.

package import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// Stores users, their ways to log in, and their sessions in a realm file.
///
/// An actor whose executor is a thread of its own, as it waits for the disk.
package actor AccountStore {
  private let file: DatabaseFile
  private nonisolated let thread: ThreadExecutor
  private let schemas = SchemaCache()
  private let keyBounds = KeyBoundCache()

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// Opens a file, makes its tables if it is new, and removes what has expired.
  ///
  /// - Parameters:
  ///   - app: The app whose users the file has; nil where a test does not care.
  ///   - mustExist: Whether a file without tables is an error.
  package init(
    _ file: DatabaseFile, app: String? = nil, mustExist: Bool = false, now: OriginTimestamp,
    thread: ThreadExecutor = ThreadExecutor()
  ) throws(StoreError) {
    self.file = file
    self.thread = thread
    try StoreError.storing { () throws(StorageError) -> Void in
      try Self.prepare(file, app, mustExist, schemas, keyBounds, now)
    }
  }

  /// Opens the file at a path, which is made if it is missing.
  package static func open(
    _ path: String, app: String, isNew: Bool, now: OriginTimestamp
  ) throws(StoreError) -> AccountStore {
    if isNew {
      try CompleteFile.make(path) { (file) throws(StoreError) in
        try StoreError.storing { () throws(StorageError) -> Void in
          try Self.prepare(file, app, false, SchemaCache(), KeyBoundCache(), now)
        }
      }
    }
    let file = try StoreError.storing { () throws(StorageError) in
      try DatabaseFile.open(
        path: path, options: OpenOptions(mustExist: true), system: SystemFiles(isPrivate: true))
    }
    return try AccountStore(file, app: app, mustExist: true, now: now)
  }

  /// Reads the newest version.
  package func read<R: Sendable>(
    _ body: @Sendable (AccountTransaction) throws(AccountError) -> R
  ) throws(AccountError) -> R {
    let group: TableGroup
    do throws(StorageError) {
      group = try TableGroup(file.snapshot(), schemas: schemas)
    } catch {
      throw .store(.storage(error))
    }
    return try body(AccountTransaction(group))
  }

  /// Runs a write transaction, which is rolled back if `body` throws.
  package func write<R: Sendable>(
    _ body: @Sendable (AccountTransaction) throws(AccountError) -> R
  ) throws(AccountError) -> R {
    let group: WriteGroup
    do throws(StorageError) {
      group = try WriteGroup(file.beginWrite(), schemas: schemas, keyBounds: keyBounds)
    } catch {
      throw .store(.storage(error))
    }
    let result: R
    do throws(AccountError) {
      result = try body(AccountTransaction(group))
    } catch {
      group.rollback()
      throw error
    }
    do throws(StorageError) {
      _ = try group.commit()
    } catch {
      throw .store(.storage(error))
    }
    return result
  }

  // MARK: Opening

  private static func prepare(
    _ file: DatabaseFile, _ app: String?, _ mustExist: Bool, _ schemas: SchemaCache,
    _ keyBounds: KeyBoundCache, _ now: OriginTimestamp
  ) throws(StorageError) {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas, keyBounds: keyBounds)
    do throws(StorageError) {
      if !mustExist, try group.table(named: AccountTable.meta.rawValue) == nil {
        for kind in AccountTable.allCases { try make(kind, in: group) }
      }
      try check(group)
      try upgrade(group)
      if let app { try check(app, group) }
      try removeExpired(.sessions, now, in: group)
      try removeExpired(.tokens, now, in: group)
      _ = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
  }

  private static func make(
    _ kind: AccountTable, in group: WriteGroup
  ) throws(StorageError) {
    let table = try group.createTable(named: kind.rawValue)
    let key = try table.addColumn(named: "key", type: .string)
    try table.setPrimaryKey(key.key)
    for field in kind.fields {
      _ = try table.addColumn(named: field.name, type: field.type, isNullable: field.isNullable)
    }
    guard kind == .meta, let column = table.schema.column(named: "layout") else { return }
    let row = try table.createObject(primaryKey: .string("accounts")).key
    try table.set(.int(AccountTable.layout), column, row)
  }

  private static func check(_ group: WriteGroup) throws(StorageError) {
    for kind in AccountTable.allCases where try group.table(named: kind.rawValue) == nil {
      throw .corrupted("the file has no table \(kind.rawValue)")
    }
    guard let (_, _, layout) = try layout(group), (1...AccountTable.layout).contains(layout)
    else { throw .corrupted("the accounts have another layout") }
  }

  private static func layout(
    _ group: WriteGroup
  ) throws(StorageError) -> (table: WritableTable, row: ObjectKey, number: Int64)? {
    guard let table = try group.table(named: AccountTable.meta.rawValue),
      let (key, row) = try table.findRow(primaryKey: .string("accounts")),
      let number = try ServerRowReader(row: row, schema: table.schema).optionalNumber("layout")
    else { return nil }
    return (table, key, number)
  }

  /// Adds the columns that a file of an earlier layout lacks.
  private static func upgrade(_ group: WriteGroup) throws(StorageError) {
    guard let (meta, row, number) = try layout(group), number < AccountTable.layout,
      let column = meta.schema.column(named: "layout")
    else { return }
    for kind in AccountTable.allCases {
      guard let table = try group.table(named: kind.rawValue) else { continue }
      for field in kind.fields where table.schema.column(named: field.name) == nil {
        _ = try table.addColumn(named: field.name, type: field.type, isNullable: field.isNullable)
      }
    }
    try meta.set(.int(AccountTable.layout), column, row)
  }

  /// Notes the app of the file, or checks that it is that one.
  private static func check(_ app: String, _ group: WriteGroup) throws(StorageError) {
    guard let table = try group.table(named: AccountTable.meta.rawValue),
      let (key, _) = try table.findRow(primaryKey: .string("accounts")),
      let column = table.schema.column(named: "app")
    else { throw .corrupted("the accounts have another layout") }
    guard case .string(let known)? = try table.row(of: key)?.value(of: column) else {
      return try table.set(.string(app), column, key)
    }
    guard known == app else { throw .corrupted("the accounts are those of the app \"\(known)\"") }
  }

  /// Removes the rows whose time is over.
  @discardableResult
  static func removeExpired(
    _ kind: AccountTable, _ now: OriginTimestamp, in group: WriteGroup
  ) throws(StorageError) -> Int {
    try removeRows(of: kind, in: group) { (_, reader) throws(StorageError) in
      try reader.number("expires") <= now.milliseconds
    }
  }

  /// Removes the rows for which `isOver` says so; returns their number.
  static func removeRows(
    of kind: AccountTable, in group: WriteGroup,
    _ isOver: (String, ServerRowReader) throws(StorageError) -> Bool
  ) throws(StorageError) -> Int {
    guard let table = try group.table(named: kind.rawValue) else { return 0 }
    var keys: [ObjectKey] = []
    try forEachRow(of: kind, in: group) { (key, name, reader) throws(StorageError) in
      if try isOver(name, reader) { keys.append(key) }
    }
    for key in keys { try table.delete(key) }
    return keys.count
  }

  /// Calls `body` with all rows of a table: the key of the row, its primary key and the rest.
  static func forEachRow(
    of kind: AccountTable, in group: WriteGroup,
    _ body: (ObjectKey, String, ServerRowReader) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard let table = try group.table(named: kind.rawValue) else { return }
    let columns = try table.table
    var cursor = columns.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let reader = ServerRowReader(row: cluster.row(at: index), schema: columns.schema)
        try body(cluster.key(at: index), reader.optionalText("key") ?? "", reader)
      }
    }
  }

  /// Removes what is not used any more, in one transaction.
  package func clean(
    _ rules: UpkeepRules, now: OriginTimestamp
  ) throws(StoreError) -> AccountCleaning {
    try StoreError.storing { () throws(StorageError) -> AccountCleaning in
      let group = try WriteGroup(file.beginWrite(), schemas: schemas, keyBounds: keyBounds)
      do throws(StorageError) {
        let result = try AccountCleaning(group, rules, now: now)
        if result.hasChanges { _ = try group.commit() } else { group.rollback() }
        return result
      } catch {
        group.rollback()
        throw error
      }
    }
  }
}
