// SPDX-License-Identifier: Apache-2.0

// Parts of a transaction that are undone alone.
//
// Nodes are copied before they change, so the roots of a moment are all of its state, as long as
// nothing writes to the nodes below them: `NodeAllocator.seal()` sees to that.
//
// Invariants:
// 1. Savepoints end in the reverse order of their beginning, each by one call.

extension WriteTransaction {
  /// What a part of the transaction may change beside nodes.
  struct Savepoint {
    let roots: VersionRoots
    let syncEdit: SyncEdit?
  }

  /// Begins a part of the transaction that can be undone.
  package func beginSavepoint() {
    assert(!isEnded, "a part of a transaction begins after its end")
    savepoints.append(Savepoint(roots: roots, syncEdit: syncEdit))
    allocator.seal()
    assert(allocator.sealCount == savepoints.count, "`WriteTransaction+Savepoint` 1")
  }

  /// Ends the newest part; what it did belongs to what it is a part of.
  package func keepSavepoint() {
    assert(!savepoints.isEmpty, "`WriteTransaction+Savepoint` 1")
    guard savepoints.popLast() != nil else { return }
    allocator.unseal()
  }

  /// Ends the newest part, and undoes all that it did. No user of the nodes made in it is left.
  package func rollBackSavepoint() {
    assert(!savepoints.isEmpty, "`WriteTransaction+Savepoint` 1")
    guard let savepoint = savepoints.popLast() else { return }
    roots = savepoint.roots
    syncEdit = savepoint.syncEdit
    allocator.revert()
  }
}
