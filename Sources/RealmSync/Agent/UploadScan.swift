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

  /// The changesets of the versions after `version`, as they were recorded.
  ///
  /// - Parameter limit: The last version to scan; nil for the newest.
  package func batch(
    in snapshot: Snapshot, after version: UInt64, through limit: UInt64? = nil
  ) throws(StorageError) -> UploadBatch {
    var batch = try stored(in: snapshot, after: version, through: limit)
    for index in batch.entries.indices {
      batch.entries[index].changeset = try StoredChangeset.decode(batch.entries[index].changeset)
    }
    return batch
  }

  /// The same as a message has it, which decompresses nothing that can stay compressed.
  package func contents(
    in snapshot: Snapshot, after version: UInt64, through limit: UInt64? = nil
  ) throws(StorageError) -> UploadContents {
    let batch = try stored(in: snapshot, after: version, through: limit)
    do throws(CompressionError) {
      return UploadContents(batch, try MessageBody(stored: batch.entries))
    } catch {
      throw .corrupted("a stored changeset cannot be decompressed: \(error)")
    }
  }

  /// The batch with its changesets in their stored form.
  private func stored(
    in snapshot: Snapshot, after version: UInt64, through limit: UInt64?
  ) throws(StorageError) -> UploadBatch {
    guard let history = try snapshot.syncHistory() else {
      return UploadBatch(
        progress: UploadCursor(clientVersion: version))
    }
    let progress = history.progress
    var batch = UploadBatch(
      progress: UploadCursor(
        clientVersion: version, serverVersion: progress.upload.serverVersion),
      lockedServerVersion: progress.download.serverVersion, isComplete: false)
    var byteCount = 0
    var cursor = history.heads(after: version)
    while byteCount < byteCountGoal {
      guard let head = try cursor.next(), head.version <= limit ?? .max else {
        batch.isComplete = true
        break
      }
      if head.isUploadable {
        var bytes = try history.changeset(at: head.version)
        if !history.isUpgraded { bytes = StoredChangeset.encode(bytes) }
        let size = try StoredChangeset.byteCount(of: bytes)
        if !batch.entries.isEmpty, byteCount + size >= byteCountMax { break }
        byteCount += size
        batch.entries.append(
          UploadEntry(
            clientVersion: head.version, serverVersion: head.remoteVersion,
            timestamp: OriginTimestamp(milliseconds: UInt64(max(0, head.originTimestamp))),
            changeset: bytes))
      }
      batch.progress = UploadCursor(
        clientVersion: head.version, serverVersion: head.remoteVersion)
    }
    return batch
  }
}
