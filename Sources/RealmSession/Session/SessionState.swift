// SPDX-License-Identifier: Apache-2.0

// The words of a session that every property access of a managed object reads.
//
// Invariants:
// 1. A `SessionState` belongs to one `Session` and lives as long as it does. The owner of a pointer
//    to it keeps the session.
// 2. `generation` changes whenever a row that was found before may have moved or vanished: the
//    session advances, a transaction begins, ends or copies a cluster, the session is invalidated.
//    It never repeats. A row found at generation g is current if and only if the state says g.
// 3. `isolation` is the pointer of the session's thread; 0 and 1 match no thread and take the slow
//    path of an access: 0 asks the confinement, 1 admits every thread. In a forked child it is 0:
//    `Session` has the first word cleared there.
// 4. The state of a frozen session is written before another thread can see it, and never again.

/// The state of a session that a read checks before it uses a cached row.
@frozen @usableFromInline
package struct SessionState {
  /// The thread that the session is confined to, or 0, or `Confinement.anyThread`.
  @usableFromInline package var isolation: UInt
  /// Changes whenever cached rows become stale; see `SessionState` 2.
  @usableFromInline package var generation: UInt64
  /// Whether a write transaction is open.
  @usableFromInline package var isInWrite: Bool
  /// The offset of the word that says whether a thread tracks accesses; see `TrackingPlace`.
  @usableFromInline package let trackingPlace: Int

  package init(isolation: UInt, generation: UInt64, isInWrite: Bool, trackingPlace: Int) {
    assert(generation != Self.noGeneration, "`SessionState` 2: no state has this generation")
    self.isolation = isolation
    self.generation = generation
    self.isInWrite = isInWrite
    self.trackingPlace = trackingPlace
  }

  /// The generation of objects that have no row: no state ever has it.
  package static var noGeneration: UInt64 { 0 }
}
