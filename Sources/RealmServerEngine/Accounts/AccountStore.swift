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
  private nonisolated let thread: ServerThread
  private let schemas = SchemaCache()
  private let keyBounds = KeyBoundCache()

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// Opens a file, makes its tables if it is new, and removes what has expired.
  package init(
    _ file: DatabaseFile, now: OriginTimestamp, thread: ServerThread = ServerThread()
  ) throws(StoreError) {
    self.file = file
    self.thread = thread
    try StoreError.storing { () throws(StorageError) -> Void in
      try Self.prepare(file, schemas, keyBounds, now)
    }
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
    _ file: DatabaseFile, _ schemas: SchemaCache, _ keyBounds: KeyBoundCache, _ now: OriginTimestamp
  ) throws(StorageError) {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas, keyBounds: keyBounds)
    do throws(StorageError) {
      if try group.table(named: AccountTable.meta.rawValue) == nil {
        for kind in AccountTable.allCases { try make(kind, in: group) }
      }
      try check(group)
      try upgrade(group)
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

  /// Removes the rows whose time is over.
  private static func removeExpired(
    _ kind: AccountTable, _ now: OriginTimestamp, in group: WriteGroup
  ) throws(StorageError) {
    guard let table = try group.table(named: kind.rawValue) else { return }
    var keys: [ObjectKey] = []
    var cursor = try table.table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let reader = ServerRowReader(row: cluster.row(at: index), schema: table.schema)
        if try reader.number("expires") <= now.milliseconds { keys.append(cluster.key(at: index)) }
      }
    }
    for key in keys { try table.delete(key) }
  }
}
