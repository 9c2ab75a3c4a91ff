// SPDX-License-Identifier: Apache-2.0

// Searching the unsigned key arrays of cluster trees.

public import RealmStorage

/// Lookups in ascending arrays of unsigned integers: the keys of clusters and the offsets of inner
/// nodes.
@usableFromInline
package enum KeyArray {
  /// Checks that `node` is such an array of at least one element a slot can index.
  @inlinable @inline(__always)
  package static func load(
    _ ref: Ref, count: Int? = nil, in space: NodeSpace
  ) throws(StorageError) -> Node {
    let node = try space.node(at: ref)
    guard node.header.isBits, !node.header.hasRefs, count == nil || node.count == count
    else { throw StorageError.badKeyArray(ref) }
    return node
  }

  /// Element `index`.
  ///
  /// - Safety: `index` is below the node's count.
  @inlinable @inline(__always)
  package static func value(at index: Int, of node: Node) -> UInt64 {
    unsafe PackedIntegers.loadUnsigned(node.payload, widthCode: node.header.widthCode, at: index)
  }

  /// The position of the first element that is not below `key`.
  @inlinable
  package static func lowerBound(_ key: UInt64, in node: Node) -> Int {
    switch node.header.widthCode {
    case 4: lowerBound(key, node, as: UInt8.self)
    case 5: lowerBound(key, node, as: UInt16.self)
    case 6: lowerBound(key, node, as: UInt32.self)
    case 7: lowerBound(key, node, as: UInt64.self)
    default: narrowLowerBound(key, node)
    }
  }

  /// The position of the first element above `key`.
  @inlinable @inline(__always)
  package static func upperBound(_ key: UInt64, in node: Node) -> Int {
    key == .max ? node.count : lowerBound(key &+ 1, in: node)
  }

  @inlinable @inline(__always)
  static func lowerBound<T: FixedWidthInteger & UnsignedInteger>(
    _ key: UInt64, _ node: Node, as type: T.Type
  ) -> Int {
    let count = node.count
    guard key <= UInt64(T.max) else { return count }
    let key = T(truncatingIfNeeded: key)
    let elements = unsafe node.payload.assumingMemoryBound(to: T.self)
    var first = 0
    var length = count
    // A binary search without a branch on the comparison, whose outcome is as good as random.
    while length > 1 {
      let half = length &>> 1
      first = unsafe elements[first &+ half &- 1] < key ? first &+ half : first
      length &-= half
    }
    return unsafe length == 1 && elements[first] < key ? first &+ 1 : first
  }

  /// Arrays narrower than 8 bits: our own writer makes none, but a reader need not refuse them.
  @usableFromInline
  static func narrowLowerBound(_ key: UInt64, _ node: Node) -> Int {
    var index = 0
    while index < node.count, value(at: index, of: node) < key { index += 1 }
    return index
  }
}

extension StorageError {
  @usableFromInline @inline(never)
  static func badKeyArray(_ ref: Ref) -> StorageError {
    .corrupted("the key array at \(ref.offset) does not match its node")
  }

  @usableFromInline @inline(never)
  static func badCluster(_ reason: String) -> StorageError {
    .corrupted("a cluster \(reason)")
  }
}
