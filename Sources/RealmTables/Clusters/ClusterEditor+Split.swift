// SPDX-License-Identifier: Apache-2.0

// Insertion into full clusters and full inner nodes (file format 3.9.3).

import RealmStorage

extension ClusterEditor {
  /// A node that came off another, on its way into the parent.
  private struct NewChild {
    var ref: Ref
    /// Relative to the node it came off.
    var offset: UInt64
    var objectCount: Int
  }

  /// Inserts an object into the current leaf, which is full.
  ///
  /// A key above all others gets a leaf of its own, so that objects created in the order of their
  /// keys leave full leaves.
  func insertIntoFull(
    _ relative: UInt64, at position: Int, of cluster: Cluster, _ values: (any InitialValues)?
  ) throws(StorageError) -> WritableRow {
    let key = unsafe leafOffset &+ relative
    let new: NewChild
    if position == cluster.count {
      var slots: [Int64] = [Tagged.slot(1)]
      for layout in unsafe layouts {
        slots.append(try layout?.make(count: 0, in: allocator).slot ?? 0)
      }
      let node = try IntegerNode.make(slots, flags: .hasRefs, in: allocator)
      try insertElements(at: 0, in: node, values)
      new = NewChild(ref: node.ref, offset: relative, objectCount: 1)
      try insertChild(new, growth: 1)
    } else {
      new = try splitLeaf(at: position, of: cluster)
      let keys = try unsafe explicitKeys(of: leaf)
      unsafe leaf.store(
        try KeyArray.insert(relative, at: position, in: keys, allocator).slot, at: 0)
      try unsafe insertElements(at: position, in: leaf, values)
      try insertChild(new, growth: 1)
    }
    forgetLeaf()
    guard let row = try row(of: ObjectKey(Int64(bitPattern: key))) else {
      throw StorageError.badCluster("lost an object that was inserted")
    }
    return row
  }

  /// Moves the elements from `position` on to a new leaf.
  private func splitLeaf(at position: Int, of cluster: Cluster) throws(StorageError) -> NewChild {
    let ref = try unsafe explicitKeys(of: leaf)
    let keys = KeyArray.values(of: try KeyArray.load(ref, in: allocator.space))
    assert(position > 0 || keys.count == cluster.count, "a cluster has a key for each object")
    assert(position < cluster.count, "a cluster is split inside")
    let first = keys[position]
    let moved = keys[position...].map { $0 - first }
    var slots: [Int64] = [try KeyArray.make(moved, in: allocator).slot]
    unsafe leaf.store(
      try KeyArray.remove(position..<keys.count, from: ref, allocator).slot, at: 0)
    for (index, layout) in unsafe layouts.enumerated() {
      guard let layout else {
        slots.append(0)
        continue
      }
      let old = try unsafe leaf.node.ref(at: index + 1)
      let (stays, moves) = try layout.split(old, at: position, allocator)
      unsafe leaf.store(stays.slot, at: index + 1)
      slots.append(moves.slot)
    }
    let node = try IntegerNode.make(slots, flags: .hasRefs, in: allocator)
    return NewChild(ref: node.ref, offset: first, objectCount: moved.count)
  }

  /// Puts what came off the current leaf into its parent, splitting that in turn if it is full.
  ///
  /// - Parameter growth: the number of objects by which the whole tree has grown.
  private func insertChild(_ new: NewChild, growth: Int) throws(StorageError) {
    var new = new
    // The number of objects below the node that `new` came off and below `new`, minus what the
    // former's ancestors counted before.
    for index in unsafe stride(from: path.count - 1, through: 0, by: -1) {
      let level = unsafe path[index]
      let inner = try InnerCluster(level.node.node, in: allocator.space)
      Self.changeTotal(of: level.node, by: growth)
      // Relative to this node.
      let offset = inner.offset(of: level.child) &+ new.offset
      let position = level.child + 1
      guard inner.childCount == ClusterLimits.fanOut else {
        let node = try insert(new.ref, offset: offset, at: position, in: level.node)
        try replace(level.node, by: node, at: index)
        for upper in unsafe path[..<index] { Self.changeTotal(of: upper.node, by: growth) }
        return
      }
      new.offset = offset
      new =
        position == inner.childCount
        ? try makeInner(over: new, depth: inner.depth, besides: level.node)
        : try splitInner(level.node, inner, at: position, inserting: new)
    }
    try growRoot(new)
  }

  /// An inner node with one child, which was to be appended to a full one.
  private func makeInner(
    over child: NewChild, depth: Int, besides full: MutableNode
  ) throws(StorageError) -> NewChild {
    Self.changeTotal(of: full, by: -child.objectCount)
    let slots = [0, Tagged.slot(depth), Tagged.slot(child.objectCount), child.ref.slot]
    let node = try IntegerNode.make(slots, flags: [.hasRefs, .inner], in: allocator)
    return NewChild(ref: node.ref, offset: child.offset, objectCount: child.objectCount)
  }

  /// Moves the children from `position` on to a new inner node and appends `child` to the old one.
  private func splitInner(
    _ node: MutableNode, _ inner: InnerCluster, at position: Int, inserting child: NewChild
  ) throws(StorageError) -> NewChild {
    assert(position > 0 && position < inner.childCount, "an inner node is split inside")
    let first = inner.offset(of: position)
    let offsets = (position..<inner.childCount).map { inner.offset(of: $0) - first }
    let children = (position..<inner.childCount).map { node.node.uncheckedInteger(at: $0 + 3) }
    var total = 0
    for slot in children {
      total += try ClusterTree.count(of: Ref(Int(slot)), in: allocator.space)
    }
    let keys = try KeyArray.make(offsets, in: allocator)
    let slots = [keys.slot, Tagged.slot(inner.depth), Tagged.slot(total)] + children
    let new = try IntegerNode.make(slots, flags: [.hasRefs, .inner], in: allocator)
    let kept = try explicitOffsets(of: node)
    node.store(
      try KeyArray.remove(position..<inner.childCount, from: kept, allocator).slot, at: 0)
    node.setCount(position + 3)
    Self.changeTotal(of: node, by: -total)
    // There is room now: `node` had 256 children, so it never moves here.
    _ = try insert(child.ref, offset: child.offset, at: position, in: node)
    return NewChild(ref: new.ref, offset: first, objectCount: total)
  }

  /// Inserts a child into an inner node that is not full; gives the node, which may have moved.
  private func insert(
    _ child: Ref, offset: UInt64, at position: Int, in node: MutableNode
  ) throws(StorageError) -> MutableNode {
    let inner = try InnerCluster(node.node, in: allocator.space)
    assert(inner.childCount < ClusterLimits.fanOut, "a child is put into a full node")
    let staysCompact =
      inner.offsets == nil && position == inner.childCount
      && offset == UInt64(inner.childCount) << inner.shift
    if !staysCompact {
      let offsets = try explicitOffsets(of: node)
      node.store(try KeyArray.insert(offset, at: position, in: offsets, allocator).slot, at: 0)
    }
    let ref = try IntegerNode.insert(child.slot, at: position + 3, in: node.ref, allocator)
    return allocator.mutableNode(at: ref)
  }

  /// The offset array of an inner node, made from the compact form if need be.
  func explicitOffsets(of node: MutableNode) throws(StorageError) -> Ref {
    let inner = try InnerCluster(node.node, in: allocator.space)
    if inner.offsets != nil { return try node.node.ref(at: 0) }
    let ref = try KeyArray.make(count: inner.childCount, shift: inner.shift, in: allocator)
    node.store(ref.slot, at: 0)
    return ref
  }

  /// Lets the parent of level `index`, or the root, refer to a node that has moved.
  private func replace(
    _ old: MutableNode, by new: MutableNode, at index: Int
  ) throws(StorageError) {
    assert(allocator.isWritable(new.ref), "`ClusterEditor` 1: the path is writable")
    guard new.ref != old.ref else { return }
    guard index > 0 else {
      unsafe root = new.ref
      return
    }
    let parent = unsafe path[index - 1]
    parent.node.store(new.ref.slot, at: parent.child + 3)
  }

  /// Puts a new root over the old one and what came off it.
  private func growRoot(_ new: NewChild) throws(StorageError) {
    let old = try unsafe allocator.node(at: root)
    let depth = old.header.isInner ? try InnerCluster(old, in: allocator.space).depth + 1 : 1
    let total = try unsafe ClusterTree.count(of: root, in: allocator.space) + new.objectCount
    let offsets: Ref =
      new.offset == 1 << UInt64(8 * depth)
      ? .null : try KeyArray.make([0, new.offset], in: allocator)
    let slots = unsafe [
      offsets.slot, Tagged.slot(depth), Tagged.slot(total), root.slot, new.ref.slot,
    ]
    unsafe root = try IntegerNode.make(slots, flags: [.hasRefs, .inner], in: allocator).ref
  }
}
