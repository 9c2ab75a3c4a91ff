// SPDX-License-Identifier: Apache-2.0

// A leaf of numbers, found once for all rows of a cluster.

public import RealmStorage

/// The leaf of a column whose elements are read one after the other, without a look at the cluster.
///
/// Invariants:
/// 1. The leaf has an element for each row of its cluster. A column that has no such leaf of
///    numbers is represented by a node of bytes, which no read takes for its own.
@frozen @usableFromInline
package struct RowLeaf: Sendable {
  @usableFromInline let node: Node

  /// The leaf of a column in a cluster; nil if it is too short, as in a damaged file.
  ///
  /// - Throws: the error of a read of the column, if there is no leaf.
  package init?(_ column: Column, in cluster: Cluster) throws(StorageError) {
    switch column.leafKind {
    case .int, .bool, .float, .double:
      node = try cluster.leaf(column.leafIndex)
      if node.count < cluster.count { return nil }
    default:
      let header = NodeHeader(flags: [], layout: .bytes, widthCode: 0, count: 0)
      node = unsafe Node(address: cluster.node.address, header: header)
    }
  }

  /// The integer of a row of the cluster; nil if the leaf is not one of integers.
  @inlinable @inline(__always)
  package func integer(at index: Int) -> Int64? {
    node.header.isBits ? node.uncheckedInteger(at: index) : nil
  }

  /// The number of a row of the cluster; nil if the leaf is not one of such numbers.
  @inlinable @inline(__always)
  func number<Number: FloatingElement>(at index: Int) -> Number? {
    guard node.header.isOf(.multiply, widthCode: Number.widthCode) else { return nil }
    let offset = index &* MemoryLayout<Number.Bits>.size
    return unsafe Number(
      bitPattern: node.payload.load(fromByteOffset: offset, as: Number.Bits.self))
  }

  /// The float of a row of the cluster; nil if the leaf is not one of floats.
  @inlinable @inline(__always)
  package func float(at index: Int) -> Float? { number(at: index) }

  /// The double of a row of the cluster; nil if the leaf is not one of doubles.
  @inlinable @inline(__always)
  package func double(at index: Int) -> Double? { number(at: index) }
}
