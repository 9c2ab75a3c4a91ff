// SPDX-License-Identifier: Apache-2.0

// What a file takes over from its fresh copy.

import RealmStorage
import RealmSyncProtocol

/// What a fresh copy has.
struct CopiedState {
  let snapshot: Snapshot
  let ident: FileIdentifier
  let salt: Int64
  /// The cursors of a file that has what the copy has, and has sent nothing.
  let progress: SyncProgress

  init(_ copy: DatabaseFile) throws(StorageError) {
    snapshot = try copy.snapshot()
    guard let history = try snapshot.syncHistory() else {
      throw .corrupted("the fresh copy of a file was never synchronised")
    }
    ident = FileIdentifier(UInt64(try snapshot.top().fileIdentifier))
    salt = history.fileSalt
    guard ident != .own, salt > 0 else {
      throw .corrupted("the fresh copy of a file has no identifier")
    }
    var progress = SyncProgress()
    let server = history.progress.download.serverVersion
    progress.latestServerVersion = history.progress.latestServerVersion
    progress.latestServerVersionSalt = history.progress.latestServerVersionSalt
    progress.download = SyncProgress.Cursor(serverVersion: server)
    progress.upload = SyncProgress.Cursor(serverVersion: server)
    self.progress = progress
  }
}
