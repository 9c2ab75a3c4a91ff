// SPDX-License-Identifier: Apache-2.0

// Taking objects out of a cluster tree, and keeping the tree in shape (file format 3.9.4).

import RealmStorage

extension ClusterEditor {
  /// Erases an object with everything its columns own.
  ///
  /// - Returns: false if there is no such object.
  func erase(_ key: ObjectKey) throws(StorageError) -> Bool {
    guard let row = try row(of: key) else { return false }
    let cluster = try currentCluster()
    unsafe assert(row.index < cluster.count && row.cluster.ref == leaf.ref, "`ClusterEditor` 2")
    if cluster.keys == nil, row.index == cluster.count - 1 {
      unsafe leaf.store(Tagged.slot(row.index), at: 0)
    } else {
      let keys = try unsafe explicitKeys(of: leaf)
      let range = row.index..<row.index + 1
      unsafe leaf.store(try KeyArray.remove(range, from: keys, allocator).slot, at: 0)
    }
    for (index, layout) in unsafe layouts.enumerated() {
      guard let layout else { continue }
      let old = try unsafe leaf.node.ref(at: index + 1)
      unsafe leaf.store(try layout.remove(at: row.index, from: old, allocator).slot, at: index + 1)
    }
    for level in unsafe path { Self.changeTotal(of: level.node, by: -1) }
    for index in unsafe stride(from: path.count - 1, through: 0, by: -1) {
      try unsafe tidyChild(of: path[index])
    }
    try collapseRoot()
    // Rows after the erased one have moved in any case.
    forgetLeaf()
    return true
  }

  /// Erases all objects.
  func eraseAll() throws(StorageError) {
    try unsafe allocator.freeTree(root)
    unsafe root = try unsafe Self.makeEmpty(layouts: layouts, in: allocator)
    forgetLeaf()
  }

  /// The number of objects of a cluster, or of children of an inner node.
  private func size(of ref: Ref) throws(StorageError) -> Int {
    let node = try allocator.node(at: ref)
    if node.header.isInner { return node.count - 3 }
    return try Cluster(node, offset: 0, enumerations: .none, in: allocator.space).count
  }

  /// Removes the child that the path takes if it is empty, or merges it with its right sibling if
  /// both are small.
  private func tidyChild(of level: Level) throws(StorageError) {
    let inner = try InnerCluster(level.node.node, in: allocator.space)
    let child = try inner.ref(of: level.child)
    let size = try size(of: child)
    if size == 0 {
      return try removeEmptyChild(level.child, of: level.node, inner)
    }
    guard size < ClusterLimits.smallSize, level.child + 1 < inner.childCount else { return }
    let sibling = try inner.ref(of: level.child + 1)
    guard try size + self.size(of: sibling) < ClusterLimits.mergedSize else { return }
    try merge(level.child, of: level.node, inner)
  }

  private func removeEmptyChild(
    _ index: Int, of node: MutableNode, _ inner: InnerCluster
  ) throws(StorageError) {
    try freeEmptied(try inner.ref(of: index))
    guard inner.childCount > 1 else {
      // The node is left without children; its parent, which is read next, drops it.
      if let offsets = Ref(slot: node.node.uncheckedInteger(at: 0)) { try allocator.free(offsets) }
      node.store(0, at: 0)
      node.setCount(3)
      return
    }
    let ref = try explicitOffsets(of: node)
    var offsets = KeyArray.values(of: try KeyArray.load(ref, in: allocator.space))
    offsets.remove(at: index)
    if index == 0 {
      // Offsets start at 0, so the new first child's keys take up the difference.
      let first = try shiftKeys(of: try inner.ref(of: 1), by: offsets[0])
      offsets[0] = 0
      node.store(first.slot, at: 4)
    }
    node.store(try KeyArray.replace(ref, by: offsets, allocator).slot, at: 0)
    _ = try IntegerNode.remove(at: index + 3, from: node.ref, allocator)
  }

  /// Frees an emptied cluster with its empty leaves, or an inner node without children.
  private func freeEmptied(_ ref: Ref) throws(StorageError) {
    let node = try allocator.node(at: ref)
    if node.header.isInner { try allocator.free(ref) } else { try allocator.freeTree(ref) }
  }

  /// Adds `shift` to the keys of a node that moves to the front of its parent.
  private func shiftKeys(of ref: Ref, by shift: UInt64) throws(StorageError) -> Ref {
    guard shift != 0 else { return ref }
    let node = try allocator.makeWritable(ref)
    guard node.header.isInner else {
      let keys = try explicitKeys(of: node)
      let old = KeyArray.values(of: try KeyArray.load(keys, in: allocator.space))
      let new = old.map { $0 &+ shift }
      node.store(try KeyArray.replace(keys, by: new, allocator).slot, at: 0)
      return node.ref
    }
    let offsets = try explicitOffsets(of: node)
    var values = KeyArray.values(of: try KeyArray.load(offsets, in: allocator.space))
    for index in values.indices.dropFirst() { values[index] &+= shift }
    node.store(try KeyArray.replace(offsets, by: values, allocator).slot, at: 0)
    let first = try shiftKeys(of: try node.node.ref(at: 3), by: shift)
    node.store(first.slot, at: 3)
    return node.ref
  }

  /// Appends what child `index + 1` holds to child `index`.
  private func merge(
    _ index: Int, of node: MutableNode, _ inner: InnerCluster
  ) throws(StorageError) {
    let left = try allocator.makeWritable(try inner.ref(of: index))
    node.store(left.ref.slot, at: index + 3)
    let right = try allocator.makeWritable(try inner.ref(of: index + 1))
    assert(index + 1 < inner.childCount, "the last child has none to be merged with")
    let distance = inner.offset(of: index + 1) - inner.offset(of: index)
    if left.header.isInner {
      let merged = try mergeInner(right, into: left, distance: distance)
      node.store(merged.slot, at: index + 3)
    } else {
      try mergeLeaf(right, into: left, distance: distance)
    }
    let offsets = try explicitOffsets(of: node)
    let range = index + 1..<index + 2
    node.store(try KeyArray.remove(range, from: offsets, allocator).slot, at: 0)
    _ = try IntegerNode.remove(at: index + 4, from: node.ref, allocator)
  }

  private func mergeLeaf(
    _ right: MutableNode, into left: MutableNode, distance: UInt64
  ) throws(StorageError) {
    let keys = try explicitKeys(of: left)
    let otherKeys = try explicitKeys(of: right)
    let space = allocator.space
    let merged =
      KeyArray.values(of: try KeyArray.load(keys, in: space))
      + KeyArray.values(of: try KeyArray.load(otherKeys, in: space)).map { $0 &+ distance }
    for (index, layout) in unsafe layouts.enumerated() {
      guard let layout else { continue }
      let appended = try layout.append(
        try right.node.ref(at: index + 1), to: try left.node.ref(at: index + 1), allocator)
      left.store(appended.slot, at: index + 1)
    }
    assert(merged.count <= ClusterLimits.fanOut, "merged clusters fit one")
    left.store(try KeyArray.replace(keys, by: merged, allocator).slot, at: 0)
    try allocator.free(otherKeys)
    try allocator.free(right.ref)
  }

  private func mergeInner(
    _ right: MutableNode, into left: MutableNode, distance: UInt64
  ) throws(StorageError) -> Ref {
    let offsets = try explicitOffsets(of: left)
    let otherOffsets = try explicitOffsets(of: right)
    let space = allocator.space
    let merged =
      KeyArray.values(of: try KeyArray.load(offsets, in: space))
      + KeyArray.values(of: try KeyArray.load(otherOffsets, in: space)).map { $0 &+ distance }
    left.store(try KeyArray.replace(offsets, by: merged, allocator).slot, at: 0)
    Self.changeTotal(of: left, by: try right.node.taggedNumber(at: 2))
    var ref = left.ref
    for slot in 3..<right.count {
      ref = try IntegerNode.append(right.node.uncheckedInteger(at: slot), to: ref, allocator)
    }
    try allocator.free(otherOffsets)
    try allocator.free(right.ref)
    return ref
  }

  /// Replaces an inner root with one child by the child, and one without by an empty cluster.
  private func collapseRoot() throws(StorageError) {
    while true {
      let node = try unsafe allocator.node(at: root)
      guard node.header.isInner, node.count <= 4 else { return }
      let child = node.count == 4 ? try node.ref(at: 3) : .null
      try allocator.free(try node.ref(at: 0))
      try unsafe allocator.free(root)
      unsafe root =
        unsafe child.isNull ? try Self.makeEmpty(layouts: layouts, in: allocator) : child
    }
  }
}
