// SPDX-License-Identifier: Apache-2.0

// Entering objects in a search index.

package import RealmStorage

/// Edits a search index inside a write transaction.
///
/// Each operation leaves the root under which the index is found afterwards in `root`; the table
/// stores it. `values` must still give the old value of an object while it is removed, and the new
/// one of all others, so the caller changes the column between removal and insertion.
///
/// - SeeAlso: file format 4.14.4.
package struct SearchIndexEditor<Values: IndexedValues> {
  package internal(set) var root: Ref
  let allocator: NodeAllocator
  let values: Values
  /// Whether objects are entered under whole words.
  let holdsWords: Bool

  package init(root: Ref, allocator: NodeAllocator, values: Values) {
    self.init(root: root, allocator: allocator, values: values, holdsWords: false)
  }

  init(root: Ref, allocator: NodeAllocator, values: Values, holdsWords: Bool) {
    self.root = root
    self.allocator = allocator
    self.values = values
    self.holdsWords = holdsWords
  }

  /// The root of a new index without entries.
  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try SearchIndexNodeEditor.make(inner: false, allocator)
  }

  /// Enters the object `key` under `value`.
  ///
  /// - Complexity: O(log n) nodes, one read of the column where values share their first bytes.
  package mutating func insert(_ value: MixedValue, _ key: ObjectKey) throws(StorageError) {
    root = try insert(value, IndexData(value), key, intoIndex: root, offset: 0)
  }

  /// Inserts into an index or sub-index; returns its root.
  func insert(
    _ value: MixedValue, _ data: IndexData, _ key: ObjectKey, intoIndex root: Ref, offset: Int
  ) throws(StorageError) -> Ref {
    let (left, right) = try insert(
      value, data, key, intoNode: root, offset: offset, depth: 0, bounds: nil)
    guard let right else { return left }
    let inner = try SearchIndexNodeEditor.make(inner: true, allocator)
    var editor = try SearchIndexNodeEditor(inner, allocator)
    try editor.insert(editor.lastKey(of: left), left.slot, at: 0)
    try editor.insert(editor.lastKey(of: right), right.slot, at: 1)
    return editor.ref
  }

  /// Inserts below a node; returns its present ref and, after a split, the node that follows it.
  private func insert(
    _ value: MixedValue, _ data: IndexData, _ key: ObjectKey, intoNode ref: Ref, offset: Int,
    depth: Int, bounds: ChunkBounds?
  ) throws(StorageError) -> (Ref, Ref?) {
    guard depth < 8 else { throw .corrupted("a search index does not end") }
    var editor = try SearchIndexNodeEditor(ref, allocator)
    let chunk = data.chunk(at: offset)
    var index = editor.view.lowerBound(of: chunk, within: bounds)
    guard editor.isInner else {
      if index < editor.count, editor.key(at: index) == chunk {
        let slot = try merged(
          value, data, key, with: editor.view.entry(at: index, in: allocator.space),
          offset: offset)
        try editor.setSlot(slot, at: index)
        return (editor.ref, nil)
      }
      let slot =
        holdsWords
        ? try newWordSlot(value, data, key, offset: offset) : singleSlot(key)
      return try editor.insertSplitting(chunk, slot, at: index)
    }
    guard editor.count > 0 else { throw .corrupted("an inner search index node is empty") }
    index = min(index, editor.count - 1)
    let child = try editor.view.node.ref(at: index + 1)
    let (left, right) = try insert(
      value, data, key, intoNode: child, offset: offset, depth: depth + 1,
      bounds: editor.view.bounds(ofChild: index))
    if left != child { try editor.setSlot(left.slot, at: index) }
    // Only an entry after all others, or a split, changes a child's last key.
    if chunk > editor.key(at: index) || right != nil {
      let last = try editor.lastKey(of: left)
      if last != editor.key(at: index) { try editor.setKey(last, at: index) }
    }
    guard let right else { return (editor.ref, nil) }
    return try editor.insertSplitting(try editor.lastKey(of: right), right.slot, at: index + 1)
  }

  /// The slot for a chunk that has an entry already, after adding an object to it.
  func merged(
    _ value: MixedValue, _ data: IndexData, _ key: ObjectKey, with entry: SearchIndexEntry,
    offset: Int
  ) throws(StorageError) -> Int64 {
    if holdsWords { return try mergedWord(value, data, key, with: entry, offset: offset) }
    switch entry {
    case .object(let other):
      let otherValue = try values.indexedValue(of: other)
      let otherData = IndexData(otherValue)
      if otherValue.isEqual(to: value) {
        return try list(of: [min(key, other), max(key, other)])
      }
      if offset + 4 > SearchIndexLimits.maximumOffset || data.isEqual(to: otherData) {
        return try list(of: otherValue.isOrdered(before: value) ? [other, key] : [key, other])
      }
      var sub = try Self.make(in: allocator)
      sub = try insert(otherValue, otherData, other, intoIndex: sub, offset: offset + 4)
      return try insert(value, data, key, intoIndex: sub, offset: offset + 4).slot
    case .subindex(let ref):
      return try insert(value, data, key, intoIndex: ref, offset: offset + 4).slot
    case .list(let ref):
      return try inserted(value, data, key, intoList: ref, offset: offset)
    }
  }

  private func inserted(
    _ value: MixedValue, _ data: IndexData, _ key: ObjectKey, intoList ref: Ref, offset: Int
  ) throws(StorageError) -> Int64 {
    let count = try BTree<IntegerLeaf>.count(ref, in: allocator.space)
    guard count > 0 else { return singleSlot(key) }
    let firstValue = try values.indexedValue(of: try element(0, of: ref))
    let sharesPath =
      firstValue.isEqual(to: value) || offset + 4 > SearchIndexLimits.maximumOffset
      || data.isEqual(to: IndexData(firstValue))
    guard sharesPath else {
      // The list holds one value only, which the next chunk distinguishes from the new one.
      var sub = try Self.make(in: allocator)
      var editor = try SearchIndexNodeEditor(sub, allocator)
      try editor.insert(IndexData(firstValue).chunk(at: offset + 4), ref.slot, at: 0)
      sub = try insert(value, data, key, intoIndex: editor.ref, offset: offset + 4)
      return sub.slot
    }
    let list = try ordered(ref)
    let position = try insertionPoint(of: value, key, in: list, count: count)
    return try BTree<IntegerLeaf>.insert(key.rawValue, at: position, in: list, allocator).slot
  }

  /// Where an object belongs in a list ordered by value, then key.
  private func insertionPoint(
    of value: MixedValue, _ key: ObjectKey, in list: Ref, count: Int
  ) throws(StorageError) -> Int {
    let lastKey = try element(count - 1, of: list)
    let lastValue = try values.indexedValue(of: lastKey)
    if lastValue.isEqual(to: value) ? lastKey < key : lastValue.isOrdered(before: value) {
      return count
    }
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let other = try element(middle, of: list)
      let otherValue = try values.indexedValue(of: other)
      if otherValue.isEqual(to: value) ? other < key : otherValue.isOrdered(before: value) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  func element(_ index: Int, of list: Ref) throws(StorageError) -> ObjectKey {
    ObjectKey(
      try BTree<IntegerLeaf>.value(at: index, of: list, in: allocator.space))
  }

  func singleSlot(_ key: ObjectKey) -> Int64 { key.rawValue << 1 | 1 }

  func list(of keys: [ObjectKey]) throws(StorageError) -> Int64 {
    var ref = try BTree<IntegerLeaf>.make(in: allocator)
    for (index, key) in keys.enumerated() {
      ref = try BTree<IntegerLeaf>.insert(key.rawValue, at: index, in: ref, allocator)
    }
    return ref.slot
  }
}

// MARK: - Removal

extension SearchIndexEditor {
  /// Removes the object `key`, which is entered under `value`.
  ///
  /// - Throws: `StorageError.corrupted` if it is not.
  package mutating func remove(_ value: MixedValue, _ key: ObjectKey) throws(StorageError) {
    root = try remove(IndexData(value), key, fromNode: root, offset: 0, depth: 0)
    // Only the top root is collapsed, and only when it has a single child.
    while true {
      let node = try SearchIndexNode(root, in: allocator.space)
      guard node.isInner, node.count <= 1 else { return }
      let child = node.count == 1 ? try node.node.ref(at: 1) : try Self.make(in: allocator)
      try allocator.free(try node.node.ref(at: 0))
      try allocator.free(root)
      root = child
    }
  }

  /// Removes below a node; returns the node's present ref. It may be empty afterwards.
  private func remove(
    _ data: IndexData, _ key: ObjectKey, fromNode ref: Ref, offset: Int, depth: Int
  ) throws(StorageError) -> Ref {
    guard depth < SearchIndexLimits.maximumPathLength else {
      throw .corrupted("a search index does not end")
    }
    var editor = try SearchIndexNodeEditor(ref, allocator)
    let chunk = data.chunk(at: offset)
    let index = editor.lowerBound(of: chunk)
    guard index < editor.count, editor.isInner || editor.key(at: index) == chunk else {
      throw .corrupted("an object is missing in a search index")
    }
    if editor.isInner {
      let child = try editor.view.node.ref(at: index + 1)
      let left = try remove(data, key, fromNode: child, offset: offset, depth: depth + 1)
      if try SearchIndexNode(left, in: allocator.space).count == 0 {
        try freeEmptyNode(left)
        try editor.remove(at: index)
      } else {
        if left != child { try editor.setSlot(left.slot, at: index) }
        let last = try editor.lastKey(of: left)
        if last != editor.key(at: index) { try editor.setKey(last, at: index) }
      }
      return editor.ref
    }
    switch try editor.view.entry(at: index, in: allocator.space) {
    case .object(let other):
      guard other == key else { throw .corrupted("an object is missing in a search index") }
      try editor.remove(at: index)
    case .subindex(let child):
      let left = try remove(data, key, fromNode: child, offset: offset + 4, depth: depth + 1)
      if try SearchIndexNode(left, in: allocator.space).count == 0 {
        try freeEmptyNode(left)
        try editor.remove(at: index)
      } else if left != child {
        try editor.setSlot(left.slot, at: index)
      }
    case .list(let child):
      let left = try removed(key, fromList: child)
      if try BTree<IntegerLeaf>.count(left, in: allocator.space) == 0 {
        try allocator.freeTree(left)
        try editor.remove(at: index)
      } else if left != child {
        try editor.setSlot(left.slot, at: index)
      }
    }
    return editor.ref
  }

  private func removed(_ key: ObjectKey, fromList old: Ref) throws(StorageError) -> Ref {
    let list = try ordered(old)
    let count = try BTree<IntegerLeaf>.count(list, in: allocator.space)
    // Nearly every list holds one value and is ascending by key; the others are searched through.
    let low = try (0..<count).partitionPoint { (middle) throws(StorageError) in
      try element(middle, of: list) < key
    }
    if low < count, try element(low, of: list) == key {
      return try BTree<IntegerLeaf>.remove(at: low, from: list, allocator)
    }
    for index in 0..<count where try element(index, of: list) == key {
      return try BTree<IntegerLeaf>.remove(at: index, from: list, allocator)
    }
    throw .corrupted("an object is missing in a search index")
  }

  private func freeEmptyNode(_ ref: Ref) throws(StorageError) {
    try allocator.free(try SearchIndexNode(ref, in: allocator.space).node.ref(at: 0))
    try allocator.free(ref)
  }
}
