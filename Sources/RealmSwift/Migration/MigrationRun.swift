// SPDX-License-Identifier: Apache-2.0

// The execution of a migration from the first change to the last: two realms over one write
// transaction.
//
// Invariants:
// 1. `oldCore` shows the version that the transaction started from; the snapshot keeps all of it,
//    whatever the transaction does. `newCore` shows the transaction.
// 2. Until `finish()` nothing is removed that the new schema lacks, and no key is primary that was
//    not before: the block may rename the remaining properties, and set keys in any order.
// 3. Both realms end with the block; objects of them that are still referenced are invalid then.

import RealmSession
import RealmStorage
import RealmTables

/// Migrates a file to a higher schema version.
final class MigrationRun {
  /// The classes of the program.
  let schemas: [ModelSchema]
  let oldCore: RealmCore
  private(set) var newCore: RealmCore

  private let shared: SharedFile
  private let writing: WriteGroup
  private let base: TableGroup
  private let writer: SchemaWriter
  /// The tables in which primary keys were set.
  private let changedKeys = MigratedKeys()
  /// The renamed properties, by class: old names and new ones.
  private var renamed: [(className: String, name: String)] = []
  private var tablesToRemove: [TableKey] = []

  /// The threads that run the block of a migration, by the path of its file.
  private static let threads = Locked<[String: ThreadIdentity]>([:])

  /// Whether the calling thread is in the block of a migration of the file at `path`.
  static func isRunningHere(_ path: String) -> Bool {
    threads.withLock { $0[path] }?.isCurrent ?? false
  }

  init(
    _ schemas: [ModelSchema], _ configuration: Realm.Configuration, _ shared: SharedFile,
    _ writing: WriteGroup, _ base: TableGroup
  ) throws(StorageError) {
    self.schemas = schemas
    self.shared = shared
    self.writing = writing
    self.base = base
    writer = SchemaWriter(writing)
    oldCore = RealmCore(
      configuration: configuration, confinement: .thread(.current), shared: shared, reading: base)
    try oldCore.registerStoredClasses()
    newCore = RealmCore(
      configuration: configuration, confinement: .thread(.current), shared: shared, reading: base)
    assert(oldCore.shownTables === base, "`MigrationRun` 1: the old realm shows another version")
  }

  /// Changes the tables, calls `block`, if there is one, and applies the remaining changes.
  func migrate(
    _ comparison: SchemaComparison, _ block: ((Migration, UInt64) throws -> Void)?
  ) throws {
    try writer.prepare(comparison)
    defer { end() }
    if let block {
      try newCore.join(writing, schemas, changedKeys)
      let path = shared.file.path
      MigrationRun.threads.withLock { $0[path] = .current }
      defer { MigrationRun.threads.withLock { $0[path] = nil } }
      try block(Migration(self), comparison.storedVersion ?? 0)
      newCore.leave()
    }
    try finish()
  }

  private func end() {
    newCore.leave()
    oldCore.leave()
    assert(!newCore.isInWrite && newCore.shownTables == nil, "`MigrationRun` 3")
  }

  private func finish() throws {
    let rest = try SchemaComparison(schemas, writing.tableSchemas(), nil)
    for (className, name) in renamed {
      let schema = schemas.first { $0.className == className }
      let isWanted = schema?.properties.contains { $0.columnName == name } ?? false
      let exists = try writing.table(named: "class_" + className)?.schema.column(named: name)
      if !isWanted, exists != nil {
        throw Realm.Error(.fail, message: "Renamed property '\(className).\(name)' does not exist.")
      }
    }
    try writer.finish(rest)
    for key in changedKeys.tables { try writer.requireUniquePrimaryKeys(key) }
    for key in tablesToRemove { try writer.removeTableIfUnlinked(key) }
  }

  // MARK: Requests of the block

  func enumerateObjects(
    _ name: String, _ block: MigrationObjectEnumerateBlock
  ) throws(StorageError) {
    let old = oldCore.classes.dynamic[name]
    let new = newCore.classes.dynamic[name]
    guard let old else {
      guard let new else { return }
      for key in try new.keys() {
        guard let row = try new.row(of: key) else { continue }
        block(nil, new.makeDynamic(key, row))
      }
      return
    }
    var cursor = try old.table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let key = cluster.key(at: index)
        let oldObject = old.makeDynamic(key, cluster.row(at: index))
        guard let new = newCore.classes.dynamic[name] else {
          block(oldObject, nil)
          continue
        }
        guard let row = try new.row(of: key) else { continue }
        block(oldObject, new.makeDynamic(key, row))
      }
    }
  }

  func deleteData(_ name: String) throws(StorageError) -> Bool {
    guard let table = try writing.table(named: "class_" + name) else { return false }
    if writing.appliesDeleteRules(to: table.key), let info = newCore.classes.dynamic[name] {
      newCore.objects.delete(try info.keys(), info)
    } else {
      try table.deleteAll()
      newCore.didMutate()
    }
    if newCore.classes.dynamic[name] == nil { tablesToRemove.append(table.key) }
    return true
  }

  func renameProperty(_ className: String, _ oldName: String, _ newName: String) throws {
    guard let table = try writing.table(named: "class_" + className) else {
      throwRealmException(
        "Cannot rename properties for type '\(className)' because it does not exist.")
    }
    guard let schema = schemas.first(where: { $0.className == className }) else {
      throwRealmException(
        "Cannot rename properties for type '\(className)' because it has been removed from the "
          + "Realm.")
    }
    let path = "\(className).\(oldName)"
    if schema.properties.contains(where: { $0.columnName == oldName }) {
      throwRealmException(
        "Cannot rename property '\(path)' to '\(newName)' because the source property still "
          + "exists.")
    }
    guard let old = table.schema.column(named: oldName) else {
      throwRealmException("Cannot rename property '\(path)' because it does not exist.")
    }
    newCore.leave()
    if let new = table.schema.column(named: newName) {
      try requireSameType(old, new, "Cannot rename property '\(path)' to '\(newName)'")
      try table.columns.remove(new.key)
    }
    try table.columns.rename(old.key, to: newName)
    let property = schema.properties.first { $0.columnName == newName }
    if let property, let column = table.schema.column(named: newName) {
      if column.canBeRequired, column.isNullable != property.shape.isOptional {
        try writer.changeNullability(property, column, schema)
      }
    } else {
      renamed.append((className, newName))
    }
    // A realm's columns are fixed when it is made, so another one takes over.
    newCore = RealmCore(
      configuration: oldCore.configuration, confinement: oldCore.confinement, shared: shared,
      reading: base)
    try newCore.join(writing, schemas, changedKeys)
  }

  private func requireSameType(_ old: Column, _ new: Column, _ start: String) throws(StorageError) {
    let names = try writing.classNames()
    let (oldType, newType) = (old.typeDescription(names), new.typeDescription(names))
    if oldType != newType {
      throwRealmException(
        start + " because it would change from type '\(oldType)' to '\(newType)'.")
    }
    if old.isNullable, !new.isNullable {
      throwRealmException(start + " because it would change from optional to required.")
    }
  }
}

/// The tables in which a migration set primary keys.
final class MigratedKeys {
  var tables: Set<TableKey> = []
}

extension ClassInfo {
  fileprivate func makeDynamic(_ key: ObjectKey, _ row: Row) -> DynamicObject {
    guard let object = makeObject(key, row) as? DynamicObject else {
      preconditionFailure("objects of dynamic classes are dynamic")
    }
    return object
  }

  fileprivate func keys() throws(StorageError) -> [ObjectKey] {
    var keys: [ObjectKey] = []
    var cursor = try table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count { keys.append(cluster.key(at: index)) }
    }
    return keys
  }
}
