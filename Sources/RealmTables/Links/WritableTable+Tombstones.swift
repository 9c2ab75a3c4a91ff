// SPDX-License-Identifier: Apache-2.0

// Objects that other devices deleted while links to them remain (file format 3.7).

package import RealmStorage

extension WritableTable {
  // MARK: Deleting and linking as other devices do

  /// Deletes an object, but lets links to it wait for an object that is created under its primary
  /// key, or its object key if it has none. Readers find null, or nothing.
  package func invalidate(_ key: ObjectKey) throws(StorageError) {
    try settleIndexes()
    guard try row(of: key) != nil else { throw unsafe .missing(key, schema.name) }
    unsafe isChanged = true
    if unsafe schema.kind != .embedded { try unsafe log.recorder?.willErase(key, in: self) }
    // Its own links do not keep it.
    let owned = try removeOutgoingLinks(of: key)
    if let row = try row(of: key), try isLinked(row) {
      let tombstone = try tombstone(inPlaceOf: key, row)
      if let row = try self.row(of: key) {
        try changeIncomingLinks(to: key, row, .redirect(to: tombstone))
      }
    }
    try erase(key, owning: owned)
  }

  /// The object with that primary key to be linked to. If there is none it is a tombstone, which
  /// has to get its link at once.
  package func linkTarget(forPrimaryKey value: TableValue) throws(StorageError) -> ObjectKey {
    if let (key, _) = try findRow(primaryKey: value) { return key }
    if let key = try tombstone(forPrimaryKey: value) { return key }
    guard let column = unsafe schema.primaryKey, !value.isNull || column.isNullable,
      value.isNull || value.type == column.type
    else { throw .typeMismatch(value) }
    return try makeTombstone(forPrimaryKey: value)
  }

  /// The object with that key, of a table without primary key, to be linked to. If there is none it
  /// is a tombstone, which has to get its link at once.
  package func linkTarget(forKey key: ObjectKey) throws(StorageError) -> ObjectKey {
    guard unsafe !schema.hasPrimaryKey, unsafe schema.kind != .embedded, key.rawValue >= 0 else {
      throw unsafe .missing(key, schema.name)
    }
    if try row(of: key) != nil { return key }
    let tree = try tombstoneTree()
    unsafe isChanged = true
    _ = try tree.insert(key.tombstone)
    return key.tombstone
  }

  /// The value of the primary key of a tombstone; nil if there is no such tombstone.
  package func primaryKey(ofTombstone key: ObjectKey) throws(StorageError) -> TableValue? {
    guard let column = unsafe schema.primaryKey else { return nil }
    return try tombstoneRow(of: key)?.value(of: column)
  }

  // MARK: Coming back

  /// Lets an object that was created under the primary key of a tombstone take over its links.
  func resurrect(_ primaryKey: TableValue, as key: ObjectKey) throws(StorageError) {
    guard let tombstone = try tombstone(forPrimaryKey: primaryKey) else { return }
    try resurrect(tombstone, as: key)
  }

  /// Lets an object take over the links to a tombstone, if there is such a tombstone.
  func resurrect(_ tombstone: ObjectKey, as key: ObjectKey) throws(StorageError) {
    guard let row = try tombstoneRow(of: tombstone) else { return }
    try changeIncomingLinks(to: tombstone, row, .redirect(to: key))
    try eraseTombstone(tombstone)
  }

  // MARK: Finding

  /// The tombstone with that key; nil if there is none.
  func tombstoneRow(of key: ObjectKey) throws(StorageError) -> Row? {
    guard key.isTombstone else { return nil }
    return try currentTable.tombstones?.row(of: key)
  }

  /// Whether a link can lead to that key: an object, or a tombstone.
  func canBeLinked(_ key: ObjectKey) throws(StorageError) -> Bool {
    key.isTombstone ? try tombstoneRow(of: key) != nil : try row(of: key) != nil
  }

  /// The tombstone with that primary key; nil if there is none.
  func tombstone(forPrimaryKey value: TableValue) throws(StorageError) -> ObjectKey? {
    guard let column = unsafe schema.primaryKey, let tree = currentTable.tombstones,
      let key = ObjectKey.tombstone(ofPrimaryKey: value)
    else { return nil }
    if let row = try tree.row(of: key) {
      let found = try row.value(of: column)
      if found == value { return key }
    }
    // The few whose key was taken come first in the tree.
    var found: ObjectKey?
    try tree.forEachCluster { (cluster) throws(StorageError) -> Bool in
      for index in 0..<cluster.count {
        guard cluster.key(at: index) < .lowestHashed else { return false }
        let other = try cluster.row(at: index).value(of: column)
        guard other == value else { continue }
        found = cluster.key(at: index)
        return false
      }
      return true
    }
    return found
  }

  // MARK: Making

  private func tombstone(inPlaceOf key: ObjectKey, _ row: Row) throws(StorageError) -> ObjectKey {
    guard let column = unsafe schema.primaryKey else {
      _ = try tombstoneTree().insert(key.tombstone)
      return key.tombstone
    }
    let value = try row.value(of: column)
    if let tombstone = try tombstone(forPrimaryKey: value) { return tombstone }
    return try makeTombstone(forPrimaryKey: value)
  }

  private func makeTombstone(forPrimaryKey value: TableValue) throws(StorageError) -> ObjectKey {
    guard let column = unsafe schema.primaryKey,
      let hashed = ObjectKey.tombstone(ofPrimaryKey: value)
    else { throw .typeMismatch(value) }
    if column.isEnumerated { try expandEnumeration(of: column) }
    let tree = try tombstoneTree()
    unsafe isChanged = true
    // Two values may have one hash (0 and null, integers of more than 62 bits). The second gets a
    // plain key, found by its value: the collision map of the format is for live objects alone.
    var key = hashed
    var plain: Int64 = 1 << 62
    while true {
      if let place = try tree.insert(key) {
        let visitor = PrimaryKeyVisitor(
          value: value, place: place, leafIndex: column.leafIndex, allocator: allocator)
        // The column is another one if its strings have just been written out.
        try self.column(column.key).visitElements(visitor)
        return key
      }
      key = ObjectKey(plain).tombstone
      plain += 1
    }
  }

  /// The tree of tombstones, made if there is none.
  private func tombstoneTree() throws(StorageError) -> ClusterEditor {
    if let tombstones = unsafe tombstones { return tombstones }
    // An object that comes back is unknown to the bound and to the new keys.
    try settleIndexes()
    unsafe keyBound = KeyBound()
    let layouts = unsafe clusters.layouts
    let tree = ClusterEditor(
      root: try ClusterEditor.makeEmpty(layouts: layouts, in: allocator), layouts: layouts,
      allocator, group.generation)
    unsafe tombstones = tree
    unsafe isChanged = true
    return tree
  }

  // MARK: Erasing

  /// Erases a tombstone that nothing links to any more.
  func removeTombstoneIfUnlinked(_ key: ObjectKey) throws(StorageError) {
    guard let row = try tombstoneRow(of: key), try !isLinked(row) else { return }
    try eraseTombstone(key)
  }

  /// Erases the tombstones that lost their links with a column.
  func removeUnlinkedTombstones() throws(StorageError) {
    for key in try tombstoneKeys() { try removeTombstoneIfUnlinked(key) }
  }

  /// Erases all tombstones, and the links to them.
  func removeAllTombstones() throws(StorageError) {
    for key in try tombstoneKeys() {
      guard let row = try tombstoneRow(of: key) else { continue }
      try changeIncomingLinks(to: key, row, .remove)
      try eraseTombstone(key)
    }
  }

  private func tombstoneKeys() throws(StorageError) -> [ObjectKey] {
    var keys: [ObjectKey] = []
    try currentTable.tombstones?.forEachCluster { (cluster) throws(StorageError) -> Bool in
      for index in 0..<cluster.count { keys.append(cluster.key(at: index)) }
      return true
    }
    return keys
  }

  private func isLinked(_ row: Row) throws(StorageError) -> Bool {
    for column in unsafe schema.backlinkColumns where try row.backlinkCount(of: column) > 0 {
      return true
    }
    return false
  }

  private func eraseTombstone(_ key: ObjectKey) throws(StorageError) {
    unsafe isChanged = true
    _ = try unsafe tombstones?.erase(key)
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
    let new = try C.encode(value) { (element) throws(StorageError) in
      try C.L.set(element, at: place.index, in: old, allocator)
    }
    if new != old { place.cluster.store(new.slot, at: leafIndex + 1) }
  }
}
