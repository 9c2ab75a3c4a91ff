// SPDX-License-Identifier: Apache-2.0

// The changes that a reset or an adoption makes again.

import RealmStorage
import RealmSyncProtocol

/// The changes of a file that are not uploaded.
struct OwnChanges {
  struct Entry {
    let version: UInt64
    /// Milliseconds since the beginning of 2015.
    let timestamp: Int64
    let changeset: Changeset
  }

  /// The identifier of the file.
  let file: FileIdentifier
  /// As integrations since have altered them, in their order.
  private(set) var entries: [Entry] = []

  /// - Parameter ident: The identifier in the keys of objects that were made before the file had
  ///   one; `FileIdentifier.own` if these stay as they are.
  init(
    in transaction: WriteTransaction, replacingOwnFileBy ident: FileIdentifier = .own
  ) throws(StorageError) {
    file = FileIdentifier(UInt64(try transaction.fileIdentifier))
    let history = try transaction.syncHistory()
    var cursor = history.heads(after: history.progress.upload.clientVersion)
    while let head = try cursor.next() {
      guard head.isUploadable else { continue }
      var stored = try history.reciprocal(at: head.version)
      if stored == nil { stored = try history.changeset(at: head.version) }
      entries.append(
        Entry(
          version: head.version, timestamp: head.originTimestamp,
          changeset: try StoredChangeset.parse(stored ?? [], replacingOwnFileBy: ident).changeset))
    }
  }
}
