// SPDX-License-Identifier: Apache-2.0

// Editing nodes of cells: elements of a fixed number of bytes.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Operations on nodes with `NodeLayout.multiply`, whose elements are cells of `width` bytes.
///
/// Like `IntegerNode`, every operation returns the node's ref afterwards.
@usableFromInline
enum CellNode {
  /// A new node without cells.
  @usableFromInline
  static func make(
    width: Int, flags: NodeFlags = [], reserving: Int = 0, in allocator: NodeAllocator
  ) throws(StorageError) -> MutableNode {
    let header = NodeHeader(
      flags: flags, layout: .multiply, widthCode: NodeHeader.widthCode(of: width), count: 0)
    return try allocator.allocate(header, capacity: reserving * width)
  }

  /// The node at `ref`, if it is one of cells.
  @inlinable @inline(__always)
  static func checked(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Node {
    let node = try space.node(at: ref)
    guard node.header.layout == .multiply else { throw unexpected(ref) }
    return node
  }

  /// The node at `ref`, if it is one of cells of that width; an empty one may have any.
  @inlinable @inline(__always)
  static func checked(_ ref: Ref, width: Int, in space: NodeSpace) throws(StorageError) -> Node {
    let node = try checked(ref, in: space)
    guard node.header.width == width || node.count == 0 else { throw unexpected(ref) }
    return node
  }

  /// Where cell `index` of a node lies.
  @inlinable @inline(__always)
  static func cell(at index: Int, of node: Node) throws(StorageError) -> UnsafeRawPointer {
    guard UInt(bitPattern: index) < UInt(bitPattern: node.count) else {
      throw StorageError.elementOutOfBounds(index, in: node)
    }
    return unsafe node.payload + index &* node.header.width
  }

  /// Makes room for one more cell before cell `index`; its bytes are undefined.
  @inlinable @inline(__always)
  static func insertGap(
    at index: Int, in ref: Ref, width: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> MutableNode {
    let old = try checked(ref, width: width, in: allocator.space)
    let count = old.count
    if index == count, old.header.width == width, allocator.isWritable(ref) {
      let node = allocator.mutableNode(at: ref)
      if (count &+ 1) &* width <= node.capacityByteCount {
        node.setCount(count &+ 1)
        return node
      }
    }
    return try insertGapSlowly(at: index, in: ref, old, width: width, allocator)
  }

  @usableFromInline @inline(never)
  static func insertGapSlowly(
    at index: Int, in ref: Ref, _ old: Node, width: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> MutableNode {
    assert([0, 1, 2, 4, 8, 16].contains(width), "a width that no header holds")
    let count = old.count
    guard index >= 0, index <= count else { throw .elementOutOfBounds(index, in: old) }
    let writable = allocator.isWritable(ref)
    let needed = (count + 1) * width
    let head = index * width
    let tail = (count - index) * width
    if writable, old.header.width == width {
      let node = allocator.mutableNode(at: ref)
      if needed <= node.capacityByteCount {
        unsafe memmove(node.payload + head + width, node.payload + head, tail)
        node.setCount(count + 1)
        return node
      }
    }
    let header = NodeHeader(
      flags: old.header.flags, layout: .multiply, widthCode: NodeHeader.widthCode(of: width),
      count: count + 1)
    // Doubled, so that appending is amortised constant.
    let capacity = writable ? max(needed * 2, 64) : needed + needed / 8 + 16
    let new = try allocator.allocate(header, capacity: capacity)
    unsafe memcpy(new.payload, old.payload, head)
    unsafe memcpy(new.payload + head + width, old.payload + head, tail)
    try allocator.free(ref)
    return new
  }

  /// Removes the cell at `index`.
  @usableFromInline
  static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try checked(ref, in: allocator.space)
    guard index >= 0, index < old.count else { throw .elementOutOfBounds(index, in: old) }
    let node = try allocator.makeWritable(ref)
    let width = old.header.width
    unsafe memmove(
      node.payload + index * width, node.payload + (index + 1) * width,
      (old.count - index - 1) * width)
    node.setCount(old.count - 1)
    return node.ref
  }

  /// Moves the cells from `index` on to a new node with the same flags.
  @usableFromInline
  static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    let old = try checked(ref, in: allocator.space)
    guard index >= 0, index <= old.count else { throw .elementOutOfBounds(index, in: old) }
    let width = old.header.width
    let header = NodeHeader(
      flags: old.header.flags, layout: .multiply, widthCode: old.header.widthCode,
      count: old.count - index)
    let moved = try allocator.allocate(header, capacity: 0)
    unsafe memcpy(moved.payload, old.payload + index * width, (old.count - index) * width)
    let node = try allocator.makeWritable(ref)
    node.setCount(index)
    return (node.ref, moved.ref)
  }

  @usableFromInline @inline(never)
  static func unexpected(_ ref: Ref) -> StorageError {
    .corrupted("the node at \(ref.offset) does not hold cells of the right width")
  }
}
