// SPDX-License-Identifier: Apache-2.0

// Makes checkpoints beside the work of realms.

#if Postgres
import RealmServerEngine
import RealmStorage

/// Makes checkpoints of realms, one after the other, on a thread of its own.
actor CheckpointMaker {
  private nonisolated let thread: ThreadExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  init(on thread: ThreadExecutor) { self.thread = thread }

  /// Makes a checkpoint some time from now, if none of the realm is being made.
  nonisolated func make(
    of realm: PostgresRealm, _ onProblem: @escaping @Sendable (String) -> Void
  ) {
    guard realm.beginCheckpoint() else { return }
    Task { await write(realm, onProblem) }
  }

  private func write(_ realm: PostgresRealm, _ onProblem: @Sendable (String) -> Void) {
    defer { realm.endCheckpoint() }
    do throws(StoreError) {
      try realm.makeCheckpoint()
    } catch {
      // The next append asks again.
      onProblem("\(realm.id.rawValue): no checkpoint was made: \(error)")
    }
  }
}
#endif
