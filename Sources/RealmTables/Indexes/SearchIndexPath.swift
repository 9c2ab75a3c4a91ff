// SPDX-License-Identifier: Apache-2.0

// The way through a search index, which is the same whatever column it belongs to.

import RealmStorage

/// Descends search indexes.
enum SearchIndexPath {
  /// The leaf entry for the value's chunks.
  static func entry(
    for data: IndexData, from root: Ref, in space: NodeSpace
  ) throws(StorageError) -> SearchIndexEntry? {
    try entry(from: root, in: space) { data.chunk(at: $0) }
  }

  /// The leaf entry for the chunks of an integer.
  static func entry(
    forInteger value: Int64, from root: Ref, in space: NodeSpace
  ) throws(StorageError) -> SearchIndexEntry? {
    let first = Int32(truncatingIfNeeded: value).byteSwapped
    return try entry(from: root, in: space) { offset in
      offset == 0 ? first : IndexData(.int(value)).chunk(at: offset)
    }
  }

  /// The leaf entry for the chunks of a string.
  static func entry(
    forBytes view: ByteView, from root: Ref, in space: NodeSpace
  ) throws(StorageError) -> SearchIndexEntry? {
    try entry(from: root, in: space) { offset in
      offset &+ 4 <= view.count
        ? Int32(bitPattern: view.bigEndianWord(at: offset))
        : IndexData(.string(view)).chunk(at: offset)
    }
  }

  @inline(__always)
  private static func entry(
    from root: Ref, in space: NodeSpace, _ chunkAt: (Int) -> Int32
  ) throws(StorageError) -> SearchIndexEntry? {
    var ref = root
    var offset = 0
    var chunk = chunkAt(0)
    var bounds: ChunkBounds?
    // A file that refers to itself must not hold us: depth is bounded by the value's length.
    for _ in 0..<SearchIndexLimits.maximumPathLength {
      let node = try SearchIndexNode(ref, in: space)
      let index = node.lowerBound(of: chunk, within: bounds)
      guard index < node.count else { return nil }
      if node.isInner {
        ref = try node.node.ref(at: index + 1)
        bounds = node.bounds(ofChild: index)
        if let bounds { node.prefetch(chunk, bounds, inChild: index, in: space) }
        continue
      }
      guard node.key(at: index) == chunk else { return nil }
      let entry = try node.entry(at: index, in: space)
      guard case .subindex(let child) = entry else { return entry }
      ref = child
      bounds = nil
      offset += 4
      chunk = chunkAt(offset)
    }
    throw .corrupted("a search index does not end")
  }
}
