// SPDX-License-Identifier: Apache-2.0

// Inserting into a B+ tree.

extension BTree {
  /// Inserts an element before element `index`; `index == count` appends.
  ///
  /// - Complexity: O(log n) nodes, plus moving the rest of one leaf.
  package static func insert(
    _ value: L.Value, at index: Int, in root: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    if try !allocator.node(at: root).header.isInner,
      try L.count(root, in: allocator.space) < BTreeLimits.entryCount
    {
      return try L.insert(value, at: index, in: root, allocator)
    }
    return try insertIntoTree(value, at: index, in: root, allocator)
  }

  static func insertIntoTree(
    _ value: L.Value, at index: Int, in root: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let total = try count(root, in: allocator.space)
    guard index >= 0, index <= total else {
      throw .elementOutOfBounds(index, in: try allocator.node(at: root))
    }
    let (left, right) = try insert(
      value, at: index, below: root, atEnd: index == total, depth: 0, allocator)
    guard let right else { return left }
    let leftCount = try count(left, in: allocator.space)
    let inner = BTreeInner(
      children: [left, right], starts: [0, leftCount], total: total + 1,
      elementsPerChild: leftCount)
    return try inner.write(replacing: .null, allocator)
  }

  /// Inserts below a node; returns its present ref and, after a split, the node that follows it.
  private static func insert(
    _ value: L.Value, at index: Int, below ref: Ref, atEnd: Bool, depth: Int,
    _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref?) {
    guard depth < BTreeLimits.maximumDepth else { throw .corrupted("a B+ tree does not end") }
    let node = try allocator.node(at: ref)
    guard node.header.isInner else { return try insert(value, at: index, intoLeaf: ref, allocator) }
    let (child, start) = try BTreeInner.child(holding: index, of: node, in: allocator.space)
    let (left, right) = try insert(
      value, at: index - start, below: try node.ref(at: child + 1), atEnd: atEnd, depth: depth + 1,
      allocator)
    if right == nil,
      let adjusted = try BTreeInner.adjust(
        ref, child: child, isAt: left, by: 1, atEnd: atEnd, allocator)
    {
      return (adjusted, nil)
    }
    return try place(left, right, at: child, in: ref, atEnd: atEnd, allocator)
  }

  private static func insert(
    _ value: L.Value, at index: Int, intoLeaf ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref?) {
    let count = try L.count(ref, in: allocator.space)
    guard count >= BTreeLimits.entryCount else {
      return (try L.insert(value, at: index, in: ref, allocator), nil)
    }
    if index == count {
      return (ref, try L.insert(value, at: 0, in: try L.make(in: allocator), allocator))
    }
    assert(index >= 0 && index < count, "a leaf is split inside")
    let (left, right) = try L.split(ref, at: index, allocator)
    return (try L.insert(value, at: index, in: left, allocator), right)
  }

  /// Puts a changed child, and the one split off it, into the inner node at `ref`.
  private static func place(
    _ left: Ref, _ right: Ref?, at child: Int, in ref: Ref, atEnd: Bool,
    _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref?) {
    var inner = try BTreeInner(try allocator.node(at: ref), in: allocator.space)
    if !atEnd { inner.elementsPerChild = nil }
    inner.children[child] = left
    for index in inner.starts.indices where index > child { inner.starts[index] += 1 }
    inner.total += 1
    guard let right else { return (try inner.write(replacing: ref, allocator), nil) }
    let rightStart = inner.starts[child] + (try count(left, in: allocator.space))
    if inner.children.count < BTreeLimits.entryCount {
      inner.children.insert(right, at: child + 1)
      inner.starts.insert(rightStart, at: child + 1)
      return (try inner.write(replacing: ref, allocator), nil)
    }
    let (first, second) = split(inner, adding: right, startingAt: rightStart, behind: child)
    return (
      try first.write(replacing: ref, allocator), try second.write(replacing: .null, allocator)
    )
  }

  /// Divides a full inner node: at the end the new child gets a node of its own, elsewhere the
  /// children after it move.
  private static func split(
    _ inner: BTreeInner, adding right: Ref, startingAt rightStart: Int, behind child: Int
  ) -> (BTreeInner, BTreeInner) {
    var first = inner
    if child == inner.children.count - 1 {
      first.total = rightStart
      let second = BTreeInner(
        children: [right], starts: [0], total: inner.total - rightStart,
        elementsPerChild: inner.elementsPerChild)
      return (first, second)
    }
    let boundary = inner.starts[child + 1]
    first.children = Array(inner.children[...child]) + [right]
    first.starts = Array(inner.starts[...child]) + [rightStart]
    first.total = boundary
    let second = BTreeInner(
      children: Array(inner.children[(child + 1)...]),
      starts: inner.starts[(child + 1)...].map { $0 - boundary },
      total: inner.total - boundary, elementsPerChild: nil)
    return (first, second)
  }
}
