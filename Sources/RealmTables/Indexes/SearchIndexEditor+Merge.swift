// SPDX-License-Identifier: Apache-2.0

// Entering many objects at once: each node of the index is visited, and written, once.

import RealmStorage

/// What a node of an index holds, or will hold, beside its flags.
private struct NodeContent {
  var keys: [Int32] = []
  var slots: [Int64] = []

  mutating func append(_ key: Int32, _ slot: Int64) {
    keys.append(key)
    slots.append(slot)
  }
}

extension SearchIndexEditor {
  /// Fewer are entered one by one.
  private static var smallCount: Int { 4 }

  /// Enters objects under integers that are in the order of the index.
  mutating func insert(_ entries: [NewKeys.Entry]) throws(StorageError) {
    guard entries.count > Self.smallCount else {
      for entry in entries { try insert(.int(entry.value), entry.object) }
      return
    }
    var nodes = try merged(entries[...], intoNode: root, depth: 0)
    while nodes.keys.count > 1 { nodes = try nodesHolding(nodes, isInner: true) }
    root = Ref(Int(nodes.slots[0]))
  }

  /// Enters objects below a node; gives the nodes that take its place, by their last keys.
  private func merged(
    _ entries: ArraySlice<NewKeys.Entry>, intoNode ref: Ref, depth: Int
  ) throws(StorageError) -> NodeContent {
    guard depth < 8 else { throw .corrupted("a search index does not end") }
    let node = try SearchIndexNode(ref, in: allocator.space)
    let content =
      node.isInner
      ? try childrenAfterMerging(entries, into: node, depth: depth)
      : try entriesAfterMerging(entries, into: node)
    try allocator.free(try node.node.ref(at: 0))
    try allocator.free(ref)
    return try nodesHolding(content, isInner: node.isInner)
  }

  private func childrenAfterMerging(
    _ entries: ArraySlice<NewKeys.Entry>, into node: SearchIndexNode, depth: Int
  ) throws(StorageError) -> NodeContent {
    guard node.count > 0 else { throw .corrupted("an inner search index node is empty") }
    var content = NodeContent()
    content.keys.reserveCapacity(node.count + 8)
    content.slots.reserveCapacity(node.count + 8)
    var rest = entries
    for index in 0..<node.count {
      let key = node.key(at: index)
      // What lies behind all keys goes to the last child.
      let isLast = index == node.count - 1
      let end = isLast ? rest.endIndex : rest.firstIndex { $0.chunk > key } ?? rest.endIndex
      if end == rest.startIndex {
        content.append(key, node.node.uncheckedInteger(at: index + 1))
        continue
      }
      let child = try node.node.ref(at: index + 1)
      let nodes = try merged(rest[..<end], intoNode: child, depth: depth + 1)
      content.keys += nodes.keys
      content.slots += nodes.slots
      rest = rest[end...]
    }
    return content
  }

  private func entriesAfterMerging(
    _ entries: ArraySlice<NewKeys.Entry>, into node: SearchIndexNode
  ) throws(StorageError) -> NodeContent {
    let count = node.count
    var content = NodeContent()
    content.keys.reserveCapacity(count + entries.count)
    content.slots.reserveCapacity(count + entries.count)
    var index = 0
    for entry in entries {
      let chunk = entry.chunk
      while index < count, node.key(at: index) <= chunk {
        content.append(node.key(at: index), node.node.uncheckedInteger(at: index &+ 1))
        index &+= 1
      }
      guard let last = content.keys.last, last == chunk else {
        content.append(chunk, singleSlot(entry.object))
        continue
      }
      let value = MixedValue.int(entry.value)
      let place = content.slots.count &- 1
      content.slots[place] = try merged(
        value, IndexData(value), entry.object,
        with: SearchIndexEntry(slot: content.slots[place], in: allocator.space), offset: 0)
    }
    while index < count {
      content.append(node.key(at: index), node.node.uncheckedInteger(at: index &+ 1))
      index &+= 1
    }
    return content
  }

  /// New nodes, as few as may be and equally filled, by their last keys.
  private func nodesHolding(
    _ content: NodeContent, isInner: Bool
  ) throws(StorageError) -> NodeContent {
    let limit = SearchIndexLimits.filledEntryCount(isInner: isInner)
    let count = content.keys.count
    let nodeCount = (count + limit - 1) / limit
    var nodes = NodeContent()
    for number in 0..<nodeCount {
      let range = count * number / nodeCount..<count * (number + 1) / nodeCount
      let ref = try SearchIndexNodeEditor.make(
        content.keys[range], content.slots[range], inner: isInner, allocator)
      nodes.append(content.keys[range.upperBound - 1], ref.slot)
    }
    return nodes
  }
}
