// SPDX-License-Identifier: Apache-2.0

// The collection of an object, in a column or inside a mixed value, while it is edited.
//
// Invariants:
// 1. Between `openCollection` and `replace(by:)` nothing but the collection's own nodes is changed:
//    the row and the leaf, which are ready to be written, stay where they are.

import RealmStorage

/// A collection that gets a new root.
struct OpenCollection {
  /// The root until then; null if the collection never had an element.
  let root: Ref
  /// What the column holds.
  private let kind: CollectionKind
  /// The steps to it from the collection in the column; none if it is that one.
  private let path: [NestedStep]
  private let leaf: OpenLeaf
  private let allocator: NodeAllocator
  /// Whether the elements are keys among which that of a tombstone may be.
  private let mayHide: Bool

  /// The collection of a column.
  ///
  /// - Parameter hidesLink: Whether a link to a tombstone is going to be stored.
  fileprivate init(
    _ column: Column, _ leaf: OpenLeaf, hidesLink: Bool, _ allocator: NodeAllocator
  ) throws(StorageError) {
    kind = column.collection
    self.leaf = leaf
    self.allocator = allocator
    path = []
    root = try RefLeaf.value(at: leaf.index, of: leaf.ref, in: allocator.space)
    guard column.type == .link, column.collection != .dictionary else {
      mayHide = false
      return
    }
    let hidesOthers = root.isNull ? false : try allocator.node(at: root).header.hasContext
    mayHide = hidesLink || hidesOthers
  }

  /// The collection with that root that a path leads to inside a mixed value.
  fileprivate init(
    _ column: Column, _ leaf: OpenLeaf, at path: [NestedStep], root: Ref,
    _ allocator: NodeAllocator
  ) {
    kind = column.collection
    self.leaf = leaf
    self.allocator = allocator
    self.path = path
    self.root = root
    mayHide = false
  }

  /// Stores the root that the collection has after the edit.
  func replace(by new: Ref) throws(StorageError) {
    guard path.isEmpty else {
      let editor = NestedEditor(new: new, allocator: allocator)
      return leaf.replace(by: try editor.edit(kind, leaf, path))
    }
    var new = new
    // A new root does not inherit the flag that the old one had.
    if mayHide { new = try LinkKeys.settingContext(of: new, allocator) }
    if new != root {
      leaf.replace(by: try RefLeaf.replace(new, at: leaf.index, in: leaf.ref, allocator))
    }
  }
}

extension WritableTable {
  /// The collection of a column, to be edited.
  ///
  /// - Parameter hidesLink: Whether a link to a tombstone is going to be stored.
  func openCollection(
    _ column: Column, of key: ObjectKey, hidesLink: Bool = false
  ) throws(StorageError) -> OpenCollection {
    if column.hasIndex { try indexes.abandon(column) }
    let leaf = try openLeaf(column.leafIndex, of: key)
    return try OpenCollection(column, leaf, hidesLink: hidesLink, allocator)
  }

  /// The collection that a path leads to, or the column's, to be edited.
  ///
  /// - Parameters:
  ///   - root: The root of the collection.
  ///   - hidesLink: Whether a link to a tombstone is going to be stored.
  func openCollection(
    _ column: Column, of key: ObjectKey, at path: [NestedStep], root: Ref, hidesLink: Bool = false
  ) throws(StorageError) -> OpenCollection {
    if path.isEmpty {
      let collection = try openCollection(column, of: key, hidesLink: hidesLink)
      assert(collection.root == root, "the view of a collection is not the present one")
      return collection
    }
    let leaf = try openLeaf(column.leafIndex, of: key)
    return OpenCollection(column, leaf, at: path, root: root, allocator)
  }
}

/// Stores the new root of a collection somewhere inside a mixed value in those around it.
private struct NestedEditor {
  let new: Ref
  let allocator: NodeAllocator

  /// Stores the root of the collection that a path leads to from a column of that kind; where the
  /// column's leaf is then.
  func edit(
    _ kind: CollectionKind, _ leaf: OpenLeaf, _ path: [NestedStep]
  ) throws(StorageError) -> Ref {
    switch kind {
    case .none:
      let salt = try MixedLeaf.salt(at: leaf.index, of: leaf.ref, in: allocator.space)
      guard salt == path.first?.salt else { throw .collectionIsGone }
      return try edit(at: leaf.index, of: leaf.ref, path.dropFirst())
    case .list, .dictionary:
      let root = try RefLeaf.value(at: leaf.index, of: leaf.ref, in: allocator.space)
      let top: MixedValue = kind == .list ? .list(root) : .dictionary(root)
      let new = try edit(top, path[...])
      return new == root
        ? leaf.ref : try RefLeaf.replace(new, at: leaf.index, in: leaf.ref, allocator)
    case .set: throw .collectionIsGone
    }
  }

  /// The root of the collection `value` once that of the one that a path leads to is stored.
  private func edit(
    _ value: MixedValue, _ path: ArraySlice<NestedStep>
  ) throws(StorageError) -> Ref {
    switch (value, path.first) {
    case (.list, nil), (.dictionary, nil): return new
    case (.list(let root), let step?): return try edit(elements: root, step, path)
    case (.dictionary(let root), let step?):
      guard !root.isNull else { throw .collectionIsGone }
      let old = try allocator.node(at: root).ref(at: 1)
      let new = try edit(elements: old, step, path)
      return new == old ? root : try IntegerNode.set(new.slot, at: 1, in: root, allocator)
    default: throw .collectionIsGone
    }
  }

  private func edit(
    elements root: Ref, _ step: NestedStep, _ path: ArraySlice<NestedStep>
  ) throws(StorageError) -> Ref {
    guard !root.isNull,
      let position = try NestedTree.position(of: step, in: root, allocator.space)
    else { throw .collectionIsGone }
    return try BTree<MixedLeaf>.update(at: position, in: root, allocator) {
      (leaf, index) throws(StorageError) -> Ref in
      try edit(at: index, of: leaf, path.dropFirst())
    }
  }

  /// The same from an element of a leaf; where the leaf is then.
  private func edit(
    at index: Int, of leaf: Ref, _ path: ArraySlice<NestedStep>
  ) throws(StorageError) -> Ref {
    let value = try MixedLeaf.value(at: index, of: leaf, in: allocator.space)
    switch value {
    case .list(let old), .dictionary(let old):
      let new = try edit(value, path)
      return new == old
        ? leaf : try MixedLeaf.replaceCollection(new, at: index, in: leaf, allocator)
    default: throw .collectionIsGone
    }
  }
}
