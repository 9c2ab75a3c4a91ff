// SPDX-License-Identifier: Apache-2.0

// Write transactions of a session.
//
// A commit has three steps: the transaction writes its version, the session shows it, the
// observers' calls are scheduled.

package import RealmStorage
import RealmTables

extension Session {
  /// Waits for the right to write and begins a transaction on the newest version.
  ///
  /// Observers are first notified of everything up to that version.
  package final func beginWrite() throws(StorageError) {
    try catchUp()
    if let held = asyncWrites.takeHeld() { return try asyncWrites.begin(on: held) }
    try begin(file.beginWrite(for: confinement))
  }

  /// Begins a transaction with the right to write that the caller has obtained.
  package final func begin(_ granted: WriteTransaction) throws(StorageError) {
    let shown = shownTables?.version
    let base = granted.base
    granted.durability = durability
    do throws(StorageError) {
      try requireFewVersions()
      if shown != base.version { show(try shared.tables(of: base), by: .writing) }
      open(try shared.tables(in: granted))
    } catch {
      granted.rollback()
      throw error
    }
    keepWhileWriting()
    if shown != base.version { observers?.movedForWrite() }
    log(.beganWriting(base.version))
  }

  /// Commits the open transaction, as durably as the session's commits are, and shows its result.
  ///
  /// - Parameter skipped: Observers that are not to be notified of it.
  /// - Throws: A failure to write; the transaction is undone then.
  package final func commitWrite(skipping skipped: SkippedObservers = .none) throws(StorageError) {
    guard let transaction else { return }
    let hub = observers?.hub
    hub?.isCommitting = true
    defer {
      if let hub {
        hub.isCommitting = false
        if hub.hasWork(upTo: file.newestVersion) { shared.notifier.signal() }
      }
      asyncWrites.runOfThread()
    }
    if asyncWrites.continued != nil { return try asyncWrites.commitGroup(skipping: skipped) }
    let committed: TableGroup
    do throws(StorageError) {
      try requireNoDamage(in: transaction)
      committed = try shared.tables(of: transaction.commit())
    } catch {
      endTransaction()
      observers?.rolledBack(self)
      throw error
    }
    endTransaction()
    didCommit(committed, skipping: skipped)
  }

  /// Writes the open transaction as a version that is neither durable nor shown yet.
  final func writeVersion() throws(StorageError) -> (PendingCommit, TableGroup) {
    guard let transaction else { preconditionFailure("no transaction is open") }
    do throws(StorageError) {
      try requireNoDamage(in: transaction)
      let pending = try transaction.writeVersion()
      let committed = try shared.tables(of: pending.snapshot)
      endTransaction()
      return (pending, committed)
    } catch {
      endTransaction()
      asyncWrites.holdContinued()
      observers?.rolledBack(self)
      throw error
    }
  }

  /// Undoes a transaction that may hold placeholders.
  private final func requireNoDamage(in transaction: WriteGroup) throws(StorageError) {
    do throws(StorageError) { try requireNoDamage() } catch {
      transaction.rollback()
      throw error
    }
  }

  /// Shows what a transaction of this session wrote.
  final func didCommit(_ committed: TableGroup, skipping skipped: SkippedObservers = .none) {
    assert(!isInWrite, "`Session` 2: a version is shown after its transaction has ended")
    assert(
      shownTables.map { $0.version <= committed.version } ?? true,
      "`Session` 2: a session goes back")
    log(.wrote(committed.version))
    let base = shownTables
    show(committed, by: .writing)
    observers?.committed(self, from: base, skipping: skipped)
  }

  /// Undoes the open transaction.
  package final func cancelWrite() {
    assert(isInWrite, "`Session` 2: there is no transaction to undo")
    defer { asyncWrites.runOfThread() }
    transaction?.rollback()
    endTransaction()
    asyncWrites.holdContinued()
    observers?.rolledBack(self)
  }

  /// Returns to the newest durable version if the shown one could not be made durable.
  package final func leaveLostVersion() {
    guard !isInWrite, let shownTables, shownTables.version > file.newestVersion else { return }
    show(orTrap(try shared.newestTables()), by: .writing)
  }
}
