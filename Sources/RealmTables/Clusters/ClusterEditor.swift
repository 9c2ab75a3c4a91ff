// SPDX-License-Identifier: Apache-2.0

// Editing a cluster tree in a write transaction.
//
// Invariants:
// 1. Every node on `path`, and `leaf`, is writable, and each is what its parent's slot refers to;
//    `root` refers to the first of them.
// 2. A key in `leafRange` belongs to `leaf` and nowhere else, so an edit that names such a key
//    needs no descent. `leafRange` is empty whenever 1 does not hold.
// 3. Each column leaf of a cluster has as many elements as the cluster has keys, before and after
//    each call.
// 4. `generation.value` changes whenever a cluster was copied, split or merged, or lost an object:
//    a `Row` made before is stale then.

import RealmStorage

/// A place of an object that may be written.
struct WritableRow {
  let cluster: MutableNode
  let index: Int
}

/// The objects' tree of one table in a write transaction (file format 3.9).
final class ClusterEditor {
  /// An inner node on the way to the current leaf.
  struct Level {
    var node: MutableNode
    /// The child that was taken.
    var child: Int
    /// The sum of the offsets above: what keys in this node are relative to.
    var offset: UInt64
  }

  // The transaction has one user at a time, so the run-time exclusivity checks of what every edit
  // touches could not find anything.

  let allocator: NodeAllocator
  @exclusivity(unchecked) var root: Ref
  /// By leaf index; nil where there is no column.
  @exclusivity(unchecked) var layouts: [LeafLayout?] {
    didSet { unsafe coveredBy = nil }
  }
  private let generation: StructureGeneration
  /// The positions of a new object's strings; nil in a table without enumerated columns.
  @exclusivity(unchecked) var newPositions: NewPositions?
  /// The columns that the initial values `coveredBy` leave to their defaults.
  @exclusivity(unchecked) private var uncovered: [(index: Int, layout: LeafLayout)] = []
  /// Kept, as another object might get its address otherwise.
  @exclusivity(unchecked) private var coveredBy: (any InitialValues)?

  @exclusivity(unchecked) private(set) var path: [Level] = []
  @exclusivity(unchecked) private(set) var leaf: MutableNode
  @exclusivity(unchecked) private(set) var leafOffset: UInt64 = 0
  /// The keys that belong to `leaf`: from the first to, but not including, the second.
  @exclusivity(unchecked) private var leafLowest: UInt64 = 0
  @exclusivity(unchecked) private var leafEnd: UInt64 = 0

  init(
    root: Ref, layouts: [LeafLayout?], _ allocator: NodeAllocator,
    _ generation: StructureGeneration
  ) {
    unsafe self.root = root
    unsafe self.layouts = layouts
    self.generation = generation
    self.allocator = allocator
    // Not read before the first descent: the range of keys is empty.
    unsafe leaf = unsafe MutableNode(
      ref: .null, address: UnsafeMutableRawPointer(mutating: allocator.space.base))
  }

  /// A new tree without objects: one empty leaf.
  static func makeEmpty(
    layouts: [LeafLayout?], in allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    var slots: [Int64] = [Tagged.slot(0)]
    for layout in layouts {
      slots.append(try layout?.make(count: 0, in: allocator).slot ?? 0)
    }
    return try IntegerNode.make(slots, flags: .hasRefs, in: allocator).ref
  }

  // MARK: Descending

  /// Forgets the current leaf after a change of the tree's shape.
  func forgetLeaf() {
    unsafe leafLowest = 0
    unsafe leafEnd = 0
    unsafe generation.value &+= 1
  }

  /// Leaves the current leaf, whose nodes are about to be sealed; rows stay as they are.
  func leaveLeaf() {
    unsafe path.removeAll(keepingCapacity: true)
    unsafe leafLowest = 0
    unsafe leafEnd = 0
  }

  /// Goes back to an earlier tree.
  func restore(_ root: Ref, _ layouts: [LeafLayout?]) {
    unsafe self.root = root
    unsafe self.layouts = layouts
    leaveLeaf()
  }

  @inline(__always)
  func isCurrent(_ key: UInt64) -> Bool { unsafe key >= leafLowest && key < leafEnd }

  /// Makes the path to the leaf for `key` writable and current.
  @inline(__always)
  func moveTo(_ key: UInt64) throws(StorageError) {
    if !isCurrent(key) { try descend(to: key) }
  }

  private func descend(to key: UInt64) throws(StorageError) {
    let space = allocator.space
    unsafe path.removeAll(keepingCapacity: true)
    unsafe leafEnd = 0
    var end = UInt64.max
    var offset: UInt64 = 0
    var node = try unsafe writable(root, parent: nil)
    while node.header.isInner {
      guard unsafe path.count < ClusterLimits.maximumDepth else {
        throw StorageError.badCluster("tree does not end")
      }
      let inner = try InnerCluster(node.node, in: space)
      let child = inner.child(for: key &- offset)
      if child + 1 < inner.childCount { end = offset &+ inner.offset(of: child + 1) }
      unsafe path.append(Level(node: node, child: child, offset: offset))
      offset &+= inner.offset(of: child)
      node = try writable(try inner.ref(of: child), parent: node, slot: child + 3)
    }
    let cluster = try Cluster(node.node, offset: offset, enumerations: .none, in: space)
    guard unsafe cluster.node.count > layouts.count else {
      throw StorageError.badCluster("has \(cluster.node.count) slots")
    }
    unsafe leaf = node
    unsafe leafOffset = offset
    assert(allocator.isWritable(node.ref), "`ClusterEditor` 1: the current leaf is writable")
    unsafe leafLowest = offset
    unsafe leafEnd = end
  }

  private func writable(
    _ ref: Ref, parent: MutableNode?, slot: Int = 0
  ) throws(StorageError) -> MutableNode {
    if allocator.isWritable(ref) { return allocator.mutableNode(at: ref) }
    let node = try allocator.makeWritable(ref)
    if let parent { parent.store(node.ref.slot, at: slot) } else { unsafe root = node.ref }
    if !node.header.isInner { unsafe generation.value &+= 1 }
    return node
  }

  /// The current leaf, decoded.
  @inline(__always)
  func currentCluster() throws(StorageError) -> Cluster {
    unsafe assert(leafLowest < leafEnd, "`ClusterEditor` 2: there is a current leaf")
    return try unsafe Cluster(
      leaf.node, offset: leafOffset, enumerations: .none, in: allocator.space)
  }

  /// The object with that key, ready to be written; nil if there is none.
  func row(of key: ObjectKey) throws(StorageError) -> WritableRow? {
    try moveTo(key.ordinal)
    guard let index = try currentCluster().index(of: key) else { return nil }
    return unsafe WritableRow(cluster: leaf, index: index)
  }

  // MARK: Inserting

  /// Inserts an object with the given values, and defaults in all other columns.
  ///
  /// - Returns: its place; nil if the key is in use.
  func insert(
    _ key: ObjectKey, beginningWith values: (any InitialValues)? = nil
  ) throws(StorageError) -> WritableRow? {
    try moveTo(key.ordinal)
    let cluster = try currentCluster()
    let relative = unsafe key.ordinal &- leafOffset
    let count = cluster.count
    assert(count <= ClusterLimits.fanOut, "a cluster of more objects than the format allows")
    var position = count
    if let keys = cluster.keys {
      position = KeyArray.lowerBound(relative, in: keys)
      if position < count, KeyArray.value(at: position, of: keys) == relative { return nil }
    } else if relative < UInt64(count) {
      return nil
    }
    guard count < ClusterLimits.fanOut else {
      return try insertIntoFull(relative, at: position, of: cluster, values)
    }
    try insertKey(relative, at: position, of: cluster)
    try unsafe insertElements(at: position, in: leaf, values)
    for level in unsafe path { Self.changeTotal(of: level.node, by: 1) }
    if position < count { unsafe generation.value &+= 1 }
    return unsafe WritableRow(cluster: leaf, index: position)
  }

  private func insertKey(
    _ relative: UInt64, at position: Int, of cluster: Cluster
  ) throws(StorageError) {
    if cluster.keys == nil, relative == UInt64(cluster.count) {
      unsafe leaf.store(Tagged.slot(cluster.count + 1), at: 0)
      return
    }
    let keys = try unsafe explicitKeys(of: leaf)
    unsafe leaf.store(try KeyArray.insert(relative, at: position, in: keys, allocator).slot, at: 0)
  }

  /// Inserts an element for a new object into the leaf of every column of `cluster`.
  func insertElements(
    at position: Int, in cluster: MutableNode, _ values: (any InitialValues)?
  ) throws(StorageError) {
    guard let values else {
      for (index, layout) in unsafe layouts.enumerated() {
        if let layout { try insertDefault(layout, columnAt: index, at: position, in: cluster) }
      }
      return
    }
    if unsafe coveredBy !== values { prepare(for: values) }
    try unsafe values.insert(at: position, in: cluster, except: newPositions, allocator)
    for column in unsafe uncovered {
      try insertDefault(column.layout, columnAt: column.index, at: position, in: cluster)
    }
  }

  private func insertDefault(
    _ layout: LeafLayout, columnAt index: Int, at position: Int, in cluster: MutableNode
  ) throws(StorageError) {
    let old = try cluster.node.ref(at: index + 1)
    let new =
      if let newPosition = unsafe newPositions?[index] {
        try IntegerLeaf.insert(newPosition, at: position, in: old, allocator)
      } else {
        try layout.insertDefault(at: position, in: old, allocator)
      }
    if new != old { cluster.store(new.slot, at: index + 1) }
  }

  private func prepare(for values: any InitialValues) {
    unsafe uncovered = []
    for (index, layout) in unsafe layouts.enumerated() {
      guard let layout else { continue }
      if layout.kind == .enumeratedString || !values.covers(columnAt: index) {
        unsafe uncovered.append((index, layout))
      }
    }
    unsafe coveredBy = values
  }

  /// The key array of a cluster, made from the compact form if need be.
  func explicitKeys(of node: MutableNode) throws(StorageError) -> Ref {
    if let ref = Ref(slot: node.node.uncheckedInteger(at: 0)) { return ref }
    let count = try node.node.taggedNumber(at: 0)
    let ref = try KeyArray.make(count: count, shift: 0, in: allocator)
    node.store(ref.slot, at: 0)
    return ref
  }

  static func changeTotal(of inner: MutableNode, by difference: Int) {
    inner.store(inner.node.uncheckedInteger(at: 2) &+ Int64(difference) &* 2, at: 2)
  }
}
