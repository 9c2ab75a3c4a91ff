// SPDX-License-Identifier: Apache-2.0

// Which objects link to an object.

/// The backlinks that one object has from one column.
@frozen @usableFromInline
package struct Backlinks: Hashable, Sendable {
  /// The slot of the leaf: 0 for none, `key << 1 | 1` for one, the ref of a B+ tree for more.
  @usableFromInline package let slot: Int64

  @inlinable
  package init(slot: Int64) { self.slot = slot }

  /// No backlinks.
  @inlinable package static var null: Backlinks { Backlinks(slot: 0) }

  /// The number of backlinks.
  package func count(in space: NodeSpace) throws(StorageError) -> Int {
    guard slot & 1 == 0 else { return 1 }
    return slot == 0 ? 0 : try BTree<IntegerLeaf>.count(Ref(Int(slot)), in: space)
  }

  /// The origin of a backlink; the order has no meaning.
  package func key(at index: Int, in space: NodeSpace) throws(StorageError) -> Int64 {
    if slot & 1 == 1, index == 0 { return Self.inlineKey(of: slot) }
    guard slot & 1 == 0, slot != 0 else {
      throw .corrupted("backlink \(index) was asked of an object that has fewer")
    }
    return try BTree<IntegerLeaf>.value(at: index, of: Ref(Int(slot)), in: space)
  }

  /// The key in a slot that holds one; it has 63 bits.
  static func inlineKey(of slot: Int64) -> Int64 {
    Int64(bitPattern: UInt64(bitPattern: slot) >> 1)
  }

  /// Calls `body` with the key of each origin, until it returns false.
  package func forEachKey(
    in space: NodeSpace, _ body: (Int64) throws(StorageError) -> Bool
  ) throws(StorageError) {
    if slot & 1 == 1 {
      _ = try body(Self.inlineKey(of: slot))
    } else if slot != 0 {
      var leaves = try BTreeLeafCursor<IntegerLeaf>(Ref(Int(slot)), in: space)
      while let (leaf, _, count) = try leaves.next() {
        let node = try IntegerNode.checked(leaf, in: space)
        for index in 0..<count where try !body(node.uncheckedInteger(at: index)) { return }
      }
    }
  }
}

/// A leaf of backlinks (file format 4.8.4).
///
/// A has-refs node: 0, one origin key as a tagged number, or a B+ tree of keys. The keys of a tree
/// are in no order and may repeat: an object in a list twice is two backlinks.
package enum BacklinkLeaf: Leaf {
  package typealias Value = Backlinks

  package static func zero(isNullable: Bool) -> Backlinks { .null }

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try IntegerNode.make(flags: .hasRefs, in: allocator).ref
  }

  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    try space.node(at: ref).count
  }

  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> Backlinks {
    let node = try IntegerNode.checked(ref, in: space)
    let slot = try node.integer(at: index)
    guard slot == 0 || node.header.hasRefs else {
      throw StorageError.corrupted("a leaf of backlinks at \(ref.offset) does not hold refs")
    }
    return Backlinks(slot: slot)
  }

  package static func insert(
    _ value: Backlinks, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.insert(value.slot, at: index, in: ref, allocator)
  }

  package static func set(
    _ value: Backlinks, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try self.value(at: index, of: ref, in: allocator.space)
    if old != value, let tree = Ref(slot: old.slot) { try allocator.freeTree(tree) }
    return try IntegerNode.set(value.slot, at: index, in: ref, allocator)
  }

  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try value(at: index, of: ref, in: allocator.space)
    if let tree = Ref(slot: old.slot) { try allocator.freeTree(tree) }
    return try IntegerNode.remove(at: index, from: ref, allocator)
  }

  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    try IntegerNode.split(ref, at: index, allocator)
  }

  package static func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.append(contentsOf: other, to: ref, allocator)
  }

  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    for index in 0..<(try count(ref, in: space)) {
      if let tree = Ref(slot: try value(at: index, of: ref, in: space).slot) {
        try BTree<IntegerLeaf>.validate(tree, in: space)
      }
    }
  }

  // MARK: Single backlinks

  /// Adds a backlink from `key` to element `index`.
  package static func add(
    _ key: Int64, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let slot = try value(at: index, of: ref, in: allocator.space).slot
    let new: Int64
    if slot == 0 {
      new = key << 1 | 1
    } else if slot & 1 == 1 {
      new = try IntegerNode.make([Backlinks.inlineKey(of: slot), key], in: allocator).ref.slot
    } else {
      let tree = try divided(Ref(Int(slot)), allocator)
      new = try BTree<IntegerLeaf>.append(key, to: tree, allocator).slot
    }
    return new == slot ? ref : try IntegerNode.set(new, at: index, in: ref, allocator)
  }

  /// Removes one backlink from `key` of element `index`, if there is one.
  ///
  /// Other writers are known to leave links in mixed values without their backlinks, so a missing
  /// one is no error.
  package static func remove(
    _ key: Int64, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let slot = try value(at: index, of: ref, in: allocator.space).slot
    guard let tree = Ref(slot: slot) else {
      guard slot != 0, Backlinks.inlineKey(of: slot) == key else { return ref }
      return try IntegerNode.set(0, at: index, in: ref, allocator)
    }
    guard let position = try position(of: key, in: tree, allocator.space) else { return ref }
    let last = try BTree<IntegerLeaf>.count(tree, in: allocator.space) - 1
    let lastKey = try BTree<IntegerLeaf>.value(at: last, of: tree, in: allocator.space)
    var root = try divided(tree, allocator)
    if position != last {
      root = try BTree<IntegerLeaf>.set(lastKey, at: position, in: root, allocator)
    }
    root = try BTree<IntegerLeaf>.remove(at: last, from: root, allocator)
    guard last <= 1 else {
      return root == tree ? ref : try IntegerNode.set(root.slot, at: index, in: ref, allocator)
    }
    // One is left, or none, and goes back into the slot.
    let left = last == 0 ? nil : try BTree<IntegerLeaf>.value(at: 0, of: root, in: allocator.space)
    try allocator.freeTree(root)
    return try IntegerNode.set(left.map { $0 << 1 | 1 } ?? 0, at: index, in: ref, allocator)
  }

  /// The tree of backlinks with leaves of the size that the format has now.
  ///
  /// Before format 24 all backlinks of an object were one node of any size.
  private static func divided(_ tree: Ref, _ allocator: NodeAllocator) throws(StorageError) -> Ref {
    let node = try IntegerNode.checked(tree, in: allocator.space)
    guard !node.header.isInner, node.count > BTreeLimits.entryCount else { return tree }
    var root = try BTree<IntegerLeaf>.make(in: allocator)
    for index in 0..<node.count {
      root = try BTree<IntegerLeaf>.append(node.uncheckedInteger(at: index), to: root, allocator)
    }
    try allocator.free(tree)
    return root
  }

  /// A position of `key`; which of several equal ones goes is all the same.
  private static func position(
    of key: Int64, in tree: Ref, _ space: NodeSpace
  ) throws(StorageError) -> Int? {
    var leaves = try BTreeLeafCursor<IntegerLeaf>(tree, in: space)
    while let (leaf, first, count) = try leaves.next() {
      let node = try IntegerNode.checked(leaf, in: space)
      for index in 0..<count where node.uncheckedInteger(at: index) == key {
        return first + index
      }
    }
    return nil
  }
}
