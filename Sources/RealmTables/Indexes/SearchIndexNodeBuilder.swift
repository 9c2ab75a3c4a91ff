// SPDX-License-Identifier: Apache-2.0

// Writing nodes of a search index from their first entry to their last.

import RealmStorage

/// Nodes that take the place of one, each by the largest of its keys, in their order.
struct SearchIndexNodes {
  typealias Entry = (key: Int32, ref: Ref)

  let first: Entry
  /// The entries after the first; nearly always none.
  var others: [Entry] = []

  var count: Int { others.count + 1 }
}

/// Fills as few nodes as may be, equally.
struct SearchIndexNodeBuilder {
  private let allocator: NodeAllocator
  private let isInner: Bool
  /// The entries of a node.
  private let share: Int
  private var keys: MutableNode
  private var slots: MutableNode
  private var count = 0
  private var isShortLived = false
  private var nodes: SearchIndexNodes?

  /// - Parameter total: How many entries there will be at the most.
  init(total: Int, isInner: Bool, _ allocator: NodeAllocator) throws(StorageError) {
    let limit = SearchIndexLimits.filledEntryCount(isInner: isInner)
    let nodeCount = max(1, (total + limit - 1) / limit)
    share = (total + nodeCount - 1) / nodeCount
    self.allocator = allocator
    self.isInner = isInner
    (keys, slots) = try Self.makeNode(share, isInner, allocator)
  }

  private static func makeNode(
    _ count: Int, _ isInner: Bool, _ allocator: NodeAllocator
  ) throws(StorageError) -> (keys: MutableNode, slots: MutableNode) {
    let keys = try allocator.allocate(
      NodeHeader(flags: [], layout: .bits, widthCode: 6, count: count), capacity: 0)
    let flags: NodeFlags = isInner ? [.hasRefs, .context, .inner] : [.hasRefs, .context]
    let slots = try allocator.allocate(
      NodeHeader(flags: flags, layout: .bits, widthCode: 7, count: count + 1), capacity: 0)
    slots.store(keys.ref.slot, at: 0)
    return (keys, slots)
  }

  /// The key of the last entry; nil if there is none.
  var lastKey: Int32? {
    unsafe count == 0 ? nil : keys.payload.load(fromByteOffset: (count &- 1) &<< 2, as: Int32.self)
  }

  /// The slot of the last entry, of which there must be one.
  var lastSlot: Int64 {
    get { unsafe slots.payload.load(fromByteOffset: count &<< 3, as: Int64.self) }
    nonmutating set {
      unsafe slots.payload.storeBytes(of: newValue, toByteOffset: count &<< 3, as: Int64.self)
    }
  }

  /// Appends an entry.
  mutating func append(_ key: Int32, _ slot: Int64) throws(StorageError) {
    if count == share { try endNode(isLast: false) }
    unsafe keys.payload.storeBytes(of: key, toByteOffset: count &<< 2, as: Int32.self)
    count &+= 1
    lastSlot = slot
  }

  /// Appends entries of another node.
  mutating func append(_ range: Range<Int>, of node: SearchIndexNode) throws(StorageError) {
    var start = range.lowerBound
    while start < range.upperBound {
      if count == share { try endNode(isLast: false) }
      let end = min(range.upperBound, start &+ share &- count)
      unsafe (keys.payload + count &<< 2).copyMemory(
        from: node.keys.payload + start &<< 2, byteCount: (end &- start) &<< 2)
      unsafe node.node.unpack(start &+ 1..<end &+ 1, to: slots.payload + (count &+ 1) &<< 3)
      count &+= end &- start
      start = end
    }
  }

  /// Says that the node with the last entry is going to be replaced soon.
  mutating func markShortLived() { isShortLived = true }

  /// The nodes; ends the use of the builder.
  mutating func finish() throws(StorageError) -> SearchIndexNodes {
    try endNode(isLast: true)
    guard let nodes else { throw .corrupted("a search index node has no entries") }
    return nodes
  }

  private mutating func endNode(isLast: Bool) throws(StorageError) {
    guard let lastKey else { return }
    keys.setCount(count)
    slots.setCount(count + 1)
    if isShortLived {
      keys.markShortLived()
      slots.markShortLived()
    }
    if nodes == nil {
      nodes = SearchIndexNodes(first: (lastKey, slots.ref))
    } else {
      nodes?.others.append((lastKey, slots.ref))
    }
    count = 0
    isShortLived = false
    if !isLast { (keys, slots) = try Self.makeNode(share, isInner, allocator) }
  }
}
