// SPDX-License-Identifier: Apache-2.0

// Objects that come and go.

package import RealmStorage

extension WritableTable {
  // MARK: Creating

  /// Creates an object with the given values, and the defaults in all other properties.
  ///
  /// In a table with a primary key no object may have that key yet (`findOrCreate`).
  package func createObject(
    primaryKey value: TableValue? = nil, beginningWith values: (any InitialValues)? = nil
  ) throws(StorageError) -> (key: ObjectKey, row: Row) {
    switch value {
    case nil:
      guard unsafe !schema.hasPrimaryKey else {
        throw .limitExceeded(unsafe "An object of table '\(schema.name)' needs a primary key")
      }
      let (key, place) = try insertObject(beginningWith: values)
      if isRecorded { try recording.create(of: key, primaryKey: nil, beginningWith: values) }
      return (key, row(at: place))
    case .int(let number)? where unsafe schema.integerKeyLeaf != nil && tombstoneTree == nil:
      return try createObject(primaryKey: number, beginningWith: values)
    case .some(let value):
      guard let column = unsafe schema.primaryKey else { throw .typeMismatch(value) }
      return try column.visitElements(
        CreateVisitor(table: self, value: value, column: column, initialValues: values))
    }
  }

  /// Creates an object with an integer primary key that no object has yet.
  package func createObject(
    primaryKey value: Int64, beginningWith values: (any InitialValues)? = nil
  ) throws(StorageError) -> (key: ObjectKey, row: Row) {
    guard let leafIndex = unsafe schema.integerKeyLeaf, unsafe tombstoneTree == nil else {
      return try createObject(primaryKey: .int(value), beginningWith: values)
    }
    let (key, place) = try insertObject(beginningWith: values)
    try setPrimaryKey(IntegerLeaf.self, value, leafIndex, at: place)
    unsafe newKeys.insert(value, key)
    unsafe keyBound.include(value)
    if unsafe newKeys.isFull { try indexes.enterNewKeys() }
    if isRecorded { try recording.create(of: key, primaryKey: .int(value), beginningWith: values) }
    return (key, row(at: place))
  }

  /// Creates an object without primary key under a key of another device, or under its former key.
  package func createObject(
    under key: ObjectKey, beginningWith values: (any InitialValues)? = nil
  ) throws(StorageError) -> Row {
    guard unsafe !schema.hasPrimaryKey, unsafe schema.kind != .embedded, key.rawValue >= 0 else {
      throw .limitExceeded(unsafe "Objects of table '\(schema.name)' are not created by their keys")
    }
    try prepareToInsert(values)
    guard let place = try clusters.insert(key, beginningWith: values) else {
      throw .limitExceeded(unsafe "There is \(key) in table '\(schema.name)' already")
    }
    let (high, low) = key.globalParts()
    if high == 0 { unsafe top.objectSequence = unsafe max(top.objectSequence, Int(low) + 1) }
    noteInsertion(of: key)
    if unsafe tombstoneTree != nil { try tombstones.resurrect(key.tombstone, as: key) }
    if isRecorded { try recording.create(of: key, primaryKey: nil, beginningWith: values) }
    return try row(of: key) ?? row(at: place)
  }

  /// Stores the primary key of a new object.
  @inline(__always)
  private func setPrimaryKey<L: Leaf>(
    _ leaf: L.Type, _ element: L.Value, _ leafIndex: Int, at place: WritableRow
  ) throws(StorageError) {
    let old = try place.cluster.node.ref(at: leafIndex + 1)
    let new = try L.set(element, at: place.index, in: old, allocator)
    if new != old { place.cluster.store(new.slot, at: leafIndex + 1) }
  }

  /// Creates an object whose primary key is known as an element of its leaf.
  @inline(__always)
  fileprivate func createObject<L: Leaf>(
    _ leaf: L.Type, _ element: L.Value, _ indexed: MixedValue,
    _ value: TableValue, _ column: Column, _ initialValues: (any InitialValues)?
  ) throws(StorageError) -> (key: ObjectKey, row: Row) {
    if column.isEnumerated { try enumerations.expand(column.leafIndex) }
    let (key, place) = try insertObject(beginningWith: initialValues)
    try setPrimaryKey(L.self, element, column.leafIndex, at: place)
    try indexes.insert(key, in: column, indexed)
    if unsafe tombstoneTree == nil {
      if isRecorded {
        try recording.create(of: key, primaryKey: value, beginningWith: initialValues)
      }
      return (key, row(at: place))
    }
    try tombstones.resurrect(value, as: key)
    if isRecorded { try recording.create(of: key, primaryKey: value, beginningWith: initialValues) }
    // The links that moved over may have come from this table.
    return (key, try row(of: key) ?? row(at: place))
  }

  func row(at place: WritableRow) -> Row {
    unsafe Row(
      space: allocator.space, cluster: place.cluster.node, index: place.index,
      enumerations: enumerationPlace)
  }

  /// A new object under the next free key.
  private func insertObject(
    beginningWith values: (any InitialValues)?
  ) throws(StorageError) -> (ObjectKey, WritableRow) {
    try prepareToInsert(values)
    let isScattered = unsafe !schema.hasPrimaryKey
    while true {
      let sequence = unsafe top.objectSequence
      guard sequence < 1 << 54 else {
        throw .limitExceeded(unsafe "Table '\(schema.name)' has no object keys left")
      }
      unsafe top.objectSequence = sequence + 1
      let key =
        isScattered ? ObjectKey.scattered(UInt64(sequence)) : ObjectKey(Int64(sequence))
      guard let place = try clusters.insert(key, beginningWith: values) else { continue }
      noteInsertion(of: key)
      return (key, place)
    }
  }

  @inline(__always)
  private func prepareToInsert(_ values: (any InitialValues)?) throws(StorageError) {
    if unsafe !unindexed.isNull { try indexes.enterUnindexed() }
    unsafe isChanged = true
    if unsafe growthLeft > 0 {
      unsafe growthLeft -= 1
      if unsafe growthLeft == 0 { try enumerations.chooseInGrowth() }
    }
    if unsafe schema.hasEnumeratedColumns { try enumerations.prepareInsertion(of: values) }
  }

  @inline(__always)
  private func noteInsertion(of key: ObjectKey) {
    unsafe assert(unindexed.isNull, "`WritableTable` 2: only the newest object is in no index")
    log.createObject(key, in: self.key)
    if unsafe schema.hasSecondaryIndexes { unsafe unindexed = key }
  }

  // MARK: Deleting

  /// Deletes an object; links to it become null or vanish from their lists, embedded objects that
  /// it owns are deleted with it.
  package func delete(_ key: ObjectKey) throws(StorageError) {
    try indexes.settle()
    guard let row = try row(of: key) else { throw unsafe .missing(key, schema.name) }
    unsafe isChanged = true
    if unsafe !schema.backlinkColumns.isEmpty { try links.changeIncoming(to: key, row, .remove) }
    if unsafe schema.kind != .embedded { try unsafe log.recorder?.willErase(key, in: self) }
    let owned = try links.removeOutgoing(of: key)
    try erase(key, owning: owned)
  }

  /// Erases an object that is linked to no other any more.
  ///
  /// - Parameter owned: Its embedded objects.
  func erase(_ key: ObjectKey, owning owned: [StoredLink]) throws(StorageError) {
    unsafe assert(
      unindexed.isNull && newKeys.isEmpty, "`WritableTable` 2: indexes are settled before")
    for column in unsafe schema.columns where column.hasIndex {
      try indexes.remove(key, from: column)
    }
    _ = try clusters.erase(key)
    log.removeObject(key, in: self.key)
    for link in owned {
      let table = try group.requiredTable(link.table)
      if try table.row(of: link.key) != nil { try table.delete(link.key) }
    }
  }

  /// Deletes all objects.
  package func deleteAll() throws(StorageError) {
    try indexes.settle()
    if unsafe schema.backlinkColumns.isEmpty, unsafe !schema.columns.contains(where: \.canLink) {
      return try deleteAllUnlinked()
    }
    // From the end, so that clusters are emptied instead of merged.
    while true {
      let count = try objectCount()
      guard count > 0, let key = try currentTable.key(at: count - 1) else { return }
      try delete(key)
    }
  }

  /// Without links in or out, the trees go as a whole.
  private func deleteAllUnlinked() throws(StorageError) {
    var cursor = currentTable.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        try unsafe log.recorder?.willErase(cluster.key(at: index), in: self)
        log.removeObject(cluster.key(at: index), in: key)
      }
    }
    unsafe isChanged = true
    try clusters.eraseAll()
    for column in unsafe schema.columns where column.hasIndex {
      try indexes.drop(column)
      if column.collection == .none { try indexes.build(column, isFullText: column.isFullText) }
    }
  }
}

private struct CreateVisitor: ElementVisitor {
  let table: WritableTable
  let value: TableValue
  let column: Column
  let initialValues: (any InitialValues)?

  func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) -> (key: ObjectKey, row: Row) {
    if value.isNull, !column.isNullable { throw .typeMismatch(value) }
    return try C.encode(value) { (element) throws(StorageError) in
      try MixedCodec.encode(value) { (indexed) throws(StorageError) in
        try table.createObject(C.L.self, element, indexed, value, column, initialValues)
      }
    }
  }
}
