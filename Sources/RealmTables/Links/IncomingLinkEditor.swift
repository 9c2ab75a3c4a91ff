// SPDX-License-Identifier: Apache-2.0

// Changing the links from one object to another, wherever in a column they are.

import RealmStorage

/// Changes each occurrence of a link in one column of one object.
struct IncomingLinkEditor {
  let table: WritableTable
  let column: Column
  /// The object that holds the link.
  let object: ObjectKey
  let link: StoredLink
  let change: WritableTable.LinkChange

  private var allocator: NodeAllocator { table.allocator }
  private var log: ChangeLogWriter { table.log }

  /// The key that takes the link's place in a column of links.
  private var newKey: ObjectKey? {
    if case .redirect(let key) = change { key } else { nil }
  }

  func run() throws(StorageError) {
    switch (column.collection, column.type) {
    case (.none, .link):
      try table.storeLink(newKey, column, object)
      try enterBacklink()
      log.set(column.key, of: object, in: table.key)
    case (.none, .mixed): try changeMixed()
    case (.none, _):
      let value = newKey.map { TypedLink(table: Int64(link.table.rawValue), key: $0.rawValue) }
      try table.editLeaf(column.leafIndex, of: object) { (ref, index) throws(StorageError) in
        try TypedLinkLeaf.set(value, at: index, in: ref, allocator)
      }
      try enterBacklink()
      log.set(column.key, of: object, in: table.key)
    case (.list, .mixed), (.set, .mixed), (.dictionary, _): try changeMixedTree()
    case (.list, _), (.set, _): try changeKeys()
    }
  }

  /// A redirected link has its backlink in the new target.
  private func enterBacklink() throws(StorageError) {
    guard let newKey else { return }
    try table.addBacklink(to: StoredLink(table: link.table, key: newKey), column, object)
  }

  // MARK: Lists and sets of links

  private func changeKeys() throws(StorageError) {
    var changes = 0
    try table.editCollection(column, of: object) { (root) throws(StorageError) -> Ref in
      guard !root.isNull else { return root }
      var root = root
      var index = try BTree<IntegerLeaf>.count(root, in: allocator.space)
      while index > 0 {
        index -= 1
        let element = try BTree<IntegerLeaf>.value(at: index, of: root, in: allocator.space)
        guard element == link.key.rawValue else { continue }
        let visible = try LinkKeys.visibleIndex(of: index, in: root, allocator.space)
        changes += 1
        guard let newKey else {
          root = try BTree<IntegerLeaf>.remove(at: index, from: root, allocator)
          log.erase(at: visible, in: column.key, of: object, table.key)
          continue
        }
        if column.collection == .list {
          root = try BTree<IntegerLeaf>.set(newKey.rawValue, at: index, in: root, allocator)
        } else {
          root = try BTree<IntegerLeaf>.remove(at: index, from: root, allocator)
          let place = try LinkKeys.lowerBound(newKey, in: root, allocator.space)
          root = try BTree<IntegerLeaf>.insert(newKey.rawValue, at: place, in: root, allocator)
        }
        log.insert(at: visible, in: column.key, of: object, table.key)
      }
      return root
    }
    for _ in 0..<changes { try enterBacklink() }
  }

  // MARK: Mixed values

  private func changeMixed() throws(StorageError) {
    guard let row = try table.row(of: object) else { return }
    switch try row.mixed(column.leafIndex) {
    case .typedLink:
      let value = newKey.map {
        MixedValue.typedLink(table: Int64(link.table.rawValue), key: $0.rawValue)
      }
      try table.assign(MixedLeaf.self, value ?? .null, column, object, false)
      try enterBacklink()
    case .list(let root), .dictionary(let root):
      guard !root.isNull else { return }
      var nested = MixedLinkEditor(link: link, newKey: newKey, allocator)
      try table.editLeaf(column.leafIndex, of: object) { (ref, index) throws(StorageError) in
        let value = try MixedLeaf.value(at: index, of: ref, in: allocator.space)
        let salt = try MixedLeaf.salt(at: index, of: ref, in: allocator.space)
        let step = NestedStep(salt: salt, position: 0)
        guard let new = try nested.replacement(for: value, at: step) else { return ref }
        return try MixedLinkEditor.store(new, at: index, in: ref, allocator)
      }
      for _ in 0..<nested.changeCount { try enterBacklink() }
      logChanges(of: nested)
    default: return
    }
  }

  /// A list, set or dictionary of mixed values.
  private func changeMixedTree() throws(StorageError) {
    var nested = MixedLinkEditor(link: link, newKey: newKey, allocator)
    let erases = column.collection == .set
    try table.editCollection(column, of: object) { (root) throws(StorageError) -> Ref in
      guard !root.isNull else { return root }
      let isDictionary = column.collection == .dictionary
      let container = isDictionary ? try allocator.makeWritable(root) : nil
      var tree = try container?.node.ref(at: 1) ?? root
      var index = try BTree<MixedLeaf>.count(tree, in: allocator.space)
      while index > 0 {
        index -= 1
        let value = try BTree<MixedLeaf>.value(at: index, of: tree, in: allocator.space)
        let step = try NestedTree.step(at: index, in: tree, allocator.space)
        guard let new = try nested.replacement(for: value, at: step) else { continue }
        if erases {
          tree = try BTree<MixedLeaf>.remove(at: index, from: tree, allocator)
          log.erase(at: index, in: column.key, of: object, table.key)
        } else {
          tree = try MixedLinkEditor.store(new, at: index, inTree: tree, allocator)
          if new.isCollection { continue }
          log.set(at: index, in: column.key, of: object, table.key)
        }
      }
      if erases, newKey != nil { tree = try nested.insertIntoSet(tree) }
      guard let container else { return tree }
      container.store(tree.slot, at: 1)
      return container.ref
    }
    for _ in 0..<nested.changeCount { try enterBacklink() }
    logChanges(of: nested)
  }

  /// Logs the elements of nested collections that were changed.
  private func logChanges(of nested: MixedLinkEditor) {
    for (path, index) in nested.touched {
      log.set(at: index, in: column.key, of: object, table.key, column.logged(path))
    }
  }
}
