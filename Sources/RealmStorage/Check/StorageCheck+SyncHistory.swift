// SPDX-License-Identifier: Apache-2.0

// The check of a synchronised file's history (`SyncHistory`).

extension StorageCheck {
  /// Checks the slots, the trees and the entries of the history.
  mutating func checkSyncHistory() {
    checkHistorySchema(in: SyncHistory.schemaVersions)
    do throws(StorageError) {
      let history = try SyncHistory(
        at: top.history, schemaVersion: top.historySchemaVersion, version: top.version,
        in: snapshot.space, of: snapshot)
      try validateTrees(of: history)
      checkCursors(history.progress)
      try checkEntries(of: history)
    } catch {
      report(5, .error, Self.reason(error))
    }
  }

  private func validateTrees(of history: SyncHistory) throws(StorageError) {
    for tree in [history.changesets, history.reciprocals] where !tree.isNull {
      try SyncHistory.Bytes.validate(tree, in: snapshot.space)
    }
    for tree in [history.remoteVersions, history.originFiles, history.originTimestamps]
    where !tree.isNull {
      try SyncHistory.Integers.validate(tree, in: snapshot.space)
    }
  }

  private mutating func checkCursors(_ progress: SyncProgress) {
    for version in [progress.download.clientVersion, progress.upload.clientVersion]
    where version > top.version {
      report(5, .error, "a cursor is at version \(version) of version \(top.version)")
    }
  }

  /// Server versions do not descend from entry to entry; readers do not rely on it.
  private mutating func checkEntries(of history: SyncHistory) throws(StorageError) {
    var cursor = history.heads(after: 0)
    var last: UInt64 = 0
    while let head = try cursor.next() {
      if head.remoteVersion < last {
        report(
          5, .warning, "the entry of version \(head.version) goes back to \(head.remoteVersion)")
      }
      last = head.remoteVersion
    }
  }
}
