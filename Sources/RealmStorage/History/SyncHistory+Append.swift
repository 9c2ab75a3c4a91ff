// SPDX-License-Identifier: Apache-2.0

// Adding the entry of a commit to the history of a synchronised file, and changing entries in it.

extension SyncHistory {
  /// Adds the entry of the next version.
  ///
  /// - Parameters:
  ///   - entry: The entry. The remote version of a local one is that of the download cursor,
  ///     whatever it says.
  ///   - byteCount: The uncompressed size of its changeset; that of a local one is to be uploaded.
  mutating func append(
    _ entry: SyncEntry, byteCount: Int, _ allocator: NodeAllocator
  ) throws(StorageError) {
    precondition(entry.originFile >= 0 && byteCount >= 0, "negative numbers in an entry")
    try makeTrees(allocator)
    let remoteVersion = entry.isLocal ? progress.download.serverVersion : entry.remoteVersion
    changesets = try Self.append(entry.changeset, to: changesets, allocator)
    reciprocals = try Self.append(entry.reciprocal, to: reciprocals, allocator)
    remoteVersions = try Integers.append(
      try Self.stored(remoteVersion), to: remoteVersions, allocator)
    originFiles = try Integers.append(Int64(entry.originFile), to: originFiles, allocator)
    originTimestamps = try Integers.append(entry.originTimestamp, to: originTimestamps, allocator)
    count += 1
    version += 1
    if entry.isLocal { addUploadable(byteCount) }
    assert(UInt64(count) < version, "`SyncHistory` 1: a version has one entry")
  }

  /// Corrects the number of bytes to be uploaded, within the range of a slot: the counter of a file
  /// of another SDK may be wrong, and is for display alone.
  mutating func addUploadable(_ change: Int) {
    let (sum, overflow) = progress.uploadableByteCount.addingReportingOverflow(change)
    progress.uploadableByteCount = overflow ? Int.max : max(0, sum)
  }

  private mutating func makeTrees(_ allocator: NodeAllocator) throws(StorageError) {
    if changesets.isNull { changesets = try Bytes.make(in: allocator) }
    if reciprocals.isNull { reciprocals = try Bytes.make(in: allocator) }
    if remoteVersions.isNull { remoteVersions = try Integers.make(in: allocator) }
    if originFiles.isNull { originFiles = try Integers.make(in: allocator) }
    if originTimestamps.isNull { originTimestamps = try Integers.make(in: allocator) }
  }

  /// Appends bytes of any length, or null.
  static func append(
    _ bytes: [UInt8]?, to tree: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    guard let bytes else { return try Bytes.append(nil, to: tree, allocator) }
    return try Bytes.append(bytes, to: tree, allocator)
  }

  // MARK: Changing

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
