// SPDX-License-Identifier: Apache-2.0

// A realm in a file of our own.
//
// Invariants:
// 1. One write transaction is one append: objects, entries, client files and what belongs to them
//    move together, and are on the disk when the call returns.
// 2. Versions and cursors never go back, and the versions of the entries have no gaps.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The open file of a realm. Its calls block.
final class EmbeddedRealm: Sendable {
  let id: RealmID
  let name: RealmName
  private let file: DatabaseFile
  private let schemas = SchemaCache()
  private let keyBounds = KeyBoundCache()
  let recent = Locked(RecentEntries())
  private let onProblem: @Sendable (String) -> Void
  private let reported = Locked(OnceOnly<String>())

  /// Opens the file, which is made if it is missing.
  ///
  /// - Parameter onProblem: Takes a sentence about rows that cannot be read, once for each row.
  convenience init(
    _ id: RealmID, named name: RealmName, in files: any RealmFiles,
    onProblem: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(StoreError) {
    if !files.hasFile(of: id) {
      try files.make(id) { (file) throws(StoreError) in
        try StoreError.storing { () throws(StorageError) -> Void in
          try Self.makeTables(in: file, for: name)
        }
      }
    }
    try self.init(id, in: files, onProblem: onProblem)
    guard self.name == name else { throw .ambiguousName(self.name) }
    let isOld = try StoreError.storing { () throws(StorageError) in
      try ServerTables.lacksFields(read())
    }
    guard isOld else { return }
    _ = try write { (group) throws(StoreError) in
      try StoreError.storing { () throws(StorageError) in
        try ServerTables.addMissing(in: group)
      }
    }
  }

  /// Opens a file that is there.
  init(
    _ id: RealmID, in files: any RealmFiles,
    onProblem: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(StoreError) {
    self.onProblem = onProblem
    self.id = id
    let file = try StoreError.storing { () throws(StorageError) in try files.open(id) }
    self.file = file
    let (layout, name) = try StoreError.storing {
      () throws(StorageError) -> (Int64?, RealmName) in
      let group = try TableGroup(file.snapshot(), schemas: SchemaCache())
      guard let table = try group.table(named: ServerTables.meta.rawValue),
        let row = try table.row(of: ServerTables.metaKey)
      else { throw .corrupted("the file has no row in \(ServerTables.meta.rawValue)") }
      let meta = ServerRowReader(row: row, schema: table.schema)
      return (
        try meta.optionalNumber("layout"),
        RealmName(
          app: try meta.optionalText("app") ?? "", partition: try meta.optionalText("partition"))
      )
    }
    guard layout == ServerTables.layout else {
      throw .damaged("the file has layout \(layout ?? 0) instead of \(ServerTables.layout)")
    }
    self.name = name
  }

  private static func makeTables(
    in file: DatabaseFile, for name: RealmName
  ) throws(StorageError) {
    let group = try WriteGroup(file.beginWrite())
    do throws(StorageError) {
      try ServerTables.make(in: group, for: name)
      _ = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
  }

  // MARK: Transactions

  func read() throws(StorageError) -> TableGroup {
    try TableGroup(file.snapshot(), schemas: schemas)
  }

  /// Runs a transaction, which is rolled back if `body` throws or says false.
  func write(
    _ body: (WriteGroup) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    let group = try StoreError.storing { () throws(StorageError) in
      try WriteGroup(file.beginWrite(), schemas: schemas, keyBounds: keyBounds)
    }
    do throws(StoreError) {
      guard try body(group) else {
        group.rollback()
        return false
      }
    } catch {
      group.rollback()
      throw error
    }
    _ = try StoreError.storing { () throws(StorageError) in try group.commit() }
    return true
  }

  func table(
    _ kind: ServerTables, of group: TableGroup
  ) throws(StorageError) -> Table {
    guard let table = try group.table(named: kind.rawValue) else {
      throw .corrupted("the file has no table \(kind.rawValue)")
    }
    return table
  }

  func reader(
    _ kind: ServerTables, _ key: ObjectKey, of group: WriteGroup
  ) throws(StorageError) -> ServerRowReader? {
    guard let table = try group.table(named: kind.rawValue) else {
      throw .corrupted("the file has no table \(kind.rawValue)")
    }
    return try table.row(of: key).map { ServerRowReader(row: $0, schema: table.schema) }
  }

  // MARK: The head

  func meta(of group: TableGroup) throws(StorageError) -> ServerRowReader {
    let table = try table(.meta, of: group)
    guard let row = try table.row(of: ServerTables.metaKey) else {
      throw .corrupted("the file has no row in \(ServerTables.meta.rawValue)")
    }
    return ServerRowReader(row: row, schema: table.schema)
  }

  func head(_ meta: ServerRowReader) throws(StorageError) -> RealmHead {
    RealmHead(
      realm: id, version: try meta.number("version"), salt: try meta.number("salt"),
      totalByteCount: Int(truncatingIfNeeded: try meta.number("total_size")),
      base: try meta.number("base"), epoch: try meta.number("epoch"))
  }

  func head(of group: WriteGroup) throws(StorageError) -> RealmHead {
    guard let meta = try reader(.meta, ServerTables.metaKey, of: group) else {
      throw .corrupted("the file has no row in \(ServerTables.meta.rawValue)")
    }
    return try head(meta)
  }

  /// Makes the caller the owner.
  func own() throws(StoreError) -> RealmHead {
    var result = RealmHead(realm: id)
    _ = try write { (group) throws(StoreError) in
      try StoreError.storing { () throws(StorageError) -> Void in
        result = try head(of: group)
        result.epoch += 1
        let row = try ServerRow(.meta, at: ServerTables.metaKey, in: group, isNew: false)
        try row.set(result.epoch, "epoch")
      }
      return true
    }
    return result
  }

  /// Reports what cannot be read, once.
  func report(_ problem: String) {
    guard reported.withLock({ $0.insert(problem) }) else { return }
    onProblem("\(id.rawValue): \(problem)")
  }
}
