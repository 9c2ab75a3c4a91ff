// SPDX-License-Identifier: Apache-2.0

// The thread on which a store hears of other servers.

#if Postgres
import RealmStorage
import Synchronization

/// Takes the steps of a store's `HeadSubscription`, one after the other, on a thread of its own.
actor HeadFollower {
  private nonisolated let thread = ThreadExecutor(named: "realm-heads")
  private nonisolated let isStopped = Atomic(false)

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// Begins to follow the heads of a store's realms, until it is stopped or the store is gone.
  nonisolated func start(for store: PostgresStore) {
    let (subscription, database) = (store.headSubscription(), store.database)
    Task { [weak store] in await follow(subscription, database) { [weak store] in store } }
  }

  nonisolated func stop() { isStopped.store(true, ordering: .relaxed) }

  private func follow(
    _ subscription: HeadSubscription, _ database: Database,
    _ store: @Sendable () -> PostgresStore?
  ) {
    var (subscription, backOff) = (subscription, BackOff(by: database.clock))
    defer { subscription.close() }
    while let isWell = step(&subscription, store()) {
      if isWell {
        backOff = BackOff(by: database.clock)
      } else {
        // A pause is followed by another connection, and by a read of all heads.
        backOff.pause(
          until: Deadline(
            milliseconds: database.settings.pollMilliseconds, by: database.clock))
      }
    }
  }

  /// Takes a step. Returns whether it went well; nil if none is to be taken any more.
  private func step(
    _ subscription: inout HeadSubscription, _ store: PostgresStore?
  ) -> Bool? {
    guard !isStopped.load(ordering: .relaxed), let store else { return nil }
    do throws(DatabaseError) {
      try subscription.step(for: store)
      return true
    } catch {
      return false
    }
  }
}
#endif
