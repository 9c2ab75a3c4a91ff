// SPDX-License-Identifier: Apache-2.0

// A clock that a test sets forward.

#if Server
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

/// The system's time and what a test adds to it.
final class SkippingTimer: ServerTimer {
  private let system = SystemTimer()
  private let skipped = Locked<Milliseconds>(0)

  var now: Milliseconds { system.now + skipped.withLock { $0 } }

  func sleep(until time: Milliseconds) async {
    while now < time, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(2)) }
  }

  /// Lets time pass.
  func skip(_ time: Milliseconds) { skipped.withLock { $0 += time } }
}
#endif
