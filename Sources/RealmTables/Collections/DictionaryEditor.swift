// SPDX-License-Identifier: Apache-2.0

// Changing the dictionary of an object (file format 4.12).

package import RealmStorage

/// A dictionary of a write transaction: that of a column, or one inside a mixed value. Its entries
/// ascend by key; the change log knows them by their positions.
///
/// Every change keeps the backlinks of what is linked up to date, and is recorded in the change
/// log.
package struct DictionaryEditor {
  private let table: WritableTable
  private let column: Column
  private let key: ObjectKey
  /// The way from the column to a nested dictionary.
  private let path: [NestedStep]

  init(table: WritableTable, column: Column, key: ObjectKey, path: [NestedStep] = []) {
    self.table = table
    self.column = column
    self.key = key
    self.path = path
  }

  private var allocator: NodeAllocator { table.allocator }
  private var logged: [NestedStep] { column.logged(path) }

  // MARK: Reading

  /// The dictionary as it is now.
  package var view: DictionaryView {
    get throws(StorageError) {
      guard let row = try table.row(of: key) else { throw unsafe .missing(key, table.schema.name) }
      guard let view = try row.dictionary(column, path) else { throw .collectionIsGone }
      return view
    }
  }

  // MARK: Changing

  /// Sets the value of `name`. An embedded object that was its value is deleted.
  package func set(_ value: TableValue, for name: String) throws(StorageError) {
    try check(value)
    let view = try view
    let (index, isFound) = try view.place(of: name)
    let old = isFound ? try links(at: index, of: view) : []
    let isRecorded = table.isRecorded
    let full = isRecorded && isFound ? try view.mixed(at: index).fullKind(in: allocator.space) : nil
    var trees = try open(view)
    if isFound {
      let replacement = ListReplacement(
        value: stored(value), index: index, root: trees.values, allocator: allocator)
      trees.values = try replacement.visit(MixedCodec.self)
    } else {
      trees.keys = try BTree<StringLeaf>.insert(name, at: index, in: trees.keys, allocator)
      let insertion = ListInsertion(
        value: stored(value), index: index, root: trees.values, allocator: allocator)
      trees.values = try insertion.visit(MixedCodec.self)
    }
    try trees.close()
    try table.links.addBacklinks(of: value, column, key)
    if isFound {
      table.log.set(at: index, in: column.key, of: key, table.key, logged)
    } else {
      table.log.insert(at: index, in: column.key, of: key, table.key, logged)
    }
    if isRecorded {
      // Peers keep an embedded object that one of them has changed, so the one before goes first.
      if !old.isEmpty, try table.embeddedTarget(of: column) != nil {
        try recordErasure(of: name)
      }
      try record(value, for: name, replacing: full)
    }
    for link in old { try table.links.drop(link, column, key) }
  }

  /// Creates an embedded object as the value of `name`.
  package func setEmbedded(for name: String) throws(StorageError) -> (key: ObjectKey, row: Row) {
    guard let target = column.targetTable else { throw .typeMismatch(.null) }
    let owner = try table.group.requiredTable(target)
    let (object, _) = try owner.createObject()
    try set(.link(object), for: name)
    guard let row = try owner.row(of: object) else {
      throw unsafe .missing(object, owner.schema.name)
    }
    return (object, row)
  }

  /// Removes the entry of `name`; false if there is none. An embedded object is deleted.
  @discardableResult
  package func remove(_ name: String) throws(StorageError) -> Bool {
    let view = try view
    let (index, isFound) = try view.place(of: name)
    guard isFound else { return false }
    let old = try links(at: index, of: view)
    var trees = try open(view)
    trees.keys = try BTree<StringLeaf>.remove(at: index, from: trees.keys, allocator)
    trees.values = try BTree<MixedLeaf>.remove(at: index, from: trees.values, allocator)
    try trees.close()
    table.log.erase(at: index, in: column.key, of: key, table.key, logged)
    if table.isRecorded { try recordErasure(of: name) }
    for link in old { try table.links.drop(link, column, key) }
    return true
  }

  /// Removes all entries. Embedded objects are deleted.
  package func removeAll() throws(StorageError) {
    let view = try view
    try table.clearCollection(column, of: key, at: path, root: view.root, oldCount: view.count)
  }

  /// Replaces all entries.
  package func replaceAll(with entries: TableDictionary) throws(StorageError) {
    for entry in entries.entries { try check(entry.value) }
    try removeAll()
    for entry in entries.entries { try set(entry.value, for: entry.key) }
  }

  // MARK: Recording

  @inline(never)
  private func record(
    _ value: TableValue, for name: String, replacing full: CollectionKind?
  ) throws(StorageError) {
    let place = try table.place(column, key, at: path)
    try table.recording.setEntry(value, for: name, place, replacing: full)
  }

  @inline(never)
  private func recordErasure(of name: String) throws(StorageError) {
    try unsafe table.log.recorder?.didEraseEntry(
      for: name, in: try table.place(column, key, at: path))
  }

  // MARK: Values

  /// The trees of keys and values while they are edited.
  private struct OpenTrees {
    var keys: Ref
    var values: Ref
    private let collection: OpenCollection
    private let allocator: NodeAllocator
    /// The trees before; nil if they were made because the dictionary never had an entry.
    private let old: (keys: Ref, values: Ref)?

    init(_ collection: OpenCollection, _ allocator: NodeAllocator) throws(StorageError) {
      self.collection = collection
      self.allocator = allocator
      if collection.root.isNull {
        old = nil
        keys = try BTree<StringLeaf>.make(in: allocator)
        values = try BTree<MixedLeaf>.make(in: allocator)
      } else {
        let node = try allocator.node(at: collection.root)
        keys = try node.ref(at: 0)
        values = try node.ref(at: 1)
        old = (keys, values)
      }
    }

    /// Stores the roots.
    func close() throws(StorageError) {
      guard let old else {
        let slots = [keys.slot, values.slot]
        let node = try IntegerNode.make(slots, flags: .hasRefs, in: allocator)
        return try collection.replace(by: node.ref)
      }
      guard (keys, values) != old else { return }
      let first = try IntegerNode.set(keys.slot, at: 0, in: collection.root, allocator)
      try collection.replace(by: try IntegerNode.set(values.slot, at: 1, in: first, allocator))
    }
  }

  private func open(_ view: DictionaryView) throws(StorageError) -> OpenTrees {
    try OpenTrees(table.openCollection(column, of: key, at: path, root: view.root), allocator)
  }

  private func check(_ value: TableValue) throws(StorageError) {
    try table.checkElement(value, of: column, at: path)
    guard value.isNull || value.fits(column.type) else { throw .typeMismatch(value) }
  }

  /// The form in which a dictionary holds the value: links name their table.
  private func stored(_ value: TableValue) -> TableValue {
    if case .link(let target) = value, let table = column.targetTable {
      return .typedLink(table, target)
    }
    return value
  }

  /// The links that one value holds.
  private func links(at index: Int, of view: DictionaryView) throws(StorageError) -> [StoredLink] {
    guard column.canLink else { return [] }
    var links: [StoredLink] = []
    try LinkWalk.visit(try view.mixed(at: index), in: allocator.space) {
      links.append($0)
    }
    return links
  }
}

extension TableValue {
  /// Whether the value, which is not null, may be a value of a dictionary of the type.
  fileprivate func fits(_ type: ColumnType) -> Bool {
    switch self.type {
    case .link: type == .link
    case let own: own == type || type == .mixed
    }
  }
}
