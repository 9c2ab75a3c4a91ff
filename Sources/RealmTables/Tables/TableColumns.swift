// SPDX-License-Identifier: Apache-2.0

// Changing the columns of a table, with or without data (file format 3.3.4).

package import RealmStorage

extension WritableTable {
  @inline(__always)
  package var columns: TableColumns { TableColumns(table: self) }

  /// Adds a column with default values for all objects.
  ///
  /// - Throws: `StorageError.limitExceeded` for a name that is too long or in use.
  @discardableResult
  package func addColumn(
    named name: String, type: ColumnType, collection: CollectionKind = .none,
    isNullable: Bool = false, target: TableKey? = nil, isIndexed: Bool = false
  ) throws(StorageError) -> Column {
    let new = NewColumn(
      named: name, type: type, collection: collection, isNullable: isNullable, target: target,
      index: isIndexed ? .general : nil)
    return try column(try columns.add([new])[0])
  }

  /// Makes a column the primary key, or takes the primary key away.
  ///
  /// - Throws: `StorageError.limitExceeded` if two objects have the same value.
  package func setPrimaryKey(_ key: ColumnKey?) throws(StorageError) {
    try columns.setPrimaryKey(key)
  }

  /// - Throws: `StorageError.limitExceeded` if there is no such column.
  func column(_ key: ColumnKey) throws(StorageError) -> Column {
    guard let column = unsafe schema.column(key) else {
      throw .limitExceeded(unsafe "Table '\(schema.name)' has no \(key)")
    }
    return column
  }

  func reloadSchema() throws(StorageError) {
    unsafe isChanged = true
    unsafe keyBound = KeyBound()
    unsafe group.generation.value &+= 1
    unsafe schema = try unsafe SchemaDecoder(top, name: schema.name, in: allocator.space).decode()
    forgetEnumerations()
  }
}

/// Adds, changes and removes the columns of a table.
package struct TableColumns {
  let table: WritableTable

  private var allocator: NodeAllocator { table.allocator }
  private var schema: TableSchema { unsafe table.schema }
  private var indexes: TableIndexes { table.indexes }

  /// Adds columns with default values for all objects, which are written once.
  ///
  /// - Throws: `StorageError.limitExceeded` for a name that is too long or in use.
  @discardableResult
  package func add(_ new: [NewColumn]) throws(StorageError) -> [ColumnKey] {
    try indexes.settle()
    var names = Set(schema.columns.map(\.name))
    for column in new {
      let name = column.name
      try check(name, isTaken: !names.insert(name).inserted)
      guard (column.type == .link) == (column.target != nil), column.type != .backlink else {
        throw .limitExceeded(
          "Property '\(schema.name).\(name)' needs a target exactly if it links")
      }
      try check(column.index, of: name, column.type, column.collection, isPrimaryKey: false)
    }
    let keys = try insertColumns(
      new.map { Draft(name: $0.name, type: $0.type, attributes: $0.attributes) },
      isBacklink: false)
    for (column, key) in zip(new, keys) {
      guard let kind = column.index else { continue }
      try indexes.build(try table.column(key), isFullText: kind == .fullText)
    }
    if !(try pair(new, keys)), new.contains(where: { $0.index != nil }) { try table.reloadSchema() }
    for key in keys {
      table.log.insertColumn(key, in: table.key)
      try unsafe table.log.recorder?.didAddColumn(try table.column(key), to: table)
    }
    return keys
  }

  /// - Throws: `StorageError.limitExceeded` for a name that is too long or in use.
  private func check(_ name: String, isTaken: Bool) throws(StorageError) {
    guard !name.isEmpty, name.utf8.count <= NameLeaf.maximumByteCount else {
      throw .limitExceeded("'\(name)' is not a valid property name: 1 to 63 bytes are allowed")
    }
    guard !isTaken else {
      throw .limitExceeded("There is a property '\(schema.name).\(name)' already")
    }
  }

  /// A column that is to be inserted.
  private struct Draft {
    var name: String
    var type: ColumnType
    var attributes: ColumnAttributes
    var oppositeTable = TableKey.null
    var oppositeColumn = ColumnKey.null
  }

  /// Adds columns to the spec and to all clusters.
  private func insertColumns(
    _ columns: [Draft], isBacklink: Bool
  ) throws(StorageError) -> [ColumnKey] {
    var spec = try unsafe SpecEditor(table.top, in: allocator.space)
    var keys: [ColumnKey] = []
    let free = spec.freeLeafIndexes(columns.count)
    assert(free.count == columns.count, "a column gets no leaf index")
    for (column, leafIndex) in zip(columns, free) {
      let (type, attributes) = (column.type, column.attributes)
      guard leafIndex < 0xFFFF else {
        throw .limitExceeded("A table cannot have more than 65535 properties")
      }
      let tag = unsafe UInt32(truncatingIfNeeded: table.top.columnSequence) ^ table.key.rawValue
      let key = ColumnKey(leafIndex: leafIndex, type: type, attributes: attributes, tag: tag)
      // The type carries the type of a dictionary's keys in its upper half.
      let keyType: Int64 =
        attributes.contains(.dictionary) ? Int64(ColumnType.string.rawValue) << 16 : 0
      let entry = SpecEditor.Entry(
        key: key, type: Int64(type.rawValue) | keyType, attributes: Int64(attributes.rawValue),
        name: column.name, enumeration: .null)
      if isBacklink {
        spec.entries.append(entry)
      } else {
        spec.entries.insert(entry, at: spec.publicCount)
        spec.publicCount += 1
      }
      spec.setOpposite(leafIndex, table: column.oppositeTable, column: column.oppositeColumn)
      try indexes.storeRoot(.null, leafIndex)
      keys.append(key)
    }
    try store(spec)
    var layouts: [(layout: LeafLayout, leafIndex: Int)] = []
    for key in keys { layouts.append((LeafLayout(try table.column(key)), key.leafIndex)) }
    try table.clusters.addColumns(layouts)
    try unsafe table.tombstoneTree?.addColumns(layouts)
    return keys
  }

  /// Writes a changed spec and decodes it again.
  func store(_ spec: SpecEditor) throws(StorageError) {
    let stored = try spec.store(in: allocator)
    try unsafe SpecEditor.free(table.top, allocator)
    unsafe table.top.spec = stored.spec
    unsafe table.top.oppositeTables = stored.oppositeTables
    unsafe table.top.oppositeColumns = stored.oppositeColumns
    try table.reloadSchema()
  }

  // MARK: Links

  /// Gives link columns among new ones their backlink columns in the targets.
  ///
  /// - Returns: Whether there are any.
  private func pair(_ columns: [NewColumn], _ keys: [ColumnKey]) throws(StorageError) -> Bool {
    var links: [TableKey: [ColumnKey]] = [:]
    var targets: [TableKey] = []
    for (column, key) in zip(columns, keys) {
      guard let target = column.target else { continue }
      if links[target] == nil { targets.append(target) }
      links[target, default: []].append(key)
    }
    if targets.isEmpty { return false }
    var pairs: [(key: ColumnKey, target: TableKey, backlink: ColumnKey)] = []
    for target in targets {
      let links = links[target] ?? []
      let backlinks = try table.group.requiredTable(target).columns.addBacklinks(
        from: table.key, links)
      assert(backlinks.count == links.count, "a column of links gets no backlink column")
      for (link, backlink) in zip(links, backlinks) { pairs.append((link, target, backlink)) }
    }
    // A target may be this table.
    var spec = try unsafe SpecEditor(table.top, in: allocator.space)
    for (key, target, backlink) in pairs {
      spec.setOpposite(key.leafIndex, table: target, column: backlink)
    }
    try store(spec)
    return true
  }

  /// Adds the columns for backlinks from columns of another table.
  func addBacklinks(
    from origin: TableKey, _ columns: [ColumnKey]
  ) throws(StorageError) -> [ColumnKey] {
    try indexes.settle()
    return try insertColumns(
      columns.map { column in
        Draft(
          name: "", type: .backlink, attributes: [], oppositeTable: origin,
          oppositeColumn: column)
      }, isBacklink: true)
  }

  // MARK: Removing

  /// Removes a column with all its values.
  package func remove(_ key: ColumnKey) throws(StorageError) {
    try indexes.settle()
    let column = try table.column(key)
    try unsafe table.log.recorder?.willEraseColumn(column, from: table)
    if column.canLink { try table.group.withoutRecording(removeAllLinks(from: column)) }
    try erase(column)
    table.log.eraseColumn(key, in: table.key)
  }

  /// Removes all columns with all their values.
  func removeAll() throws(StorageError) {
    while let column = schema.columns.last { try remove(column.key) }
  }

  /// Takes a column out of spec, clusters and indexes.
  private func erase(_ column: Column) throws(StorageError) {
    try indexes.drop(column)
    if unsafe table.top.primaryKey == column.key { unsafe table.top.primaryKey = nil }
    var spec = try unsafe SpecEditor(table.top, in: allocator.space)
    let index = column.specIndex
    assert(spec.entries[index].key == column.key, "the column is one of a former schema")
    try allocator.freeTree(spec.entries[index].enumeration)
    spec.entries.remove(at: index)
    if index < spec.publicCount { spec.publicCount -= 1 }
    spec.setOpposite(column.leafIndex, table: .null, column: .null)
    unsafe table.top.columnSequence += 1
    try table.clusters.removeColumn(at: column.leafIndex)
    try unsafe table.tombstoneTree?.removeColumn(at: column.leafIndex)
    try store(spec)
  }

  /// Removes what a column of links keeps elsewhere: embedded objects, and the backlink columns.
  private func removeAllLinks(from column: Column) throws(StorageError) {
    if let target = column.targetTable, let opposite = column.oppositeColumn {
      let target = try table.group.requiredTable(target)
      if unsafe target.schema.kind == .embedded {
        try table.links.deleteEmbedded(ownedThrough: column)
      }
      // The target may be this table, whose columns are known by key.
      try target.columns.erase(try target.column(opposite))
      try target.tombstones.removeUnlinked()
      return
    }
    for key in try table.group.tableKeys() {
      let target = try table.group.requiredTable(key)
      if let backlink = unsafe target.schema.backlinkColumn(from: table.key, column.key) {
        try target.columns.erase(backlink)
        try target.tombstones.removeUnlinked()
      }
    }
  }

  // MARK: Renaming

  /// Gives a column another name.
  ///
  /// - Throws: `StorageError.limitExceeded` for a name that is too long or in use, and in files
  ///   that are synchronised: other devices know the column by its name.
  package func rename(_ key: ColumnKey, to name: String) throws(StorageError) {
    try check(name, isTaken: schema.column(named: name) != nil)
    try indexes.settle()
    let column = try table.column(key)
    guard !table.isRecorded else {
      throw .limitExceeded(
        "Property '\(schema.name).\(column.name)' cannot be renamed in a synchronized Realm")
    }
    var spec = try unsafe SpecEditor(table.top, in: allocator.space)
    assert(spec.entries[column.specIndex].key == column.key, "the column is one of a former schema")
    spec.entries[column.specIndex].name = name
    try store(spec)
    table.log.renameColumn(key, in: table.key)
  }

  // MARK: Indexes and the primary key

  /// Adds or removes the search index of a column; that of the primary key stays.
  package func setIndexed(_ isIndexed: Bool, _ key: ColumnKey) throws(StorageError) {
    try setIndex(isIndexed ? .general : nil, key)
  }

  /// Gives a column an index of that kind, or none; that of the primary key stays.
  package func setIndex(_ kind: IndexKind?, _ key: ColumnKey) throws(StorageError) {
    try indexes.settle()
    let column = try table.column(key)
    guard column.indexKind != kind else { return }
    try check(
      kind, of: column.name, column.type, column.collection, isPrimaryKey: column.isPrimaryKey)
    var spec = try unsafe SpecEditor(table.top, in: allocator.space)
    var attributes = ColumnAttributes(
      rawValue: UInt16(truncatingIfNeeded: spec.entries[column.specIndex].attributes))
    assert(spec.entries[column.specIndex].key == column.key, "the column is one of a former schema")
    attributes.subtract([.indexed, .fullTextIndexed])
    switch kind {
    case .general: attributes.insert(.indexed)
    case .fullText: attributes.insert(.fullTextIndexed)
    case nil: break
    }
    spec.entries[column.specIndex].attributes = Int64(attributes.rawValue)
    if !column.isPrimaryKey {
      if column.hasIndex { try indexes.drop(column) }
      if let kind { try indexes.build(column, isFullText: kind == .fullText) }
    }
    try store(spec)
  }

  /// - Throws: `StorageError.limitExceeded` if a column cannot have an index of that kind.
  private func check(
    _ kind: IndexKind?, of name: String, _ type: ColumnType, _ collection: CollectionKind,
    isPrimaryKey: Bool
  ) throws(StorageError) {
    switch kind {
    case .general where !type.canBeIndexed || collection != .none:
      throw .limitExceeded("Property '\(schema.name).\(name)' cannot be indexed")
    case .fullText where type != .string || collection != .none || isPrimaryKey:
      throw .limitExceeded(
        "Property '\(schema.name).\(name)' cannot have a full-text index")
    default: break
    }
  }

  /// Makes a column the primary key, or takes the primary key away.
  ///
  /// - Throws: `StorageError.limitExceeded` if two objects have the same value.
  package func setPrimaryKey(_ key: ColumnKey?) throws(StorageError) {
    try indexes.settle()
    guard unsafe key != table.top.primaryKey else { return }
    if let key {
      let column = try table.column(key)
      guard column.type.canBePrimaryKey, column.collection == .none else {
        throw .limitExceeded(
          "Property '\(schema.name).\(column.name)' cannot be a primary key")
      }
      if column.isEnumerated { try table.enumerations.expand(column.leafIndex) }
      if !column.hasIndex { try indexes.build(column) }
      guard try isUnique(column) else {
        if !column.hasIndex { try indexes.drop(column) }
        throw .limitExceeded(
          "Primary key property '\(schema.name).\(column.name)' has duplicate values")
      }
    }
    if let old = schema.primaryKey, !old.isIndexed { try indexes.drop(old) }
    unsafe table.top.primaryKey = key
    try table.reloadSchema()
    try unsafe table.log.recorder?.didSetPrimaryKey(schema.primaryKey, of: table)
  }

  func isUnique(_ column: Column) throws(StorageError) -> Bool {
    let index = SearchIndex(
      root: try table.currentTable.indexRoot(column.leafIndex), space: allocator.space,
      values: ColumnValues(column, in: table.tree))
    var cursor = ClusterCursor(table.tree)
    while let cluster = try cursor.next() {
      for position in 0..<cluster.count {
        let value = try cluster.row(at: position).mixedValue(of: column)
        guard try index.count(of: value) == 1 else { return false }
      }
    }
    return true
  }
}
