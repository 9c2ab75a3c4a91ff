// SPDX-License-Identifier: Apache-2.0

// Parts of a write transaction that are undone alone.
//
// A part is undone by its roots: nodes of before are sealed, so that changes copy them, and what
// the group and its tables have beside nodes is kept as values. So a savepoint costs as much as
// there are tables in use, whatever they hold, and so does undoing it.
//
// Invariants:
// 1. Savepoints end in the reverse order of their beginning, each by one call, and before the
//    commit.
// 2. A `WritableTable` of a table that was there at the beginning stays the table's when the part
//    is undone. One of a table that the part created is given up.

package import RealmStorage

extension WriteGroup {
  /// What the group has beside nodes.
  struct Savepoint {
    let names: [String]
    let slots: [Int64]
    let tables: [WritableTable?]
    let states: [WritableTable.State?]
    let isListChanged: Bool
    let dropped: [StoredLink]
    let log: ChangeLogWriter.Savepoint
    let lateTableCount: Int
  }

  /// Begins a part of the transaction that can be undone. Parts may be nested.
  ///
  /// The recorder is not exchanged until the part ends, but for one call.
  package func beginSavepoint() throws(StorageError) {
    var states: [WritableTable.State?] = []
    states.reserveCapacity(tables.count)
    for table in tables { states.append(try table?.leaveState()) }
    savepoints.append(
      Savepoint(
        names: names, slots: slots, tables: tables, states: states, isListChanged: isListChanged,
        dropped: dropped, log: log.beginSavepoint(), lateTableCount: lateTables.count))
    transaction.beginSavepoint()
  }

  /// Ends the newest part; what it did belongs to what it is a part of.
  package func keepSavepoint() {
    assert(!savepoints.isEmpty, "`WriteGroup+Savepoint` 1")
    guard let savepoint = savepoints.popLast() else { return }
    transaction.keepSavepoint()
    log.keep(savepoint.log)
    if savepoints.isEmpty { lateTables = [] }
  }

  /// Ends the newest part, and undoes all that it did. Rows and tables that were read in it are
  /// read again.
  package func rollBackSavepoint() {
    assert(!savepoints.isEmpty, "`WriteGroup+Savepoint` 1")
    guard let savepoint = savepoints.popLast() else { return }
    names = savepoint.names
    slots = savepoint.slots
    tables = savepoint.tables
    for (table, state) in zip(tables, savepoint.states) {
      if let table, let state { table.restore(state) }
    }
    // These were there at the beginning, too: what a part creates is not asked for in the file.
    for late in lateTables[savepoint.lateTableCount...] {
      late.table.restore(late.state)
      tables[late.table.key.index] = late.table
    }
    isListChanged = savepoint.isListChanged
    dropped = savepoint.dropped
    log.rollBack(to: savepoint.log)
    transaction.rollBackSavepoint()
    if savepoints.isEmpty { lateTables = [] }
    unsafe generation.value &+= 1
  }

  /// Runs a part of the transaction. If it fails, or throws, nothing of it is left.
  package func attempt<Success, Failure>(
    _ body: () throws(StorageError) -> Result<Success, Failure>
  ) throws(StorageError) -> Result<Success, Failure> {
    try beginSavepoint()
    do throws(StorageError) {
      let result = try body()
      if case .success = result { keepSavepoint() } else { rollBackSavepoint() }
      return result
    } catch {
      rollBackSavepoint()
      throw error
    }
  }
}
