// SPDX-License-Identifier: Apache-2.0

// The time of blocking calls.

#if Postgres
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The time of calls that block their thread; a simulation brings another one.
package struct BlockingClock: Sendable {
  /// The milliseconds since some point in time. They never go back.
  package let now: @Sendable () -> Int
  /// Blocks the thread for some milliseconds.
  package let sleep: @Sendable (_ milliseconds: Int) -> Void
  /// Draws the length of a pause.
  package let draw: @Sendable (_ milliseconds: ClosedRange<Int>) -> Int

  package init(
    now: @escaping @Sendable () -> Int, sleep: @escaping @Sendable (_ milliseconds: Int) -> Void,
    draw: @escaping @Sendable (_ milliseconds: ClosedRange<Int>) -> Int
  ) {
    self.now = now
    self.sleep = sleep
    self.draw = draw
  }

  /// The clock of the system.
  package static let system: BlockingClock = {
    let clock = ContinuousClock()
    let start = clock.now
    return BlockingClock(
      now: {
        let (seconds, attoseconds) = start.duration(to: clock.now).components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
      }, sleep: { usleep(UInt32($0) * 1_000) }, draw: { Int.random(in: $0) })
  }()
}
#endif
