// SPDX-License-Identifier: Apache-2.0

// All links that leave an object, wherever they are stored.

package import RealmStorage

extension Row {
  /// Calls `body` with each link in a column: single, in a list, set or dictionary, in a mixed
  /// value and in collections nested in one. A link that occurs twice is given twice.
  package func forEachLink(
    in column: Column, _ body: (StoredLink) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard column.canLink else { return }
    switch column.collection {
    case .none: try visitSingleLink(column, body)
    case .list, .set:
      let root = try collectionRoot(column.leafIndex)
      guard !root.isNull else { return }
      if column.type == .mixed {
        var walk = LinkWalk(in: space)
        return try walk.visit(list: root, body)
      }
      guard column.type == .link, let target = column.targetTable else { return }
      var leaves = try BTreeLeafCursor<IntegerLeaf>(root, in: space)
      while let (leaf, _, count) = try leaves.next() {
        let node = try space.node(at: leaf)
        for index in 0..<count {
          try body(StoredLink(table: target, key: ObjectKey(try node.integer(at: index))))
        }
      }
    case .dictionary:
      let view = try dictionary(column)
      var walk = LinkWalk(in: space)
      for index in 0..<view.count { try walk.visit(try view.mixed(at: index), body) }
    }
  }

  private func visitSingleLink(
    _ column: Column, _ body: (StoredLink) throws(StorageError) -> Void
  ) throws(StorageError) {
    switch column.type {
    case .link:
      let key = try storedLink(column.leafIndex)
      if let target = column.targetTable, !key.isNull {
        try body(StoredLink(table: target, key: key))
      }
    case .mixed: try LinkWalk.visit(try mixed(column.leafIndex), in: space, body)
    default:
      let leaf = try cluster.ref(at: column.leafIndex + 1)
      if let link = try TypedLinkLeaf.value(at: index, of: leaf, in: space) {
        try body(StoredLink(table: link.table, key: link.key))
      }
    }
  }
}

/// Links inside mixed values.
struct LinkWalk {
  private let space: NodeSpace
  private var nesting: MixedNesting

  init(in space: NodeSpace) {
    self.space = space
    // The collection of a property may be around the value.
    nesting = MixedNesting(in: space, depthMax: MixedCodec.maximumDepth + 1)
  }

  /// Calls `body` with each link in a value, which may be a collection.
  static func visit(
    _ value: MixedValue, in space: NodeSpace, _ body: (StoredLink) throws(StorageError) -> Void
  ) throws(StorageError) {
    var walk = LinkWalk(in: space)
    try walk.visit(value, body)
  }

  /// Calls `body` with each link in a value, which may be a collection.
  mutating func visit(
    _ value: MixedValue, _ body: (StoredLink) throws(StorageError) -> Void
  ) throws(StorageError) {
    switch value {
    case .typedLink(let table, let key): try body(StoredLink(table: table, key: key))
    case .list(let root):
      if !root.isNull { try visit(list: root, body) }
    case .dictionary(let root):
      let view = try DictionaryView(root: root, hasIntegerKeys: false, in: space)
      try nesting.enter(root, count: view.count)
      defer { nesting.leave() }
      for index in 0..<view.count { try visit(try view.mixed(at: index), body) }
    default: return
    }
  }

  /// Calls `body` with each link in a list or set of mixed values.
  mutating func visit(
    list root: Ref, _ body: (StoredLink) throws(StorageError) -> Void
  ) throws(StorageError) {
    let count = try BTree<MixedLeaf>.count(root, in: space)
    try nesting.enter(root, count: count)
    defer { nesting.leave() }
    for index in 0..<count {
      try visit(try BTree<MixedLeaf>.value(at: index, of: root, in: space), body)
    }
  }
}
