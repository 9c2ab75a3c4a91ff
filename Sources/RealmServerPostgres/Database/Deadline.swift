// SPDX-License-Identifier: Apache-2.0

// Limits of time for blocking calls, and pauses between attempts.

#if Postgres
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The end of a time.
struct Deadline: Sendable {
  private let end: ContinuousClock.Instant

  init(milliseconds: Int) {
    end = ContinuousClock.now.advanced(by: .milliseconds(milliseconds))
  }

  var millisecondsLeft: Int {
    let (seconds, attoseconds) = ContinuousClock.now.duration(to: end).components
    return max(0, Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
  }

  var isOver: Bool { millisecondsLeft == 0 }
}

/// Growing pauses, each by a random part shorter: many callers do not come back at once.
struct BackOff {
  private static let millisecondsMax = 1_000

  private var milliseconds = 10

  /// Blocks the thread for the next pause, but not beyond a deadline.
  mutating func pause(until deadline: Deadline) {
    let pause = Int.random(in: milliseconds / 2...milliseconds)
    usleep(UInt32(min(pause, deadline.millisecondsLeft)) * 1_000)
    milliseconds = min(2 * milliseconds, Self.millisecondsMax)
  }
}
#endif
