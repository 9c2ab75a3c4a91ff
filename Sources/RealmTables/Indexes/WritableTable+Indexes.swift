// SPDX-License-Identifier: Apache-2.0

// Keeping the search indexes of a table in step with its columns.

import RealmStorage

extension WritableTable {
  /// Enters the newest objects in the indexes that they are not in yet.
  @inline(__always)
  func settleIndexes() throws(StorageError) {
    if unsafe !newKeys.isEmpty { try enterNewKeys() }
    if unsafe !unindexed.isNull { try enterUnindexed() }
  }

  /// Enters the new primary keys in their index.
  @inline(never)
  func enterNewKeys() throws(StorageError) {
    guard let column = unsafe schema.primaryKey else { return }
    let batch = unsafe newKeys.takeSorted()
    try editIndex(column) { (editor) throws(StorageError) in try editor.insert(batch) }
  }

  /// Enters the newest object in all indexes but that of the primary key.
  @inline(never)
  func enterUnindexed() throws(StorageError) {
    let object = unsafe unindexed
    unsafe unindexed = .null
    for column in unsafe schema.columns where column.hasIndex && !column.isPrimaryKey {
      try insertIntoIndex(column, object)
    }
  }

  /// Takes an object out of the index of a column; the column still has the old value.
  @inline(never)
  func removeFromIndex(_ column: Column, _ object: ObjectKey) throws(StorageError) {
    if column.isFullText { return try editWords(column, object, isInsertion: false) }
    try editIndex(column) { (editor) throws(StorageError) in
      try editor.remove(try ColumnValues(column, in: self.tree).indexedValue(of: object), object)
    }
  }

  /// Enters an object in the index of a column; the column has the new value.
  @inline(never)
  func insertIntoIndex(_ column: Column, _ object: ObjectKey) throws(StorageError) {
    if column.isFullText { return try editWords(column, object, isInsertion: true) }
    try editIndex(column) { (editor) throws(StorageError) in
      try editor.insert(try ColumnValues(column, in: self.tree).indexedValue(of: object), object)
    }
  }

  /// Enters an object in the index of a column whose value is at hand.
  @inline(never)
  func insertIntoIndex(
    _ column: Column, _ object: ObjectKey, _ value: MixedValue
  ) throws(StorageError) {
    try editIndex(column) { (editor) throws(StorageError) in try editor.insert(value, object) }
  }

  var tree: ClusterTree {
    unsafe ClusterTree(root: clusters.root, spec: top.spec, in: allocator.space)
  }

  private func editIndex(
    _ column: Column,
    _ edit: (inout SearchIndexEditor<ColumnValues>) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard column.hasIndex, column.collection == .none else {
      if column.hasIndex { try abandonIndex(column) }
      return
    }
    if column.isPrimaryKey, unsafe !newKeys.isEmpty { try enterNewKeys() }
    let roots = try unsafe allocator.makeWritable(top.indexes)
    unsafe top.indexes = roots.ref
    unsafe isChanged = true
    let old = try roots.node.ref(at: column.leafIndex)
    var editor = SearchIndexEditor(
      root: old, allocator: allocator, values: ColumnValues(column, in: tree))
    try edit(&editor)
    if editor.root != old { roots.store(editor.root.slot, at: column.leafIndex) }
  }

  /// Enters an object in a full-text index under the words of its text, or takes it out.
  private func editWords(
    _ column: Column, _ object: ObjectKey, isInsertion: Bool
  ) throws(StorageError) {
    guard let row = try tree.row(of: object) else { throw unsafe .missing(object, schema.name) }
    guard let text = try row.stringBytes(column.leafIndex) else { return }
    let words = unsafe FullTextTokenizer.tokens(of: text.bytes)
    if words.isEmpty { return }
    let roots = try unsafe allocator.makeWritable(top.indexes)
    unsafe top.indexes = roots.ref
    unsafe isChanged = true
    var editor = SearchIndexEditor(
      wordsAt: try roots.node.ref(at: column.leafIndex), allocator: allocator)
    for word in words {
      try word.bytes.withByteView { (word) throws(StorageError) in
        if isInsertion {
          try editor.insert(word: word, object)
        } else {
          try editor.remove(word: word, object)
        }
      }
    }
    roots.store(editor.root.slot, at: column.leafIndex)
  }

  /// Builds the full-text index of a column from its values.
  private func buildWordIndex(_ column: Column) throws(StorageError) {
    var editor = SearchIndexEditor(
      wordsAt: try SearchIndexEditor<NoValues>.make(in: allocator), allocator: allocator)
    var cursor = ClusterCursor(tree)
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        guard let text = try cluster.row(at: index).stringBytes(column.leafIndex) else { continue }
        for word in unsafe FullTextTokenizer.tokens(of: text.bytes) {
          try word.bytes.withByteView { (word) throws(StorageError) in
            try editor.insert(word: word, cluster.key(at: index))
          }
        }
      }
    }
    try storeIndexRoot(editor.root, column.leafIndex)
  }

  /// Builds the index of a column from its values.
  func buildIndex(_ column: Column, isFullText: Bool = false) throws(StorageError) {
    if isFullText { return try buildWordIndex(column) }
    var editor = SearchIndexEditor(
      root: try SearchIndexEditor<ColumnValues>.make(in: allocator), allocator: allocator,
      values: ColumnValues(column, in: tree))
    var cursor = ClusterCursor(tree)
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        try editor.insert(
          try cluster.row(at: index).mixedValue(of: column), cluster.key(at: index))
      }
    }
    try storeIndexRoot(editor.root, column.leafIndex)
  }

  /// Gives up the index of a list of strings, which is not maintained: without its attribute an
  /// application that declares it builds it again.
  func abandonIndex(_ column: Column) throws(StorageError) {
    guard let column = unsafe schema.column(column.key), column.hasIndex else { return }
    try setIndexed(false, column.key)
  }

  /// Frees the index of a column.
  func dropIndex(_ column: Column) throws(StorageError) {
    guard unsafe !top.indexes.isNull else { return }
    let node = try unsafe allocator.node(at: top.indexes)
    guard column.leafIndex < node.count else { return }
    try allocator.freeTree(try node.ref(at: column.leafIndex))
    try storeIndexRoot(.null, column.leafIndex)
  }

  func storeIndexRoot(_ root: Ref, _ leafIndex: Int) throws(StorageError) {
    unsafe isChanged = true
    if unsafe top.indexes.isNull {
      unsafe top.indexes = try IntegerNode.make(flags: .hasRefs, in: allocator).ref
    }
    while try unsafe allocator.node(at: top.indexes).count <= leafIndex {
      unsafe top.indexes = try unsafe IntegerNode.append(0, to: top.indexes, allocator)
    }
    unsafe top.indexes = try unsafe IntegerNode.set(
      root.slot, at: leafIndex, in: top.indexes, allocator)
  }
}
