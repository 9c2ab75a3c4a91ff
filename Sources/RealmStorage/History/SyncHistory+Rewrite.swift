// SPDX-License-Identifier: Apache-2.0

// Changing entries that are in the history of a synchronised file.

extension SyncHistory {
  /// Replaces the entry of one version.
  ///
  /// - Parameter sizeChange: By how many uncompressed bytes the changeset becomes longer; the bytes
  ///   to be uploaded are corrected by it.
  mutating func replace(
    at version: UInt64, with entry: SyncEntry, sizeChange: Int, _ allocator: NodeAllocator
  ) throws(StorageError) {
    precondition(entry.originFile >= 0, "negative numbers in an entry")
    let index = try index(of: version)
    let old = try self.entry(at: version)
    if entry.changeset != old.changeset {
      changesets = try Self.set(entry.changeset, at: index, in: changesets, allocator)
    }
    if entry.reciprocal != old.reciprocal {
      reciprocals = try Self.set(entry.reciprocal, at: index, in: reciprocals, allocator)
    }
    if entry.remoteVersion != old.remoteVersion {
      remoteVersions = try Integers.set(
        try Self.stored(entry.remoteVersion), at: index, in: remoteVersions, allocator)
    }
    if entry.originFile != old.originFile {
      originFiles = try Integers.set(Int64(entry.originFile), at: index, in: originFiles, allocator)
    }
    if entry.originTimestamp != old.originTimestamp {
      originTimestamps = try Integers.set(
        entry.originTimestamp, at: index, in: originTimestamps, allocator)
    }
    addUploadable(sizeChange)
  }

  /// Stores how the changeset of one version is transformed; nil if it is the same again.
  mutating func setReciprocal(
    _ bytes: [UInt8]?, at version: UInt64, _ allocator: NodeAllocator
  ) throws(StorageError) {
    let index = try index(of: version)
    reciprocals = try Self.set(bytes, at: index, in: reciprocals, allocator)
  }

  private static func set(
    _ bytes: [UInt8]?, at index: Int, in tree: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    guard let bytes else { return try Bytes.set(nil, at: index, in: tree, allocator) }
    return try withView(of: bytes) { view throws(StorageError) in
      try Bytes.set(view, at: index, in: tree, allocator)
    }
  }
}
