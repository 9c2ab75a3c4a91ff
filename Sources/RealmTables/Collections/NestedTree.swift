// SPDX-License-Identifier: Apache-2.0

// How a collection inside a mixed value is found by the steps to it (file format 4.9.2).

package import RealmStorage

extension Row {
  /// The collection that a path of steps leads to; nil if it is gone. The path is not empty.
  package func nestedCollection(
    _ column: Column, _ path: [NestedStep]
  ) throws(StorageError) -> MixedValue? {
    guard let first = path.first, column.type == .mixed else { return nil }
    var value: MixedValue
    var rest = path[...]
    switch column.collection {
    case .none:
      let leaf = try cluster.ref(at: column.leafIndex + 1)
      guard try MixedLeaf.salt(at: index, of: leaf, in: space) == first.salt else { return nil }
      value = try MixedLeaf.value(at: index, of: leaf, in: space)
      rest = rest.dropFirst()
    case .list: value = .list(try collectionRoot(column.leafIndex))
    case .dictionary: value = .dictionary(try collectionRoot(column.leafIndex))
    case .set: return nil
    }
    for step in rest {
      guard let tree = try NestedTree.elements(of: value, in: space),
        let position = try NestedTree.position(of: step, in: tree, space)
      else { return nil }
      value = try BTree<MixedLeaf>.value(at: position, of: tree, in: space)
    }
    return value.isCollection ? value : nil
  }

  /// The list that a path leads to, or the column's own; nil if there is none.
  package func list(_ column: Column, _ path: [NestedStep]) throws(StorageError) -> ListView? {
    if path.isEmpty { return column.collection == .dictionary ? nil : try list(column) }
    guard case .list(let root) = try nestedCollection(column, path) else { return nil }
    return try ListView(root: root, column: column, in: space)
  }

  /// The dictionary that a path leads to, or the column's own; nil if there is none.
  package func dictionary(
    _ column: Column, _ path: [NestedStep]
  ) throws(StorageError) -> DictionaryView? {
    if path.isEmpty {
      return column.collection == .dictionary ? try dictionary(column) : nil
    }
    guard case .dictionary(let root) = try nestedCollection(column, path) else { return nil }
    return try DictionaryView(root: root, hasIntegerKeys: false, in: space)
  }

  /// The salt of the collection that a mixed property holds.
  func salt(_ leafIndex: Int) throws(StorageError) -> Int64 {
    try MixedLeaf.salt(at: index, of: try cluster.ref(at: leafIndex + 1), in: space)
  }
}

/// An element of a collection of mixed values.
package struct NestedElement {
  /// The value, without the elements of a collection.
  package let value: TableValue
  package let step: NestedStep?

  package init(value: TableValue, step: NestedStep? = nil) {
    self.value = value
    self.step = step
  }
}

extension Row {
  /// The value of a mixed property, and the step to it.
  package func nestedElement(_ leafIndex: Int) throws(StorageError) -> NestedElement {
    let value = try mixed(leafIndex)
    return NestedElement(
      value: try MixedCodec.decodeOutline(value, in: space),
      step: value.isCollection ? NestedStep(salt: try salt(leafIndex), position: 0) : nil)
  }
}

extension ListView {
  /// Element `index` of a list of mixed values, and the step to it.
  package func nestedElement(at index: Int) throws(StorageError) -> NestedElement {
    try NestedTree.element(at: index, in: root, space)
  }

  /// Where the element is that a step leads to; nil if it is gone.
  package func position(of step: NestedStep) throws(StorageError) -> Int? {
    try root.isNull ? nil : NestedTree.position(of: step, in: root, space)
  }
}

extension DictionaryView {
  /// The value of entry `index` of a dictionary of mixed values, and the step to it.
  package func nestedElement(at index: Int) throws(StorageError) -> NestedElement {
    try NestedTree.element(at: index, in: values, space)
  }

  /// Where the entry is that a step leads to; nil if it is gone.
  package func position(of step: NestedStep) throws(StorageError) -> Int? {
    try values.isNull ? nil : NestedTree.position(of: step, in: values, space)
  }
}

/// Trees of mixed values: lists, and the values of dictionaries.
enum NestedTree {
  /// The tree of the elements of a collection, or of the values of a dictionary; nil if the value
  /// is no collection, or an empty one.
  static func elements(of value: MixedValue, in space: NodeSpace) throws(StorageError) -> Ref? {
    switch value {
    case .list(let root): root.isNull ? nil : root
    case .dictionary(let root): root.isNull ? nil : try space.node(at: root).ref(at: 1)
    default: nil
    }
  }

  static func element(
    at index: Int, in root: Ref, _ space: NodeSpace
  ) throws(StorageError) -> NestedElement {
    let value = try BTree<MixedLeaf>.value(at: index, of: root, in: space)
    return NestedElement(
      value: try MixedCodec.decodeOutline(value, in: space),
      step: value.isCollection ? try step(at: index, in: root, space) : nil)
  }

  static func step(
    at index: Int, in root: Ref, _ space: NodeSpace
  ) throws(StorageError) -> NestedStep {
    let (leaf, position) = try BTree<MixedLeaf>.leaf(containing: index, of: root, in: space)
    let salt = try MixedLeaf.salt(at: position, of: leaf, in: space)
    return NestedStep(salt: salt, position: index)
  }

  /// The position of the element that a step leads to; nil if it is gone.
  ///
  /// - Complexity: O(log n) while the element has not moved, else O(n).
  static func position(
    of step: NestedStep, in root: Ref, _ space: NodeSpace
  ) throws(StorageError) -> Int? {
    if step.position < (try BTree<MixedLeaf>.count(root, in: space)),
      try self.step(at: step.position, in: root, space).salt == step.salt
    {
      return step.position
    }
    guard step.salt != 0 else { return nil }
    var leaves = try BTreeLeafCursor<MixedLeaf>(root, in: space)
    while let (leaf, first, _) = try leaves.next() {
      if let index = try MixedLeaf.position(ofSalt: step.salt, in: leaf, space) {
        return first + index
      }
    }
    return nil
  }

  /// Gives the collection that is element `index` another root.
  static func replaceCollection(
    _ new: Ref, at index: Int, in root: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try BTree<MixedLeaf>.update(at: index, in: root, allocator) {
      (leaf, position) throws(StorageError) -> Ref in
      try MixedLeaf.replaceCollection(new, at: position, in: leaf, allocator)
    }
  }
}

extension StorageError {
  /// A nested collection was replaced or removed; layers above check before.
  @inline(never)
  static var collectionIsGone: StorageError {
    .limitExceeded("The nested collection does not exist any more")
  }
}
