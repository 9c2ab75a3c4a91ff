// SPDX-License-Identifier: Apache-2.0

// Dividing and joining nodes of packed integers.

extension IntegerNode {
  /// Moves the elements from `index` on to a new node with the same flags.
  @usableFromInline
  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    let old = try checked(ref, in: allocator.space)
    guard index >= 0, index <= old.count else { throw .elementOutOfBounds(index, in: old) }
    let isWide = old.header.hasRefs
    let header = NodeHeader(
      flags: old.header.flags, layout: .bits, widthCode: isWide ? 7 : old.header.widthCode,
      count: old.count - index)
    let moved = try allocator.allocate(header, capacity: 0)
    for position in index..<old.count {
      moved.store(old.uncheckedInteger(at: position), at: position - index)
    }
    return (try truncate(to: index, ref, allocator), moved.ref)
  }

  /// Appends the elements of `other`, and frees that node, not its children.
  @usableFromInline
  package static func append(
    contentsOf other: Ref, to ref: Ref, from first: Int = 0, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let source = try checked(other, in: allocator.space)
    try allocator.space.requirePossibleCount(of: source, at: other)
    var ref = ref
    for position in first..<max(first, source.count) {
      ref = try append(source.uncheckedInteger(at: position), to: ref, allocator)
    }
    try allocator.free(other)
    return ref
  }

  /// The node at `ref`, if it is one of packed integers.
  @inlinable @inline(__always)
  package static func checked(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Node {
    let node = try space.node(at: ref)
    guard node.header.isBits else {
      throw StorageError.corrupted("a node of packed integers was expected at \(ref.offset)")
    }
    return node
  }

  /// Checks that the node holds packed integers and no refs.
  @usableFromInline
  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    guard try !checked(ref, in: space).header.hasRefs else {
      throw .corrupted("a leaf of integers at \(ref.offset) claims to hold refs")
    }
  }
}
