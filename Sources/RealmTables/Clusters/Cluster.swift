// SPDX-License-Identifier: Apache-2.0

// A leaf of a cluster tree: up to 256 objects, column by column.

public import RealmStorage

/// One leaf of the objects' tree as a reader sees it.
///
/// Slot 0 says how many objects there are and what their keys are; slot `1 + leafIndex` is the leaf
/// of a column, with one element for each object.
@frozen @usableFromInline
package struct Cluster {
  @usableFromInline package let space: NodeSpace
  @usableFromInline package let node: Node
  /// Where the values of the table's enumerated string columns are.
  @usableFromInline package let enumerations: EnumerationPlace
  /// The offset to add to the keys in this node, as an unsigned number.
  @usableFromInline package let offset: UInt64
  /// The keys; nil in the compact form, in which they are 0, 1, …
  @usableFromInline package let keys: Node?
  /// The number of objects.
  @usableFromInline package let count: Int
  /// A cluster that comes soon, if a cursor knows one; otherwise this one.
  @usableFromInline package var ahead: Node

  /// Checks the form of a leaf's slot 0.
  @inlinable @inline(__always)
  package init(
    _ node: Node, offset: UInt64, enumerations: EnumerationPlace, in space: NodeSpace
  ) throws(StorageError) {
    self.space = space
    self.node = node
    ahead = node
    self.enumerations = enumerations
    self.offset = offset
    guard node.header.hasRefs, node.count > 0 else {
      throw StorageError.badCluster("has no slots")
    }
    let slot = try node.integer(at: 0)
    if slot & 1 == 1 {
      keys = nil
      count = Int(truncatingIfNeeded: slot &>> 1)
    } else {
      let array = try KeyArray.load(Ref(Int(slot)), in: space)
      keys = array
      count = array.count
    }
    guard UInt(bitPattern: count) <= UInt(bitPattern: ClusterLimits.fanOut) else {
      throw StorageError.badCluster("claims \(count) objects")
    }
  }

  /// The key of object `index`, which is below `count`.
  @inlinable @inline(__always)
  package func key(at index: Int) -> ObjectKey {
    let relative =
      if let keys { KeyArray.value(at: index, of: keys) } else {
        UInt64(truncatingIfNeeded: index)
      }
    return ObjectKey(Int64(bitPattern: offset &+ relative))
  }

  /// The position of an object in this cluster.
  @inlinable @inline(__always)
  package func index(of key: ObjectKey) -> Int? {
    let relative = key.ordinal &- offset
    guard let keys else {
      return relative < UInt64(truncatingIfNeeded: count) ? Int(truncatingIfNeeded: relative) : nil
    }
    let index = KeyArray.lowerBound(relative, in: keys)
    return index < count && KeyArray.value(at: index, of: keys) == relative ? index : nil
  }

  /// The ref of a column's leaf.
  @inlinable @inline(__always)
  package func leafRef(_ leafIndex: Int) throws(StorageError) -> Ref {
    try node.ref(at: leafIndex &+ 1)
  }

  /// The outer node of a column's leaf.
  @inlinable @inline(__always)
  package func leaf(_ leafIndex: Int) throws(StorageError) -> Node {
    try space.node(at: try leafRef(leafIndex))
  }

  /// Where the leaf of a column is that is read soon. The memory may be anything; it is not to be
  /// read, but to be asked for: as many lines as this cluster's leaf has.
  @inlinable @inline(__always)
  package func upcomingLeaf(_ leafIndex: Int) -> UnsafeRawPointer {
    guard leafIndex &+ 1 < ahead.count, ahead.header.layout == .bits else {
      return unsafe node.address
    }
    let offset = Int(truncatingIfNeeded: ahead.uncheckedInteger(at: leafIndex &+ 1))
    return unsafe offset < 0 || offset >= space.prefetchBound
      ? node.address : space.base + offset
  }

  /// The leaf of a column, of which all is read, and soon that of the cluster ahead.
  ///
  /// - Complexity: a leaf of more than 2 KiB is prefetched by the reader of this one: see
  ///   `upcomingLeaf`.
  @inlinable @inline(__always)
  package func scannedLeaf(_ leafIndex: Int) throws(StorageError) -> Node {
    let leaf = try leaf(leafIndex)
    let lines = (leaf.header.nodeByteCount &+ 63) &>> 6
    // A reader of a few rows, not from a cursor, must not wait for a whole leaf.
    if unsafe ahead.address != node.address, lines <= NodeSpace.prefetchedLineCount {
      unsafe NodeSpace.prefetch(upcomingLeaf(leafIndex), lines: lines)
    }
    return leaf
  }

  /// Object `index`, which is below `count`.
  @inlinable @inline(__always)
  package func row(at index: Int) -> Row {
    Row(space: space, cluster: node, index: index, enumerations: enumerations)
  }
}
