// SPDX-License-Identifier: Apache-2.0

// Columns that come and go in the clusters of a table with data.

import RealmStorage

extension ClusterEditor {
  /// Adds columns with default values for all objects.
  func addColumns(_ columns: [(layout: LeafLayout, leafIndex: Int)]) throws(StorageError) {
    var leafCount = unsafe layouts.count
    for (layout, leafIndex) in columns {
      while unsafe layouts.count <= leafIndex { unsafe layouts.append(nil) }
      unsafe assert(layouts[leafIndex] == nil, "a column where another one is")
      unsafe layouts[leafIndex] = layout
      leafCount = max(leafCount, leafIndex + 1)
    }
    try editLeaves { (node) throws(StorageError) -> Ref in
      let count = try Cluster(
        node.node, offset: 0, enumerations: .none, in: self.allocator.space
      ).count
      var ref = node.ref
      while try self.allocator.node(at: ref).count <= leafCount {
        ref = try IntegerNode.append(0, to: ref, self.allocator)
      }
      for (layout, leafIndex) in columns {
        let leaf = try layout.make(count: count, in: self.allocator)
        ref = try IntegerNode.set(leaf.slot, at: leafIndex + 1, in: ref, self.allocator)
      }
      return ref
    }
  }

  /// Removes a column with all its values.
  func removeColumn(at leafIndex: Int) throws(StorageError) {
    unsafe assert(layouts[leafIndex] != nil, "a column that is not there is removed")
    unsafe layouts[leafIndex] = nil
    while let last = unsafe layouts.last, last == nil { unsafe layouts.removeLast() }
    let slotCount = unsafe layouts.count + 1
    try editLeaves { (node) throws(StorageError) -> Ref in
      try self.allocator.freeTree(try node.node.ref(at: leafIndex + 1))
      node.store(0, at: leafIndex + 1)
      if node.count > slotCount { node.setCount(slotCount) }
      return node.ref
    }
  }

  /// Replaces the leaf of one column in each cluster.
  func replaceColumn(
    at leafIndex: Int, by layout: LeafLayout,
    _ transform: (Ref) throws(StorageError) -> Ref
  ) throws(StorageError) {
    unsafe assert(layouts[leafIndex] != nil, "a column that is not there is replaced")
    unsafe layouts[leafIndex] = layout
    try editLeaves { (node) throws(StorageError) -> Ref in
      let new = try transform(try node.node.ref(at: leafIndex + 1))
      node.store(new.slot, at: leafIndex + 1)
      return node.ref
    }
  }

  /// Replaces the collections of one column by what `transform` makes of them; null ones are left
  /// out. Clusters in which it changes nothing stay where they are.
  func replaceCollections(
    at leafIndex: Int, _ transform: (Ref) throws(StorageError) -> Ref
  ) throws(StorageError) {
    forgetLeaf()
    unsafe root = try unsafe replaceCollections(at: leafIndex, below: root, depth: 0, transform)
  }

  private func replaceCollections(
    at leafIndex: Int, below ref: Ref, depth: Int, _ transform: (Ref) throws(StorageError) -> Ref
  ) throws(StorageError) -> Ref {
    guard depth < ClusterLimits.maximumDepth else {
      throw StorageError.badCluster("tree does not end")
    }
    let node = try allocator.node(at: ref)
    var new = ref
    if node.header.isInner {
      for slot in 3..<max(node.count, 3) {
        let old = try node.ref(at: slot)
        let child = try replaceCollections(at: leafIndex, below: old, depth: depth + 1, transform)
        if child != old { new = try IntegerNode.set(child.slot, at: slot, in: new, allocator) }
      }
      return new
    }
    let leaf = try node.ref(at: leafIndex + 1)
    var newLeaf = leaf
    for index in 0..<(try RefLeaf.count(leaf, in: allocator.space)) {
      let old = try RefLeaf.value(at: index, of: newLeaf, in: allocator.space)
      if old.isNull { continue }
      let root = try transform(old)
      if root != old { newLeaf = try RefLeaf.replace(root, at: index, in: newLeaf, allocator) }
    }
    return newLeaf == leaf
      ? ref : try IntegerNode.set(newLeaf.slot, at: leafIndex + 1, in: ref, allocator)
  }

  /// Calls `body` with each cluster, made writable, and stores the ref it gives in the parent.
  private func editLeaves(_ body: (MutableNode) throws(StorageError) -> Ref) throws(StorageError) {
    forgetLeaf()
    unsafe root = try unsafe editLeaves(below: root, depth: 0, body)
  }

  private func editLeaves(
    below ref: Ref, depth: Int, _ body: (MutableNode) throws(StorageError) -> Ref
  ) throws(StorageError) -> Ref {
    guard depth < ClusterLimits.maximumDepth else {
      throw StorageError.badCluster("tree does not end")
    }
    let node = try allocator.makeWritable(ref)
    guard node.header.isInner else { return try body(node) }
    for slot in 3..<max(node.count, 3) {
      let child = try editLeaves(below: try node.node.ref(at: slot), depth: depth + 1, body)
      node.store(child.slot, at: slot)
    }
    return node.ref
  }
}
