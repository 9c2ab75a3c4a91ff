// SPDX-License-Identifier: Apache-2.0

// The time of connections in a `SyncNetwork`.

package import RealmSyncProtocol
import Synchronization

/// A clock of milliseconds that stands still until it is moved.
package final class SimulatedTime: Sendable {
  private let value = Atomic<UInt64>(1_000)

  package init() {}

  package var now: Milliseconds { value.load(ordering: .relaxed) }

  /// Lets time pass.
  package func advance(by time: Milliseconds) { value.add(time, ordering: .relaxed) }
}
