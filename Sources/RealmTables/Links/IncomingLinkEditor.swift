// SPDX-License-Identifier: Apache-2.0

// Changing the links from one object to another, wherever in a column they are.

import RealmStorage

/// Changes each occurrence of a link in one column of one object.
struct IncomingLinkEditor {
  let table: WritableTable
  let column: Column
  let object: ObjectKey
  let link: StoredLink
  let change: TableLinks.Change

  private var allocator: NodeAllocator { table.allocator }
  private var log: ChangeLogWriter { table.log }
  private var recorder: (any ChangeRecorder)? { unsafe log.recorder }

  /// The key that takes the link's place in a column of links.
  private var newKey: ObjectKey? {
    if case .redirect(let key) = change { key } else { nil }
  }

  func run() throws(StorageError) {
    switch (column.collection, column.type) {
    case (.none, .link):
      try table.links.store(newKey, column, object)
      try enterBacklink()
      log.set(column.key, of: object, in: table.key)
      try recordNull()
    case (.none, .mixed): try changeMixed()
    case (.none, _):
      let value = newKey.map { TypedLink(table: Int64(link.table.rawValue), key: $0.rawValue) }
      let leaf = try table.openLeaf(column.leafIndex, of: object)
      leaf.replace(by: try TypedLinkLeaf.set(value, at: leaf.index, in: leaf.ref, allocator))
      try enterBacklink()
      log.set(column.key, of: object, in: table.key)
      try recordNull()
    case (.list, .mixed), (.set, .mixed), (.dictionary, _): try changeMixedTree()
    case (.list, _), (.set, _): try changeKeys()
    }
  }

  /// A redirected link has its backlink in the new target.
  private func enterBacklink() throws(StorageError) {
    guard let newKey else { return }
    try table.links.addBacklink(to: StoredLink(table: link.table, key: newKey), column, object)
  }

  // MARK: Lists and sets of links

  private func changeKeys() throws(StorageError) {
    var changes = 0
    var erased: [(index: Int, size: Int)] = []
    let isHidden = newKey?.isTombstone ?? false
    let collection = try table.openCollection(column, of: object, hidesLink: isHidden)
    guard !collection.root.isNull else { return }
    var root = collection.root
    var index = try BTree<IntegerLeaf>.count(root, in: allocator.space)
    // The number of visible elements before `index`.
    var visible = try LinkKeys.visiblePositions(root, in: allocator.space)?.count ?? index
    while index > 0 {
      index -= 1
      let element = try BTree<IntegerLeaf>.value(at: index, of: root, in: allocator.space)
      if element >= 0 { visible -= 1 }
      guard element == link.key.rawValue else { continue }
      changes += 1
      guard let newKey else {
        root = try BTree<IntegerLeaf>.remove(at: index, from: root, allocator)
        log.erase(at: visible, in: column.key, of: object, table.key)
        let size = try BTree<IntegerLeaf>.count(root, in: allocator.space) + 1
        if recorder != nil { erased.append((index, size)) }
        continue
      }
      if column.collection == .list {
        root = try BTree<IntegerLeaf>.set(newKey.rawValue, at: index, in: root, allocator)
      } else {
        root = try BTree<IntegerLeaf>.remove(at: index, from: root, allocator)
        let place = try LinkKeys.lowerBound(newKey, in: root, allocator.space)
        root = try BTree<IntegerLeaf>.insert(newKey.rawValue, at: place, in: root, allocator)
      }
      if isHidden {
        log.erase(at: visible, in: column.key, of: object, table.key)
      } else {
        log.insert(at: visible, in: column.key, of: object, table.key)
      }
    }
    try collection.replace(by: root)
    for _ in 0..<changes { try enterBacklink() }
    // Told when the object can be read again.
    for (index, size) in erased {
      let place = table.place(column, object)
      if column.collection == .list {
        try recorder?.didErase(at: index, in: place, priorSize: size)
      } else {
        try recorder?.didEraseMember(.link(link.key), in: place)
      }
    }
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
      try recordNull()
    case .list(let root), .dictionary(let root):
      guard !root.isNull else { return }
      var nested = nestedEditor
      let leaf = try table.openLeaf(column.leafIndex, of: object)
      let value = try MixedLeaf.value(at: leaf.index, of: leaf.ref, in: allocator.space)
      let salt = try MixedLeaf.salt(at: leaf.index, of: leaf.ref, in: allocator.space)
      let step = NestedStep(salt: salt, position: 0)
      if let new = try nested.replacement(for: value, at: step, nil) {
        leaf.replace(by: try MixedLinkEditor.store(new, at: leaf.index, in: leaf.ref, allocator))
      }
      for _ in 0..<nested.changeCount { try enterBacklink() }
      try logChanges(of: nested)
    default: return
    }
  }

  /// A list, set or dictionary of mixed values.
  private func changeMixedTree() throws(StorageError) {
    var nested = nestedEditor
    let erases = column.collection == .set
    let collection = try table.openCollection(column, of: object)
    let root = collection.root
    guard !root.isNull else { return }
    let isDictionary = column.collection == .dictionary
    let container = isDictionary ? try allocator.makeWritable(root) : nil
    let keys = try container?.node.ref(at: 0)
    var tree = try container?.node.ref(at: 1) ?? root
    var index = try BTree<MixedLeaf>.count(tree, in: allocator.space)
    while index > 0 {
      index -= 1
      let value = try BTree<MixedLeaf>.value(at: index, of: tree, in: allocator.space)
      let step = try NestedTree.step(at: index, in: tree, allocator.space)
      let position = try nested.position(index, keys)
      if try nested.erase(value, at: index, of: &tree, isList: column.collection == .list) {
        continue
      }
      guard let new = try nested.replacement(for: value, at: step, position) else { continue }
      if erases {
        tree = try BTree<MixedLeaf>.remove(at: index, from: tree, allocator)
        log.erase(at: index, in: column.key, of: object, table.key)
      } else {
        tree = try MixedLinkEditor.store(new, at: index, inTree: tree, allocator)
        if new.isCollection { continue }
        nested.note(.cleared, at: index, position)
      }
    }
    if erases, newKey != nil {
      let place: Int
      (tree, place) = try nested.insertIntoSet(tree)
      log.insert(at: place, in: column.key, of: object, table.key)
    }
    container?.store(tree.slot, at: 1)
    try collection.replace(by: container?.ref ?? tree)
    for _ in 0..<nested.changeCount { try enterBacklink() }
    try logChanges(of: nested)
    if erases, newKey == nil, nested.changeCount > 0 {
      let member = TableValue.typedLink(link.table, link.key)
      try recorder?.didEraseMember(member, in: table.place(column, object))
    }
  }

  private var nestedEditor: MixedLinkEditor {
    MixedLinkEditor(
      link: link, newKey: newKey, erasesElements: recorder != nil && newKey == nil, allocator)
  }

  /// Logs the elements of lists and dictionaries of mixed values that were changed.
  private func logChanges(of nested: MixedLinkEditor) throws(StorageError) {
    for touched in nested.touched {
      let path = column.logged(touched.path)
      switch touched.change {
      case .cleared: log.set(at: touched.index, in: column.key, of: object, table.key, path)
      case .erased: log.erase(at: touched.index, in: column.key, of: object, table.key, path)
      }
      guard let recorder, newKey == nil else { continue }
      let place = CollectionPlace(
        table: table, column: column, object: object, path: touched.positions)
      switch (touched.change, touched.position) {
      case (.erased(let size), _):
        try recorder.didErase(at: touched.index, in: place, priorSize: size)
      case (.cleared, .key(let key)): try recorder.didSetEntry(.null, for: key, in: place)
      case (.cleared, .index):
        assertionFailure("a recorded list keeps the place of a link to a deleted object")
      }
    }
  }

  /// Tells that a single property has become null.
  private func recordNull() throws(StorageError) {
    guard newKey == nil else { return }
    try recorder?.didSet(.null, column, of: object, in: table, isDefault: false)
  }
}
