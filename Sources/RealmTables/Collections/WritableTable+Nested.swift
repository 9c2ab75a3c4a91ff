// SPDX-License-Identifier: Apache-2.0

// Changing collections inside mixed values, and what such values need before they are stored.

import RealmStorage

extension WritableTable {
  /// Replaces the root of a path's collection by the result of `edit`; without a path the column's.
  func editCollection(
    _ column: Column, of key: ObjectKey, at path: [NestedStep], hidesLink: Bool = false,
    _ edit: (Ref) throws(StorageError) -> Ref
  ) throws(StorageError) {
    guard let first = path.first else {
      return try editCollection(column, of: key, hidesLink: hidesLink, edit)
    }
    let editor = NestedEditor(allocator: allocator)
    try editLeaf(column.leafIndex, of: key) { (leaf, index) throws(StorageError) -> Ref in
      switch column.collection {
      case .none:
        guard try MixedLeaf.salt(at: index, of: leaf, in: allocator.space) == first.salt else {
          throw .collectionIsGone
        }
        return try editor.edit(at: index, of: leaf, path.dropFirst(), edit)
      case .list, .dictionary:
        let root = try RefLeaf.value(at: index, of: leaf, in: allocator.space)
        let top: MixedValue = column.collection == .list ? .list(root) : .dictionary(root)
        let new = try editor.edit(top, path[...], edit)
        return new == root ? leaf : try RefLeaf.replace(new, at: index, in: leaf, allocator)
      case .set: throw .collectionIsGone
      }
    }
  }

  /// Enters the backlinks of all links in a value.
  func addBacklinks(
    of value: TableValue, _ column: Column, _ origin: ObjectKey
  ) throws(StorageError) {
    try column.forEachLink(in: value) { (link) throws(StorageError) in
      try addBacklink(to: link, column, origin)
    }
  }

  /// Refuses a value that cannot be stored `depth` collections deep in a column.
  func checkNesting(
    of value: TableValue, _ column: Column, depth: Int
  ) throws(StorageError) {
    guard value.nesting > 0 else { return }
    guard column.type == .mixed, column.collection != .set else { throw .typeMismatch(value) }
    guard depth + value.nesting <= MixedCodec.maximumDepth else {
      throw .limitExceeded("Max nesting level reached")
    }
  }
}

extension Column {
  /// Calls `body` with each link in a value of this column or in an element of its collection.
  func forEachLink(
    in value: TableValue, _ body: (StoredLink) throws(StorageError) -> Void
  ) throws(StorageError) {
    switch value {
    case .link(let key):
      if let targetTable { try body(StoredLink(table: targetTable, key: key)) }
    case .typedLink(let table, let key): try body(StoredLink(table: table, key: key))
    case .list(let values):
      for value in values { try forEachLink(in: value, body) }
    case .dictionary(let entries):
      for entry in entries.entries { try forEachLink(in: entry.value, body) }
    default: break
    }
  }

  /// The part of a path that the change log names: the collection in a mixed property is what the
  /// property's column is, as far as the log is concerned.
  func logged(_ path: [NestedStep]) -> [NestedStep] {
    path.isEmpty || collection != .none ? path : Array(path.dropFirst())
  }

  /// How many collections a collection of this column has around its elements, itself included,
  /// when a path leads to it.
  func depth(at path: [NestedStep]) -> Int { path.count + (collection == .none ? 0 : 1) }
}

extension TableValue {
  /// How many collections are inside each other in the value.
  var nesting: Int {
    switch self {
    case .list(let values): 1 + (values.lazy.map(\.nesting).max() ?? 0)
    case .dictionary(let entries): 1 + (entries.entries.lazy.map(\.value.nesting).max() ?? 0)
    default: 0
    }
  }
}

/// Edits a collection somewhere inside a mixed value, and stores its new root in those around it.
private struct NestedEditor {
  let allocator: NodeAllocator

  /// Edits the collection that a path leads to from the collection `value`; the new root of that.
  func edit(
    _ value: MixedValue, _ path: ArraySlice<NestedStep>,
    _ body: (Ref) throws(StorageError) -> Ref
  ) throws(StorageError) -> Ref {
    switch (value, path.first) {
    case (.list(let root), nil), (.dictionary(let root), nil): return try body(root)
    case (.list(let root), let step?): return try edit(elements: root, step, path, body)
    case (.dictionary(let root), let step?):
      guard !root.isNull else { throw .collectionIsGone }
      let old = try allocator.node(at: root).ref(at: 1)
      let new = try edit(elements: old, step, path, body)
      return new == old ? root : try IntegerNode.set(new.slot, at: 1, in: root, allocator)
    default: throw .collectionIsGone
    }
  }

  private func edit(
    elements root: Ref, _ step: NestedStep, _ path: ArraySlice<NestedStep>,
    _ body: (Ref) throws(StorageError) -> Ref
  ) throws(StorageError) -> Ref {
    guard !root.isNull,
      let position = try NestedTree.position(of: step, in: root, allocator.space)
    else { throw .collectionIsGone }
    return try BTree<MixedLeaf>.update(at: position, in: root, allocator) {
      (leaf, index) throws(StorageError) -> Ref in
      try edit(at: index, of: leaf, path.dropFirst(), body)
    }
  }

  /// Edits the collection that a path leads to from an element of a leaf; where the leaf is then.
  func edit(
    at index: Int, of leaf: Ref, _ path: ArraySlice<NestedStep>,
    _ body: (Ref) throws(StorageError) -> Ref
  ) throws(StorageError) -> Ref {
    let value = try MixedLeaf.value(at: index, of: leaf, in: allocator.space)
    guard case .list(let old) = value else {
      guard case .dictionary(let old) = value else { throw .collectionIsGone }
      return try store(edit(value, path, body), old, at: index, of: leaf)
    }
    return try store(edit(value, path, body), old, at: index, of: leaf)
  }

  private func store(
    _ new: Ref, _ old: Ref, at index: Int, of leaf: Ref
  ) throws(StorageError) -> Ref {
    new == old ? leaf : try MixedLeaf.replaceCollection(new, at: index, in: leaf, allocator)
  }
}
