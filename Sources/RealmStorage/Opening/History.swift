// SPDX-License-Identifier: Apache-2.0

// The in-file history: what each of the newest commits changed (file format 2.7.2).
//
// With n entries in version v, entry i describes the step from version v - n + i to the next.
// Entries are not needed to recover data; a session that reads an older version reads them to learn
// what changed since. So a commit keeps only those that a pinned version still has ahead of it, and
// those of the last commits that the file was asked to keep (`DatabaseFile.historyLimit`).

/// Reads and extends the changesets in a file.
enum History {
  private typealias Entries = BTree<BinaryLeaf>

  /// Adds the changeset of `version`'s commit, and drops those leading to versions up to `oldest`.
  ///
  /// - Returns: The new root.
  static func append(
    _ changeset: [UInt8], to root: Ref, making version: UInt64, oldest: UInt64,
    _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let count = root.isNull ? 0 : try Entries.count(root, in: allocator.space)
    let kept = min(count, Int(version - 1 - min(oldest, version - 1)))
    guard UInt64(count) < version, kept > 0 else {
      // A history that no reader needs; or one that counts more commits than there were.
      try allocator.freeTree(root)
      return try append(changeset, to: try Entries.make(in: allocator), allocator)
    }
    let dropped = count - kept
    assert(dropped >= 0, "more entries are kept than there are")
    if kept < dropped {
      let new = try copy(of: root, from: dropped, allocator)
      try allocator.freeTree(root)
      return try append(changeset, to: new, allocator)
    }
    return try append(
      changeset, to: try Entries.removeFirst(dropped, from: root, allocator), allocator)
  }

  /// The version up to which a commit may drop entries, if those of the last `limit` commits before
  /// it are to stay.
  ///
  /// Entries are dropped in batches, as the commits that drop some write two leaves of the tree.
  static func droppable(
    from root: Ref, making version: UInt64, keeping limit: Int, in space: NodeSpace
  ) throws(StorageError) -> UInt64 {
    let count = root.isNull ? 0 : try Entries.count(root, in: space)
    guard count > limit + slack(of: limit), UInt64(limit) < version else { return 0 }
    return version - 1 - UInt64(limit)
  }

  /// The number of entries that may be kept beyond a limit.
  static func slack(of limit: Int) -> Int { min(limit / 8, 1000) }

  private static func copy(
    of root: Ref, from first: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    var new = try Entries.make(in: allocator)
    for index in first..<(try Entries.count(root, in: allocator.space)) {
      new = try append(try entry(index, of: root, in: allocator.space), to: new, allocator)
    }
    return new
  }

  private static func append(
    _ changeset: [UInt8], to root: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    guard changeset.count > BlobNode.maximumByteCount else {
      return try Entries.append(changeset, to: root, allocator)
    }
    // A long entry is a chain of blobs, which takes the place of one that makes the leaf have a
    // ref for each entry.
    let placeholder = [UInt8](repeating: 0, count: 1024)
    let root = try Entries.append(placeholder, to: root, allocator)
    let last = try Entries.count(root, in: allocator.space) - 1
    let (leaf, position) = try Entries.leaf(containing: last, of: root, in: allocator.space)
    try allocator.freeTree(try allocator.node(at: leaf).ref(at: position))
    let chain = try withView(of: changeset) { view throws(StorageError) in
      try BlobNode.makeChain(view, in: allocator)
    }
    let same = try IntegerNode.set(chain.slot, at: position, in: leaf, allocator)
    assert(same == leaf, "a leaf of this transaction has 64-bit slots")
    return root
  }

  private static func entry(
    _ index: Int, of root: Ref, in space: NodeSpace
  ) throws(StorageError) -> [UInt8] {
    let (leaf, position) = try Entries.leaf(containing: index, of: root, in: space)
    return try BinaryLeaf.bytes(at: position, of: leaf, in: space) ?? []
  }

  /// The changesets that lead from `version` to the version of `top`, one for each step.
  ///
  /// - Throws: `StorageError.corrupted` if the history does not reach back that far.
  static func changesets(
    after version: UInt64, in top: TopArray, _ space: NodeSpace
  ) throws(StorageError) -> [[UInt8]] {
    guard version < top.version else { return [] }
    let steps = Int(top.version - version)
    let root = try root(top, in: space)
    let count = root.isNull ? 0 : try Entries.count(root, in: space)
    guard steps <= count else {
      throw .corrupted("the history does not reach back to version \(version)")
    }
    var changesets: [[UInt8]] = []
    changesets.reserveCapacity(claimed: steps)
    for index in count - steps..<count {
      changesets.append(try entry(index, of: root, in: space))
    }
    return changesets
  }

  /// The same for a version that the history reaches back to; nil if they have more bytes.
  static func changesets(
    after version: UInt64, in top: TopArray, _ space: NodeSpace, byteLimit: Int
  ) throws(StorageError) -> [[UInt8]]? {
    let root = try root(top, in: space)
    let count = root.isNull ? 0 : try Entries.count(root, in: space)
    var changesets: [[UInt8]] = []
    var byteCount = 0
    for index in count - Int(top.version - version)..<count {
      changesets.append(try entry(index, of: root, in: space))
      byteCount += changesets[changesets.count - 1].count
      if byteCount > byteLimit { return nil }
    }
    return changesets
  }

  /// The changeset of the commit that made `version`; nil if the history does not have it.
  static func changeset(
    making version: UInt64, in top: TopArray, _ space: NodeSpace
  ) throws(StorageError) -> [UInt8]? {
    guard version <= top.version else { return nil }
    let root = try root(top, in: space)
    let count = root.isNull ? 0 : try Entries.count(root, in: space)
    let fromEnd = top.version - version
    guard fromEnd < UInt64(count) else { return nil }
    return try entry(count - 1 - Int(fromEnd), of: root, in: space)
  }

  /// All changesets that a version has, the one that made it last.
  static func changesets(in top: TopArray, _ space: NodeSpace) throws(StorageError) -> [[UInt8]] {
    let count = try count(top, in: space)
    return try changesets(after: top.version - min(UInt64(count), top.version), in: top, space)
  }

  /// The number of entries.
  static func count(_ top: TopArray, in space: NodeSpace) throws(StorageError) -> Int {
    let root = try root(top, in: space)
    return root.isNull ? 0 : try Entries.count(root, in: space)
  }

  /// The tree of changesets: the whole history of a local file, a part of a synchronised one's.
  /// Null if there is none.
  static func root(_ top: TopArray, in space: NodeSpace) throws(StorageError) -> Ref {
    switch top.historyType {
    case HistoryKind.inFile.type: return top.history
    case HistoryKind.syncClient.type where !top.history.isNull:
      return try space.node(at: top.history).ref(at: 0)
    default: return .null
    }
  }
}

extension DatabaseFile {
  /// The changes of the commits after `version` up to the snapshot's, one changeset
  /// for each.
  ///
  /// `version` must have been pinned when the snapshot's version was committed; else its changesets
  /// may be gone.
  package func changesets(
    after version: UInt64, through snapshot: Snapshot
  ) throws(StorageError) -> [[UInt8]] {
    try History.changesets(after: version, in: try snapshot.top(), snapshot.space)
  }

  /// The changes of the commits after `version` up to the snapshot's; nil if the file
  /// does not have it any more, and if it is more than `byteLimit` bytes.
  package func changesets(
    after version: UInt64, through snapshot: Snapshot, byteLimit: Int
  ) throws(StorageError) -> [[UInt8]]? {
    guard !snapshot.topRef.isNull, version <= snapshot.version else { return nil }
    let top = try snapshot.top()
    guard top.version - version <= UInt64(try History.count(top, in: snapshot.space))
    else { return nil }
    return try History.changesets(
      after: version, in: top, snapshot.space, byteLimit: byteLimit)
  }

  /// The changes of `version`'s commit, the snapshot being of it or a later one; nil if the file
  /// does not have them any more.
  package func changeset(
    making version: UInt64, through snapshot: Snapshot
  ) throws(StorageError) -> [UInt8]? {
    guard !snapshot.topRef.isNull else { return nil }
    return try History.changeset(making: version, in: try snapshot.top(), snapshot.space)
  }

  /// The changes of the last commits up to the snapshot's, as far as the file still
  /// has it; the last is that one's.
  package func knownChangesets(through snapshot: Snapshot) throws(StorageError) -> [[UInt8]] {
    snapshot.topRef.isNull ? [] : try History.changesets(in: try snapshot.top(), snapshot.space)
  }
}
