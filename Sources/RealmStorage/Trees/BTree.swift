// SPDX-License-Identifier: Apache-2.0

// The B+ tree of the file format: lists, sets, dictionary keys and values, backlinks, the history.

/// Operations on a B+ tree whose leaves are `L`, given the ref of its root.
///
/// A tree of up to `BTreeLimits.entryCount` elements is just a leaf. Edits return the root under
/// which the tree is found afterwards.
///
/// Invariants:
/// 1. All leaves have the same depth, no child of an inner node is empty.
/// 2. An inner node is *compact* (every child but the last holds exactly `elementsPerChild`
///    elements) or lists where its children start.
///
/// - SeeAlso: file format 4.10.
package enum BTree<L: Leaf> {
  /// The root of a new tree without elements.
  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try L.make(in: allocator)
  }

  /// The number of elements.
  ///
  /// - Complexity: O(1). That a root has so many is not looked at; the space has room for them.
  package static func count(_ root: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    let node = try space.node(at: root)
    let count =
      node.header.isInner
      ? try node.taggedNumber(at: node.count - 1) : try L.count(root, in: space)
    guard count >= 0, count <= space.elementCountMax(below: root) else {
      throw .impossibleCount(count, of: root)
    }
    return count
  }

  /// The element at `index`.
  ///
  /// - Complexity: O(log n). Reading many in order is cheaper through `BTreeLeafCursor`.
  package static func value(
    at index: Int, of root: Ref, in space: NodeSpace
  ) throws(StorageError) -> L.Value {
    let (leaf, position) = try leaf(containing: index, of: root, in: space)
    return try L.value(at: position, of: leaf, in: space)
  }

  /// The leaf that holds element `index`, and the element's position in it.
  package static func leaf(
    containing index: Int, of root: Ref, in space: NodeSpace
  ) throws(StorageError) -> (leaf: Ref, position: Int) {
    var ref = root
    var index = index
    for _ in 0..<BTreeLimits.maximumDepth {
      let node = try space.node(at: ref)
      guard node.header.isInner else { return (ref, index) }
      let (child, start) = try BTreeInner.child(holding: index, of: node, in: space)
      ref = try node.ref(at: child + 1)
      index -= start
    }
    throw StorageError.corrupted("a B+ tree does not end")
  }

  /// Replaces the element at `index`.
  package static func set(
    _ value: L.Value, at index: Int, in root: Ref, _ allocator: NodeAllocator, depth: Int = 0
  ) throws(StorageError) -> Ref {
    let node = try allocator.node(at: root)
    guard node.header.isInner else { return try L.set(value, at: index, in: root, allocator) }
    guard depth < BTreeLimits.maximumDepth else { throw .corrupted("a B+ tree does not end") }
    let (child, start) = try BTreeInner.child(holding: index, of: node, in: allocator.space)
    let old = try node.ref(at: child + 1)
    let new = try set(value, at: index - start, in: old, allocator, depth: depth + 1)
    return new == old ? root : try IntegerNode.set(new.slot, at: child + 1, in: root, allocator)
  }

  /// Lets `body` change the leaf that holds element `index`, keeping the number of its elements;
  /// `body` is given the leaf and the element's position, and returns the leaf's present ref.
  package static func update(
    at index: Int, in root: Ref, _ allocator: NodeAllocator, depth: Int = 0,
    _ body: (Ref, Int) throws(StorageError) -> Ref
  ) throws(StorageError) -> Ref {
    let node = try allocator.node(at: root)
    guard node.header.isInner else { return try body(root, index) }
    guard depth < BTreeLimits.maximumDepth else { throw .corrupted("a B+ tree does not end") }
    let (child, start) = try BTreeInner.child(holding: index, of: node, in: allocator.space)
    let old = try node.ref(at: child + 1)
    let new = try update(at: index - start, in: old, allocator, depth: depth + 1, body)
    return new == old ? root : try IntegerNode.set(new.slot, at: child + 1, in: root, allocator)
  }

  /// Appends an element.
  package static func append(
    _ value: L.Value, to root: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try insert(value, at: try count(root, in: allocator.space), in: root, allocator)
  }

  /// Gives up the whole tree and what its elements own.
  package static func free(_ root: Ref, _ allocator: NodeAllocator) throws(StorageError) {
    try allocator.freeTree(root)
  }

  /// Removes all elements, and what they own.
  package static func removeAll(
    from root: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try free(root, allocator)
    return try make(in: allocator)
  }
}

/// The figures of the format that bound B+ trees.
package enum BTreeLimits {
  /// The most elements of a leaf, and the most children of an inner node.
  package static let entryCount = 1000
  /// A child with fewer entries is a candidate for merging with the one after it.
  package static let mergeBelow = 500
  /// Two children are merged if they have fewer entries than this together.
  package static let mergedBelow = 750
  /// Deeper than any tree of elements that fit a file.
  package static let maximumDepth = 24
}

extension StorageError {
  /// A count that the space has no room for.
  @inline(never)
  package static func impossibleCount(_ count: Int, of root: Ref) -> StorageError {
    .corrupted("the tree at \(root.offset) claims \(count) elements")
  }
}

extension Array {
  /// Reserves room for elements that a file claims to have; for the first of many alone, as they
  /// may not be there.
  package mutating func reserveCapacity(claimed count: Int) {
    reserveCapacity(Swift.min(Swift.max(count, 0), 1 << 14))
  }
}
