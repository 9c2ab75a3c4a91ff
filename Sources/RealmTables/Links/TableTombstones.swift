// SPDX-License-Identifier: Apache-2.0

// Objects that other devices deleted while links to them remain (file format 3.7).

package import RealmStorage

extension WritableTable {
  /// The table's objects that other devices deleted.
  @inline(__always)
  var tombstones: TableTombstones { TableTombstones(table: self) }

  /// Deletes an object, but lets links to it wait for an object that is created under its primary
  /// key, or its object key if it has none. Readers find null, or nothing.
  package func invalidate(_ key: ObjectKey) throws(StorageError) { try tombstones.make(of: key) }

  /// The object with that primary key to be linked to. If there is none it is a tombstone, which
  /// has to get its link at once.
  package func linkTarget(forPrimaryKey value: TableValue) throws(StorageError) -> ObjectKey {
    try tombstones.linkTarget(forPrimaryKey: value)
  }

  /// The object with that key, of a table without primary key, to be linked to. If there is none it
  /// is a tombstone, which has to get its link at once.
  package func linkTarget(forKey key: ObjectKey) throws(StorageError) -> ObjectKey {
    try tombstones.linkTarget(forKey: key)
  }
}

/// Makes the tombstones of a table, finds them, and lets objects come back.
struct TableTombstones {
  let table: WritableTable

  private var schema: TableSchema { unsafe table.schema }

  // MARK: Deleting and linking as other devices do

  /// Deletes an object, but lets links to it wait for one that comes back.
  func make(of key: ObjectKey) throws(StorageError) {
    try table.indexes.settle()
    guard try table.row(of: key) != nil else { throw .missing(key, schema.name) }
    unsafe table.isChanged = true
    if schema.kind != .embedded { try unsafe table.log.recorder?.willErase(key, in: table) }
    // Its own links do not keep it.
    let owned = try table.links.removeOutgoing(of: key)
    if let row = try table.row(of: key), try isLinked(row) {
      let tombstone = try tombstone(inPlaceOf: key, row)
      if let row = try table.row(of: key) {
        try table.links.changeIncoming(to: key, row, .redirect(to: tombstone))
      }
    }
    try table.erase(key, owning: owned)
  }

  /// The object with that primary key, or its tombstone.
  func linkTarget(forPrimaryKey value: TableValue) throws(StorageError) -> ObjectKey {
    if let (key, _) = try table.findRow(primaryKey: value) { return key }
    if let key = try tombstone(forPrimaryKey: value) { return key }
    guard let column = schema.primaryKey, !value.isNull || column.isNullable,
      value.isNull || value.type == column.type
    else { throw .typeMismatch(value) }
    return try make(forPrimaryKey: value)
  }

  /// The object with that key, or its tombstone.
  func linkTarget(forKey key: ObjectKey) throws(StorageError) -> ObjectKey {
    guard !schema.hasPrimaryKey, schema.kind != .embedded, key.rawValue >= 0 else {
      throw .missing(key, schema.name)
    }
    if try table.row(of: key) != nil { return key }
    unsafe table.isChanged = true
    _ = try insert(key.tombstone)
    return key.tombstone
  }

  // MARK: Coming back

  /// Lets an object that was created under the primary key of a tombstone take over its links.
  func resurrect(_ primaryKey: TableValue, as key: ObjectKey) throws(StorageError) {
    guard let tombstone = try tombstone(forPrimaryKey: primaryKey) else { return }
    try resurrect(tombstone, as: key)
  }

  /// Lets an object take over the links to a tombstone, if there is such a tombstone.
  func resurrect(_ tombstone: ObjectKey, as key: ObjectKey) throws(StorageError) {
    assert(!key.isTombstone, "links go over to an object")
    guard let row = try row(of: tombstone) else { return }
    try table.links.changeIncoming(to: tombstone, row, .redirect(to: key))
    try erase(tombstone)
  }

  // MARK: Finding

  /// The tombstone with that key; nil if there is none.
  func row(of key: ObjectKey) throws(StorageError) -> Row? {
    guard key.isTombstone else { return nil }
    return try table.currentTable.tombstones?.row(of: key)
  }

  /// Whether a link can lead to that key: an object, or a tombstone.
  func canBeLinked(_ key: ObjectKey) throws(StorageError) -> Bool {
    key.isTombstone ? try row(of: key) != nil : try table.row(of: key) != nil
  }

  /// The tombstone with that primary key; nil if there is none.
  func tombstone(forPrimaryKey value: TableValue) throws(StorageError) -> ObjectKey? {
    guard let column = schema.primaryKey, let tree = table.currentTable.tombstones,
      let key = ObjectKey.tombstone(ofPrimaryKey: value)
    else { return nil }
    if let row = try tree.row(of: key) {
      let found = try row.value(of: column)
      if found == value { return key }
    }
    // The few whose key was taken come first in the tree.
    var cursor = ClusterCursor(tree)
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let key = cluster.key(at: index)
        guard key < .lowestHashed else { return nil }
        if try cluster.row(at: index).value(of: column) == value { return key }
      }
    }
    return nil
  }

  // MARK: Making

  private func tombstone(inPlaceOf key: ObjectKey, _ row: Row) throws(StorageError) -> ObjectKey {
    guard let column = schema.primaryKey else {
      _ = try insert(key.tombstone)
      return key.tombstone
    }
    let value = try row.value(of: column)
    if let tombstone = try tombstone(forPrimaryKey: value) { return tombstone }
    return try make(forPrimaryKey: value)
  }

  private func make(forPrimaryKey value: TableValue) throws(StorageError) -> ObjectKey {
    guard let column = schema.primaryKey,
      let hashed = ObjectKey.tombstone(ofPrimaryKey: value)
    else { throw .typeMismatch(value) }
    assert(hashed.isTombstone, "a tombstone has the key of an object")
    if column.isEnumerated { try table.enumerations.expand(column.leafIndex) }
    unsafe table.isChanged = true
    // Two values may have one hash (0 and null, integers of more than 62 bits). The second gets a
    // plain key, found by its value: the collision map of the format is for live objects alone.
    var key = hashed
    var plain: Int64 = 1 << 62
    while true {
      if let place = try insert(key) {
        let visitor = PrimaryKeyVisitor(
          value: value, place: place, leafIndex: column.leafIndex, allocator: table.allocator)
        // The column is another one if its strings have just been written out.
        try table.column(column.key).visitElements(visitor)
        return key
      }
      key = ObjectKey(plain).tombstone
      plain += 1
    }
  }

  /// Inserts a tombstone with defaults in all columns; nil if the key is in use.
  private func insert(_ key: ObjectKey) throws(StorageError) -> WritableRow? {
    let tree = try tree()
    if unsafe table.schema.hasEnumeratedColumns {
      try table.enumerations.prepareInsertion(of: nil)
    }
    return try tree.insert(key)
  }

  /// The tree of tombstones, made if there is none.
  private func tree() throws(StorageError) -> ClusterEditor {
    if let tree = unsafe table.tombstoneTree { return tree }
    // An object that comes back is unknown to the bound and to the new keys.
    try table.indexes.settle()
    unsafe table.keyBound = KeyBound()
    let layouts = unsafe table.clusters.layouts
    let tree = ClusterEditor(
      root: try ClusterEditor.makeEmpty(layouts: layouts, in: table.allocator), layouts: layouts,
      table.allocator, table.group.generation)
    unsafe tree.newPositions = unsafe table.clusters.newPositions
    unsafe table.tombstoneTree = tree
    unsafe table.isChanged = true
    return tree
  }

  // MARK: Erasing

  /// Erases a tombstone that nothing links to any more.
  func removeIfUnlinked(_ key: ObjectKey) throws(StorageError) {
    guard let row = try row(of: key), try !isLinked(row) else { return }
    try erase(key)
  }

  /// Erases the tombstones that lost their links with a column.
  func removeUnlinked() throws(StorageError) {
    for key in try keys() { try removeIfUnlinked(key) }
  }

  /// Erases all tombstones, and the links to them.
  func removeAll() throws(StorageError) {
    for key in try keys() {
      guard let row = try row(of: key) else { continue }
      try table.links.changeIncoming(to: key, row, .remove)
      try erase(key)
    }
  }

  private func keys() throws(StorageError) -> [ObjectKey] {
    guard let tree = table.currentTable.tombstones else { return [] }
    var keys: [ObjectKey] = []
    var cursor = ClusterCursor(tree)
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count { keys.append(cluster.key(at: index)) }
    }
    return keys
  }

  private func isLinked(_ row: Row) throws(StorageError) -> Bool {
    for column in schema.backlinkColumns where try row.backlinkCount(of: column) > 0 {
      return true
    }
    return false
  }

  private func erase(_ key: ObjectKey) throws(StorageError) {
    unsafe table.isChanged = true
    _ = try unsafe table.tombstoneTree?.erase(key)
  }
}

/// Stores the primary key of a tombstone.
private struct PrimaryKeyVisitor: ElementVisitor {
  let value: TableValue
  let place: WritableRow
  let leafIndex: Int
  let allocator: NodeAllocator

  func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) {
    let old = try place.cluster.node.ref(at: leafIndex + 1)
    let new = try C.set(value, at: place.index, in: old, allocator)
    if new != old { place.cluster.store(new.slot, at: leafIndex + 1) }
  }
}
