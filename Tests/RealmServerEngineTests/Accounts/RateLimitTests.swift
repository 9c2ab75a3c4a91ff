// SPDX-License-Identifier: Apache-2.0

// Attempts are counted.

import RealmServerEngine
import Testing

@Suite struct RateLimitTests {
  /// `RateLimit` 1
  @Test func anAddressHasSoManyAttemptsAMinute() {
    var limit = RateLimit(2)
    func attempt(_ name: String, _ now: UInt64) -> Bool { limit.begin(name, now: now) }
    #expect(attempt("a", 0))
    #expect(attempt("a", 10))
    #expect(!attempt("a", 59_999))
    #expect(attempt("b", 59_999))
    #expect(attempt("a", 60_000))
  }

  @Test func successIsNoAttempt() {
    var limit = RateLimit(2)
    func attempt(_ name: String, _ now: UInt64) -> Bool { limit.begin(name, now: now) }
    for time in 0..<10 {
      #expect(attempt("a", UInt64(time)))
      limit.succeed("a")
    }
  }

  /// `RateLimit` 2
  @Test func theTableHasALimit() {
    var limit = RateLimit(2, nameCountMax: 3)
    func attempt(_ name: String, _ now: UInt64) -> Bool { limit.begin(name, now: now) }
    for name in ["a", "b", "c"] { #expect(attempt(name, 0)) }
    #expect(!attempt("d", 1))
    #expect(attempt("a", 1))
    #expect(attempt("d", 60_000))
  }
}
