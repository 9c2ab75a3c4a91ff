// SPDX-License-Identifier: Apache-2.0

// Local write transactions of a synchronised file, recorded as its entries.
//
// 1. One writer exists at a time, and only it uses the recorder.
// 2. The entry is made after the last write, in the commit itself: so each version's entry has
//    exactly the writes of its transaction.

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

  /// - Parameter now: The clock whose time entries have.
  package init(now: @escaping @Sendable () -> OriginTimestamp = OriginTimestamp.now) {
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
    group.beforeCommit = { [recorder, now] (group) throws(StorageError) in
      assert(group.recorder === recorder, "RecordedWrite 1")
      let changeset = try recorder.finish(group)
      guard !changeset.isEmpty else { return }
      let transaction = group.transaction
      assert(transaction.syncEntry == nil, "RecordedWrite 2")
      if try !transaction.syncHistory().isUpgraded {
        try transaction.upgradeSyncHistory { StoredChangeset.encode($0) }
      }
      transaction.syncEntry = SyncEntry(
        changeset: StoredChangeset.encode(changeset),
        originTimestamp: Int64(clamping: now().milliseconds))
      transaction.syncEntryByteCount = changeset.count
    }
  }
}
