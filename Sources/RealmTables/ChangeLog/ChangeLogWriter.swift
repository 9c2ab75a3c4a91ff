// SPDX-License-Identifier: Apache-2.0

// The changeset of a write transaction: instructions for its readers.

/// Collects the changeset of one write transaction.
///
/// It is called for every object created and every property set, so an instruction is a few
/// compares and byte stores into one growing buffer.
///
/// Invariants:
/// 1. What is written inside an object that the same transaction created is not logged: no reader
///    has seen the object before, so its creation says everything.
/// 2. A selection (table, collection) is written once, and again only after it changed. Selecting a
///    table ends the selection of a collection.
/// 3. Setting a property that the last instruction set already is not logged again.
/// 4. While a savepoint is open, `createdEdits` has each change of the sets of created objects.
@safe
package final class ChangeLogWriter {
  fileprivate struct CollectionSelection: Equatable {
    var column: ColumnKey
    var object: ObjectKey
  }

  private var buffer: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var count = 0

  private var selectedTable = TableKey.null
  private var selectedCollection: CollectionSelection?
  /// A selected nested collection; `selectedCollection` is nil then.
  private var selectedNested: (place: CollectionSelection, path: [NestedStep])?
  private var lastSet: CollectionSelection?

  // The transaction has one user at a time, so that checks of exclusivity (two for each object that
  // is created, in `journal` and in `created`) could not find anything.

  /// The journal for those who read the data within the transaction.
  @exclusivity(unchecked) private var journal = WriteJournal()

  /// Learns of each write with its value; see `WriteGroup.recorder`. It is here because every
  /// write comes by.
  @exclusivity(unchecked) var recorder: (any ChangeRecorder)?
  /// See `WriteGroup.storesDefaults`.
  @exclusivity(unchecked) var storesDefaults = false

  /// The objects of the selected table that this transaction created.
  @exclusivity(unchecked) private var created = ObjectKeySet()
  /// The same for the tables selected before.
  private var createdElsewhere: [TableKey: ObjectKeySet] = [:]

  /// A change of the set of created objects of a table.
  private enum CreatedEdit {
    case inserted(ObjectKey, TableKey)
    case removed(ObjectKey, TableKey)
    case forgotten(ObjectKeySet, TableKey)
  }

  /// See `ChangeLogWriter` 4.
  private var createdEdits: [CreatedEdit] = []
  private var savepointCount = 0

  package init() {
    capacity = 256
    unsafe buffer = .allocate(capacity: capacity)
  }

  deinit { unsafe buffer.deallocate() }

  /// Whether nothing was logged.
  package var isEmpty: Bool { count == 0 }

  /// The changeset so far.
  package var changeset: [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: buffer, count: count))
  }

  /// The number of bytes of the changeset so far.
  package var byteCount: Int { count }

  /// Makes the writer record further changes, for readers of the data within the transaction.
  ///
  /// - Returns: The present position, from which on changes can be asked for.
  package func follow() -> Int { unsafe journal.follow() }

  /// The changes since a position, those of objects that the transaction created included;
  /// nil if it is not known any more.
  package func changes(since position: Int) -> VersionChanges? {
    unsafe journal.changes(since: position)
  }

  /// Whether this transaction created the object.
  package func didCreate(_ object: ObjectKey, in table: TableKey) -> Bool {
    unsafe table == selectedTable
      ? created.contains(object) : createdElsewhere[table]?.contains(object) ?? false
  }

  // MARK: Schema

  /// A table was created.
  package func insertTable(_ table: TableKey) { tableInstruction(.insertTable, table) }

  /// A table got another name.
  package func renameTable(_ table: TableKey) { tableInstruction(.renameTable, table) }

  /// A table was removed, with all that was said about it.
  package func eraseTable(_ table: TableKey) {
    tableInstruction(.eraseTable, table)
    let gone = createdElsewhere.removeValue(forKey: table)
    if savepointCount > 0, let gone { createdEdits.append(.forgotten(gone, table)) }
  }

  /// A column was added.
  package func insertColumn(_ column: ColumnKey, in table: TableKey) {
    columnInstruction(.insertColumn, column, table)
  }

  /// A column was removed.
  package func eraseColumn(_ column: ColumnKey, in table: TableKey) {
    columnInstruction(.eraseColumn, column, table)
  }

  /// A column got another name.
  package func renameColumn(_ column: ColumnKey, in table: TableKey) {
    columnInstruction(.renameColumn, column, table)
  }

  /// A column of typed links or mixed values links to a table for the first time.
  package func addLinkTarget(_ target: TableKey, of column: ColumnKey, in table: TableKey) {
    select(table)
    append(.addLinkTarget, column.rawValue, Int64(target.rawValue))
  }

  // MARK: Objects

  /// An object was created; what is assigned to it later is not news.
  package func createObject(_ object: ObjectKey, in table: TableKey) {
    if unsafe journal.isFollowed { unsafe journal.noteCreated(object, in: table) }
    select(table)
    if unsafe created.insert(object), savepointCount > 0 {
      createdEdits.append(.inserted(object, table))
    }
    append(.createObject, object.rawValue)
  }

  /// An object was deleted.
  package func removeObject(_ object: ObjectKey, in table: TableKey) {
    if unsafe journal.isFollowed { unsafe journal.noteRemoved(object, in: table) }
    select(table)
    if unsafe created.remove(object), savepointCount > 0 {
      createdEdits.append(.removed(object, table))
    }
    lastSet = nil
    selectedCollection = nil
    selectedNested = nil
    append(.removeObject, object.rawValue)
  }

  /// A property was assigned.
  package func set(
    _ column: ColumnKey, of object: ObjectKey, in table: TableKey, isDefault: Bool = false
  ) {
    if unsafe journal.isFollowed { unsafe journal.noteSet(column, of: object, in: table) }
    select(table)
    if unsafe created.contains(object) { return }
    let place = CollectionSelection(column: column, object: object)
    if lastSet == place { return }
    lastSet = place
    append(isDefault ? .setDefaultField : .setField, column.rawValue, object.rawValue)
  }

  // MARK: Collections

  /// An element was inserted in a collection.
  ///
  /// - Parameter path: The way from the column's collection to a nested one.
  package func insert(
    at index: Int, in column: ColumnKey, of object: ObjectKey, _ table: TableKey,
    _ path: [NestedStep] = []
  ) {
    guard select(column, object, table, path) else { return }
    append(.collectionInsert, Int64(index))
  }

  /// An element of a collection was assigned.
  package func set(
    at index: Int, in column: ColumnKey, of object: ObjectKey, _ table: TableKey,
    _ path: [NestedStep] = []
  ) {
    guard select(column, object, table, path) else { return }
    append(.collectionSet, Int64(index))
  }

  /// An element was taken out and put back so that it stands at `target` afterwards.
  package func move(
    from source: Int, to target: Int, in column: ColumnKey, of object: ObjectKey,
    _ table: TableKey, _ path: [NestedStep] = []
  ) {
    guard select(column, object, table, path) else { return }
    append(.collectionMove, Int64(source), Int64(target))
  }

  /// An element of a collection was removed.
  package func erase(
    at index: Int, in column: ColumnKey, of object: ObjectKey, _ table: TableKey,
    _ path: [NestedStep] = []
  ) {
    guard select(column, object, table, path) else { return }
    append(.collectionErase, Int64(index))
  }

  /// All elements of a collection were removed.
  package func clear(
    oldCount: Int, in column: ColumnKey, of object: ObjectKey, _ table: TableKey,
    _ path: [NestedStep] = []
  ) {
    guard select(column, object, table, path) else { return }
    append(.collectionClear, Int64(oldCount))
  }

  // MARK: Selections

  @inline(__always)
  private func select(_ table: TableKey) {
    if table != selectedTable { changeTable(to: table) }
  }

  @inline(never)
  private func changeTable(to table: TableKey) {
    leaveTable()
    unsafe created = createdElsewhere.removeValue(forKey: table) ?? ObjectKeySet()
    selectedTable = table
    append(.selectTable, 0, Int64(table.rawValue))
  }

  private func leaveTable() {
    unsafe assert(
      created.isEmpty || selectedTable != .null, "`ChangeLogWriter` 1: objects of no table")
    if unsafe !created.isEmpty { createdElsewhere[selectedTable] = unsafe created }
    unsafe created = ObjectKeySet()
    selectedTable = .null
    selectedCollection = nil
    selectedNested = nil
    lastSet = nil
  }

  /// Selects a collection; false if its object is new, so that nothing need be said.
  @inline(__always)
  private func select(
    _ column: ColumnKey, _ object: ObjectKey, _ table: TableKey, _ path: [NestedStep]
  ) -> Bool {
    assert(
      selectedCollection == nil || selectedNested == nil,
      "`ChangeLogWriter` 2: one collection is selected at a time")
    if unsafe journal.isFollowed { unsafe journal.noteSet(column, of: object, in: table) }
    if !path.isEmpty { return selectNested(column, object, table, path) }
    select(table)
    // An assignment after this instruction is news again.
    lastSet = nil
    let place = CollectionSelection(column: column, object: object)
    if selectedCollection == place { return true }
    if unsafe created.contains(object) { return false }
    selectedCollection = place
    selectedNested = nil
    append(.selectCollection, column.rawValue, object.rawValue)
    return true
  }

  @inline(never)
  private func selectNested(
    _ column: ColumnKey, _ object: ObjectKey, _ table: TableKey, _ path: [NestedStep]
  ) -> Bool {
    select(table)
    lastSet = nil
    let place = CollectionSelection(column: column, object: object)
    if let selectedNested, selectedNested == (place, path) { return true }
    if unsafe created.contains(object) { return false }
    selectedCollection = nil
    selectedNested = (place, path)
    append(.selectNestedCollection, column.rawValue, object.rawValue)
    append(Int64(path.count))
    for step in path { append(step.salt) }
    return true
  }

  // MARK: Savepoints

  /// The end of the log at a moment.
  struct Savepoint {
    fileprivate let count: Int
    fileprivate let selectedTable: TableKey
    fileprivate let selectedCollection: CollectionSelection?
    fileprivate let selectedNested: (place: CollectionSelection, path: [NestedStep])?
    fileprivate let lastSet: CollectionSelection?
    fileprivate let createdEditCount: Int
    fileprivate let recorder: (any ChangeRecorder)?
  }

  /// Begins a part of the log that can be taken back. Parts end in the reverse order of their
  /// beginning.
  func beginSavepoint() -> Savepoint {
    savepointCount += 1
    unsafe recorder?.didBeginSavepoint()
    return unsafe Savepoint(
      count: count, selectedTable: selectedTable, selectedCollection: selectedCollection,
      selectedNested: selectedNested, lastSet: lastSet, createdEditCount: createdEdits.count,
      recorder: recorder)
  }

  /// Ends the newest part, which stays.
  func keep(_ savepoint: Savepoint) {
    savepoint.recorder?.didKeepSavepoint()
    endSavepoint()
  }

  private func endSavepoint() {
    savepointCount -= 1
    if savepointCount == 0 { createdEdits = [] }
  }

  /// Ends the newest part, and takes it back.
  func rollBack(to savepoint: Savepoint) {
    leaveTable()
    while createdEdits.count > savepoint.createdEditCount, let edit = createdEdits.popLast() {
      switch edit {
      case .inserted(let object, let table): createdElsewhere[table]?.remove(object)
      case .removed(let object, let table):
        createdElsewhere[table, default: ObjectKeySet()].insert(object)
      case .forgotten(let objects, let table): createdElsewhere[table] = objects
      }
    }
    count = savepoint.count
    selectedTable = savepoint.selectedTable
    unsafe created = createdElsewhere.removeValue(forKey: selectedTable) ?? ObjectKeySet()
    selectedCollection = savepoint.selectedCollection
    selectedNested = savepoint.selectedNested
    lastSet = savepoint.lastSet
    unsafe journal.forget()
    savepoint.recorder?.didRollBackSavepoint()
    endSavepoint()
  }

  // MARK: Bytes

  private func tableInstruction(_ instruction: ChangeLogInstruction, _ table: TableKey) {
    if unsafe journal.isFollowed { unsafe journal.noteSchema() }
    leaveTable()
    append(instruction, Int64(table.rawValue))
  }

  private func columnInstruction(
    _ instruction: ChangeLogInstruction, _ column: ColumnKey, _ table: TableKey
  ) {
    if unsafe journal.isFollowed { unsafe journal.noteSchema() }
    select(table)
    selectedCollection = nil
    selectedNested = nil
    lastSet = nil
    append(instruction, column.rawValue)
  }

  private func append(_ operand: Int64) {
    makeRoom()
    unsafe count &+= ChangeLogInteger.store(operand, to: buffer + count)
  }

  @inline(__always)
  private func append(_ instruction: ChangeLogInstruction, _ operand: Int64) {
    makeRoom()
    unsafe buffer[count] = instruction.rawValue
    count &+= 1
    unsafe count &+= ChangeLogInteger.store(operand, to: buffer + count)
  }

  @inline(__always)
  private func append(_ instruction: ChangeLogInstruction, _ first: Int64, _ second: Int64) {
    append(instruction, first)
    unsafe count &+= ChangeLogInteger.store(second, to: buffer + count)
  }

  /// Room for the longest instruction: an opcode and two operands.
  @inline(__always)
  private func makeRoom() {
    if capacity &- count < 1 + 2 * ChangeLogInteger.maximumByteCount { grow() }
  }

  @inline(never)
  private func grow() {
    assert(count <= capacity, "an instruction was longer than there was room for")
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
    unsafe larger.update(from: buffer, count: count)
    unsafe buffer.deallocate()
    unsafe buffer = unsafe larger
    capacity *= 2
  }
}
