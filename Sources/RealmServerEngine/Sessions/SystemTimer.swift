// SPDX-License-Identifier: Apache-2.0

// The time of the system.

package import RealmSyncProtocol

/// A clock of the system; it goes on while the machine sleeps.
package struct SystemTimer: ServerTimer {
  private let clock = ContinuousClock()
  private let start = ContinuousClock.now

  package init() {}

  package var now: Milliseconds {
    let (seconds, attoseconds) = start.duration(to: clock.now).components
    return Milliseconds(seconds) * 1_000 + Milliseconds(attoseconds / 1_000_000_000_000_000)
  }

  package func sleep(until time: Milliseconds) async {
    try? await Task.sleep(
      until: start.advanced(by: .milliseconds(Int64(clamping: time))), clock: clock)
  }
}
