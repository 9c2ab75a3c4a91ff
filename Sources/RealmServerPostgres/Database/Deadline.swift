// SPDX-License-Identifier: Apache-2.0

// Limits of time for blocking calls, and pauses between attempts.

#if Postgres
/// The end of a time.
struct Deadline: Sendable {
  private let clock: BlockingClock
  private let end: Int

  init(milliseconds: Int, by clock: BlockingClock = .system) {
    self.clock = clock
    end = clock.now() + milliseconds
  }

  var millisecondsLeft: Int { max(0, end - clock.now()) }

  var isOver: Bool { millisecondsLeft == 0 }
}

/// Growing pauses, each by a random part shorter: many callers do not come back at once.
struct BackOff {
  private static let millisecondsMax = 1_000

  private let clock: BlockingClock
  private var milliseconds = 10

  init(by clock: BlockingClock) { self.clock = clock }

  /// Blocks the thread for the next pause, but not beyond a deadline.
  mutating func pause(until deadline: Deadline) {
    let pause = clock.draw(milliseconds / 2...milliseconds)
    clock.sleep(min(pause, deadline.millisecondsLeft))
    milliseconds = min(2 * milliseconds, Self.millisecondsMax)
  }
}
#endif
