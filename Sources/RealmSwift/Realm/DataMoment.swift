// SPDX-License-Identifier: Apache-2.0

// Moments of a realm's data that what was computed belongs to.

import RealmQuery
import RealmStorage
import RealmTables

/// A state of the data that a realm showed: a version, or a position within a write transaction.
enum DataMoment: Equatable {
  case version(UInt64)
  case writing(transaction: UInt64, position: Int)
}

extension RealmCore {
  /// The present moment. In a write transaction the changes from here on are noted.
  func moment() throws(StorageError) -> DataMoment {
    guard let transaction else { return .version(try readableGroup().version) }
    return .writing(transaction: transactionNumber, position: transaction.log.follow())
  }

  /// Where queries find the tables at the present moment.
  func presentTables() throws(StorageError) -> any TableSource {
    if let transaction { return transaction }
    return try readableGroup()
  }

  /// What happened since a moment; nil if that is not known, or if the log of other transactions
  /// and of what this one did before somebody looked has more than so many bytes.
  func changes(
    since moment: DataMoment, byteLimit: Int
  ) throws(StorageError) -> VersionChanges? {
    switch (moment, transaction) {
    case (.version(let version), nil):
      let shown = try readableGroup()
      guard version <= shown.version else { return nil }
      return try changes(since: version, through: shown, byteLimit: byteLimit)
    case (.version(let version), .some(let transaction)):
      // Rows that were created are new to whoever has seen a version, so the changeset tells all.
      guard let base = shownGroup, version <= base.version,
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
}
