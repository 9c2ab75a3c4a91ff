// SPDX-License-Identifier: Apache-2.0

// Local write transactions of a synchronised file, recorded as its entries.
//
// 1. One writer exists at a time, and only it uses the recorder.
// 2. The entry is made after the last write, in the commit itself: so each version's entry has
//    exactly the writes of its transaction.
// 3. An entry can be uploaded: a transaction above the limit of messages is not committed.
// 4. No entry is older than an earlier local one that the history still has (P2 D.1): merges
//    compare the times of entries, and the clock of a device may be set back.

import RealmReplication
package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Records the local write transactions of one file.
package final class RecordedWrite: @unchecked Sendable {
  // Sendable: the recorder is touched only by the holder of the right to write (1).

  private var recorder = SyncRecorder()
  private var ident = FileIdentifier.own
  private let now: @Sendable () -> OriginTimestamp
  /// The newest local entry with writes, as of the last transaction.
  private var newest: (version: UInt64, timestamp: Int64)?

  private let limit: UploadLimit

  /// - Parameters:
  ///   - limit: That of the changes of a transaction.
  ///   - now: The clock whose time entries have.
  package init(
    limit: UploadLimit = .standard,
    now: @escaping @Sendable () -> OriginTimestamp = OriginTimestamp.now
  ) {
    self.limit = limit
    self.now = now
  }

  /// Records a transaction without writes so far; its commit stores its entry.
  package func attach(to group: WriteGroup) throws(StorageError) {
    assert(group.recorder == nil, "RecordedWrite 2: the transaction is recorded already")
    let current = FileIdentifier(UInt64(try group.transaction.fileIdentifier))
    if current == ident {
      recorder.removeAll()
    } else {
      recorder = SyncRecorder(file: current)
      ident = current
    }
    group.recorder = recorder
    group.beforeCommit = { [self, recorder] (group) throws(StorageError) in
      assert(group.recorder === recorder, "RecordedWrite 1")
      let changeset = try recorder.finish(group, within: limit)
      guard !changeset.isEmpty else { return }
      let transaction = group.transaction
      assert(transaction.syncEntry == nil, "RecordedWrite 2")
      if try !transaction.syncHistory().isUpgraded {
        try transaction.upgradeSyncHistory { StoredChangesetFraming.encode($0) }
      }
      transaction.syncEntry = SyncEntry(
        changeset: StoredChangesetFraming.encode(changeset),
        originTimestamp: max(
          Int64(clamping: now().milliseconds), try newestTimestamp(transaction.syncHistory())))
      transaction.syncEntryByteCount = changeset.count
    }
  }

  /// The time of the newest local entry that has writes; 0 if the history has none.
  private func newestTimestamp(_ history: SyncHistory) throws(StorageError) -> Int64 {
    // Entries that were read once are not read again. A reset may begin a shorter history.
    var known = history.base
    if let newest, (history.base...history.version).contains(newest.version) {
      known = newest.version
    } else {
      newest = nil
    }
    var version = history.version
    while version > known {
      let head = try history.head(at: version)
      if head.isUploadable {
        newest = (version, head.originTimestamp)
        break
      }
      version -= 1
    }
    return newest?.timestamp ?? 0
  }
}
