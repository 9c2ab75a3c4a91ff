// SPDX-License-Identifier: Apache-2.0

// Changing a link wherever it stands in a tree of mixed values.

import RealmStorage

/// Replaces one link by null or by another, in nested collections too.
struct MixedLinkEditor {
  let link: StoredLink
  /// The key that takes the link's place; nil for null.
  let newKey: ObjectKey?
  let allocator: NodeAllocator
  /// The number of occurrences that were changed.
  private(set) var changeCount = 0
  /// The way to the collection that is being edited.
  private var path: [NestedStep] = []
  /// The elements of nested collections that were changed.
  private(set) var touched: [(path: [NestedStep], index: Int)] = []

  init(link: StoredLink, newKey: ObjectKey?, _ allocator: NodeAllocator) {
    self.link = link
    self.newKey = newKey
    self.allocator = allocator
  }

  private var newValue: MixedValue {
    guard let newKey else { return .null }
    return .typedLink(table: Int64(link.table.rawValue), key: newKey.rawValue)
  }

  /// The value that replaces the element that `step` leads to; nil if its owner has nothing to
  /// store.
  mutating func replacement(
    for value: MixedValue, at step: NestedStep, depth: Int = 0
  ) throws(StorageError) -> MixedValue? {
    path.append(step)
    defer { path.removeLast() }
    return try replacement(for: value, depth: depth)
  }

  /// The value that replaces `value`; nil if its owner has nothing to store.
  ///
  /// For a nested collection the tree has been edited already, and the value is its new root.
  private mutating func replacement(
    for value: MixedValue, depth: Int
  ) throws(StorageError) -> MixedValue? {
    guard depth <= MixedCodec.maximumDepth else {
      throw .corrupted("nested collections do not end")
    }
    switch value {
    case .typedLink(let table, let key):
      guard StoredLink(table: table, key: key) == link else { return nil }
      changeCount += 1
      return newValue
    case .list(let root):
      guard !root.isNull else { return nil }
      let new = try change(tree: root, depth: depth)
      return new == root ? nil : .list(new)
    case .dictionary(let root):
      guard !root.isNull else { return nil }
      let tree = try allocator.node(at: root).ref(at: 1)
      let new = try change(tree: tree, depth: depth)
      if new == tree { return nil }
      let container = try allocator.makeWritable(root)
      container.store(new.slot, at: 1)
      return container.ref == root ? nil : .dictionary(container.ref)
    default: return nil
    }
  }

  private mutating func change(tree root: Ref, depth: Int) throws(StorageError) -> Ref {
    var root = root
    for index in 0..<(try BTree<MixedLeaf>.count(root, in: allocator.space)) {
      let value = try BTree<MixedLeaf>.value(at: index, of: root, in: allocator.space)
      let step = try NestedTree.step(at: index, in: root, allocator.space)
      if let new = try replacement(for: value, at: step, depth: depth + 1) {
        if !new.isCollection { touched.append((path, index)) }
        root = try Self.store(new, at: index, inTree: root, allocator)
      }
    }
    return root
  }

  /// Enters the new link in a set of mixed values, from which the old one was erased.
  func insertIntoSet(_ root: Ref) throws(StorageError) -> Ref {
    let count = try BTree<MixedLeaf>.count(root, in: allocator.space)
    var index = 0
    while index < count {
      let other = try BTree<MixedLeaf>.value(at: index, of: root, in: allocator.space)
      if !other.isOrdered(before: newValue) { break }
      index += 1
    }
    return try BTree<MixedLeaf>.insert(newValue, at: index, in: root, allocator)
  }

  /// Stores a scalar, or the new root of a nested collection whose old nodes are gone already.
  static func store(
    _ value: MixedValue, at index: Int, in leaf: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    switch value {
    case .list(let root), .dictionary(let root):
      try MixedLeaf.replaceCollection(root, at: index, in: leaf, allocator)
    default: try MixedLeaf.set(value, at: index, in: leaf, allocator)
    }
  }

  static func store(
    _ value: MixedValue, at index: Int, inTree root: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try BTree<MixedLeaf>.update(at: index, in: root, allocator) {
      (leaf, position) throws(StorageError) -> Ref in
      try store(value, at: position, in: leaf, allocator)
    }
  }
}
