// SPDX-License-Identifier: Apache-2.0

// The time of a test.

import RealmStorage
package import RealmSyncProtocol

/// A clock that a test sets.
package final class TestTimer: Sendable {
  private struct State {
    var now: Milliseconds = 0
    var sleepers: [(time: Milliseconds, signal: TestSignal)] = []
  }

  private let state = Locked(State())

  package init() {}

  /// The clock for what is tested.
  package var clock: SyncClock {
    SyncClock(
      now: { self.state.withLock { $0.now } },
      sleep: { (time) async throws(CancellationError) in await self.sleep(until: time) })
  }

  private func sleep(until time: Milliseconds) async {
    let signal = TestSignal()
    state.withLock {
      if $0.now >= time { signal.give() } else { $0.sleepers.append((time, signal)) }
    }
    await signal.wait()
  }

  /// Waits until someone sleeps until a time.
  package func waitForSleeper(at time: Milliseconds) async {
    while !state.withLock({ $0.sleepers.contains { $0.time == time } }) {
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  /// Sets the time, and wakes who sleeps until then.
  package func advance(to time: Milliseconds) {
    let due = state.withLock { state in
      state.now = time
      defer { state.sleepers.removeAll { $0.time <= time } }
      return state.sleepers.filter { $0.time <= time }
    }
    for sleeper in due { sleeper.signal.give() }
  }
}
