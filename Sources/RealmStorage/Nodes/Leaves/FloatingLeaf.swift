// SPDX-License-Identifier: Apache-2.0

// Binary floating-point numbers, nullable or not: one bit pattern, a NaN, represents null.

/// A floating-point number that a leaf stores as a cell of its bits.
@usableFromInline
package protocol FloatingElement: Sendable {
  associatedtype Bits: FixedWidthInteger & Sendable

  init(bitPattern: Bits)
  var bitPattern: Bits { get }

  /// The width code of a leaf's header.
  static var widthCode: Int { get }
  /// The bits that represent null.
  static var nullBits: Bits { get }
  /// The bits that are stored for a number whose own bits would represent null.
  static var canonicalNaNBits: Bits { get }
  /// The type's numbers as messages name them.
  static var pluralName: String { get }
}

extension Float: FloatingElement {
  @inlinable package static var widthCode: Int { 3 }
  @inlinable package static var nullBits: UInt32 { 0x7FC0_00AA }
  @inlinable package static var canonicalNaNBits: UInt32 { 0x7FC0_0000 }
  @inlinable package static var pluralName: String { "floats" }
}

extension Double: FloatingElement {
  @inlinable package static var widthCode: Int { 4 }
  @inlinable package static var nullBits: UInt64 { 0x7FF8_0000_0000_00AA }
  @inlinable package static var canonicalNaNBits: UInt64 { 0x7FF8_0000_0000_0000 }
  @inlinable package static var pluralName: String { "doubles" }
}

/// A leaf of floats or doubles (file format 4.3).
///
/// Cells of the size of a number. A NaN that happens to have the pattern of null is stored as the
/// canonical NaN; other NaNs keep their bits.
@usableFromInline
package protocol FloatingLeaf: Leaf where Value == Number? {
  associatedtype Number: FloatingElement
}

/// A leaf of floats.
@usableFromInline
package enum FloatLeaf: FloatingLeaf {
  @usableFromInline package typealias Number = Float
}

/// A leaf of doubles.
@usableFromInline
package enum DoubleLeaf: FloatingLeaf {
  @usableFromInline package typealias Number = Double
}

extension FloatingLeaf {
  @inlinable static var width: Int { MemoryLayout<Number.Bits>.size }

  @inlinable
  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try CellNode.make(width: width, in: allocator).ref
  }

  @inlinable
  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    try CellNode.checked(ref, width: width, in: space).count
  }

  @inlinable
  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> Number? {
    try value(at: index, of: try space.node(at: ref))
  }

  /// The element at `index` of a leaf whose node is at hand.
  @inlinable
  package static func value(at index: Int, of node: Node) throws(StorageError) -> Number? {
    guard node.header.layout == .multiply, node.header.width == width else {
      throw StorageError.corrupted("a leaf of \(Number.pluralName) has cells of another width")
    }
    let bits = try unsafe CellNode.cell(at: index, of: node).load(as: Number.Bits.self)
    return bits == Number.nullBits ? nil : Number(bitPattern: bits)
  }

  @inlinable
  package static func zero(isNullable: Bool) -> Number? {
    isNullable ? nil : Number(bitPattern: 0)
  }

  @inlinable
  package static func insert(
    _ value: Number?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let node = try CellNode.insertGap(at: index, in: ref, width: width, allocator)
    unsafe node.payload.storeBytes(
      of: stored(value), toByteOffset: index &* width, as: Number.Bits.self)
    return node.ref
  }

  @inlinable
  package static func set(
    _ value: Number?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try CellNode.checked(ref, width: width, in: allocator.space)
    guard index >= 0, index < old.count else { throw .elementOutOfBounds(index, in: old) }
    let node = try allocator.makeWritable(ref)
    unsafe node.payload.storeBytes(
      of: stored(value), toByteOffset: index &* width, as: Number.Bits.self)
    return node.ref
  }

  @inlinable
  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try CellNode.remove(at: index, from: ref, allocator)
  }

  @inlinable
  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    try CellNode.split(ref, at: index, allocator)
  }

  @inlinable
  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    _ = try CellNode.checked(ref, width: width, in: space)
  }

  @inlinable @inline(__always)
  static func stored(_ value: Number?) -> Number.Bits {
    guard let value else { return Number.nullBits }
    let bits = value.bitPattern
    return bits == Number.nullBits ? Number.canonicalNaNBits : bits
  }
}
