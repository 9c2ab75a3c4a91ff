// SPDX-License-Identifier: Apache-2.0

// A leaf of numbers, found once for all rows of a cluster.

public import RealmStorage

/// The leaf of a column whose elements are read one after the other, without a look at the cluster.
///
/// Invariants:
/// 1. The leaf has an element for each row of its cluster. A column that has no such leaf of
///    numbers is represented by a node of bytes, which no read takes for its own; the leaf of a
///    nullable column of integers by a header with a mark, for reads of such columns alone.
@frozen @usableFromInline
package struct RowLeaf: Sendable {
  @usableFromInline let node: Node

  /// The leaf of a column in a cluster; nil if it is too short, as in a damaged file.
  ///
  /// - Throws: the error of a read of the column, if there is no leaf.
  package init?(
    _ leafIndex: Int, _ kind: LeafKind, in cluster: Cluster
  ) throws(StorageError) {
    switch kind {
    case .int, .bool, .float, .double:
      node = try cluster.leaf(leafIndex)
      if node.count < cluster.count { return nil }
    case .nullableInt:
      // Element 0 is the one that represents null.
      let leaf = try cluster.leaf(leafIndex)
      if leaf.count <= cluster.count { return nil }
      node = unsafe Node(
        address: leaf.address, header: NodeHeader(bits: leaf.header.bits | Self.nullableMark))
    default: self = .none(in: cluster.node)
    }
  }

  @inlinable
  init(_ node: Node) { self.node = node }

  /// The flag of a header by which a leaf of a nullable column is known here; leaves have none.
  private static let nullableMark = UInt64(NodeFlags.context.rawValue) << 32

  /// A leaf that no read takes for its own, of a cluster that has no other.
  @inlinable
  static func none(in cluster: Node) -> RowLeaf {
    let header = NodeHeader(flags: [], layout: .bytes, widthCode: 0, count: 0)
    return unsafe RowLeaf(Node(address: cluster.address, header: header))
  }

  /// The integer of a row of the cluster; nil if the leaf is not one of integers.
  @inlinable @inline(__always)
  package func integer(at index: Int) -> Int64? {
    node.header.isBits && !node.header.hasContext ? node.uncheckedInteger(at: index) : nil
  }

  /// The integer of a row of the cluster in a nullable column, or nil for null; nil if the leaf is
  /// not one of integers.
  @inlinable @inline(__always)
  package func optionalInteger(at index: Int) -> Int64?? {
    guard node.header.isBits, node.header.hasContext else { return nil }
    let value = node.uncheckedInteger(at: index &+ 1)
    return .some(value == node.uncheckedInteger(at: 0) ? nil : value)
  }

  /// The number of a row of the cluster; nil if the leaf is not one of such numbers.
  @inlinable @inline(__always)
  func number<Number: FloatingElement>(at index: Int) -> Number? {
    guard node.header.isOf(.multiply, widthCode: Number.widthCode) else { return nil }
    let offset = index &* MemoryLayout<Number.Bits>.size
    return unsafe Number(
      bitPattern: node.payload.load(fromByteOffset: offset, as: Number.Bits.self))
  }

  /// The number of a row of the cluster in a nullable column, or nil for null; nil if the leaf is
  /// not one of such numbers.
  @inlinable @inline(__always)
  func optionalNumber<Number: FloatingElement>(at index: Int) -> Number?? {
    guard let number: Number = number(at: index) else { return nil }
    return .some(number.bitPattern == Number.nullBits ? nil : number)
  }

  /// The float of a row of the cluster; nil if the leaf is not one of floats.
  @inlinable @inline(__always)
  package func float(at index: Int) -> Float? { number(at: index) }

  /// The double of a row of the cluster; nil if the leaf is not one of doubles.
  @inlinable @inline(__always)
  package func double(at index: Int) -> Double? { number(at: index) }

  /// The float of a row of the cluster in a nullable column, or nil for null; nil if the leaf is
  /// not one of floats.
  @inlinable @inline(__always)
  package func optionalFloat(at index: Int) -> Float?? { optionalNumber(at: index) }

  /// The double of a row of the cluster in a nullable column, or nil for null; nil if the leaf is
  /// not one of doubles.
  @inlinable @inline(__always)
  package func optionalDouble(at index: Int) -> Double?? { optionalNumber(at: index) }
}
