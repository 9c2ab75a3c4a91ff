// SPDX-License-Identifier: Apache-2.0

// Dropping entries that neither the server nor a merge needs any more.

extension SyncHistory {
  /// Drops the entries of the versions up to `limit`.
  mutating func trim(through limit: UInt64, _ allocator: NodeAllocator) throws(StorageError) {
    let dropped = Int(min(max(limit, base) - base, UInt64(count)))
    guard dropped > 0 else { return }
    changesets = try Bytes.removeFirst(dropped, from: changesets, allocator)
    reciprocals = try Bytes.removeFirst(dropped, from: reciprocals, allocator)
    remoteVersions = try Integers.removeFirst(dropped, from: remoteVersions, allocator)
    originFiles = try Integers.removeFirst(dropped, from: originFiles, allocator)
    originTimestamps = try Integers.removeFirst(dropped, from: originTimestamps, allocator)
    count -= dropped
    assert(count >= 0, "`SyncHistory` 1")
  }

  /// The newest version whose entry is not needed: that of the download cursor, as everything that
  /// comes from the server is based on that or a later one, and those directly after it that have
  /// nothing to upload.
  package func trimmableVersion() throws(StorageError) -> UInt64 {
    var limit = min(max(base, progress.download.clientVersion), version)
    var cursor = heads(after: limit)
    while let head = try cursor.next(), !head.isUploadable { limit = head.version }
    return limit
  }
}
