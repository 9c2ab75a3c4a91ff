// SPDX-License-Identifier: Apache-2.0

// Changing a link wherever it stands in a tree of mixed values.

import RealmStorage

/// Replaces one link by null or by another, in nested collections too.
struct MixedLinkEditor {
  let link: StoredLink
  /// The key that takes the link's place; nil for null.
  let newKey: ObjectKey?
  let allocator: NodeAllocator
  /// Whether elements of lists are erased instead of set to null, as a recorder needs it: peers do
  /// the same.
  let erasesElements: Bool
  /// The number of occurrences that were changed.
  private(set) var changeCount = 0
  private var nesting: MixedNesting
  /// The way to the collection that is being edited.
  private var path: [NestedStep] = []
  /// The same by positions, as they are when it is edited; keys are there only for a recorder.
  private var positions: [PathStep] = []
  /// The elements of lists and dictionaries that were changed, in the order of the changes.
  private(set) var touched: [TouchedElement] = []

  /// An element that was changed.
  struct TouchedElement {
    enum Change {
      /// It leads to null, or to the new object.
      case cleared
      /// It was erased from a list of that size.
      case erased(size: Int)
    }

    let change: Change
    let path: [NestedStep]
    let positions: [PathStep]
    let index: Int
    let position: PathStep
  }

  init(link: StoredLink, newKey: ObjectKey?, erasesElements: Bool, _ allocator: NodeAllocator) {
    self.link = link
    self.newKey = newKey
    self.erasesElements = erasesElements
    self.allocator = allocator
    nesting = MixedNesting(in: allocator.space, depthMax: MixedCodec.maximumDepth + 1)
  }

  /// The step to element `index`, of a dictionary if it has keys.
  func position(_ index: Int, _ keys: Ref?) throws(StorageError) -> PathStep {
    guard erasesElements, let keys else { return .index(index) }
    guard let key = try BTree<StringLeaf>.value(at: index, of: keys, in: allocator.space) else {
      throw .corrupted("a key of a dictionary is null")
    }
    return .key(key.string)
  }

  mutating func note(_ change: TouchedElement.Change, at index: Int, _ position: PathStep) {
    touched.append(
      TouchedElement(
        change: change, path: path, positions: positions, index: index, position: position))
  }

  /// Erases an element that is the link from a list, if elements are to be erased.
  mutating func erase(
    _ value: MixedValue, at index: Int, of root: inout Ref, isList: Bool
  ) throws(StorageError) -> Bool {
    guard erasesElements, isList, case .typedLink(let table, let key) = value,
      StoredLink(table: table, key: key) == link
    else { return false }
    let size = try BTree<MixedLeaf>.count(root, in: allocator.space)
    root = try BTree<MixedLeaf>.remove(at: index, from: root, allocator)
    changeCount += 1
    note(.erased(size: size), at: index, .index(index))
    return true
  }

  private var newValue: MixedValue {
    guard let newKey else { return .null }
    return .typedLink(table: Int64(link.table.rawValue), key: newKey.rawValue)
  }

  /// The value that replaces the element that `step` leads to; nil if its owner has nothing to
  /// store.
  ///
  /// - Parameter position: The same as a position or key; nil for the value of a property.
  mutating func replacement(
    for value: MixedValue, at step: NestedStep, _ position: PathStep?
  ) throws(StorageError) -> MixedValue? {
    path.append(step)
    if let position { positions.append(position) }
    defer {
      path.removeLast()
      if position != nil { positions.removeLast() }
    }
    return try replacement(for: value)
  }

  /// The value that replaces `value`; nil if its owner has nothing to store.
  ///
  /// For a nested collection the tree has been edited already, and the value is its new root.
  private mutating func replacement(for value: MixedValue) throws(StorageError) -> MixedValue? {
    switch value {
    case .typedLink(let table, let key):
      guard StoredLink(table: table, key: key) == link else { return nil }
      changeCount += 1
      return newValue
    case .list(let root):
      guard !root.isNull else { return nil }
      let new = try change(tree: root, keys: nil)
      return new == root ? nil : .list(new)
    case .dictionary(let root):
      guard !root.isNull else { return nil }
      let node = try allocator.node(at: root)
      let tree = try node.ref(at: 1)
      let new = try change(tree: tree, keys: try node.ref(at: 0))
      if new == tree { return nil }
      let container = try allocator.makeWritable(root)
      container.store(new.slot, at: 1)
      return container.ref == root ? nil : .dictionary(container.ref)
    default: return nil
    }
  }

  private mutating func change(tree root: Ref, keys: Ref?) throws(StorageError) -> Ref {
    let count = try BTree<MixedLeaf>.count(root, in: allocator.space)
    try nesting.enter(root, count: count)
    defer { nesting.leave() }
    var root = root
    // From the end, so that positions hold while elements are erased.
    for index in (0..<count).reversed() {
      let value = try BTree<MixedLeaf>.value(at: index, of: root, in: allocator.space)
      let step = try NestedTree.step(at: index, in: root, allocator.space)
      let position = try position(index, keys)
      if try erase(value, at: index, of: &root, isList: keys == nil) { continue }
      if let new = try replacement(for: value, at: step, position) {
        if !new.isCollection { note(.cleared, at: index, position) }
        root = try Self.store(new, at: index, inTree: root, allocator)
      }
    }
    return root
  }

  /// Enters the new link in a set of mixed values, from which the old one was erased.
  func insertIntoSet(_ root: Ref) throws(StorageError) -> (root: Ref, index: Int) {
    let count = try BTree<MixedLeaf>.count(root, in: allocator.space)
    var index = 0
    while index < count {
      let other = try BTree<MixedLeaf>.value(at: index, of: root, in: allocator.space)
      if !other.isOrdered(before: newValue) { break }
      index += 1
    }
    return (try BTree<MixedLeaf>.insert(newValue, at: index, in: root, allocator), index)
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
    switch value {
    case .list(let new), .dictionary(let new):
      try NestedTree.replaceCollection(new, at: index, in: root, allocator)
    default: try BTree<MixedLeaf>.set(value, at: index, in: root, allocator)
    }
  }
}
