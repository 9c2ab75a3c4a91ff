// SPDX-License-Identifier: Apache-2.0

// Finding changes to upload (P1 C.2, P5 4).

import RealmFormats
package import RealmStorage
package import RealmSyncProtocol

/// Scans the history of a file for changesets to upload.
package struct UploadScan: Hashable, Sendable {
  /// A scan ends when it has found so many bytes.
  package var byteCountGoal = 128 << 10
  /// No message becomes larger, unless its only changeset is.
  package var byteCountMax = 16 << 20

  package init() {}

  /// The changesets of the versions after `version`, as a message has them. Nothing that can stay
  /// compressed is decompressed.
  ///
  /// - Parameter limit: The last version to scan; nil for the newest.
  package func batch(
    in snapshot: Snapshot, after version: UInt64, through limit: UInt64? = nil
  ) throws(StorageError) -> UploadBatch {
    guard let history = try snapshot.syncHistory() else {
      return UploadBatch(progress: UploadCursor(clientVersion: version))
    }
    let stored = history.progress
    var progress = UploadCursor(clientVersion: version, serverVersion: stored.upload.serverVersion)
    var entries: [UploadEntry] = []
    var isComplete = false
    var byteCount = 0
    var cursor = history.heads(after: version)
    while byteCount < byteCountGoal {
      guard let head = try cursor.next(), head.version <= limit ?? .max else {
        isComplete = true
        break
      }
      if head.isUploadable {
        var bytes = try history.changeset(at: head.version)
        if !history.isUpgraded { bytes = StoredChangesetFraming.encode(bytes) }
        let size = try StoredChangeset.byteCount(of: bytes)
        if !entries.isEmpty, byteCount + size >= byteCountMax { break }
        byteCount += size
        entries.append(
          UploadEntry(
            clientVersion: head.version, serverVersion: head.remoteVersion,
            timestamp: OriginTimestamp(milliseconds: UInt64(max(0, head.originTimestamp))),
            changeset: bytes))
      }
      progress = UploadCursor(clientVersion: head.version, serverVersion: head.remoteVersion)
    }
    return UploadBatch(
      try body(entries), lastVersion: entries.last?.clientVersion, progress: progress,
      lockedServerVersion: stored.download.serverVersion, isComplete: isComplete)
  }

  private func body(_ entries: [UploadEntry]) throws(StorageError) -> MessageBody {
    do throws(CompressionError) {
      return try MessageBody(stored: entries)
    } catch {
      throw .corrupted("a stored changeset cannot be decompressed: \(error)")
    }
  }
}
