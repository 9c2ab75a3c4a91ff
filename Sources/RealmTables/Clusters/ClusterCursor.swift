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
  /// The inner nodes on the way to the next cluster, without the last.
  private var path: [Level] = []
  /// The lowest inner node; nil before the beginning, at the end, and in a tree of one cluster.
  private var level: Level?
  private var ahead = LeavesAhead()
  private var isStarted = false
  /// The largest offset of a cluster that is given.
  private var lastOffset = UInt64.max
  // A cluster that was found and `next` has yet to give.
  private var found: Cluster?

  /// - Parameter leafIndex: a column that will be read in every cluster: its leaves are asked for
  ///   before they are needed.
  package init(_ tree: ClusterTree, reading leafIndex: Int? = nil) {
    self.tree = tree
    self.leafIndex = leafIndex
  }

  /// Visits the clusters of one range.
  package init(
    _ tree: ClusterTree, _ range: ClusterRange, reading leafIndex: Int? = nil
  ) throws(StorageError) {
    self.init(tree, reading: leafIndex)
    try seek(ObjectKey(Int64(bitPattern: range.ordinals.lowerBound)))
    lastOffset = range.ordinals.upperBound
  }

  /// The next cluster, or nil at the end.
  package mutating func next() throws(StorageError) -> Cluster? {
    if !isStarted { try start() }
    if let cluster = found {
      found = nil
      if cluster.count > 0 { return cluster.offset <= lastOffset ? cluster : nil }
    }
    while true {
      guard let inner = level?.inner, let child = level?.next, child < inner.childCount else {
        guard try ascend() else { return nil }
        continue
      }
      level?.next = child &+ 1
      let ref = try inner.ref(of: child)
      let offset = (level?.offset ?? 0) &+ inner.offset(of: child)
      let node = try tree.space.node(at: ref)
      guard !node.header.isInner else {
        try descend(to: node, offset: offset)
        continue
      }
      guard offset <= lastOffset else { return nil }
      var cluster = try Cluster(node, offset: offset, spec: tree.spec, in: tree.space)
      if let leafIndex {
        cluster.upcoming = ahead.prefetch(leafIndex, in: inner, after: child, tree.space)
      }
      if cluster.count > 0 { return cluster }
    }
  }

  /// Moves to the cluster that holds `key`, or would hold it; `next()` gives that one.
  package mutating func seek(_ key: ObjectKey) throws(StorageError) {
    path.removeAll(keepingCapacity: true)
    level = nil
    ahead = LeavesAhead()
    isStarted = true
    var node = try tree.space.node(at: tree.root)
    var offset: UInt64 = 0
    while node.header.isInner {
      try descend(to: node, offset: offset)
      guard let inner = level?.inner else { return }
      let child = inner.child(for: key.ordinal &- offset)
      level?.next = child + 1
      offset &+= inner.offset(of: child)
      node = try tree.space.node(at: try inner.ref(of: child))
    }
    found = try Cluster(node, offset: offset, spec: tree.spec, in: tree.space)
  }

  private mutating func start() throws(StorageError) {
    isStarted = true
    let node = try tree.space.node(at: tree.root)
    if node.header.isInner {
      try descend(to: node, offset: 0)
    } else {
      found = try Cluster(node, offset: 0, spec: tree.spec, in: tree.space)
    }
  }

  /// Goes back to where the parent of the lowest inner node goes on; false at the end.
  private mutating func ascend() throws(StorageError) -> Bool {
    level = path.popLast()
    ahead = LeavesAhead()
    return level != nil
  }

  private mutating func descend(to node: Node, offset: UInt64) throws(StorageError) {
    guard path.count < ClusterLimits.maximumDepth else {
      throw StorageError.badCluster("tree does not end")
    }
    if let level { path.append(level) }
    level = Level(inner: try InnerCluster(node, in: tree.space), next: 0, offset: offset)
    ahead = LeavesAhead()
  }
}
