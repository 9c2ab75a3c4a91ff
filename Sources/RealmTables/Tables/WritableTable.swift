// SPDX-License-Identifier: Apache-2.0

// A table in a write transaction.
//
// Invariants:
// 1. Roots, counters and flags of the table live here while the transaction runs. `flush()` puts
//    them into the table's top array, once, at commit.
// 2. The object `unindexed`, if any, is the newest; no index but that of the primary key has it.
//    Setting the properties of a new object thus costs one insertion an index, whatever their
//    number. The index of the primary key has all objects but those in `newKeys`.
//    `indexes.settle()` enters both; a reader of an index calls that first.
// 3. Every link has its entry in the backlinks of its target before the call that stored it
//    returns.

package import RealmStorage

/// A table that can be changed. Confined as its `WriteGroup`.
package final class WritableTable {
  /// The group owns its tables; both go with the transaction.
  package unowned let group: WriteGroup
  let allocator: NodeAllocator
  let log: ChangeLogWriter
  // As in `ClusterEditor`, one user at a time needs no exclusivity checks.
  @exclusivity(unchecked) package internal(set) var schema: TableSchema
  package let key: TableKey

  /// Everything of the top array but the two trees, which the editors hold.
  @exclusivity(unchecked) var top: TableTop
  let clusters: ClusterEditor
  /// The tree of the tombstones; nil until there is one.
  @exclusivity(unchecked) var tombstoneTree: ClusterEditor?
  @exclusivity(unchecked) var isChanged = false
  /// See `WritableTable` 2.
  @exclusivity(unchecked) var unindexed = ObjectKey.null
  /// See `WritableTable` 2.
  @exclusivity(unchecked) var newKeys = NewKeys()
  /// The bound of the integer primary keys, those in `newKeys` included.
  @exclusivity(unchecked) var keyBound: KeyBound
  /// Where the values of the enumerated columns are at present.
  @exclusivity(unchecked) var enumerationPlace = EnumerationPlace.none
  /// By leaf index; those of the enumerated columns that were written into.
  @exclusivity(unchecked) var enumerationEditors: [EnumerationEditor?] = []
  /// The objects that are created before the columns are measured; 0 if they are not.
  @exclusivity(unchecked) var growthLeft = 0

  var topRef: Ref
  private let name: String

  init(_ top: TableTop, name: String, topRef: Ref, in group: WriteGroup) throws(StorageError) {
    self.group = group
    unsafe self.top = top
    self.name = name
    self.topRef = topRef
    allocator = group.allocator
    log = group.log
    key = top.key
    // Where there are tombstones, objects come back without a word to the bound.
    let keyBound = top.tombstones.isNull ? group.keyBounds[top.key] : nil
    unsafe self.keyBound = keyBound ?? KeyBound()
    unsafe isChanged = topRef.isNull
    unsafe schema = try group.schemas.schema(of: top, name: name, in: group.allocator.space)
    let layouts = unsafe schema.columnsByLeafIndex.map { $0.map(LeafLayout.init) }
    clusters = ClusterEditor(
      root: top.clusters, layouts: layouts, group.allocator, group.generation)
    unsafe tombstoneTree =
      top.tombstones.isNull
      ? nil
      : ClusterEditor(root: top.tombstones, layouts: layouts, group.allocator, group.generation)
    if unsafe schema.hasEnumeratedColumns { forgetEnumerations() }
    if group.choosesEnumerations { unsafe growthLeft = group.enumerationLimits.growthCount }
  }

  /// The present state for reading. It does not follow later changes: ask again after each.
  package var table: Table {
    get throws(StorageError) {
      try indexes.settle()
      return currentTable
    }
  }

  /// The present state but for indexes, which may lack the newest objects.
  var currentTable: Table {
    unsafe Table(
      space: allocator.space, schema: schema, enumerations: enumerationPlace,
      clusterRoot: clusters.root,
      tombstoneRoot: tombstoneTree?.root ?? .null, indexRoots: top.indexes)
  }

  /// The tree of the objects for reading.
  var tree: ClusterTree {
    unsafe ClusterTree(root: clusters.root, enumerations: enumerationPlace, in: allocator.space)
  }

  /// The object with that key; nil if there is none.
  package func row(of key: ObjectKey) throws(StorageError) -> Row? { try currentTable.row(of: key) }

  /// The number of objects.
  package func objectCount() throws(StorageError) -> Int { try currentTable.objectCount() }

  /// The place of an object or a tombstone; nil if there is none.
  @inline(__always)
  func place(of key: ObjectKey) throws(StorageError) -> WritableRow? {
    // No reference to the tree is counted for live objects.
    key.rawValue >= 0 ? try clusters.row(of: key) : try tombstonePlace(of: key)
  }

  @inline(never)
  private func tombstonePlace(of key: ObjectKey) throws(StorageError) -> WritableRow? {
    guard let tombstones = unsafe tombstoneTree else {
      throw .corrupted("a link leads to \(key), a missing tombstone")
    }
    return try tombstones.row(of: key)
  }

  /// The object `key`, ready to be written.
  ///
  /// - Throws: `StorageError.limitExceeded` if there is no such object.
  @inline(__always)
  func writableRow(of key: ObjectKey) throws(StorageError) -> WritableRow {
    guard let row = try place(of: key) else { throw .missing(key, name) }
    unsafe isChanged = true
    return row
  }

  /// The leaf of one column where the object `key` lies, ready to be replaced.
  @inline(__always)
  func openLeaf(_ leafIndex: Int, of key: ObjectKey) throws(StorageError) -> OpenLeaf {
    try OpenLeaf(leafIndex, in: writableRow(of: key))
  }

  // MARK: The top array

  /// Writes the top array if anything changed; its ref, null for a table that was freed.
  func flush() throws(StorageError) -> Ref? {
    try indexes.settle()
    unsafe assert(unindexed.isNull && newKeys.isEmpty, "`WritableTable` 2: the indexes are settled")
    guard unsafe isChanged else { return topRef }
    unsafe top.clusters = unsafe clusters.root
    unsafe top.tombstones = unsafe tombstoneTree?.root ?? .null
    unsafe top.version += 1
    unsafe assert(top.key == key && schema.key == key, "`WritableTable` 1: the top is the table's")
    let slots = unsafe top.slots
    if allocator.isWritable(topRef), try allocator.node(at: topRef).count == slots.count {
      let node = allocator.mutableNode(at: topRef)
      for (index, slot) in slots.enumerated() { node.store(slot, at: index) }
    } else {
      try allocator.free(topRef)
      topRef = try IntegerNode.make(slots, flags: .hasRefs, in: allocator).ref
    }
    unsafe isChanged = false
    return topRef
  }

  /// Gives up all nodes of the table, which has no columns any more.
  func freeAll() throws(StorageError) {
    unsafe assert(schema.columns.isEmpty, "a table that is given up has no columns")
    try unsafe SpecEditor.free(top, allocator)
    for ref in unsafe [clusters.root, tombstoneTree?.root ?? .null, top.indexes, top.collisions] {
      try allocator.freeTree(ref)
    }
    try allocator.free(topRef)
  }
}

extension StorageError {
  /// A call named an object that does not exist; layers above check before.
  @inline(never)
  static func missing(_ key: ObjectKey, _ table: String) -> StorageError {
    .limitExceeded("There is no \(key) in table '\(table)'")
  }
}
