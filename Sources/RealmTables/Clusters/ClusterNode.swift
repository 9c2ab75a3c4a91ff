// SPDX-License-Identifier: Apache-2.0

// The two kinds of nodes of a cluster tree (file format 3.9), decoded.

public import RealmStorage

/// Numbers that shape cluster trees.
@usableFromInline
package enum ClusterLimits {
  /// The largest number of objects of a cluster, and of children of an inner node.
  @inlinable package static var fanOut: Int { 256 }
  /// A child below this size is merged with its right sibling, if both together stay below
  /// `mergedSize`.
  package static let smallSize = 128
  package static let mergedSize = 192
  /// More levels than any valid tree has.
  @inlinable package static var maximumDepth: Int { 64 }
}

/// An inner node, its slots checked: which child holds a key, and where the children's keys start.
@frozen @usableFromInline
package struct InnerCluster {
  @usableFromInline package let node: Node
  /// Nil in the compact form, in which child `i` starts at `i << shift`.
  @usableFromInline package let offsets: Node?
  @usableFromInline package let shift: UInt64
  @usableFromInline package let childCount: Int

  @inlinable @inline(__always)
  package init(_ node: Node, in space: NodeSpace) throws(StorageError) {
    self.node = node
    childCount = node.count &- 3
    guard node.header.hasRefs, childCount > 0 else {
      throw StorageError.badCluster("inner node has no children")
    }
    let offsetRef = try node.ref(at: 0)
    offsets = offsetRef.isNull ? nil : try KeyArray.load(offsetRef, count: childCount, in: space)
    let depth = Tagged.number(node.uncheckedInteger(at: 1)) ?? 0
    guard depth > 0, depth <= ClusterLimits.maximumDepth else {
      throw StorageError.badCluster("inner node has a depth of \(depth)")
    }
    shift = UInt64(truncatingIfNeeded: 8 &* depth)
  }

  /// 1 if the children are clusters, 2 if they are inner nodes over clusters, and so on.
  package var depth: Int { Int(shift / 8) }

  /// The number of objects below.
  package func total() throws(StorageError) -> Int { try node.taggedNumber(at: 2) }

  /// The first key that child `index` can hold, relative to this node.
  @inlinable @inline(__always)
  package func offset(of index: Int) -> UInt64 {
    guard let offsets else { return UInt64(truncatingIfNeeded: index) << shift }
    return KeyArray.value(at: index, of: offsets)
  }

  /// The child that holds `key`, which is relative to this node.
  @inlinable @inline(__always)
  package func child(for key: UInt64) -> Int {
    guard let offsets else {
      let index = key >> shift
      return index < UInt64(truncatingIfNeeded: childCount)
        ? Int(truncatingIfNeeded: index) : childCount &- 1
    }
    return max(KeyArray.upperBound(key, in: offsets) &- 1, 0)
  }

  /// The ref of child `index`.
  @inlinable @inline(__always)
  package func ref(of index: Int) throws(StorageError) -> Ref { try node.ref(at: index &+ 3) }
}
