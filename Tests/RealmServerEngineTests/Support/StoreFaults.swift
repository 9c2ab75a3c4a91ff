// SPDX-License-Identifier: Apache-2.0

import RealmStorage

@testable import RealmServerEngine

/// Counts calls, and lets all fail from one on.
final class StoreFaults: Sendable {
  private let state = Locked((count: 0, failing: Int.max))

  /// The calls so far.
  var count: Int { state.withLock { $0.count } }

  /// Lets the call of a number fail, and all after it.
  func fail(at number: Int) { state.withLock { $0 = (0, number) } }

  /// Counts a call; returns false if it is to fail.
  func next() -> Bool {
    state.withLock { state in
      defer { state.count += 1 }
      return state.count < state.failing
    }
  }

  func check() throws(StoreError) {
    if !next() { throw .unavailable("fault") }
  }
}
