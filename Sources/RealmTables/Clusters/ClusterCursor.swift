// SPDX-License-Identifier: Apache-2.0

// Walking a cluster tree one cluster at a time.

package import RealmStorage

/// Visits the clusters of a tree in key order, without a closure.
///
/// Empty clusters (the root of an empty table) are passed over.
package struct ClusterCursor {
  private struct Level {
    var inner: InnerCluster
    var next: Int
    var offset: UInt64
  }

  private let tree: ClusterTree
  /// The column whose leaves are asked for ahead, if one is.
  private let leafIndex: Int?
  private var path: [Level] = []
  private var isStarted = false
  // A cluster that `seek` found and `next` has yet to give.
  private var found: Cluster?

  /// - Parameter leafIndex: a column that will be read in every cluster: its leaves are asked for
  ///   before they are needed.
  package init(_ tree: ClusterTree, reading leafIndex: Int? = nil) {
    self.tree = tree
    self.leafIndex = leafIndex
  }

  /// The next cluster, or nil at the end.
  package mutating func next() throws(StorageError) -> Cluster? {
    if let cluster = found {
      found = nil
      if cluster.count > 0 { return cluster }
    }
    if !isStarted {
      isStarted = true
      let cluster = try descend(to: tree.root, offset: 0)
      return cluster.count > 0 ? cluster : nil
    }
    while let level = path.last {
      guard level.next < level.inner.childCount else {
        path.removeLast()
        continue
      }
      path[path.count - 1].next += 1
      var upcoming: UnsafeRawPointer?
      if let leafIndex {
        upcoming = level.inner.prefetch(leafIndex, after: level.next, in: tree.space)
      }
      var cluster = try descend(
        to: try level.inner.ref(of: level.next),
        offset: level.offset &+ level.inner.offset(of: level.next))
      cluster.upcoming = upcoming
      if cluster.count > 0 { return cluster }
    }
    return nil
  }

  /// Moves to the cluster that holds `key`, or would hold it; `next()` gives that one.
  package mutating func seek(_ key: ObjectKey) throws(StorageError) {
    path.removeAll(keepingCapacity: true)
    isStarted = true
    var node = try tree.space.node(at: tree.root)
    var offset: UInt64 = 0
    while node.header.isInner {
      try checkDepth()
      let inner = try InnerCluster(node, in: tree.space)
      let child = inner.child(for: key.ordinal &- offset)
      path.append(Level(inner: inner, next: child + 1, offset: offset))
      offset &+= inner.offset(of: child)
      node = try tree.space.node(at: try inner.ref(of: child))
    }
    found = try Cluster(node, offset: offset, spec: tree.spec, in: tree.space)
  }

  private mutating func descend(
    to ref: Ref, offset: UInt64
  ) throws(StorageError) -> Cluster {
    var node = try tree.space.node(at: ref)
    var offset = offset
    while node.header.isInner {
      try checkDepth()
      let inner = try InnerCluster(node, in: tree.space)
      path.append(Level(inner: inner, next: 1, offset: offset))
      offset &+= inner.offset(of: 0)
      node = try tree.space.node(at: try inner.ref(of: 0))
    }
    return try Cluster(node, offset: offset, spec: tree.spec, in: tree.space)
  }

  private func checkDepth() throws(StorageError) {
    guard path.count < ClusterLimits.maximumDepth else {
      throw StorageError.badCluster("tree does not end")
    }
  }
}
