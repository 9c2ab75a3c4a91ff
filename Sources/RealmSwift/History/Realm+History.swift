// SPDX-License-Identifier: Apache-2.0

// What changed since a version that the program has noted.

import RealmSession
import RealmStorage
import RealmTables

extension Realm {
  /// The version that the realm shows; in a write transaction the one before it.
  public var historyToken: HistoryToken {
    core.checkIsolation()
    let tables = orTrap(try core.readableTables())
    return orTrap(try core.historyToken(at: tables.version, in: tables))
  }

  /// The objects that came, changed and went between the version of a token and the one that the
  /// realm shows, in a write transaction the one before it.
  ///
  /// ```swift
  /// var configuration = Realm.Configuration.defaultConfiguration
  /// configuration.historyLimit = 10_000
  /// let realm = try Realm(configuration: configuration)
  /// let changes = try realm.changes(since: stored)
  /// for id in changes[Todo.self].deletions { exporter.remove(id) }
  /// for id in changes[Todo.self].insertions { exporter.add(realm[id]) }
  /// stored = changes.token
  /// ```
  ///
  /// The file has the changes of the last ``Realm/Configuration/historyLimit`` commits, if all who
  /// write it ask for them: this process and others. What several commits did is summed up: an
  /// object that came and went in between is not reported. A write that sets the value that was
  /// there counts.
  ///
  /// - Throws: ``HistoryError`` if the file does not have the changes any more, and for tokens of
  ///   other files; `Realm.Error` if the file is damaged.
  /// - Complexity: O(size of the changes).
  public func changes(since token: HistoryToken) throws -> RealmChanges {
    core.checkIsolation()
    do {
      return try core.changes(since: token)
    } catch let error as StorageError {
      throw Realm.Error(error, path: core.file.path)
    }
  }

  /// The object of the class called `typeName` that `id` names; nil if the realm does not have it.
  ///
  /// Traps if the realm's schema has no such class.
  public func dynamicObject(
    ofType typeName: String, identifiedBy id: PersistentID<DynamicObject>
  ) -> DynamicObject? {
    core.checkIsolation()
    let info = core.dynamicInfo(named: typeName)
    return info.searching(try id.find(in: info), else: nil).flatMap {
      info.makeObject($0.key, $0.row) as? DynamicObject
    }
  }
}

extension RealmCore {
  /// The token of a version, as far back as the history of a later one reaches.
  fileprivate func historyToken(
    at version: UInt64, in tables: TableGroup
  ) throws(StorageError) -> HistoryToken {
    HistoryToken(
      version: version,
      changeset: try file.changeset(making: version, through: tables.snapshot),
      identity: try DeletionRecord.fileIdentity(at: version, in: tables))
  }

  fileprivate func changes(since token: HistoryToken) throws -> RealmChanges {
    let tables = try readableTables()
    guard token.version <= tables.version else {
      throw HistoryError(
        .foreignToken,
        "the token is of version \(token.version), and the realm shows \(tables.version).",
        configuration)
    }
    let own = try historyToken(at: token.version, in: tables)
    let log = try file.changesets(
      after: token.version, through: tables.snapshot, byteLimit: .max)
    guard let log, own.mark != nil || token.mark == nil else {
      throw HistoryError(
        .truncated, "the file does not have those since version \(token.version) any more.",
        configuration)
    }
    guard token == own else {
      throw HistoryError(.foreignToken, "the token is of another file.", configuration)
    }
    let changes = try ChangeLogParser.changes(in: log)
    guard !changes.removedTables else {
      throw HistoryError(.truncated, "a class was removed from the file.", configuration)
    }
    let reader = try HistoryReader(changes, since: token.version, to: tables)
    let found = try reader.read { table, column in
      classes[table.key]?.property(of: column.key)?.name
    }
    guard let found else {
      throw HistoryError(
        .truncated,
        "objects were deleted by a writer that has no 'historyLimit', so their primary keys are "
          + "gone.", configuration)
    }
    return RealmChanges(found, upTo: try historyToken(at: tables.version, in: tables))
  }
}
