// SPDX-License-Identifier: Apache-2.0

// Concurrent downloads.
//
// Invariants:
// 1. No more than the limit have a turn, and the waiting sessions get theirs in the order of their
//    arrival.
// 2. Of the sessions after their turn, no more are kept than wait, or 64.

import RealmStorage

/// Lets few sessions ask their realm for a download at a time.
///
/// A realm makes one after the other, and a new version makes all of its sessions ask: a request
/// that waits in the realm keeps 14 KB, several times as much as here.
package final class DownloadTurns: Sendable {
  private struct State {
    var count = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// The waiters before it have their turn.
    var first = 0
  }

  private let countMax: Int
  private let state = Locked(State())

  package init(countMax: Int = 16) { self.countMax = countMax }

  /// Waits for a turn. It lasts until `end()`.
  package func begin() async {
    if state.withLock({ takeTurn(&$0) }) { return }
    await withCheckedContinuation { waiter in
      let hasTurn = state.withLock { state in
        if takeTurn(&state) { return true }
        state.waiters.append(waiter)
        return false
      }
      if hasTurn { waiter.resume() }
    }
  }

  /// The waiting sessions.
  var waitingCount: Int { state.withLock { $0.waiters.count - $0.first } }

  /// The waiting sessions, and the kept ones after their turn.
  var keptCount: Int { state.withLock { $0.waiters.count } }

  private func takeTurn(_ state: inout State) -> Bool {
    guard state.count < countMax else { return false }
    assert(state.first == state.waiters.count, "`DownloadTurns` 1: those that wait come first")
    state.count += 1
    return true
  }

  /// Ends a turn; the next waiting session gets it.
  package func end() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      assert(state.count > 0, "`DownloadTurns` 1: a turn ends that never began")
      guard state.first < state.waiters.count else {
        state.waiters = []
        state.first = 0
        state.count -= 1
        return nil
      }
      let next = state.waiters[state.first]
      state.first += 1
      // `DownloadTurns` 2: there may always be waiting ones.
      if state.first >= 64, state.first * 2 >= state.waiters.count {
        state.waiters.removeFirst(state.first)
        state.first = 0
      }
      return next
    }
    next?.resume()
  }
}
