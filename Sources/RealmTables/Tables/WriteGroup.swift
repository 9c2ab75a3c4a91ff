// SPDX-License-Identifier: Apache-2.0

// All tables of a write transaction.
//
// Invariants:
// 1. While the transaction runs, the truth about a table that was asked for is its `WritableTable`;
//    the top array in the tree of nodes is brought up to date by `flush()` alone, at commit.
// 2. `generation.value` changes whenever a `Row` of this transaction may be stale.
// 3. Every change of data goes to the change log before the call that made it returns.

package import RealmStorage

/// The tables of a write transaction. Confined to the transaction's one user at a time.
package final class WriteGroup {
  package let transaction: WriteTransaction
  package let allocator: NodeAllocator
  /// The changeset of this transaction.
  package let log = ChangeLogWriter()
  package let schemas: SchemaCache
  /// See `structureGeneration`.
  package let generation = StructureGeneration()
  /// The rules of what is deleted with objects; nil if only embedded objects are.
  package var deleteRules: DeleteRules?
  /// Called by the commit when nothing more is written by the caller, before anything is flushed;
  /// for what the commit stores about the transaction.
  package var beforeCommit: ((WriteGroup) throws(StorageError) -> Void)?
  /// The objects to be deleted because embedded objects were; see `deleteDropped`.
  var dropped: [StoredLink] = []

  /// When string columns are enumerated, and how long.
  package var enumerationLimits = EnumerationLimits()
  /// Whether the columns of classes that get many objects are measured, and enumerated if they
  /// repeat their strings. Only random runs do so: it makes inserting slower by a tenth.
  package var choosesEnumerations = false

  /// The bounds of primary keys that were known when the transaction began.
  let keyBounds: [TableKey: KeyBound]
  private let keyBoundCache: KeyBoundCache?

  var names: [String]
  /// By table index: a ref or, where no table is, the counter for the next one.
  var slots: [Int64]
  var tables: [WritableTable?]
  var isListChanged = false
  /// What the open savepoints return to, the newest last.
  var savepoints: [Savepoint] = []
  /// The tables that were first asked for while a savepoint was open, as they were then.
  var lateTables: [(table: WritableTable, state: WritableTable.State)] = []

  /// - Parameters:
  ///   - schemas: The schemas that are decoded already.
  ///   - keyBounds: What the last transaction on this file knew of its tables' primary keys.
  package init(
    _ transaction: WriteTransaction, schemas: SchemaCache = SchemaCache(),
    keyBounds: KeyBoundCache? = nil
  ) throws(StorageError) {
    self.transaction = transaction
    keyBoundCache = keyBounds
    self.keyBounds = keyBounds?.bounds(at: transaction.base.version) ?? [:]
    allocator = transaction.allocator
    self.schemas = schemas
    let list = try TableList(transaction.roots, in: transaction.allocator.space)
    names = []
    slots = []
    for index in 0..<list.count {
      names.append(try list.name(at: index))
      slots.append(try list.slot(at: index))
    }
    tables = Array(repeating: nil, count: slots.count)
  }

  /// Changes whenever a cluster moved or rows shifted: a `Row` that was made before is stale.
  @inlinable
  package var structureGeneration: Int { unsafe generation.value }

  // MARK: Finding tables

  /// The keys of all tables in the order of the file.
  package func tableKeys() throws(StorageError) -> [TableKey] {
    var keys: [TableKey] = []
    for index in slots.indices {
      if let table = try table(at: index) { keys.append(table.key) }
    }
    return keys
  }

  /// The key of the table called `name`; nil if there is none.
  package func key(ofTable name: String) throws(StorageError) -> TableKey? {
    guard !name.isEmpty, let index = names.firstIndex(of: name) else { return nil }
    return try table(at: index)?.key
  }

  /// The table with that key; nil if there is none.
  package func table(_ key: TableKey) throws(StorageError) -> WritableTable? {
    guard key != .null, key.index < slots.count, let table = try table(at: key.index),
      table.key == key
    else { return nil }
    return table
  }

  /// The table called `name`; nil if there is none.
  package func table(named name: String) throws(StorageError) -> WritableTable? {
    guard let key = try key(ofTable: name) else { return nil }
    return try table(key)
  }

  private func table(at index: Int) throws(StorageError) -> WritableTable? {
    if let table = tables[index] { return table }
    guard let ref = Ref(slot: slots[index]) else { return nil }
    let top = try TableTop(at: ref, in: allocator.space)
    guard top.key.index == index else {
      throw .corrupted("the table at \(index) has key \(top.key.rawValue)")
    }
    let table = try WritableTable(top, name: names[index], topRef: ref, in: self)
    tables[index] = table
    if !savepoints.isEmpty { lateTables.append((table, table.state)) }
    return table
  }

  /// A table that a link or a backlink column names; its absence is damage.
  func requiredTable(_ key: TableKey) throws(StorageError) -> WritableTable {
    guard let table = try table(key) else {
      throw .corrupted("a column leads to \(key), which does not exist")
    }
    return table
  }

  // MARK: Creating and removing tables

  /// Creates a table without columns.
  ///
  /// - Throws: `StorageError.limitExceeded` for a name that is too long or in use.
  package func createTable(
    named name: String, kind: TableKind = .topLevel
  ) throws(StorageError) -> WritableTable {
    try checkNew(name)
    let index = slots.firstIndex { $0 & 1 == 1 } ?? slots.count
    guard index < TableKey.maximumTableCount else {
      throw .limitExceeded("A file cannot hold more than \(TableKey.maximumTableCount) tables")
    }
    if index == slots.count {
      slots.append(0)
      names.append("")
      tables.append(nil)
    }
    let key = TableKey(index: index, reuse: Tagged.number(slots[index]) ?? 0)
    let clusters = try ClusterEditor.makeEmpty(layouts: [], in: allocator)
    let top = try TableTop.make(key: key, kind: kind, clusters: clusters, in: allocator)
    let table = try WritableTable(top, name: name, topRef: .null, in: self)
    names[index] = name
    slots[index] = 0
    assert(
      names.count == slots.count && tables.count == slots.count && tables[index] == nil,
      "`WriteGroup` 1: a new table takes a free place")
    tables[index] = table
    isListChanged = true
    log.insertTable(key)
    try recorder?.didAddTable(table)
    return table
  }

  private func checkNew(_ name: String) throws(StorageError) {
    guard !name.isEmpty, name.utf8.count <= NameLeaf.maximumByteCount else {
      throw .limitExceeded("'\(name)' is not a valid table name: 1 to 63 bytes are allowed")
    }
    guard !names.contains(name) else {
      throw .limitExceeded("There is a table '\(name)' already")
    }
  }

  /// Gives a table another name. Its objects stay, and so do links to them; a `WritableTable` of
  /// before must not be used any more.
  ///
  /// - Throws: `StorageError.limitExceeded` for a name that is too long or in use, and in files
  ///   that are synchronised: other devices know the table by its name.
  package func renameTable(_ key: TableKey, to name: String) throws(StorageError) {
    try checkNew(name)
    guard let table = try table(key) else { return }
    guard !table.isRecorded else {
      throw .limitExceeded(
        unsafe "Table '\(table.schema.name)' cannot be renamed in a synchronized Realm")
    }
    guard let ref = try table.flush() else { return }
    slots[key.index] = ref.slot
    names[key.index] = name
    // Not by `table(at:)`: what a savepoint goes back to is the table under its former name.
    tables[key.index] = try WritableTable(
      TableTop(at: ref, in: allocator.space), name: name, topRef: ref, in: self)
    isListChanged = true
    unsafe generation.value &+= 1
    log.renameTable(key)
  }

  /// Removes a table with all its objects; links to them from mixed values become null.
  ///
  /// - Throws: `StorageError.limitExceeded` if a link column of another table leads to it.
  package func removeTable(_ key: TableKey) throws(StorageError) {
    guard let table = try table(key) else { return }
    for column in unsafe table.schema.backlinkColumns {
      guard let origin = column.targetTable, origin != key else { continue }
      let link = try unsafe requiredTable(origin).schema.column(column.oppositeColumn ?? .null)
      guard link?.type != .link else {
        throw .limitExceeded(
          unsafe "Table '\(table.schema.name)' cannot be removed: '\(link?.name ?? "")' links to it"
        )
      }
    }
    try table.deleteAll()
    try table.tombstones.removeAll()
    try recorder?.willEraseTable(table)
    try withoutRecording(table.columns.removeAll())
    try table.freeAll()
    slots[key.index] = Tagged.slot((Int(key.rawValue >> 16) + 1) & 0x7FFF)
    names[key.index] = ""
    tables[key.index] = nil
    isListChanged = true
    unsafe generation.value &+= 1
    log.eraseTable(key)
  }

  // MARK: Ending

  /// Writes the top arrays of the tables that changed.
  package func flush() throws(StorageError) {
    try deleteDropped()
    for (index, table) in tables.enumerated() {
      guard let table, let ref = try table.flush(), slots[index] != ref.slot else { continue }
      slots[index] = ref.slot
      isListChanged = true
    }
    assert(dropped.isEmpty, "an object waits for its deletion after the last change")
    guard isListChanged else { return }
    let old = transaction.roots
    let newTables = try IntegerNode.make(slots, flags: .hasRefs, in: allocator).ref
    let newNames = try NameLeaf.make(names, in: allocator)
    try allocator.free(old.tables)
    try allocator.free(old.tableNames)
    transaction.roots = VersionRoots(tableNames: newNames, tables: newTables)
    isListChanged = false
  }

  /// Lets the caller take what was recorded, then adds what the recorder is not to learn of.
  private func willCommit() throws(StorageError) {
    assert(savepoints.isEmpty, "`WriteGroup+Savepoint` 1: a savepoint is open at the commit")
    let keepsDeletions = transaction.base.file.historyLimit > 0
    if beforeCommit != nil || keepsDeletions { try deleteDropped() }
    try beforeCommit?(self)
    if keepsDeletions {
      try withoutRecording(DeletionRecord.extend(in: self))
    }
    try emptyAsymmetricTables()
  }

  /// Empties asymmetric tables, whose objects are only for the server: the recorder has got what
  /// was created, and no version ever has it.
  private func emptyAsymmetricTables() throws(StorageError) {
    guard recorder != nil else { return }
    // Objects can be only in tables that this transaction has accessed.
    for case let table? in tables where unsafe table.schema.kind == .asymmetric {
      try withoutRecording(table.deleteAll())
    }
  }

  /// Makes the changes durable and visible as a new version.
  package func commit() throws(StorageError) -> Snapshot {
    try willCommit()
    try flush()
    let snapshot = try transaction.commit(changeset: log.changeset)
    keepKeyBounds()
    return snapshot
  }

  /// Writes the changes as a new version that is not durable yet, and that only the caller knows.
  package func writeVersion() throws(StorageError) -> PendingCommit {
    try willCommit()
    try flush()
    let pending = try transaction.writeVersion(changeset: log.changeset)
    keepKeyBounds()
    return pending
  }

  /// Leaves what is known of primary keys to the transaction that goes on from this one.
  private func keepKeyBounds() {
    guard let keyBoundCache else { return }
    var bounds = keyBounds
    for case let table? in tables { bounds[table.key] = unsafe table.keyBound }
    keyBoundCache.store(bounds, at: transaction.version)
  }

  /// Drops all changes.
  package func rollback() {
    tables = []
    slots = []
    names = []
    savepoints = []
    lateTables = []
    unsafe generation.value &+= 1
    transaction.rollback()
  }
}
