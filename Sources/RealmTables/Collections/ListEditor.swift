// SPDX-License-Identifier: Apache-2.0

// Changing the list of an object.

package import RealmStorage

/// A list of a write transaction: that of a column, or one inside a mixed value.
///
/// Positions are the readers': links to tombstones are passed over and left alone. With `isStored`
/// an editor counts them too, and edits them as any other; devices send each other such positions.
///
/// Every change keeps the backlinks of what is linked up to date, and is recorded in the change
/// log.
package struct ListEditor {
  private let table: WritableTable
  private let column: Column
  private let key: ObjectKey
  /// The way from the column to a nested list.
  private let path: [NestedStep]
  private let isStored: Bool

  init(
    table: WritableTable, column: Column, key: ObjectKey, path: [NestedStep] = [],
    isStored: Bool = false
  ) {
    self.table = table
    self.column = column
    self.key = key
    self.path = path
    self.isStored = isStored
  }

  private var allocator: NodeAllocator { table.allocator }
  private var logged: [NestedStep] { column.logged(path) }

  // MARK: Reading

  /// The list as it is now.
  package var view: ListView {
    get throws(StorageError) {
      guard let row = try table.row(of: key) else { throw unsafe .missing(key, table.schema.name) }
      guard let view = try row.list(column, path) else { throw .collectionIsGone }
      return view
    }
  }

  /// The number of elements.
  package var count: Int {
    get throws(StorageError) { count(of: try view) }
  }

  /// Element `index`.
  package func value(at index: Int) throws(StorageError) -> TableValue {
    let view = try view
    return try view.value(atStored: try storedIndex(index, of: view))
  }

  private func count(of view: ListView) -> Int { isStored ? view.storedCount : view.count }

  private func storedIndex(_ index: Int, of view: ListView) throws(StorageError) -> Int {
    guard isStored else { return try view.storedIndex(index) }
    guard index >= 0, index < view.storedCount else {
      throw .outOfBounds(index, view.storedCount)
    }
    return index
  }

  /// The position that readers know a stored element by.
  private func visibleIndex(_ index: Int, of view: ListView) -> Int {
    isStored ? view.visibleIndex(of: index) : index
  }

  /// Whether readers do not see an element with that value.
  private func hides(_ value: TableValue) -> Bool {
    column.type == .link && value.isLinkToTombstone
  }

  // MARK: Changing

  /// Inserts before element `index`; `index == count` appends.
  package func insert(_ value: TableValue, at index: Int) throws(StorageError) {
    try table.checkElement(value, of: column, at: path)
    let view = try view
    let count = count(of: view)
    guard index >= 0, index <= count else { throw .outOfBounds(index, count) }
    let stored = index == count ? view.storedCount : try storedIndex(index, of: view)
    let isHidden = hides(value)
    let list = try open(view, hidesLink: isHidden)
    let insertion = ListInsertion(
      value: value, index: stored, root: list.root, allocator: allocator)
    try list.replace(by: try column.visitElements(insertion))
    try table.links.addBacklinks(of: value, column, key)
    if !isHidden {
      let visible = visibleIndex(index, of: view)
      table.log.insert(at: visible, in: column.key, of: key, table.key, logged)
    }
    if table.isRecorded { try recordInsertion(of: value, at: stored, view.storedCount) }
  }

  /// Inserts values so that the first of them becomes element `index`.
  package func insert(contentsOf values: [TableValue], at index: Int) throws(StorageError) {
    for (offset, value) in values.enumerated() { try insert(value, at: index + offset) }
  }

  /// Inserts at the end.
  package func append(_ value: TableValue) throws(StorageError) {
    try insert(value, at: try count)
  }

  /// Creates an embedded object as element `index`.
  package func insertEmbedded(at index: Int) throws(StorageError) -> (key: ObjectKey, row: Row) {
    guard let target = column.targetTable else { throw .typeMismatch(.null) }
    let owner = try table.group.requiredTable(target)
    let (object, _) = try owner.createObject()
    try insert(.link(object), at: index)
    guard let row = try owner.row(of: object) else {
      throw unsafe .missing(object, owner.schema.name)
    }
    return (object, row)
  }

  /// Replaces element `index`. An embedded object that stood there is deleted.
  package func set(_ value: TableValue, at index: Int) throws(StorageError) {
    try table.checkElement(value, of: column, at: path)
    let view = try view
    let stored = try storedIndex(index, of: view)
    let old = try links(at: stored, of: view)
    let full = table.isRecorded ? try fullKind(at: stored, of: view) : nil
    let isHidden = hides(value)
    let list = try open(view, hidesLink: isHidden)
    let replacement = ListReplacement(
      value: value, index: stored, root: list.root, allocator: allocator)
    try list.replace(by: try column.visitElements(replacement))
    try table.links.addBacklinks(of: value, column, key)
    let visible = visibleIndex(index, of: view)
    switch (view.isVisible(stored), isHidden) {
    case (true, false): table.log.set(at: visible, in: column.key, of: key, table.key, logged)
    case (true, true): table.log.erase(at: visible, in: column.key, of: key, table.key, logged)
    case (false, false): table.log.insert(at: visible, in: column.key, of: key, table.key, logged)
    case (false, true): break
    }
    if table.isRecorded {
      try recordReplacement(by: value, at: stored, view.storedCount, replacing: full)
    }
    for link in old { try table.links.drop(link, column, key) }
  }

  /// Removes element `index`. An embedded object is deleted.
  package func remove(at index: Int) throws(StorageError) {
    let view = try view
    let stored = try storedIndex(index, of: view)
    let old = try links(at: stored, of: view)
    let list = try open(view)
    let removal = ListRemoval(index: stored, root: list.root, allocator: allocator)
    try list.replace(by: try column.visitElements(removal))
    if view.isVisible(stored) {
      let visible = visibleIndex(index, of: view)
      table.log.erase(at: visible, in: column.key, of: key, table.key, logged)
    }
    if table.isRecorded { try recordErasure(at: stored, view.storedCount) }
    for link in old { try table.links.drop(link, column, key) }
  }

  /// Takes element `source` out and puts it back so that it stands at `target`.
  package func move(from source: Int, to target: Int) throws(StorageError) {
    let view = try view
    let from = try storedIndex(source, of: view)
    let to = try storedIndex(target, of: view)
    guard from != to else { return }
    if column.canLink, let link = try link(at: from, of: view) {
      try moveLink(link, of: view, from: from, to: to)
    } else if try isNested(at: from, of: view) {
      try moveNested(of: view, from: from, to: to)
    } else {
      try moveValue(of: view, from: from, to: to)
    }
    if view.isVisible(from) {
      // What is between the two closes up, or makes room.
      let end = to > from ? view.visibleIndex(of: to + 1) - 1 : visibleIndex(target, of: view)
      table.log.move(
        from: visibleIndex(source, of: view), to: isStored ? end : target, in: column.key, of: key,
        table.key, logged)
    }
    if table.isRecorded { try recordMove(from: from, to: to, view.storedCount) }
  }

  /// The link that an element is, to a tombstone too; nil for other values.
  private func link(at stored: Int, of view: ListView) throws(StorageError) -> MixedValue? {
    let value = try view.mixedValue(atStored: stored)
    if case .typedLink = value { return value }
    return nil
  }

  private func open(
    _ view: ListView, hidesLink: Bool = false
  ) throws(StorageError) -> OpenCollection {
    try table.openCollection(column, of: key, at: path, root: view.root, hidesLink: hidesLink)
  }

  /// Moves a link as it is stored.
  private func moveLink(
    _ link: MixedValue, of view: ListView, from: Int, to: Int
  ) throws(StorageError) {
    guard case .typedLink(_, let target) = link else { return }
    let list = try open(view, hidesLink: column.type == .link && target < 0)
    let shorter = try column.visitElements(
      ListRemoval(index: from, root: list.root, allocator: allocator))
    try list.replace(
      by: column.type == .link
        ? try BTree<IntegerLeaf>.insert(target, at: to, in: shorter, allocator)
        : try BTree<MixedLeaf>.insert(link, at: to, in: shorter, allocator))
  }

  private func moveValue(of view: ListView, from: Int, to: Int) throws(StorageError) {
    let list = try open(view)
    let value = try column.visitElements(
      ValueVisitor(root: list.root, index: from, space: allocator.space))
    let shorter = try column.visitElements(
      ListRemoval(index: from, root: list.root, allocator: allocator))
    let insertion = ListInsertion(value: value, index: to, root: shorter, allocator: allocator)
    try list.replace(by: try column.visitElements(insertion))
  }

  /// Moves a nested collection as it is, with its salt.
  private func moveNested(of view: ListView, from: Int, to: Int) throws(StorageError) {
    let list = try open(view)
    let space = allocator.space
    let salt = try NestedTree.step(at: from, in: list.root, space).salt
    let value = try BTree<MixedLeaf>.value(at: from, of: list.root, in: space)
    // The collection that the element owns must not go with it.
    var tree = try NestedTree.replaceCollection(.null, at: from, in: list.root, allocator)
    tree = try BTree<MixedLeaf>.remove(at: from, from: tree, allocator)
    tree = try BTree<MixedLeaf>.insert(value, at: to, in: tree, allocator)
    tree = try BTree<MixedLeaf>.update(at: to, in: tree, allocator) {
      (leaf, index) throws(StorageError) -> Ref in
      try MixedLeaf.setSalt(salt, at: index, in: leaf, allocator)
    }
    try list.replace(by: tree)
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
    try insert(contentsOf: values, at: 0)
  }

  // MARK: Recording

  @inline(never)
  private func recordInsertion(
    of value: TableValue, at index: Int, _ size: Int
  ) throws(StorageError) {
    let place = try table.place(column, key, at: path)
    try table.recording.insert(of: value, at: index, place, priorSize: size)
  }

  @inline(never)
  private func recordReplacement(
    by value: TableValue, at index: Int, _ size: Int, replacing full: CollectionKind?
  ) throws(StorageError) {
    let place = try table.place(column, key, at: path)
    try table.recording.replace(by: value, at: index, place, size: size, replacing: full)
  }

  @inline(never)
  private func recordErasure(at index: Int, _ size: Int) throws(StorageError) {
    let place = try table.place(column, key, at: path)
    try unsafe table.log.recorder?.didErase(at: index, in: place, priorSize: size)
  }

  @inline(never)
  private func recordMove(from: Int, to: Int, _ size: Int) throws(StorageError) {
    let place = try table.place(column, key, at: path)
    try unsafe table.log.recorder?.didMove(from: from, to: to, in: place, priorSize: size)
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
      try LinkWalk.visit(value, in: allocator.space) { links.append($0) }
    default: break
    }
    return links
  }

  /// The kind of the collection with elements that one element is; nil if it is none.
  private func fullKind(at stored: Int, of view: ListView) throws(StorageError) -> CollectionKind? {
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
