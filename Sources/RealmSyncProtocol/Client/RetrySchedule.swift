// SPDX-License-Identifier: Apache-2.0

// When a client tries again.

/// The delays between attempts: longer from one to the next, as long as the reason stays the same.
package struct RetrySchedule: Hashable, Sendable {
  private static let intervalMin: Milliseconds = 1_000
  private static let intervalMax: Milliseconds = 300_000
  private static let usualMultiplier: Milliseconds = 2

  private var reason: Int?
  private var interval = intervalMin
  private var limit = intervalMax
  private var multiplier = usualMultiplier

  package init() {}

  /// The delay before the next attempt. `jitter` is a random number, for taking off up to a
  /// quarter. A server's hint counts for a new reason.
  package mutating func next(
    reason: Int, hint: RetryHint? = nil, jitter: UInt32 = 0
  ) -> Milliseconds {
    if reason == self.reason {
      interval = min(limit, interval &* multiplier)
    } else {
      self.reason = reason
      interval = Self.intervalMin
      limit = Self.intervalMax
      multiplier = Self.usualMultiplier
      if let hint {
        limit = min(hint.delaySecondsMax ?? 300, 86_400) * 1_000
        interval = min(min(hint.intervalSeconds, 86_400) * 1_000, limit)
        multiplier = min(max(hint.multiplier ?? 2, 1), 100)
      }
    }
    return interval - interval / 4 * Milliseconds(jitter) / Milliseconds(UInt32.max)
  }

  /// Begins again with the shortest delay.
  package mutating func reset() { self = RetrySchedule() }
}
