// SPDX-License-Identifier: Apache-2.0

// Reading cluster trees: the map from object keys to objects.

public import RealmStorage

/// Lookups in a cluster tree.
///
/// Keys are ordered as unsigned numbers and are, in each node, relative to the sum of the offsets
/// on the path from the root.
@frozen @usableFromInline
package struct ClusterTree {
  @usableFromInline package let root: Ref
  /// Where the values of the table's enumerated string columns are.
  @usableFromInline package let enumerations: EnumerationPlace
  @usableFromInline package let space: NodeSpace

  @inlinable @inline(__always)
  package init(root: Ref, enumerations: EnumerationPlace, in space: NodeSpace) {
    self.root = root
    self.enumerations = enumerations
    self.space = space
  }

  /// The number of objects.
  package func count() throws(StorageError) -> Int { try Self.count(of: root, in: space) }

  /// The number of objects below a node.
  package static func count(of ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    let node = try space.node(at: ref)
    if node.header.isInner {
      let count = try InnerCluster(node, in: space).total()
      guard count >= 0, count <= space.elementCountMax(below: ref) else {
        throw .impossibleCount(count, of: ref)
      }
      return count
    }
    return try Cluster(node, offset: 0, enumerations: .none, in: space).count
  }

  /// The cluster that holds `key` if any does.
  @inlinable
  package func cluster(for key: ObjectKey) throws(StorageError) -> Cluster {
    var node = try space.node(at: root)
    var relative = key.ordinal
    var levels = 0
    while node.header.isInner {
      levels &+= 1
      guard levels < ClusterLimits.maximumDepth else {
        throw StorageError.badCluster("tree does not end")
      }
      let inner = try InnerCluster(node, in: space)
      let child = inner.child(for: relative)
      relative &-= inner.offset(of: child)
      node = try space.node(at: try inner.ref(of: child))
    }
    return try Cluster(
      node, offset: key.ordinal &- relative, enumerations: enumerations, in: space)
  }

  /// Asks for the beginning of the cluster that holds `key` if any does.
  package func prefetch(_ key: ObjectKey) throws(StorageError) {
    var ref = root
    var relative = key.ordinal
    for _ in 0..<ClusterLimits.maximumDepth {
      let node = try space.node(at: ref)
      guard node.header.isInner else { return }
      let inner = try InnerCluster(node, in: space)
      let child = inner.child(for: relative)
      relative &-= inner.offset(of: child)
      ref = try inner.ref(of: child)
      if inner.depth == 1 { return space.prefetchHeader(at: ref) }
    }
  }

  /// The object with that key.
  @inlinable
  package func row(of key: ObjectKey) throws(StorageError) -> Row? {
    let cluster = try cluster(for: key)
    guard let index = cluster.index(of: key) else { return nil }
    return cluster.row(at: index)
  }

  /// The key of the object at a position in key order.
  package func key(at position: Int) throws(StorageError) -> ObjectKey? {
    guard position >= 0 else { return nil }
    var node = try space.node(at: root)
    var offset: UInt64 = 0
    var position = position
    for _ in 0..<ClusterLimits.maximumDepth {
      guard node.header.isInner else {
        let cluster = try Cluster(node, offset: offset, enumerations: enumerations, in: space)
        return position < cluster.count ? cluster.key(at: position) : nil
      }
      let inner = try InnerCluster(node, in: space)
      var child = 0
      while true {
        guard child < inner.childCount else { return nil }
        let size = try Self.count(of: try inner.ref(of: child), in: space)
        if position < size { break }
        position -= size
        child += 1
      }
      offset &+= inner.offset(of: child)
      node = try space.node(at: try inner.ref(of: child))
    }
    throw StorageError.badCluster("tree does not end")
  }

  /// The position in key order of an object.
  package func position(of key: ObjectKey) throws(StorageError) -> Int? {
    var node = try space.node(at: root)
    var relative = key.ordinal
    var position = 0
    for _ in 0..<ClusterLimits.maximumDepth {
      guard node.header.isInner else {
        let offset = key.ordinal &- relative
        let cluster = try Cluster(node, offset: offset, enumerations: enumerations, in: space)
        return cluster.index(of: key).map { position + $0 }
      }
      let inner = try InnerCluster(node, in: space)
      let child = inner.child(for: relative)
      for sibling in 0..<child {
        position += try Self.count(of: try inner.ref(of: sibling), in: space)
      }
      relative &-= inner.offset(of: child)
      node = try space.node(at: try inner.ref(of: child))
    }
    throw StorageError.badCluster("tree does not end")
  }
}
