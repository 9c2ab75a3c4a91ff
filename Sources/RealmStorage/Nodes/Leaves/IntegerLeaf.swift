// SPDX-License-Identifier: Apache-2.0

// Integers that are not nullable, and what is stored as such.

/// A leaf of integers: one node of packed integers (file format 4.2.1).
///
/// Also the elements of lists and sets of links, which are unshifted object keys (section 8.2).
@usableFromInline
package enum IntegerLeaf: PackedLeaf {
  @inlinable @inline(__always)
  package static func value(at index: Int, of node: Node) throws(StorageError) -> Int64 {
    try node.integer(at: index)
  }

  @inlinable @inline(__always)
  package static func stored(_ value: Int64) -> Int64 { value }

  @inlinable
  package static func zero(isNullable: Bool) -> Int64 { 0 }
}
