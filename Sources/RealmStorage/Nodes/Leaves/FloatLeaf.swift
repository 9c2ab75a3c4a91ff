// SPDX-License-Identifier: Apache-2.0

// Single-precision numbers, nullable or not: one bit pattern, a NaN, stands for null.

/// A leaf of floats (file format, part 4, section 3).
///
/// Cells of 4 bytes. A NaN that happens to have the pattern of null is stored as the canonical
/// NaN; other NaNs keep their bits.
package enum FloatLeaf: Leaf {
  package typealias Value = Float?

  /// The bits that stand for null.
  package static let null: UInt32 = 0x7FC0_00AA

  private static let width = 4

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try CellNode.make(width: width, in: allocator).ref
  }

  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    try CellNode.checked(ref, width: width, in: space).count
  }

  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> Float? {
    try value(at: index, of: try space.node(at: ref))
  }

  /// The element at `index` of a leaf whose node is at hand.
  package static func value(at index: Int, of node: Node) throws(StorageError) -> Float? {
    guard node.header.layout == .multiply, node.header.width == width else {
      throw StorageError.corrupted("a leaf of floats has cells of another width")
    }
    let bits = try CellNode.cell(at: index, of: node).load(as: UInt32.self)
    return bits == null ? nil : Float(bitPattern: bits)
  }

  package static func insert(
    _ value: Float?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let node = try CellNode.insertGap(at: index, in: ref, width: width, allocator)
    node.payload.storeBytes(
      of: stored(value), toByteOffset: index &* width, as: UInt32.self)
    return node.ref
  }

  package static func set(
    _ value: Float?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try CellNode.checked(ref, width: width, in: allocator.space)
    guard index >= 0, index < old.count else { throw .elementOutOfBounds(index, in: old) }
    let node = try allocator.makeWritable(ref)
    node.payload.storeBytes(
      of: stored(value), toByteOffset: index &* width, as: UInt32.self)
    return node.ref
  }

  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try CellNode.remove(at: index, from: ref, allocator)
  }

  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    try CellNode.split(ref, at: index, allocator)
  }

  package static func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    var ref = ref
    var position = try count(ref, in: allocator.space)
    let source = try CellNode.checked(other, width: width, in: allocator.space)
    for index in 0..<source.count {
      ref = try insert(try value(at: index, of: source), at: position, in: ref, allocator)
      position += 1
    }
    try allocator.free(other)
    return ref
  }

  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    _ = try CellNode.checked(ref, width: width, in: space)
  }

  @inline(__always)
  private static func stored(_ value: Float?) -> UInt32 {
    guard let value else { return null }
    let bits = value.bitPattern
    return bits == null ? 0x7FC0_0000 : bits
  }
}
