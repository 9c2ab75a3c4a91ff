// SPDX-License-Identifier: Apache-2.0

// Entering many objects at once: each node of the index is visited, and written, once.

import RealmStorage

extension SearchIndexEditor {
  /// Fewer are entered one by one.
  private static var smallCount: Int { 4 }

  /// So many ascending keys come by all lowest bytes, and as many more by the same nodes.
  private static var sweepingCount: Int { 512 }

  /// Enters objects under integers.
  mutating func insert(_ batch: NewKeys.Batch) throws(StorageError) {
    let entries = batch.entries
    guard entries.count > Self.smallCount else {
      for entry in entries { try insert(.int(entry.value), entry.object) }
      return
    }
    let isSweeping = batch.areAscending && entries.count >= Self.sweepingCount
    var nodes = try merged(
      entries, 0..<entries.count, intoNode: root, depth: 0, isSweeping: isSweeping)
    while nodes.count > 1 {
      var parents = try SearchIndexNodeBuilder(total: nodes.count, isInner: true, allocator)
      try parents.append(nodes)
      nodes = try parents.finish()
    }
    root = nodes.first.ref
  }

  /// Enters objects below a node; gives the nodes that take its place.
  private func merged(
    _ entries: [NewKeys.Entry], _ range: Range<Int>, intoNode ref: Ref, depth: Int,
    isSweeping: Bool
  ) throws(StorageError) -> SearchIndexNodes {
    guard depth < 8 else { throw .corrupted("a search index does not end") }
    let node = try SearchIndexNode(ref, in: allocator.space)
    let nodes =
      node.isInner
      ? try childrenAfterMerging(entries, range, into: node, depth: depth, isSweeping: isSweeping)
      : try entriesAfterMerging(entries, range, into: node, isSweeping: isSweeping)
    try allocator.free(node.keysRef)
    try allocator.free(ref)
    return nodes
  }

  private func childrenAfterMerging(
    _ entries: [NewKeys.Entry], _ range: Range<Int>, into node: SearchIndexNode, depth: Int,
    isSweeping: Bool
  ) throws(StorageError) -> SearchIndexNodes {
    guard node.count > 0 else { throw .corrupted("an inner search index node is empty") }
    var changed: [(index: Int, nodes: SearchIndexNodes)] = []
    var total = node.count
    var start = range.lowerBound
    var index = 0
    while start < range.upperBound {
      // The child with the first key that is not less; what follows all keys goes to the last.
      let chunk = entries[start].chunk
      index = min(node.lowerBound(of: chunk, from: index), node.count - 1)
      var end = range.upperBound
      if index < node.count - 1 {
        let key = node.key(at: index)
        end = start + 1
        while end < range.upperBound, entries[end].chunk <= key { end += 1 }
      }
      let child = try node.node.ref(at: index + 1)
      let nodes = try merged(
        entries, start..<end, intoNode: child, depth: depth + 1, isSweeping: isSweeping)
      changed.append((index, nodes))
      total += nodes.count - 1
      start = end
    }
    var builder = try SearchIndexNodeBuilder(total: total, isInner: true, allocator)
    index = 0
    for change in changed {
      try builder.append(index..<change.index, of: node)
      try builder.append(change.nodes)
      index = change.index + 1
    }
    try builder.append(index..<node.count, of: node)
    return try builder.finish()
  }

  private func entriesAfterMerging(
    _ entries: [NewKeys.Entry], _ range: Range<Int>, into node: SearchIndexNode, isSweeping: Bool
  ) throws(StorageError) -> SearchIndexNodes {
    let count = node.count
    var builder = try SearchIndexNodeBuilder(
      total: count + range.count, isInner: false, allocator)
    var index = 0
    for position in range {
      let entry = entries[position]
      let chunk = entry.chunk
      let next = node.upperBound(of: chunk, from: index)
      try builder.append(index..<next, of: node)
      index = next
      if builder.lastKey == chunk {
        let value = MixedValue.int(entry.value)
        builder.lastSlot = try merged(
          value, IndexData(value), entry.object,
          with: SearchIndexEntry(slot: builder.lastSlot, in: allocator.space), offset: 0)
      } else {
        try builder.append(chunk, singleSlot(entry.object))
      }
      // The next keys with this lowest byte belong right after.
      if isSweeping,
        position + 1 == entries.count || entries[position + 1].lowestByte != entry.lowestByte
      {
        builder.markShortLived()
      }
    }
    try builder.append(index..<count, of: node)
    return try builder.finish()
  }
}

extension SearchIndexNodeBuilder {
  /// Appends entries of an inner node.
  fileprivate mutating func append(_ nodes: SearchIndexNodes) throws(StorageError) {
    try append(nodes.first.key, nodes.first.ref.slot)
    for node in nodes.others { try append(node.key, node.ref.slot) }
  }
}
