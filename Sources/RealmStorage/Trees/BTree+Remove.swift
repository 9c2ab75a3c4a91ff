// SPDX-License-Identifier: Apache-2.0

// Removing from a B+ tree.

extension BTree {
  /// Removes the element at `index` and what it owns.
  ///
  /// - Complexity: O(log n) nodes, plus moving the rest of one leaf.
  package static func remove(
    at index: Int, from root: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    guard try allocator.node(at: root).header.isInner else {
      return try L.remove(at: index, from: root, allocator)
    }
    let total = try count(root, in: allocator.space)
    guard index >= 0, index < total else {
      throw .elementOutOfBounds(index, in: try allocator.node(at: root))
    }
    if total == 1 { return try removeAll(from: root, allocator) }
    return try collapsed(
      try remove(at: index, below: root, atEnd: index == total - 1, depth: 0, allocator),
      allocator)
  }

  /// The root without inner nodes that have one child: the child replaces them.
  static func collapsed(_ root: Ref, _ allocator: NodeAllocator) throws(StorageError) -> Ref {
    var ref = root
    while true {
      let node = try allocator.node(at: ref)
      guard node.header.isInner, try BTreeInner.childCount(of: node) == 1 else { return ref }
      let child = try node.ref(at: 1)
      if let offsets = Ref(slot: try node.integer(at: 0)) { try allocator.free(offsets) }
      try allocator.free(ref)
      ref = child
    }
  }

  /// Removes below a node that keeps at least one element; returns the node's present ref.
  private static func remove(
    at index: Int, below ref: Ref, atEnd: Bool, depth: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    guard depth < BTreeLimits.maximumDepth else { throw .corrupted("a B+ tree does not end") }
    let node = try allocator.node(at: ref)
    guard node.header.isInner else { return try L.remove(at: index, from: ref, allocator) }
    let (child, start) = try BTreeInner.child(holding: index, of: node, in: allocator.space)
    let old = try node.ref(at: child + 1)
    if try count(old, in: allocator.space) == 1 {
      return try removeChild(child, old, from: ref, allocator)
    }
    let new = try remove(
      at: index - start, below: old, atEnd: atEnd, depth: depth + 1, allocator)
    let childCount = try BTreeInner.childCount(of: node)
    if child + 1 < childCount, try entryCount(new, allocator) < BTreeLimits.mergeBelow {
      let next = try node.ref(at: child + 2)
      if try entryCount(new, allocator) + entryCount(next, allocator) < BTreeLimits.mergedBelow {
        return try mergeChildren(new, next, at: child, in: ref, allocator)
      }
    }
    if let adjusted = try BTreeInner.adjust(
      ref, child: child, isAt: new, by: -1, atEnd: atEnd, allocator)
    {
      return adjusted
    }
    var inner = try BTreeInner(try allocator.node(at: ref), in: allocator.space)
    inner.elementsPerChild = nil
    inner.children[child] = new
    shrink(&inner, behind: child)
    return try inner.write(replacing: ref, allocator)
  }

  private static func shrink(_ inner: inout BTreeInner, behind child: Int) {
    for index in inner.starts.indices where index > child { inner.starts[index] -= 1 }
    inner.total -= 1
    assert(inner.total >= 0, "a node has fewer elements than were removed")
  }

  /// Drops a child together with its one element.
  private static func removeChild(
    _ child: Int, _ old: Ref, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    var inner = try BTreeInner(try allocator.node(at: ref), in: allocator.space)
    guard inner.children.count > 1 else {
      throw .corrupted("an inner node of a B+ tree would become empty")
    }
    try free(old, allocator)
    if child != inner.children.count - 1 { inner.elementsPerChild = nil }
    shrink(&inner, behind: child)
    inner.children.remove(at: child)
    inner.starts.remove(at: child)
    return try inner.write(replacing: ref, allocator)
  }

  /// Appends the content of the child after `child` to it, one element less than the node says.
  private static func mergeChildren(
    _ left: Ref, _ right: Ref, at child: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    var inner = try BTreeInner(try allocator.node(at: ref), in: allocator.space)
    inner.elementsPerChild = nil
    shrink(&inner, behind: child)
    assert(child + 1 < inner.children.count, "the last child has none to be merged with")
    inner.children[child] = try merged(left, right, allocator)
    inner.children.remove(at: child + 1)
    inner.starts.remove(at: child + 1)
    return try inner.write(replacing: ref, allocator)
  }

  private static func merged(
    _ left: Ref, _ right: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    guard try allocator.node(at: left).header.isInner else {
      return try L.append(right, to: left, allocator)
    }
    var inner = try BTreeInner(try allocator.node(at: left), in: allocator.space)
    let other = try BTreeInner(try allocator.node(at: right), in: allocator.space)
    inner.elementsPerChild = nil
    inner.children += other.children
    inner.starts += other.starts.map { $0 + inner.total }
    inner.total += other.total
    assert(inner.children.count < BTreeLimits.entryCount, "merged nodes fit one")
    if let offsets = Ref(slot: try allocator.node(at: right).integer(at: 0)) {
      try allocator.free(offsets)
    }
    try allocator.free(right)
    return try inner.write(replacing: left, allocator)
  }

  /// Elements of a leaf, children of an inner node.
  private static func entryCount(
    _ ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Int {
    let node = try allocator.node(at: ref)
    return node.header.isInner
      ? try BTreeInner.childCount(of: node) : try L.count(ref, in: allocator.space)
  }
}
