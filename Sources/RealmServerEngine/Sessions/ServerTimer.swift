// SPDX-License-Identifier: Apache-2.0

// The time of connections.

package import RealmSyncProtocol

/// A monotonic clock with waits.
package protocol ServerTimer: Sendable {
  var now: Milliseconds { get }
  /// Returns at a time, or earlier if the task is cancelled.
  func sleep(until time: Milliseconds) async
}
