// SPDX-License-Identifier: Apache-2.0

// Integers that may be null: element 0 of the node says which stored value means null.

/// A leaf of nullable integers (file format 4.2.2).
///
/// Invariants:
/// 1. The node has one element more than the leaf; element 0 is the null marker.
/// 2. No value but null equals the marker. A value equal to it, or too wide, makes the leaf change
///    to a wider width, or at 64 bits to another marker.
package enum NullableIntegerLeaf: Leaf {
  package typealias Value = Int64?

  package static func zero(isNullable: Bool) -> Int64? { nil }

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try IntegerNode.make(repeating: 0, count: 1, in: allocator).ref
  }

  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    let count = try space.node(at: ref).count
    guard count > 0 else {
      throw StorageError.corrupted("a leaf of nullable integers lacks its null marker")
    }
    return count - 1
  }

  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> Int64? {
    try value(at: index, of: try space.node(at: ref))
  }

  /// The element at `index` of a leaf whose node is at hand.
  package static func value(at index: Int, of node: Node) throws(StorageError) -> Int64? {
    guard index >= 0 else { throw StorageError.elementOutOfBounds(index, in: node) }
    let stored = try node.integer(at: index &+ 1)
    return stored == node.uncheckedInteger(at: 0) ? nil : stored
  }

  package static func insert(
    _ value: Int64?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let (ref, stored) = try prepared(ref, for: value, allocator)
    guard index >= 0 else {
      throw .elementOutOfBounds(index, in: try allocator.node(at: ref))
    }
    return try IntegerNode.insert(stored, at: index + 1, in: ref, allocator)
  }

  package static func set(
    _ value: Int64?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let (ref, stored) = try prepared(ref, for: value, allocator)
    guard index >= 0 else {
      throw .elementOutOfBounds(index, in: try allocator.node(at: ref))
    }
    return try IntegerNode.set(stored, at: index + 1, in: ref, allocator)
  }

  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    guard index >= 0 else {
      throw .elementOutOfBounds(index, in: try allocator.node(at: ref))
    }
    return try IntegerNode.remove(at: index + 1, from: ref, allocator)
  }

  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    let old = try allocator.node(at: ref)
    let count = try count(ref, in: allocator.space)
    guard index >= 0, index <= count else { throw .elementOutOfBounds(index, in: old) }
    let header = NodeHeader(
      flags: [], layout: .bits, widthCode: old.header.widthCode, count: count - index + 1)
    let moved = try allocator.allocate(header, capacity: 0)
    moved.store(old.uncheckedInteger(at: 0), at: 0)
    for position in index..<count {
      moved.store(old.uncheckedInteger(at: position + 1), at: position - index + 1)
    }
    return (try IntegerNode.truncate(to: index + 1, ref, allocator), moved.ref)
  }

  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    try IntegerNode.validate(ref, in: space)
    _ = try count(ref, in: space)
  }

  // MARK: The null marker

  /// The leaf in a form that can take `value`, and the integer to store for it.
  private static func prepared(
    _ ref: Ref, for value: Int64?, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Int64) {
    let node = try IntegerNode.checked(ref, in: allocator.space)
    let marker = try node.integer(at: 0)
    guard let value else { return (ref, marker) }
    if value != marker, PackedIntegers.widthCode(for: value) <= node.header.widthCode {
      return (ref, value)
    }
    return (try remarked(ref, node, oldMarker: marker, toHold: value, allocator), value)
  }

  private static func remarked(
    _ ref: Ref, _ node: Node, oldMarker: Int64, toHold value: Int64, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try allocator.space.requirePossibleCount(of: node, at: ref)
    var code = node.header.widthCode
    while code < 7,
      value >= largest(ofWidthCode: code) || PackedIntegers.widthCode(for: value) > code
    {
      code += 1
    }
    let marker =
      code < 7 ? largest(ofWidthCode: code) : unusedValue(besides: value, in: node, oldMarker)
    assert(value != marker, "`NullableIntegerLeaf` 2: no value equals the marker")
    assert(PackedIntegers.widthCode(for: marker) <= code, "a marker that does not fit its width")
    let header = NodeHeader(flags: [], layout: .bits, widthCode: code, count: node.count)
    let new = try allocator.allocate(header, capacity: (node.count + 2) * header.width / 8 * 2)
    for index in 0..<node.count {
      let stored = node.uncheckedInteger(at: index)
      new.store(stored == oldMarker ? marker : stored, at: index)
    }
    try allocator.free(ref)
    return new.ref
  }

  private static func largest(ofWidthCode code: Int) -> Int64 {
    switch code {
    case 0: 0
    case 1: 1
    case 2: 3
    case 3: 15
    case 4: 127
    case 5: 32767
    default: Int64(Int32.max)
    }
  }

  /// A 64-bit marker that is neither in the leaf nor `value`: of n + 2 candidates one is free.
  private static func unusedValue(besides value: Int64, in node: Node, _ oldMarker: Int64) -> Int64
  {
    var used: Set<Int64> = [value]
    for index in 1..<max(node.count, 1) {
      let stored = node.uncheckedInteger(at: index)
      if stored != oldMarker { used.insert(stored) }
    }
    var candidate = Int64.max
    while used.contains(candidate) { candidate -= 1 }
    return candidate
  }
}
