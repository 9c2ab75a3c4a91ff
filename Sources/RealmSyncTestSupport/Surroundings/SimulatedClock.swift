// SPDX-License-Identifier: Apache-2.0

// The time of simulated runs.

package import RealmSyncProtocol
import Synchronization

/// A clock that stands still until it is set.
package final class SimulatedClock: Sendable {
  private let value: Atomic<UInt64>

  package init(milliseconds: UInt64 = 1_000_000) { value = Atomic(milliseconds) }

  /// Sets the time, in milliseconds since 2015.
  package func set(_ milliseconds: UInt64) { value.store(milliseconds, ordering: .relaxed) }

  /// The time that was set.
  package func now() -> OriginTimestamp {
    OriginTimestamp(milliseconds: value.load(ordering: .relaxed))
  }
}

/// A clock of milliseconds that stands still until it is moved.
package final class SimulatedTime: Sendable {
  private let value = Atomic<UInt64>(1_000)

  package init() {}

  package var now: Milliseconds { value.load(ordering: .relaxed) }

  /// Lets time pass.
  package func advance(by time: Milliseconds) { value.add(time, ordering: .relaxed) }
}
