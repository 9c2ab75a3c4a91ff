// SPDX-License-Identifier: Apache-2.0

// The downloads that are made at the same time.
//
// Invariants:
// 1. No more than the limit have a turn, and those that wait get theirs in the order in which they
//    came.

import RealmStorage

/// Lets few sessions ask their realm for a download at a time.
///
/// A realm makes one after the other, and a new version makes all of its sessions ask: what a
/// request keeps while it waits in the realm is several times what it keeps while it waits here.
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

  /// Waits for a turn, which `end()` gives back.
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

  private func takeTurn(_ state: inout State) -> Bool {
    guard state.count < countMax else { return false }
    state.count += 1
    return true
  }

  /// Gives a turn back; the next that waits gets it.
  func end() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.first < state.waiters.count else {
        state.waiters = []
        state.first = 0
        state.count -= 1
        return nil
      }
      defer { state.first += 1 }
      return state.waiters[state.first]
    }
    next?.resume()
  }
}
