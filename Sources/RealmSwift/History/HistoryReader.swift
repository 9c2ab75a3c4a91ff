// SPDX-License-Identifier: Apache-2.0

// Turns what the history of a file says into changes of objects.

import RealmStorage
import RealmTables

/// Reads the changes between two versions of a file.
struct HistoryReader {
  private let changes: VersionChanges
  /// The newer version.
  private let tables: TableGroup
  private let deletedKeys: [TableKey: [ObjectKey: TableValue]]
  /// The changed columns by object; those of embedded objects at the objects that own them.
  private var modifications: [TableKey: [ObjectKey: Set<ColumnKey>]] = [:]

  /// - Parameters:
  ///   - changes: What changed since `version`.
  ///   - tables: The version that the changes lead to.
  init(
    _ changes: VersionChanges, since version: UInt64, to tables: TableGroup
  ) throws(StorageError) {
    self.changes = changes
    self.tables = tables
    deletedKeys = try DeletionRecord.primaryKeys(after: version, in: tables)
    for table in changes.tables where !table.isEmpty { try collectModifications(of: table) }
  }

  /// The changes of objects by the names of their classes; nil if the primary key of a deleted
  /// object is not known.
  ///
  /// - Parameter propertyName: The name that the program has for a column; nil if it has none.
  func read(
    naming propertyName: (Table, Column) -> String?
  ) throws(StorageError) -> [String: ObjectChanges]? {
    var classes: [String: ObjectChanges] = [:]
    for key in try tables.tableKeys() {
      guard let table = try tables.table(key), let name = table.schema.className,
        table.schema.kind != .embedded
      else { continue }
      var found = ObjectChanges()
      if let own = changes[key] {
        for object in own.inserted.sorted() where object.rawValue >= 0 {
          found.insertions.append(try identity(of: object, in: table))
        }
        for object in own.deleted.sorted() where object.rawValue >= 0 {
          guard let identity = deletedIdentity(of: object, in: table) else { return nil }
          found.deletions.append(identity)
        }
      }
      for (object, columns) in (modifications[key] ?? [:]).sorted(by: { $0.key < $1.key }) {
        let names = columns.compactMap { column in
          table.schema.column(column).flatMap { propertyName(table, $0) ?? $0.name }
        }
        found.modifications.append(
          .init(
            identity: try identity(of: object, in: table), propertyNames: Array(names).sorted()))
      }
      if !found.isEmpty { classes[name] = found }
    }
    return classes
  }

  // MARK: Identities

  private func identity(
    of object: ObjectKey, in table: Table
  ) throws(StorageError) -> IdentityInClass {
    guard let column = table.schema.primaryKey else { return .row(object.rawValue) }
    guard let row = try table.row(of: object) else {
      throw .corrupted("the history has \(object) of '\(table.schema.name)', which does not exist")
    }
    return .primaryKey(try row.value(of: column))
  }

  private func deletedIdentity(of object: ObjectKey, in table: Table) -> IdentityInClass? {
    if table.schema.primaryKey == nil { return .row(object.rawValue) }
    return deletedKeys[table.key]?[object].map { .primaryKey($0) }
  }

  // MARK: Modifications

  private mutating func collectModifications(of change: TableChanges) throws(StorageError) {
    guard let table = try tables.table(change.table) else { return }
    let isEmbedded = table.schema.kind == .embedded
    for object in change.modifications.keys where object.rawValue >= 0 {
      if isEmbedded {
        try noteOwner(of: object, in: table)
      } else {
        modifications[table.key, default: [:]][object, default: []]
          .formUnion(change.modifiedColumns(of: object))
      }
    }
  }

  /// Notes that the object which owns an embedded one was changed in the property that holds it.
  /// What a new embedded object holds needs no note: the link to it was written.
  private mutating func noteOwner(of embedded: ObjectKey, in table: Table) throws(StorageError) {
    var object = embedded
    var table = table
    // Embedded objects form chains, never cycles; damaged files may have some.
    for _ in 0..<1000 {
      guard let (owner, column, origin) = try owner(of: object, in: table) else { return }
      if origin.schema.kind != .embedded {
        if changes[origin.key]?.inserted.contains(owner) != true {
          modifications[origin.key, default: [:]][owner, default: []].insert(column)
        }
        return
      }
      object = owner
      table = origin
    }
  }

  private func owner(
    of object: ObjectKey, in table: Table
  ) throws(StorageError) -> (ObjectKey, ColumnKey, Table)? {
    guard let row = try table.row(of: object) else { return nil }
    for column in table.schema.backlinkColumns {
      guard let link = column.oppositeColumn, let origin = column.targetTable,
        let owner = try row.backlinks(of: column).first, let origins = try tables.table(origin)
      else { continue }
      return (owner, link, origins)
    }
    return nil
  }
}
