// SPDX-License-Identifier: Apache-2.0

// The downloads that are made at the same time.
//
// Invariants:
// 1. No more than the limit have a turn, and those that wait get theirs in the order in which they
//    came.
// 2. Of those that had their turn, no more are kept than wait, or 64.

import RealmStorage

/// Lets few sessions ask their realm for a download at a time.
///
/// A realm makes one after the other, and a new version makes all of its sessions ask: what a
/// request keeps while it waits in the realm (14 KB) is several times what it keeps here.
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

  /// Waits for a turn, which lasts until `end()`.
  func begin() async {
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

  /// Those that wait for their turn.
  var waitingCount: Int { state.withLock { $0.waiters.count - $0.first } }

  /// Those that wait, and those that had their turn and are kept.
  var keptCount: Int { state.withLock { $0.waiters.count } }

  private func takeTurn(_ state: inout State) -> Bool {
    guard state.count < countMax else { return false }
    state.count += 1
    return true
  }

  /// Ends a turn; the next that waits gets it.
  func end() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.first < state.waiters.count else {
        state.waiters = []
        state.first = 0
        state.count -= 1
        return nil
      }
      let next = state.waiters[state.first]
      state.first += 1
      // `DownloadTurns` 2: there may always be some that wait.
      if state.first >= 64, state.first * 2 >= state.waiters.count {
        state.waiters.removeFirst(state.first)
        state.first = 0
      }
      return next
    }
    next?.resume()
  }
}
