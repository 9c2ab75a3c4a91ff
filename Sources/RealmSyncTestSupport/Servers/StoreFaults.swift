// SPDX-License-Identifier: Apache-2.0

// A store of a test that fails.

package import RealmServerEngine
import RealmStorage

/// Counts calls, and lets all fail from one on.
package final class StoreFaults: Sendable {
  private let state = Locked((count: 0, failing: Int.max))

  package init() {}

  /// The calls so far.
  package var count: Int { state.withLock { $0.count } }

  /// Lets the call of a number fail, and all after it.
  package func fail(at number: Int) { state.withLock { $0 = (0, number) } }

  /// Counts a call; returns false if it is to fail.
  package func next() -> Bool {
    state.withLock { state in
      defer { state.count += 1 }
      return state.count < state.failing
    }
  }

  /// Counts a call, and throws if it is to fail.
  package func check() throws(StoreError) {
    if !next() { throw .unavailable("fault") }
  }
}
