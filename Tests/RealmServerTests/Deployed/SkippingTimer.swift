// SPDX-License-Identifier: Apache-2.0

// A clock that a test sets forward.

#if Server
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol

/// The system's time and what a test adds to it.
final class SkippingTimer: Sendable {
  private let skipped = Locked<Milliseconds>(0)

  var clock: SyncClock {
    SyncClock(
      now: { self.now },
      sleep: { (time) async throws(CancellationError) in
        while self.now < time, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(2)) }
      })
  }

  private var now: Milliseconds { SyncClock.continuous.now() + skipped.withLock { $0 } }

  /// Lets time pass.
  func skip(_ time: Milliseconds) { skipped.withLock { $0 += time } }
}
#endif
