// SPDX-License-Identifier: Apache-2.0

// The time of connections.

/// A monotonic clock with any zero.
package struct SyncClock: Sendable {
  package let now: @Sendable () -> Milliseconds
  /// Returns at a time, or throws when its task is cancelled.
  package let sleep: @Sendable (_ until: Milliseconds) async throws(CancellationError) -> Void

  package init(
    now: @escaping @Sendable () -> Milliseconds,
    sleep: @escaping @Sendable (_ until: Milliseconds) async throws(CancellationError) -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// The clock of the system; it goes on while the machine sleeps.
  package static let continuous: SyncClock = {
    let clock = ContinuousClock()
    let start = clock.now
    return SyncClock(
      now: {
        let (seconds, attoseconds) = start.duration(to: clock.now).components
        return Milliseconds(seconds) * 1_000 + Milliseconds(attoseconds / 1_000_000_000_000_000)
      },
      sleep: { (time) async throws(CancellationError) in
        do {
          try await Task.sleep(
            until: start.advanced(by: .milliseconds(Int64(clamping: time))), clock: clock)
        } catch {
          throw CancellationError()
        }
      })
  }()
}
