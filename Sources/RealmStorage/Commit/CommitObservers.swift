// SPDX-License-Identifier: Apache-2.0

// Who gets the measurements of commits.
//
// 1. `count` is the number of observers, so that a commit that has none reads one word.
// 2. Observers are called without a lock, on the thread that committed, when the next writer has
//    been let go.

import Synchronization

/// The observers of the commits of all files.
package enum CommitObservers {
  /// Receives the measurements of a commit.
  package typealias Body = @Sendable (CommitReport) -> Void

  private struct State {
    var bodies: [(number: UInt64, body: Body)] = []
    var lastNumber: UInt64 = 0
  }

  private static let state = Locked(State())
  private static let count = Atomic(0)

  static var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Adds an observer; returns the number by which it is removed.
  package static func add(_ body: @escaping Body) -> UInt64 {
    state.withLock { state in
      state.lastNumber += 1
      state.bodies.append((state.lastNumber, body))
      count.store(state.bodies.count, ordering: .relaxed)
      return state.lastNumber
    }
  }

  /// Removes an observer; false if it was removed before.
  package static func remove(_ number: UInt64) -> Bool {
    // The body is released after the lock.
    let removed = state.withLock { state -> Body? in
      guard let index = state.bodies.firstIndex(where: { $0.number == number }) else { return nil }
      defer { count.store(state.bodies.count, ordering: .relaxed) }
      return state.bodies.remove(at: index).body
    }
    return removed != nil
  }

  static func report(_ report: CommitReport) {
    for (_, body) in state.withLock({ $0.bodies }) { body(report) }
  }
}
