// SPDX-License-Identifier: Apache-2.0

// Changing the list of an object.

package import RealmStorage

/// A list of a write transaction: that of a column, or one inside a mixed value.
///
/// Positions are those that readers see: links to tombstones are
/// passed over and left alone.
///
/// Every change keeps the backlinks of what is linked up to date, and is recorded in the change
/// log.
package struct ListEditor {
  private let table: WritableTable
  private let column: Column
  private let key: ObjectKey
  /// The way from the column to a nested list.
  private let path: [NestedStep]

  init(table: WritableTable, column: Column, key: ObjectKey, path: [NestedStep] = []) {
    self.table = table
    self.column = column
    self.key = key
    self.path = path
  }

  private var allocator: NodeAllocator { table.allocator }
  private var logged: [NestedStep] { column.logged(path) }
  /// The list as a recorder is told.
  private var place: CollectionPlace {
    get throws(StorageError) { try table.place(column, key, at: path) }
  }

  // MARK: Reading

  /// The list as it is now.
  package var view: ListView {
    get throws(StorageError) {
      guard let row = try table.row(of: key) else { throw .missing(key, table.schema.name) }
      guard let view = try row.list(column, path) else { throw .collectionIsGone }
      return view
    }
  }

  /// The number of elements.
  package var count: Int {
    get throws(StorageError) { try view.count }
  }

  /// Element `index`.
  package func value(at index: Int) throws(StorageError) -> TableValue {
    try view.value(at: index)
  }

  // MARK: Changing

  /// Inserts before element `index`; `index == count` appends.
  package func insert(_ value: TableValue, at index: Int) throws(StorageError) {
    try table.checkElement(value, of: column, at: path)
    let view = try view
    guard index >= 0, index <= view.count else { throw .outOfBounds(index, view.count) }
    let stored = index == view.count ? view.storedCount : try view.storedIndex(index)
    try table.editCollection(column, of: key, at: path) { (root) throws(StorageError) -> Ref in
      try column.visitElements(
        ListInsertion(value: value, index: stored, root: root, allocator: allocator))
    }
    try table.addBacklinks(of: value, column, key)
    table.log.insert(at: index, in: column.key, of: key, table.key, logged)
    if table.isRecorded {
      try table.recordInsertion(of: value, at: stored, place, priorSize: view.storedCount)
    }
  }

  /// Inserts at the end.
  package func append(_ value: TableValue) throws(StorageError) {
    try insert(value, at: try count)
  }

  /// Creates an embedded object as element `index`.
  package func insertEmbedded(
    at index: Int
  ) throws(StorageError) -> (key: ObjectKey, row: Row) {
    guard let target = column.targetTable else { throw .typeMismatch(.null) }
    let owner = try table.group.requiredTable(target)
    let (object, _) = try owner.createObject()
    try insert(.link(object), at: index)
    guard let row = try owner.row(of: object) else { throw .missing(object, owner.schema.name) }
    return (object, row)
  }

  /// Replaces element `index`. An embedded object that stood there is deleted.
  package func set(_ value: TableValue, at index: Int) throws(StorageError) {
    try table.checkElement(value, of: column, at: path)
    let view = try view
    let stored = try view.storedIndex(index)
    let old = try links(at: stored, of: view)
    let full = table.isRecorded ? try fullKind(at: stored, of: view) : nil
    try table.editCollection(column, of: key, at: path) { (root) throws(StorageError) -> Ref in
      try column.visitElements(
        ListReplacement(value: value, index: stored, root: root, allocator: allocator))
    }
    try table.addBacklinks(of: value, column, key)
    table.log.set(at: index, in: column.key, of: key, table.key, logged)
    if table.isRecorded {
      try table.recordReplacement(
        by: value, at: stored, place, size: view.storedCount, replacing: full)
    }
    for link in old { try table.dropLink(to: link, column, key) }
  }

  /// Removes element `index`. An embedded object is deleted.
  package func remove(at index: Int) throws(StorageError) {
    let view = try view
    let stored = try view.storedIndex(index)
    let old = try links(at: stored, of: view)
    try table.editCollection(column, of: key, at: path) { (root) throws(StorageError) -> Ref in
      try column.visitElements(ListRemoval(index: stored, root: root, allocator: allocator))
    }
    table.log.erase(at: index, in: column.key, of: key, table.key, logged)
    try table.log.recorder?.didErase(at: stored, in: place, priorSize: view.storedCount)
    for link in old { try table.dropLink(to: link, column, key) }
  }

  /// Takes element `source` out and puts it back so that it stands at `target`.
  package func move(from source: Int, to target: Int) throws(StorageError) {
    let view = try view
    let from = try view.storedIndex(source)
    let to = try view.storedIndex(target)
    guard from != to else { return }
    if try isNested(at: from, of: view) {
      try moveNested(from: from, to: to)
    } else {
      try moveValue(from: from, to: to)
    }
    table.log.move(from: source, to: target, in: column.key, of: key, table.key, logged)
    try table.log.recorder?.didMove(from: from, to: to, in: place, priorSize: view.storedCount)
  }

  private func moveValue(from: Int, to: Int) throws(StorageError) {
    try table.editCollection(column, of: key, at: path) { (root) throws(StorageError) -> Ref in
      let value = try column.visitElements(
        ValueVisitor(root: root, index: from, space: allocator.space))
      let shorter = try column.visitElements(
        ListRemoval(index: from, root: root, allocator: allocator))
      return try column.visitElements(
        ListInsertion(value: value, index: to, root: shorter, allocator: allocator))
    }
  }

  /// Moves a nested collection as it is, with its salt.
  private func moveNested(from: Int, to: Int) throws(StorageError) {
    try table.editCollection(column, of: key, at: path) { (root) throws(StorageError) -> Ref in
      let space = allocator.space
      let salt = try NestedTree.step(at: from, in: root, space).salt
      let value = try BTree<MixedLeaf>.value(at: from, of: root, in: space)
      // The collection that the element owns must not go with it.
      var tree = try BTree<MixedLeaf>.update(at: from, in: root, allocator) {
        (leaf, index) throws(StorageError) -> Ref in
        try MixedLeaf.replaceCollection(.null, at: index, in: leaf, allocator)
      }
      tree = try BTree<MixedLeaf>.remove(at: from, from: tree, allocator)
      tree = try BTree<MixedLeaf>.insert(value, at: to, in: tree, allocator)
      return try BTree<MixedLeaf>.update(at: to, in: tree, allocator) {
        (leaf, index) throws(StorageError) -> Ref in
        try MixedLeaf.setSalt(salt, at: index, in: leaf, allocator)
      }
    }
  }

  /// Exchanges two elements.
  package func swap(_ first: Int, _ second: Int) throws(StorageError) {
    guard first != second else { return }
    let low = min(first, second)
    let high = max(first, second)
    try move(from: high, to: low)
    if high - low > 1 { try move(from: low + 1, to: high) }
  }

  /// Removes all elements. Embedded objects are deleted. Links to tombstones go too.
  package func removeAll() throws(StorageError) {
    let view = try view
    try table.clearCollection(
      column, of: key, at: path, root: view.root, oldCount: view.count)
  }

  /// Replaces all elements.
  package func replaceAll(with values: [TableValue]) throws(StorageError) {
    for value in values { try table.checkElement(value, of: column, at: path) }
    try removeAll()
    for (index, value) in values.enumerated() { try insert(value, at: index) }
  }

  // MARK: Links

  /// The links that one element holds.
  private func links(at stored: Int, of view: ListView) throws(StorageError) -> [StoredLink] {
    var links: [StoredLink] = []
    switch column.type {
    case .link:
      let key = try BTree<IntegerLeaf>.value(at: stored, of: view.root, in: allocator.space)
      if let target = column.targetTable {
        links.append(StoredLink(table: target, key: ObjectKey(key)))
      }
    case .mixed:
      let value = try BTree<MixedLeaf>.value(at: stored, of: view.root, in: allocator.space)
      try LinkWalk.visit(value, in: allocator.space, depth: 0) { links.append($0) }
    default: break
    }
    return links
  }

  /// The kind of the collection with elements that one element is; nil if it is none.
  private func fullKind(
    at stored: Int, of view: ListView
  ) throws(StorageError) -> CollectionKind? {
    guard column.type == .mixed else { return nil }
    return try view.mixedValue(atStored: stored).fullKind(in: allocator.space)
  }

  private func isNested(at stored: Int, of view: ListView) throws(StorageError) -> Bool {
    guard column.type == .mixed else { return false }
    switch try BTree<MixedLeaf>.value(at: stored, of: view.root, in: allocator.space) {
    case .list, .dictionary: return true
    default: return false
    }
  }
}
