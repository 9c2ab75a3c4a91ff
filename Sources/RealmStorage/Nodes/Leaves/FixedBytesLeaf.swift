// SPDX-License-Identifier: Apache-2.0

// Object IDs and UUIDs: elements of a fixed number of bytes with their null flags in between.

/// A leaf of object IDs or UUIDs (file format 4.7).
///
/// The payload is a sequence of blocks: a byte of null flags, then up to eight elements. The node's
/// size is the number of payload bytes.
@usableFromInline
package protocol FixedBytesLeaf: Leaf where Value == FixedBytes<Low>? {
  associatedtype Low: FixedWidthInteger & UnsignedInteger & Sendable
}

/// A leaf of object IDs.
@usableFromInline
package enum ObjectIdLeaf: FixedBytesLeaf {
  @usableFromInline package typealias Low = UInt32
}

/// A leaf of UUIDs.
@usableFromInline
package enum UUIDLeaf: FixedBytesLeaf {
  @usableFromInline package typealias Low = UInt64
}

extension FixedBytesLeaf {
  @inlinable static var blockByteCount: Int { 8 &* FixedBytes<Low>.byteCount &+ 1 }

  @inlinable
  static func byteCount(for count: Int) -> Int {
    count * FixedBytes<Low>.byteCount + (count + 7) / 8
  }

  /// Where element `index` lies.
  @inlinable @inline(__always)
  static func offset(of index: Int) -> Int {
    (index &>> 3) &* blockByteCount &+ 1 &+ (index & 7) &* FixedBytes<Low>.byteCount
  }

  @inlinable
  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try CellNode.make(width: 0, in: allocator).ref
  }

  @inlinable
  package static func zero(isNullable: Bool) -> FixedBytes<Low>? { isNullable ? nil : .zero }

  @inlinable
  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    try count(of: try space.node(at: ref))
  }

  @inlinable @inline(__always)
  static func count(of node: Node) throws(StorageError) -> Int {
    let size = node.count
    guard node.header.layout == .multiply, size == 0 || node.header.width == 1 else {
      throw malformed
    }
    let count =
      (size &- (size &+ blockByteCount &- 1) / blockByteCount) / FixedBytes<Low>.byteCount
    guard byteCount(for: count) == size else { throw malformed }
    return count
  }

  @inlinable
  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> FixedBytes<Low>? {
    let node = try space.node(at: ref)
    guard UInt(bitPattern: index) < UInt(bitPattern: try count(of: node)) else {
      throw StorageError.elementOutOfBounds(index, in: node)
    }
    return unsafe load(node.payload, index)
  }

  @inlinable @inline(__always)
  static func load(_ payload: UnsafeRawPointer, _ index: Int) -> FixedBytes<Low>? {
    let nulls = unsafe payload.load(fromByteOffset: (index &>> 3) &* blockByteCount, as: UInt8.self)
    guard nulls &>> UInt8(index & 7) & 1 == 0 else { return nil }
    return unsafe FixedBytes<Low>(loadingFrom: payload + offset(of: index))
  }

  @inlinable @inline(__always)
  static func store(_ value: FixedBytes<Low>?, _ node: MutableNode, _ index: Int) {
    let flags = (index &>> 3) &* blockByteCount
    let bit = UInt8(1) &<< UInt8(index & 7)
    let old = unsafe node.payload.load(fromByteOffset: flags, as: UInt8.self)
    unsafe node.payload.storeBytes(
      of: value == nil ? old | bit : old & ~bit, toByteOffset: flags, as: UInt8.self)
    unsafe (value ?? .zero).store(to: node.payload + offset(of: index))
  }

  @inlinable
  package static func insert(
    _ value: FixedBytes<Low>?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try allocator.node(at: ref)
    let count = try count(of: old)
    guard index >= 0, index <= count else { throw .elementOutOfBounds(index, in: old) }
    let node = try resized(ref, old, to: count + 1, allocator)
    if count & 7 == 0 {
      unsafe node.payload.storeBytes(
        of: 0, toByteOffset: (count &>> 3) &* blockByteCount, as: UInt8.self)
    }
    assert(node.count == byteCount(for: count + 1), "a leaf of no number of elements")
    for position in stride(from: count, to: index, by: -1) {
      unsafe store(load(node.payload, position - 1), node, position)
    }
    store(value, node, index)
    return node.ref
  }

  /// A writable node of the same elements with the size for `count`, of which the last may be new.
  @inlinable
  static func resized(
    _ ref: Ref, _ old: Node, to count: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> MutableNode {
    let size = byteCount(for: count)
    let writable = allocator.isWritable(ref)
    if writable, old.header.width == 1 {
      let node = allocator.mutableNode(at: ref)
      if size <= node.capacityByteCount {
        node.setCount(size)
        return node
      }
    }
    let header = NodeHeader(flags: [], layout: .multiply, widthCode: 1, count: size)
    let new = try allocator.allocate(header, capacity: writable ? size * 2 : size + 64)
    unsafe new.payload.copyMemory(from: old.payload, byteCount: min(old.count, size))
    try allocator.free(ref)
    return new
  }

  @inlinable
  package static func set(
    _ value: FixedBytes<Low>?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try allocator.node(at: ref)
    guard index >= 0, index < (try count(of: old)) else {
      throw .elementOutOfBounds(index, in: old)
    }
    let node = try allocator.makeWritable(ref)
    store(value, node, index)
    return node.ref
  }

  @inlinable
  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try allocator.node(at: ref)
    let count = try count(of: old)
    guard index >= 0, index < count else { throw .elementOutOfBounds(index, in: old) }
    let node = try allocator.makeWritable(ref)
    for position in index..<count - 1 {
      unsafe store(load(node.payload, position + 1), node, position)
    }
    truncate(node, to: count - 1)
    return node.ref
  }

  /// Cuts the node, and clears the null flags of what is gone from its last block.
  @inlinable
  static func truncate(_ node: MutableNode, to count: Int) {
    node.setCount(byteCount(for: count))
    guard count & 7 != 0 else { return }
    let flags = (count &>> 3) &* blockByteCount
    let kept = UInt8(truncatingIfNeeded: (1 &<< (count & 7)) &- 1)
    let old = unsafe node.payload.load(fromByteOffset: flags, as: UInt8.self)
    unsafe node.payload.storeBytes(of: old & kept, toByteOffset: flags, as: UInt8.self)
  }

  @inlinable
  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    let old = try allocator.node(at: ref)
    let count = try count(of: old)
    guard index >= 0, index <= count else { throw .elementOutOfBounds(index, in: old) }
    var moved = try make(in: allocator)
    for position in index..<count {
      moved = try unsafe insert(
        load(old.payload, position), at: position - index, in: moved, allocator)
    }
    guard index < count else { return (ref, moved) }
    let node = try allocator.makeWritable(ref)
    truncate(node, to: index)
    return (node.ref, moved)
  }

  /// Realm Core leaves null bits of removed elements after the last one: they have no meaning.
  @inlinable
  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    _ = try count(of: try space.node(at: ref))
  }

  @usableFromInline static var malformed: StorageError {
    .corrupted("a leaf of object IDs or UUIDs has a size that no number of elements has")
  }
}
