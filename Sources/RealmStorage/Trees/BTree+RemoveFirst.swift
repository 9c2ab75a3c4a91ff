// SPDX-License-Identifier: Apache-2.0

// Removing the beginning of a B+ tree.

extension BTree {
  /// Removes the first `removed` elements and what they own.
  ///
  /// - Complexity: O(removed / 1000) nodes, plus moving the rest of one leaf for each element that
  ///   is removed from it.
  package static func removeFirst(
    _ removed: Int, from root: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let total = try count(root, in: allocator.space)
    guard removed >= 0, removed <= total else {
      throw .elementOutOfBounds(removed, in: try allocator.node(at: root))
    }
    if removed == 0 { return root }
    if removed == total { return try removeAll(from: root, allocator) }
    return try collapsed(
      try removeFirst(removed, below: root, depth: 0, allocator), allocator)
  }

  /// Removes from a node that keeps at least one element; returns the node's present ref.
  private static func removeFirst(
    _ removed: Int, below ref: Ref, depth: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    guard depth < BTreeLimits.maximumDepth else { throw .corrupted("a B+ tree does not end") }
    let node = try allocator.node(at: ref)
    guard node.header.isInner else {
      var leaf = ref
      for _ in 0..<removed { leaf = try L.remove(at: 0, from: leaf, allocator) }
      return leaf
    }
    var inner = try BTreeInner(node, in: allocator.space)
    guard removed < inner.total else {
      throw .corrupted("a node of a B+ tree miscounts the elements of its children")
    }
    let first = inner.starts.lastIndex { $0 <= removed } ?? 0
    for child in inner.children[..<first] { try free(child, allocator) }
    let rest = removed - inner.starts[first]
    inner.children.removeFirst(first)
    inner.starts = inner.starts[first...].map { max(0, $0 - removed) }
    inner.total -= removed
    if rest > 0 {
      inner.elementsPerChild = nil
      inner.children[0] = try removeFirst(
        rest, below: inner.children[0], depth: depth + 1, allocator)
    }
    return try inner.write(replacing: ref, allocator)
  }
}
