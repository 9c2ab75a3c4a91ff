// SPDX-License-Identifier: Apache-2.0

// The entries of a synchronised file's history: reading, adding and changing them.

extension SyncHistory {
  /// The newest version without an entry, after which the entries begin.
  package var base: UInt64 { version - UInt64(count) }

  package var versions: ClosedRange<UInt64>? { count == 0 ? nil : base + 1...version }

  /// The entry of one version.
  ///
  /// - Throws: `StorageError.corrupted` if the history has no such entry or is damaged.
  package func entry(at version: UInt64) throws(StorageError) -> SyncEntry {
    let head = try head(at: version)
    return SyncEntry(
      changeset: try changeset(at: version), reciprocal: try reciprocal(at: version),
      remoteVersion: head.remoteVersion, originFile: head.originFile,
      originTimestamp: head.originTimestamp)
  }

  /// The changeset of one version, as it was committed.
  package func changeset(at version: UInt64) throws(StorageError) -> [UInt8] {
    try Self.bytes(at: try index(of: version), of: changesets, in: space) ?? []
  }

  /// The changeset of one version as transformed by what was integrated since; nil if it is the
  /// same as the changeset.
  package func reciprocal(at version: UInt64) throws(StorageError) -> [UInt8]? {
    try Self.bytes(at: try index(of: version), of: reciprocals, in: space)
  }

  /// The entry of one version without its changesets.
  package func head(at version: UInt64) throws(StorageError) -> SyncEntryHead {
    let index = try index(of: version)
    let remoteVersion = try Integers.value(at: index, of: remoteVersions, in: space)
    let originFile = try Integers.value(at: index, of: originFiles, in: space)
    guard remoteVersion >= 0, originFile >= 0 else {
      throw .corrupted("the entry of version \(version) has negative numbers")
    }
    return SyncEntryHead(
      version: version, remoteVersion: UInt64(remoteVersion), originFile: Int(originFile),
      originTimestamp: try Integers.value(at: index, of: originTimestamps, in: space),
      storedByteCount: try storedByteCount(at: index))
  }

  /// Goes through the entries of the versions after `version`, oldest first, without reading their
  /// changesets. It begins at the oldest entry if that is of a later version.
  package func heads(after version: UInt64) -> Cursor {
    Cursor(history: self, last: max(base, version))
  }

  /// Whether there are local entries with a changeset that the server has not integrated.
  package func hasPendingUploads() throws(StorageError) -> Bool {
    var cursor = heads(after: progress.upload.clientVersion)
    while let head = try cursor.next() {
      if head.isUploadable { return true }
    }
    return false
  }

  /// A position among the entries.
  package struct Cursor: Sendable {
    fileprivate let history: SyncHistory
    fileprivate var last: UInt64

    /// The next entry; nil after the newest.
    package mutating func next() throws(StorageError) -> SyncEntryHead? {
      guard last < history.version else { return nil }
      last += 1
      return try history.head(at: last)
    }
  }

  func index(of version: UInt64) throws(StorageError) -> Int {
    guard let versions, versions.contains(version) else {
      throw .corrupted("the history of synchronisation has no entry of version \(version)")
    }
    return Int(version - versions.lowerBound)
  }

  static func bytes(
    at index: Int, of tree: Ref, in space: NodeSpace
  ) throws(StorageError) -> [UInt8]? {
    let (leaf, position) = try Bytes.leaf(containing: index, of: tree, in: space)
    return try BinaryLeaf.bytes(at: position, of: leaf, in: space)
  }

  private func storedByteCount(at index: Int) throws(StorageError) -> Int {
    let (leaf, position) = try Bytes.leaf(containing: index, of: changesets, in: space)
    let node = try space.node(at: leaf)
    // A long value is a chain of blobs, which only a leaf with a ref for each value can hold.
    if node.header.hasContext, node.header.hasRefs {
      let ref = try node.ref(at: position)
      if !ref.isNull, try space.node(at: ref).header.hasRefs {
        return try BlobNode.chainByteCount(of: ref, in: space)
      }
    }
    return try BinaryLeaf.value(at: position, of: leaf, in: space)?.count ?? 0
  }

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
