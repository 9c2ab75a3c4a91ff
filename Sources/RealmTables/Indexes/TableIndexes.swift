// SPDX-License-Identifier: Apache-2.0

// Keeping the search indexes of a table in step with its columns.

import RealmStorage

extension WritableTable {
  @inline(__always)
  var indexes: TableIndexes { TableIndexes(table: self) }
}

/// Edits the indexes of a table. `WritableTable` 2 says what they may lack.
struct TableIndexes {
  let table: WritableTable

  private var allocator: NodeAllocator { table.allocator }
  private var schema: TableSchema { unsafe table.schema }

  /// Enters the newest objects in the indexes that they are not in yet.
  @inline(__always)
  func settle() throws(StorageError) {
    if unsafe !table.newKeys.isEmpty { try enterNewKeys() }
    if unsafe !table.unindexed.isNull { try enterUnindexed() }
  }

  @inline(never)
  func enterNewKeys() throws(StorageError) {
    assert(schema.primaryKey != nil, "`WritableTable` 2: new keys are those of a primary key")
    guard let column = schema.primaryKey else { return }
    let batch = unsafe table.newKeys.takeSorted()
    guard var index = try open(column) else { return }
    try index.editor.insert(batch)
    index.close()
  }

  /// Enters the newest object in all indexes but that of the primary key.
  @inline(never)
  func enterUnindexed() throws(StorageError) {
    let object = unsafe table.unindexed
    unsafe table.unindexed = .null
    for column in schema.columns where column.hasIndex && !column.isPrimaryKey {
      try insert(object, in: column)
    }
  }

  /// Takes an object out of the index of a column; the column still has the old value.
  @inline(never)
  func remove(_ object: ObjectKey, from column: Column) throws(StorageError) {
    if column.isFullText { return try editWords(column, object, isInsertion: false) }
    guard var index = try open(column) else { return }
    try index.editor.remove(try index.editor.values.indexedValue(of: object), object)
    index.close()
  }

  /// Enters an object in the index of a column; the column has the new value.
  @inline(never)
  func insert(_ object: ObjectKey, in column: Column) throws(StorageError) {
    if column.isFullText { return try editWords(column, object, isInsertion: true) }
    guard var index = try open(column) else { return }
    try index.editor.insert(try index.editor.values.indexedValue(of: object), object)
    index.close()
  }

  /// Enters an object in the index of a column whose value is at hand.
  @inline(never)
  func insert(_ object: ObjectKey, in column: Column, _ value: MixedValue) throws(StorageError) {
    guard var index = try open(column) else { return }
    try index.editor.insert(value, object)
    index.close()
  }

  /// The index of a column while it is edited.
  private struct OpenIndex {
    var editor: SearchIndexEditor<ColumnValues>
    let roots: MutableNode
    let slot: Int
    let old: Ref

    func close() {
      if editor.root != old { roots.store(editor.root.slot, at: slot) }
    }
  }

  /// The index of a column of single values; nil if it has none. `close()` stores its root.
  private func open(_ column: Column) throws(StorageError) -> OpenIndex? {
    guard column.hasIndex, column.collection == .none else {
      if column.hasIndex { try abandon(column) }
      return nil
    }
    if column.isPrimaryKey, unsafe !table.newKeys.isEmpty { try enterNewKeys() }
    let roots = try writableRoots()
    let root = try roots.node.ref(at: column.leafIndex)
    let editor = SearchIndexEditor(
      root: root, allocator: allocator, values: ColumnValues(column, in: table.tree))
    return OpenIndex(editor: editor, roots: roots, slot: column.leafIndex, old: root)
  }

  private func writableRoots() throws(StorageError) -> MutableNode {
    let roots = try unsafe allocator.makeWritable(table.top.indexes)
    unsafe table.top.indexes = roots.ref
    unsafe table.isChanged = true
    return roots
  }

  /// Enters an object in a full-text index under the words of its text, or takes it out.
  private func editWords(
    _ column: Column, _ object: ObjectKey, isInsertion: Bool
  ) throws(StorageError) {
    guard let row = try table.tree.row(of: object) else { throw .missing(object, schema.name) }
    guard let text = try row.stringBytes(column.leafIndex) else { return }
    let words = unsafe FullTextTokenizer.tokens(of: text.bytes)
    if words.isEmpty { return }
    let roots = try writableRoots()
    var editor = SearchIndexEditor(
      wordsAt: try roots.node.ref(at: column.leafIndex), allocator: allocator)
    for word in words { try editor.edit(word, object, isInsertion: isInsertion) }
    roots.store(editor.root.slot, at: column.leafIndex)
  }

  /// Builds the full-text index of a column from its values.
  private func buildWords(_ column: Column) throws(StorageError) {
    var editor = SearchIndexEditor(
      wordsAt: try SearchIndexEditor<NoValues>.make(in: allocator), allocator: allocator)
    var cursor = ClusterCursor(table.tree)
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        guard let text = try cluster.row(at: index).stringBytes(column.leafIndex) else { continue }
        for word in unsafe FullTextTokenizer.tokens(of: text.bytes) {
          try editor.edit(word, cluster.key(at: index), isInsertion: true)
        }
      }
    }
    try storeRoot(editor.root, column.leafIndex)
  }

  /// Builds the index of a column from its values.
  func build(_ column: Column, isFullText: Bool = false) throws(StorageError) {
    if isFullText { return try buildWords(column) }
    var editor = SearchIndexEditor(
      root: try SearchIndexEditor<ColumnValues>.make(in: allocator), allocator: allocator,
      values: ColumnValues(column, in: table.tree))
    var cursor = ClusterCursor(table.tree)
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        try editor.insert(
          try cluster.row(at: index).mixedValue(of: column), cluster.key(at: index))
      }
    }
    try storeRoot(editor.root, column.leafIndex)
  }

  /// Gives up the index of a list of strings, which is not maintained: without its attribute an
  /// application that declares it builds it again.
  func abandon(_ column: Column) throws(StorageError) {
    guard let column = schema.column(column.key), column.hasIndex else { return }
    try table.columns.setIndexed(false, column.key)
  }

  func drop(_ column: Column) throws(StorageError) {
    guard unsafe !table.top.indexes.isNull else { return }
    let node = try unsafe allocator.node(at: table.top.indexes)
    guard column.leafIndex < node.count else { return }
    try allocator.freeTree(try node.ref(at: column.leafIndex))
    try storeRoot(.null, column.leafIndex)
  }

  func storeRoot(_ root: Ref, _ leafIndex: Int) throws(StorageError) {
    unsafe table.isChanged = true
    if unsafe table.top.indexes.isNull {
      unsafe table.top.indexes = try IntegerNode.make(flags: .hasRefs, in: allocator).ref
    }
    while try unsafe allocator.node(at: table.top.indexes).count <= leafIndex {
      unsafe table.top.indexes = try unsafe IntegerNode.append(0, to: table.top.indexes, allocator)
    }
    unsafe table.top.indexes = try unsafe IntegerNode.set(
      root.slot, at: leafIndex, in: table.top.indexes, allocator)
  }
}
