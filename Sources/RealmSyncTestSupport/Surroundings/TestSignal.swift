// SPDX-License-Identifier: Apache-2.0

// Events of a test.

import RealmStorage

/// An event that is awaited.
package final class TestSignal: Sendable {
  private struct State {
    var isGiven = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  package init() {}

  /// Lets the event happen.
  package func give() {
    let waiters = state.withLock { state in
      state.isGiven = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns once the event has happened.
  package func wait() async {
    await withCheckedContinuation { continuation in
      let isGiven = state.withLock { state in
        if !state.isGiven { state.waiters.append(continuation) }
        return state.isGiven
      }
      if isGiven { continuation.resume() }
    }
  }
}
