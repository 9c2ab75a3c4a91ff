// SPDX-License-Identifier: Apache-2.0

// All entries of a search index that begin with some bytes.

import RealmStorage

extension SearchIndexPath {
  /// Objects among which all those are whose string begins with `prefix`, in no order; nil if they
  /// are more than `limit`.
  ///
  /// An index of values keeps only as much of a value as distinguishes it from the others, so some
  /// of the objects may have another string.
  static func candidates(
    forPrefix prefix: ByteView, from root: Ref, in space: NodeSpace, limit: Int
  ) throws(StorageError) -> [ObjectKey]? {
    var walk = PrefixWalk(prefix: prefix, space: space, limit: limit)
    return try walk.visit(root, offset: 0, depth: 0) ? walk.keys : nil
  }
}

/// Collects the objects below a prefix.
private struct PrefixWalk {
  let prefix: ByteView
  let space: NodeSpace
  let limit: Int
  var keys: [ObjectKey] = []

  /// Visits a node whose chunks begin at `offset`; false if there are too many objects.
  mutating func visit(_ ref: Ref, offset: Int, depth: Int) throws(StorageError) -> Bool {
    guard depth < SearchIndexLimits.maximumPathLength else {
      throw .corrupted("a search index does not end")
    }
    let node = try SearchIndexNode(ref, in: space)
    let bounds = bounds(at: offset)
    var index = node.lowerBound(of: bounds.lowerBound)
    while index < node.count {
      if node.isInner {
        let child = try node.node.ref(at: index + 1)
        if try !visit(child, offset: offset, depth: depth + 1) { return false }
      } else if node.key(at: index) <= bounds.upperBound {
        if try !visit(node.entry(at: index, in: space), offset: offset, depth: depth) {
          return false
        }
      }
      // The key of an inner entry is the last of its child.
      if node.key(at: index) >= bounds.upperBound { break }
      index += 1
    }
    return true
  }

  private mutating func visit(
    _ entry: SearchIndexEntry, offset: Int, depth: Int
  ) throws(StorageError) -> Bool {
    switch entry {
    case .object(let key): keys.append(key)
    case .subindex(let ref): return try visit(ref, offset: offset + 4, depth: depth + 1)
    case .list(let ref):
      let count = try BTree<IntegerLeaf>.count(ref, in: space)
      guard keys.count + count <= limit else { return false }
      for index in 0..<count {
        keys.append(ObjectKey(try BTree<IntegerLeaf>.value(at: index, of: ref, in: space)))
      }
    }
    return keys.count <= limit
  }

  /// The chunks that begin as the prefix does from `offset` on.
  private func bounds(at offset: Int) -> ClosedRange<Int32> {
    let left = prefix.count - offset
    guard left > 0 else { return .min ... .max }
    var word: UInt32 = 0
    for index in 0..<min(left, 4) {
      word |= UInt32(prefix[offset + index]) << UInt32(24 - 8 * index)
    }
    let open = left >= 4 ? 0 : UInt32.max >> UInt32(8 * left)
    // The first byte is fixed, and with it the sign.
    return Int32(bitPattern: word)...Int32(bitPattern: word | open)
  }
}
