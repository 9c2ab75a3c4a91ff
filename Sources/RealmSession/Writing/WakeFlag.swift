// SPDX-License-Identifier: Apache-2.0

// A flag that keeps a session from being woken twice for the same work.

import Synchronization

/// Records whether a session was woken and has not run yet; usable on any thread.
final class WakeFlag: Sendable {
  private let flag = Atomic(false)

  /// Sets the flag.
  ///
  /// - Returns: Whether it was not set.
  func set() -> Bool { !flag.exchange(true, ordering: .acquiringAndReleasing) }

  func clear() { flag.store(false, ordering: .releasing) }
}
