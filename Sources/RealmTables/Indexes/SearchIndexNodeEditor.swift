// SPDX-License-Identifier: Apache-2.0

// Editing one node of a search index: its keys array and its slots move in step.

import RealmStorage

/// A node of a search index on its way through a change.
///
/// Invariant: the keys array is 32 bits wide whatever it holds, because the reference
/// implementation reads it with a fixed width.
struct SearchIndexNodeEditor {
  private(set) var ref: Ref
  private(set) var view: SearchIndexNode
  private let allocator: NodeAllocator

  init(_ ref: Ref, _ allocator: NodeAllocator) throws(StorageError) {
    self.ref = ref
    self.allocator = allocator
    view = try SearchIndexNode(ref, in: allocator.space)
  }

  /// A new node without entries.
  static func make(inner: Bool, _ allocator: NodeAllocator) throws(StorageError) -> Ref {
    let header = NodeHeader(flags: [], layout: .bits, widthCode: 6, count: 0)
    let keys = try allocator.allocate(header, capacity: 16)
    let flags: NodeFlags = inner ? [.hasRefs, .context, .inner] : [.hasRefs, .context]
    return try IntegerNode.make([keys.ref.slot], flags: flags, in: allocator).ref
  }

  var isInner: Bool { view.isInner }
  var count: Int { view.count }
  func key(at index: Int) -> Int32 { view.key(at: index) }
  func lowerBound(of chunk: Int32) -> Int { view.lowerBound(of: chunk) }

  func lastKey(of other: Ref) throws(StorageError) -> Int32 {
    let node = try SearchIndexNode(other, in: allocator.space)
    guard node.count > 0 else { throw .corrupted("a search index node is empty") }
    return node.key(at: node.count - 1)
  }

  mutating func setSlot(_ slot: Int64, at index: Int) throws(StorageError) {
    if view.node.uncheckedInteger(at: index + 1) == slot { return }
    ref = try IntegerNode.set(slot, at: index + 1, in: ref, allocator)
    try reload()
  }

  mutating func setKey(_ key: Int32, at index: Int) throws(StorageError) {
    let old = try view.node.ref(at: 0)
    try storeKeys(IntegerNode.set(Int64(key), at: index, in: old, allocator), old: old)
  }

  mutating func insert(_ key: Int32, _ slot: Int64, at index: Int) throws(StorageError) {
    ref = try IntegerNode.insert(slot, at: index + 1, in: ref, allocator)
    let old = try allocator.node(at: ref).ref(at: 0)
    try storeKeys(IntegerNode.insert(Int64(key), at: index, in: old, allocator), old: old)
  }

  mutating func remove(at index: Int) throws(StorageError) {
    ref = try IntegerNode.remove(at: index + 1, from: ref, allocator)
    let old = try allocator.node(at: ref).ref(at: 0)
    try storeKeys(IntegerNode.remove(at: index, from: old, allocator), old: old)
  }

  /// Inserts an entry; a full node is split first.
  ///
  /// Ends the use of the editor.
  ///
  /// - Returns: the present ref of this node and, after a split, the node that follows it.
  mutating func insertSplitting(
    _ key: Int32, _ slot: Int64, at index: Int
  ) throws(StorageError) -> (Ref, Ref?) {
    guard count >= SearchIndexLimits.filledEntryCount(isInner: isInner) else {
      // Bulk insertion comes by here: the view, which is not read any more, is left stale.
      ref = try IntegerNode.insert(slot, at: index + 1, in: ref, allocator)
      let old = try allocator.node(at: ref).ref(at: 0)
      let keys = try IntegerNode.insert(Int64(key), at: index, in: old, allocator)
      if keys != old { ref = try IntegerNode.set(keys.slot, at: 0, in: ref, allocator) }
      return (ref, nil)
    }
    // At either end the new entry gets a node of its own, so that ascending and descending
    // insertion leave full nodes.
    var other = try SearchIndexNodeEditor(Self.make(inner: isInner, allocator), allocator)
    if index == count {
      try other.insert(key, slot, at: 0)
      return (ref, other.ref)
    }
    if index == 0 {
      try other.insert(key, slot, at: 0)
      return (other.ref, ref)
    }
    try other.takeEntries(from: index, of: view)
    ref = try IntegerNode.truncate(to: index + 1, ref, allocator)
    let old = try allocator.node(at: ref).ref(at: 0)
    try storeKeys(IntegerNode.truncate(to: index, old, allocator), old: old)
    try insert(key, slot, at: index)
    return (ref, other.ref)
  }

  private mutating func takeEntries(
    from index: Int, of source: SearchIndexNode
  ) throws(StorageError) {
    var keys = try view.node.ref(at: 0)
    for position in index..<source.count {
      keys = try IntegerNode.append(Int64(source.key(at: position)), to: keys, allocator)
      ref = try IntegerNode.append(
        source.node.uncheckedInteger(at: position + 1), to: ref, allocator)
    }
    ref = try IntegerNode.set(keys.slot, at: 0, in: ref, allocator)
    try reload()
  }

  private mutating func storeKeys(_ keys: Ref, old: Ref) throws(StorageError) {
    if keys != old { ref = try IntegerNode.set(keys.slot, at: 0, in: ref, allocator) }
    try reload()
  }

  private mutating func reload() throws(StorageError) {
    view = try SearchIndexNode(ref, in: allocator.space)
  }
}
