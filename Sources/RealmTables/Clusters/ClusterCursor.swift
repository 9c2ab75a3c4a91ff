// SPDX-License-Identifier: Apache-2.0

// Walking a cluster tree one cluster at a time.
//
// To a scan, the path to a leaf is a chain of three loads that wait for each other: the slots of
// the cluster, the header of the leaf, its values. A cursor asks for the slots eight clusters
// ahead, and gives with each cluster the one that comes four later (`Cluster.ahead`): the reader of
// a leaf prefetches the same leaf there. Measured: this halves the time of a sum and of an equality
// over a million rows.

public import RealmStorage

/// Visits the clusters of a tree in key order, without a closure.
///
/// Empty clusters (the root of an empty table) are passed over.
@frozen @usableFromInline
package struct ClusterCursor {
  /// Where to go on in an inner node.
  @usableFromInline
  struct Level {
    @usableFromInline let inner: InnerCluster
    @usableFromInline var next: Int
    @usableFromInline let offset: UInt64
  }

  @usableFromInline let tree: ClusterTree
  /// The largest offset of a cluster that is given.
  @usableFromInline var lastOffset = UInt64.max
  /// The lowest inner node on the way to the next cluster; nil in a tree of one cluster.
  @usableFromInline var inner: InnerCluster?
  /// The child of it that comes next.
  @usableFromInline var nextChild = 0
  /// Where its children end; 0 before the beginning, 1 for a tree of one cluster.
  @usableFromInline var childCount = 0
  @usableFromInline var offset: UInt64 = 0
  /// The inner nodes above.
  @usableFromInline var path: [Level] = []
  @usableFromInline var isStarted = false
  /// Children that may still be come to: each takes a byte of a node at least, and a damaged tree
  /// that comes to the same again and again does not end otherwise.
  @usableFromInline var childrenLeft = 0

  package init(_ tree: ClusterTree) { self.tree = tree }

  package init(_ tree: ClusterTree, _ range: ClusterRange) throws(StorageError) {
    self.init(tree)
    try seek(ObjectKey(Int64(bitPattern: range.ordinals.lowerBound)))
    lastOffset = range.ordinals.upperBound
  }

  /// The next cluster, or nil at the end.
  @inlinable @inline(__always)
  package mutating func next() throws(StorageError) -> Cluster? {
    while true {
      guard nextChild < childCount else {
        guard try ascend() else { return nil }
        continue
      }
      let child = nextChild
      nextChild = child &+ 1
      guard let inner else { return try sole() }
      let start = offset &+ inner.offset(of: child)
      let node = try tree.space.node(at: try inner.ref(of: child))
      guard !node.header.isInner else {
        try descend(to: node, offset: start)
        continue
      }
      guard start <= lastOffset else { return nil }
      var cluster = try Cluster(
        node, offset: start, enumerations: tree.enumerations, in: tree.space)
      if child &+ 8 < childCount {
        tree.space.prefetchHeader(at: try inner.ref(of: child &+ 8))
      }
      if child &+ 4 < childCount {
        cluster.ahead = try tree.space.node(at: try inner.ref(of: child &+ 4))
      }
      if cluster.count > 0 { return cluster }
    }
  }

  /// Moves to the cluster that holds `key`, or would hold it; `next()` gives that one.
  package mutating func seek(_ key: ObjectKey) throws(StorageError) {
    try start()
    while let inner, nextChild < childCount {
      let child = inner.child(for: key.ordinal &- offset)
      nextChild = child
      let node = try tree.space.node(at: try inner.ref(of: child))
      guard node.header.isInner else { return }
      nextChild = child &+ 1
      try descend(to: node, offset: offset &+ inner.offset(of: child))
    }
  }

  private mutating func start() throws(StorageError) {
    isStarted = true
    path.removeAll(keepingCapacity: true)
    inner = nil
    (nextChild, childCount, offset) = (0, 1, 0)
    childrenLeft = max(tree.space.fileEnd, tree.space.slabEnd)
    let root = try tree.space.node(at: tree.root)
    if root.header.isInner { try descend(to: root, offset: 0) }
  }

  /// The cluster that is the whole tree.
  @usableFromInline
  mutating func sole() throws(StorageError) -> Cluster? {
    let node = try tree.space.node(at: tree.root)
    let cluster = try Cluster(node, offset: 0, enumerations: tree.enumerations, in: tree.space)
    return cluster.count > 0 ? cluster : nil
  }

  /// Begins, or goes back to where the parent of the lowest inner node goes on; false at the end.
  @usableFromInline
  mutating func ascend() throws(StorageError) -> Bool {
    guard isStarted else {
      try start()
      return true
    }
    guard let level = path.popLast() else { return false }
    inner = level.inner
    (nextChild, childCount, offset) = (level.next, level.inner.childCount, level.offset)
    return true
  }

  @usableFromInline
  mutating func descend(to node: Node, offset: UInt64) throws(StorageError) {
    guard path.count < ClusterLimits.maximumDepth else {
      throw StorageError.badCluster("tree does not end")
    }
    if let inner { path.append(Level(inner: inner, next: nextChild, offset: self.offset)) }
    let below = try InnerCluster(node, in: tree.space)
    childrenLeft &-= below.childCount
    guard childrenLeft >= 0 else { throw StorageError.badCluster("tree does not end") }
    inner = below
    (nextChild, childCount, self.offset) = (0, below.childCount, offset)
  }
}
