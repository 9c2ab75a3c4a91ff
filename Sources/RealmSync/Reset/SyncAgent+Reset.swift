// SPDX-License-Identifier: Apache-2.0

// The steps of a client reset that are the agent's.

package import RealmStorage
import RealmTables

extension SyncAgent {
  /// The mode of a reset, in view of the resets before it.
  package func resetMode(
    _ wanted: ResetMode, _ cause: ResetCause
  ) throws(ResetError) -> ResetMode {
    try ClientReset.mode(wanted, of: file, cause)
  }

  /// Makes the file equal to its fresh copy.
  ///
  /// - Parameter isToBeAnnounced: Whether the file is to know, until `resetIsAnnounced()`, that the
  ///   program has not heard of the reset.
  /// - Returns: Nil for a file that was never written, which goes on as a new one.
  package func reset(
    to copy: DatabaseFile, _ mode: ResetMode, _ cause: ResetCause, isToBeAnnounced: Bool = false
  ) throws(ResetError) -> ClientReset.Outcome? {
    forgetOwnEntries()
    return try ClientReset(
      of: file, to: copy, cause, schemas: schemas, now: .now(), isToBeAnnounced: isToBeAnnounced
    ).run(mode)
  }

  /// Whether a reset has not led to a complete synchronisation yet.
  package func hasResetRecord() throws(StorageError) -> Bool {
    try ResetRecord.stored(in: TableGroup(file.snapshot())) != nil
  }

  /// Forgets the last reset: everything was uploaded and downloaded since.
  package func removeResetRecord() throws(StorageError) { try ClientReset.removeRecord(of: file) }

  /// The subscriptions whose objects the file has; none in partition mode.
  package func activeSubscriptions() throws(StorageError) -> [StoredSubscription] {
    let sets = try StoredSubscriptionSet.all(in: TableGroup(file.snapshot()))
      .sorted { $0.version < $1.version }
    let active = sets.last { $0.state == .complete || $0.state == .awaitingMark } ?? sets.first
    return active?.subscriptions ?? []
  }
}
