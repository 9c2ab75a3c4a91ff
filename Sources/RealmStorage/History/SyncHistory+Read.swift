// SPDX-License-Identifier: Apache-2.0

// Reading the entries of a synchronised file's history.

extension SyncHistory {
  /// The newest version without an entry, after which the entries begin.
  package var base: UInt64 { version - UInt64(count) }

  /// The versions that have an entry.
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
    private let history: SyncHistory
    private var last: UInt64

    fileprivate init(history: SyncHistory, last: UInt64) {
      self.history = history
      self.last = last
    }

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
}
