// SPDX-License-Identifier: Apache-2.0

// The present revision of a session's data, and the changes since an older one.

package import RealmStorage
package import RealmTables

extension Session {
  /// The present revision. In a write transaction the changes from here on are recorded.
  package final func revision() throws(StorageError) -> DataRevision {
    guard let transaction else { return .version(try readableTables().version) }
    return .writing(transaction: transactionNumber, position: transaction.log.follow())
  }

  /// The tables that queries read at the present revision.
  package final func presentTables() throws(StorageError) -> any TableReader {
    if let transaction { return transaction }
    return try readableTables()
  }

  /// The changes since a revision.
  ///
  /// - Returns: Nil if they are not known, or if the log of other transactions, and of what this
  ///   one did before changes were recorded, has more than `byteLimit` bytes.
  package final func changes(
    since revision: DataRevision, byteLimit: Int
  ) throws(StorageError) -> VersionChanges? {
    switch (revision, transaction) {
    case (.version(let version), nil):
      let shown = try readableTables()
      guard version <= shown.version else { return nil }
      return try changes(since: version, through: shown, byteLimit: byteLimit)
    case (.version(let version), .some(let transaction)):
      // Rows that were created are new to a reader of an older version, so the changeset has all.
      guard let base = shownTables, version <= base.version,
        transaction.log.byteCount <= byteLimit,
        let log = try base.snapshot.file.changesets(
          after: version, through: base.snapshot, byteLimit: byteLimit)
      else { return nil }
      return try ChangeLogParser.changes(in: log + [transaction.log.changeset])
    case (.writing(let number, let position), .some(let transaction)):
      return number == transactionNumber ? transaction.log.changes(since: position) : nil
    case (.writing, nil): return nil
    }
  }

  /// The changes between two versions, cached: several results ask for the same ones in a row.
  private func changes(
    since version: UInt64, through tables: TableGroup, byteLimit: Int
  ) throws(StorageError) -> VersionChanges? {
    let end = tables.version
    if let last = lastChanges, last.start == version, last.end == end,
      last.changes != nil || last.byteLimit >= byteLimit
    {
      return last.changes
    }
    let snapshot = tables.snapshot
    var changes: VersionChanges?
    if let log = try snapshot.file.changesets(
      after: version, through: snapshot, byteLimit: byteLimit)
    {
      changes = try ChangeLogParser.changes(in: log)
    }
    lastChanges = ChangesSince(start: version, end: end, byteLimit: byteLimit, changes: changes)
    return changes
  }
}
