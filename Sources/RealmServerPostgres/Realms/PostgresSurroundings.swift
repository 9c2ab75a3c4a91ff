// SPDX-License-Identifier: Apache-2.0

// The threads and the time of a store.

#if Postgres
package import RealmStorage

/// The threads of a store beside those of its callers, and its time. A simulation replaces them.
package struct PostgresSurroundings: Sendable {
  /// The time of attempts and of polls. Leases end by the clock of the database.
  package var clock = BlockingClock.system
  /// Makes the thread of checkpoints.
  package var checkpointThread: @Sendable () -> ThreadExecutor = {
    ThreadExecutor(named: "realm-checkpoints")
  }
  /// Whether a thread follows the heads of other servers. Otherwise the caller takes the steps of a
  /// `HeadSubscription`.
  package var followsHeads = true

  package init() {}
}
#endif
