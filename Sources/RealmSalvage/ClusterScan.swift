// SPDX-License-Identifier: Apache-2.0

// The clusters of a file whose descriptions are gone, and the trees that they make (file format
// 3.9).

import RealmStorage
import RealmTables

/// The clusters among the nodes of a damaged file.
struct ClusterScan {
  /// Some objects of a table.
  struct Cluster {
    let count: Int
    /// What the leaf of each column may be; nil where there is no column.
    let slots: [LeafKinds?]
    let leaves: [Int64]
  }

  /// A tree, or a part of one whose parent is lost.
  struct Tree {
    let root: Int
    /// Its clusters.
    let clusters: [Int]
    let count: Int
    /// The greatest key in it, counted from where the tree begins.
    let lastKey: UInt64
    /// Whether it has an inner node, so that its objects have their places.
    let isInner: Bool
  }

  private(set) var clusters: [Int: Cluster] = [:]
  /// The nodes that no inner node leads to, the largest trees first.
  private(set) var trees: [Tree] = []
  /// The children of inner nodes, as far as they can be found.
  private var children: [Int: [(child: Int, offset: UInt64)]] = [:]
  /// How many levels there are below inner nodes.
  private var depths: [Int: Int] = [:]

  /// None.
  init() {}

  /// - Parameter specs: Descriptions of tables, which look like clusters.
  init(_ scan: NodeScan, specs: Set<Int>) {
    for offset in scan.offsets where !specs.contains(offset) {
      if let node = scan.node(at: Int64(offset)), let cluster = Self.cluster(node, in: scan) {
        clusters[offset] = cluster
      }
    }
    // The leaf of a collection column may look like a cluster.
    for leaf in clusters.values.flatMap(\.leaves) { clusters[Int(leaf)] = nil }
    var depth = 1
    while depth <= ClusterLimits.maximumDepth, findInner(depth, in: scan) { depth += 1 }
    let owned = Set(children.values.flatMap { $0.map(\.child) })
    for root in Set(clusters.keys).union(children.keys).subtracting(owned) {
      var found: [(cluster: Int, offset: UInt64)] = []
      collect(root, 0, &found)
      let lastKey = found.map { $0.offset + self.lastKey(of: $0.cluster, in: scan) }.max()
      trees.append(
        Tree(
          root: root, clusters: found.map(\.cluster),
          count: found.reduce(0) { $0 + (clusters[$1.cluster]?.count ?? 0) },
          lastKey: lastKey ?? 0, isInner: children[root] != nil))
    }
    trees.sort { ($0.isInner ? 1 : 0, $0.count, $1.root) > ($1.isInner ? 1 : 0, $1.count, $0.root) }
  }

  /// The clusters that a node leads to, itself included.
  func clusters(below root: Int) -> [Int] {
    var found: [(cluster: Int, offset: UInt64)] = []
    collect(root, 0, &found)
    return found.map(\.cluster)
  }

  private func collect(
    _ node: Int, _ offset: UInt64, _ found: inout [(cluster: Int, offset: UInt64)]
  ) {
    if clusters[node] != nil { return found.append((node, offset)) }
    for (child, part) in children[node] ?? [] { collect(child, offset &+ part, &found) }
  }

  // MARK: Nodes

  /// How many objects a cluster can have.
  static let countMax = 256

  private static func cluster(_ node: NodeScan.Found, in scan: NodeScan) -> Cluster? {
    guard node.header.hasRefs, !node.header.isInner, !node.header.hasContext,
      node.header.layout == .bits, node.header.count >= 2,
      let count = count(of: node, in: scan), !scan.isMixed(node)
    else { return nil }
    var slots: [LeafKinds?] = []
    var leaves: [Int64] = []
    for index in 1..<node.header.count {
      let slot = scan.element(index, of: node)
      let kinds = scan.leafKinds(at: slot, count: count)
      guard kinds != [] else { return nil }
      slots.append(kinds)
      if slot != 0 { leaves.append(slot) }
    }
    guard slots.contains(where: { $0 != nil && $0 != .any }), Set(leaves).count == leaves.count
    else { return nil }
    return Cluster(count: count, slots: slots, leaves: leaves)
  }

  /// The number of a cluster's objects; nil if the node is no cluster with objects.
  private static func count(of node: NodeScan.Found, in scan: NodeScan) -> Int? {
    let slot = scan.element(0, of: node)
    let count: Int
    if slot & 1 == 1 {
      count = Int(slot >> 1)
    } else {
      guard let keys = scan.node(at: slot), scan.isPlainNumbers(keys), keys.header.width >= 8,
        keys.header.count <= countMax, scan.isAscending(keys)
      else { return nil }
      count = keys.header.count
    }
    return (1...countMax).contains(count) ? count : nil
  }

  /// The greatest key of a cluster, counted from its offset.
  private func lastKey(of cluster: Int, in scan: NodeScan) -> UInt64 {
    guard let node = scan.node(at: Int64(cluster)) else { return 0 }
    let slot = scan.element(0, of: node)
    if slot & 1 == 1 { return UInt64(slot >> 1) - 1 }
    guard let keys = scan.node(at: slot), keys.header.count > 0 else { return 0 }
    return scan.unsignedElement(keys.header.count - 1, of: keys)
  }

  /// Finds the inner nodes of a depth that have a child; false if there are none.
  private mutating func findInner(_ depth: Int, in scan: NodeScan) -> Bool {
    var found: [Int: [(child: Int, offset: UInt64)]] = [:]
    for offset in scan.offsets {
      guard let node = scan.node(at: Int64(offset)), node.header.isInner, node.header.hasRefs,
        !node.header.hasContext, node.header.layout == .bits,
        (4...ClusterLimits.fanOut + 3).contains(node.header.count),
        scan.element(1, of: node) == Int64(depth) << 1 | 1, scan.element(2, of: node) & 1 == 1
      else { continue }
      let count = node.header.count - 3
      var keys: NodeScan.Found?
      let slot = scan.element(0, of: node)
      if slot != 0 {
        guard let offsets = scan.node(at: slot), scan.isPlainNumbers(offsets),
          offsets.header.count == count
        else { continue }
        keys = offsets
      }
      found[offset] = (0..<count).compactMap { index in
        let child = Int(scan.element(index + 3, of: node))
        guard depth == 1 ? clusters[child] != nil : depths[child] == depth - 1 else { return nil }
        let part = keys.map { scan.unsignedElement(index, of: $0) }
        return (child, part ?? UInt64(index) << UInt64(8 * depth))
      }
    }
    found = found.filter { !$0.value.isEmpty }
    children.merge(found) { first, _ in first }
    for node in found.keys { depths[node] = depth }
    return !found.isEmpty
  }
}
