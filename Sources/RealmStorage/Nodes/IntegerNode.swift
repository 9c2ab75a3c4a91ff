// SPDX-License-Identifier: Apache-2.0

// Editing nodes of packed integers, has-refs nodes among them.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Operations on nodes with `NodeLayout.bits` and signed elements.
///
/// Every operation takes the node's ref and returns the ref under which the node is found
/// afterwards: it changes when the node was not yet writable, or had to grow. The caller stores it
/// in the parent.
@usableFromInline
package enum IntegerNode {
  /// A new node of `count` elements of one value.
  @usableFromInline
  package static func make(
    repeating value: Int64 = 0, count: Int = 0, flags: NodeFlags = [], reserving: Int = 0,
    in allocator: NodeAllocator
  ) throws(StorageError) -> MutableNode {
    let code = flags.contains(.hasRefs) ? 7 : PackedIntegers.widthCode(for: value)
    let header = NodeHeader(flags: flags, layout: .bits, widthCode: code, count: count)
    let room = (max(count, reserving) * header.width + 7) / 8
    let new = try allocator.allocate(header, capacity: room)
    for index in 0..<count {
      unsafe PackedIntegers.store(value, to: new.payload, widthCode: code, at: index)
    }
    return new
  }

  /// A new node of the given elements.
  package static func make(
    _ values: [Int64], flags: NodeFlags = [], in allocator: NodeAllocator
  ) throws(StorageError) -> MutableNode {
    var code = flags.contains(.hasRefs) ? 7 : 0
    for value in values { code = max(code, PackedIntegers.widthCode(for: value)) }
    let header = NodeHeader(flags: flags, layout: .bits, widthCode: code, count: values.count)
    let new = try allocator.allocate(header, capacity: 0)
    var index = 0
    for value in values {
      unsafe PackedIntegers.store(value, to: new.payload, widthCode: code, at: index)
      index += 1
    }
    return new
  }

  /// Stores `value` at `index`, widening the node if it must.
  @inlinable @inline(__always)
  package static func set(
    _ value: Int64, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    if allocator.isWritable(ref) {
      let node = allocator.mutableNode(at: ref)
      let header = node.header
      if PackedIntegers.widthCode(for: value) <= header.widthCode,
        UInt(bitPattern: index) < UInt(bitPattern: header.count)
      {
        unsafe PackedIntegers.store(value, to: node.payload, widthCode: header.widthCode, at: index)
        return ref
      }
    }
    return try setSlowly(value, at: index, in: ref, allocator)
  }

  @usableFromInline @inline(never)
  static func setSlowly(
    _ value: Int64, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try allocator.node(at: ref)
    guard index >= 0, index < old.count else { throw .elementOutOfBounds(index, in: old) }
    let node = try grown(ref, toHold: value, count: old.count, allocator)
    node.store(value, at: index)
    return node.ref
  }

  /// Inserts `value` before element `index` (`index == count` appends).
  @inlinable
  package static func insert(
    _ value: Int64, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    if allocator.isWritable(ref) {
      let node = allocator.mutableNode(at: ref)
      let header = node.header
      let count = header.count
      let code = header.widthCode
      if index == count, PackedIntegers.widthCode(for: value) <= code,
        ((count &+ 1) &* header.width &+ 7) &>> 3 <= node.capacityByteCount
      {
        node.setCount(count &+ 1)
        unsafe PackedIntegers.store(value, to: node.payload, widthCode: code, at: count)
        return ref
      }
    }
    return try insertSlowly(value, at: index, in: ref, allocator)
  }

  @usableFromInline @inline(never)
  static func insertSlowly(
    _ value: Int64, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let count = try allocator.node(at: ref).count
    guard index >= 0, index <= count else {
      throw .elementOutOfBounds(index, in: try allocator.node(at: ref))
    }
    let node = try grown(ref, toHold: value, count: count + 1, allocator)
    node.setCount(count + 1)
    move(from: index, to: index + 1, count: count - index, in: node)
    node.store(value, at: index)
    return node.ref
  }

  /// Appends `value`.
  @inlinable @inline(__always)
  package static func append(
    _ value: Int64, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try insert(value, at: try allocator.node(at: ref).count, in: ref, allocator)
  }

  /// Adds `difference` to every element from `index` on; the last one is the largest.
  static func add(
    _ difference: Int64, from index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try checked(ref, in: allocator.space)
    let count = old.count
    guard index >= 0 else { throw .elementOutOfBounds(index, in: old) }
    guard index < count else { return ref }
    let (largest, overflow) = old.uncheckedInteger(at: count - 1)
      .addingReportingOverflow(difference)
    guard !overflow else { throw .corrupted("an offset in a leaf is out of range") }
    let needsWidth = PackedIntegers.widthCode(for: largest) > old.header.widthCode
    let node =
      needsWidth
      ? try grown(ref, toHold: largest, count: count, allocator) : try allocator.makeWritable(ref)
    for position in index..<count {
      node.store(node.node.uncheckedInteger(at: position) &+ difference, at: position)
    }
    return node.ref
  }

  /// Removes `count` elements from `index` on. Children of a has-refs node are not freed.
  @usableFromInline
  package static func remove(
    at index: Int, count: Int = 1, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let node = try allocator.makeWritable(ref)
    let oldCount = node.count
    guard index >= 0, count >= 0, index + count <= oldCount else {
      throw .elementOutOfBounds(index, in: node.node)
    }
    move(from: index + count, to: index, count: oldCount - index - count, in: node)
    node.setCount(oldCount - count)
    return node.ref
  }

  /// Removes all elements from `count` on.
  package static func truncate(
    to count: Int, _ ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let node = try allocator.makeWritable(ref)
    guard count >= 0, count <= node.count else {
      throw .elementOutOfBounds(count, in: node.node)
    }
    node.setCount(count)
    return node.ref
  }

  /// A writable node with the same elements whose width and capacity suit one more `value` and
  /// `count` elements; the old node is given up if it was another.
  @usableFromInline
  static func grown(
    _ ref: Ref, toHold value: Int64, count: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> MutableNode {
    guard count <= NodeHeader.maximumCount else {
      throw .limitExceeded("A node cannot hold more than \(NodeHeader.maximumCount) elements")
    }
    let old = try allocator.node(at: ref)
    guard old.header.layout == .bits else {
      throw .corrupted("a node of packed integers was expected at \(ref.offset)")
    }
    try allocator.space.requirePossibleCount(of: old, at: ref)
    let writable = allocator.isWritable(ref)
    let needsSlots = old.header.hasRefs && !writable
    let code = needsSlots ? 7 : max(old.header.widthCode, PackedIntegers.widthCode(for: value))
    let width = (1 &<< code) &>> 1
    let needed = (count * width + 7) / 8
    if writable, code == old.header.widthCode {
      let node = allocator.mutableNode(at: ref)
      if needed <= node.capacityByteCount { return node }
    }
    let header = NodeHeader(
      flags: old.header.flags, layout: .bits, widthCode: code, count: old.count)
    // Double what is there once the node grows, so that appending is amortised constant.
    let new = try allocator.allocate(header, capacity: writable ? needed * 2 : needed + 16)
    if code == old.header.widthCode {
      unsafe new.payload.copyMemory(from: old.payload, byteCount: old.header.payloadByteCount)
    } else {
      unsafe old.pack(to: new.payload, widthCode: code)
    }
    assert(new.capacityByteCount >= needed, "a node that grew has room for what it grew for")
    try allocator.free(ref)
    return new
  }

  /// Moves a run of elements inside a node, both ranges within its count.
  static func move(from source: Int, to target: Int, count: Int, in node: MutableNode) {
    assert(source >= 0 && target >= 0 && max(source, target) + count <= node.count || count == 0)
    guard count > 0, source != target else { return }
    let code = node.header.widthCode
    if code >= 4 {
      let elementBytes = 1 &<< (code - 4)
      unsafe memmove(
        node.payload + target * elementBytes, node.payload + source * elementBytes,
        count * elementBytes)
      return
    }
    if code == 0 { return }
    let payload = unsafe UnsafeRawPointer(node.payload)
    if source < target {
      for step in stride(from: count - 1, through: 0, by: -1) {
        let value = unsafe PackedIntegers.load(payload, widthCode: code, at: source + step)
        unsafe PackedIntegers.store(value, to: node.payload, widthCode: code, at: target + step)
      }
    } else {
      for step in 0..<count {
        let value = unsafe PackedIntegers.load(payload, widthCode: code, at: source + step)
        unsafe PackedIntegers.store(value, to: node.payload, widthCode: code, at: target + step)
      }
    }
  }
}
