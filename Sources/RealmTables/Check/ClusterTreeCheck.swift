// SPDX-License-Identifier: Apache-2.0

// Checks 22 and 24: the shape of a tree of objects, and their keys.

import RealmStorage

/// Walks one cluster tree and hands out its clusters.
///
/// Keys are compared as the tree orders them: as unsigned numbers.
struct ClusterTreeCheck {
  let table: String
  let enumerations: EnumerationPlace
  let isTombstones: Bool
  let space: NodeSpace
  let report: CheckReport

  /// The clusters that could be read, in order of the tree.
  func clusters(root: Ref) -> [Cluster] {
    var found: [Cluster] = []
    _ = count(root, offset: 0, limit: nil, depth: nil, &found)
    return found
  }

  /// Checks the node and what is below it; gives the number of objects.
  ///
  /// - Parameters:
  ///   - limit: The key at which the next sibling starts.
  ///   - depth: The levels below the node as its parent knows them; nil for the root.
  private func count(
    _ ref: Ref, offset: UInt64, limit: UInt64?, depth: Int?, _ found: inout [Cluster]
  ) -> Int {
    let node = report.attempt(22, table, reading: try enteredNode(at: ref))
    guard let node else { return 0 }
    if let depth, node.header.isInner != (depth > 0) {
      report.error(22, "the node at \(ref.offset) is at the wrong depth of the tree", table)
      return 0
    }
    guard node.header.isInner else {
      return countCluster(node, ref, offset: offset, limit: limit, isRoot: depth == nil, &found)
    }
    let inner = report.attempt(22, table, reading: try InnerCluster(node, in: space))
    guard let inner else { return 0 }
    if let depth, inner.depth != depth {
      report.error(22, "inner node \(ref.offset) has depth \(inner.depth), not \(depth)", table)
      return 0
    }
    return countChildren(of: inner, ref, offset: offset, limit: limit, &found)
  }

  private func enteredNode(at ref: Ref) throws(StorageError) -> Node {
    try report.enter(ref)
    return try space.node(at: ref)
  }

  private func countChildren(
    of inner: InnerCluster, _ ref: Ref, offset: UInt64, limit: UInt64?,
    _ found: inout [Cluster]
  ) -> Int {
    if inner.childCount > ClusterLimits.fanOut {
      report.error(22, "inner node \(ref.offset) has \(inner.childCount) children", table)
      return 0
    }
    if inner.offset(of: 0) != 0 {
      report.error(22, "the first offset of inner node \(ref.offset) is not 0", table)
    }
    var total = 0
    for index in 0..<inner.childCount {
      let start = inner.offset(of: index)
      var end = limit
      if index + 1 < inner.childCount {
        let next = inner.offset(of: index + 1)
        if next <= start {
          report.error(22, "the offsets of inner node \(ref.offset) do not ascend", table)
        }
        end = offset &+ next
      }
      let child = report.attempt(22, table, reading: try inner.ref(of: index))
      guard let child else { continue }
      total += count(
        child, offset: offset &+ start, limit: end, depth: inner.depth - 1, &found)
    }
    let stored = report.attempt(22, table, reading: try inner.total())
    if let stored, stored != total {
      report.error(22, "inner node \(ref.offset) counts \(stored) objects, has \(total)", table)
    }
    return total
  }

  private func countCluster(
    _ node: Node, _ ref: Ref, offset: UInt64, limit: UInt64?, isRoot: Bool,
    _ found: inout [Cluster]
  ) -> Int {
    let cluster = report.attempt(
      22, table, reading: try Cluster(node, offset: offset, enumerations: enumerations, in: space))
    guard let cluster else { return 0 }
    if cluster.count == 0, !isRoot {
      report.error(22, "the cluster at \(ref.offset) is empty", table)
    }
    for index in 0..<cluster.count {
      let key = cluster.key(at: index)
      if index > 0, key.ordinal <= cluster.key(at: index - 1).ordinal {
        report.error(22, "the keys of the cluster at \(ref.offset) do not ascend", table, key)
      }
      if let limit, key.ordinal >= limit {
        report.error(22, "the key belongs to a later node of the tree", table, key)
      }
      if isTombstones ? key.rawValue > -2 : key.rawValue < 0 {
        report.error(
          24, "the key is none of a \(isTombstones ? "tombstone" : "object")", table, key)
      }
    }
    found.append(cluster)
    return cluster.count
  }
}
