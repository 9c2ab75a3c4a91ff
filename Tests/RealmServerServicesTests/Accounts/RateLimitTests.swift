// SPDX-License-Identifier: Apache-2.0

// Attempts are counted.

#if Server
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct RateLimitTests {
  /// `RateLimit` 1
  @Test func anAddressHasSoManyAttemptsAMinute() {
    var limit = RateLimit(2)
    func attempt(_ name: String, _ now: UInt64) -> Bool { limit.begin(name, now: now) }
    expectTrue(attempt("a", 0))
    expectTrue(attempt("a", 10))
    expectFalse(attempt("a", 59_999))
    expectTrue(attempt("b", 59_999))
    expectTrue(attempt("a", 60_000))
  }

  /// Some limits count on the clock of the machine, which may be set back by a year.
  @Test func aClockThatIsSetBackLocksANameOutForNoLongerThanAPeriod() {
    var limit = RateLimit(2)
    func attempt(_ now: UInt64) -> Bool { limit.begin("a", now: now) }
    let year: UInt64 = 365 * 24 * 3_600_000
    expectTrue(attempt(2 * year))
    expectTrue(attempt(2 * year))
    expectTrue(!attempt(2 * year))
    expectTrue(attempt(year))
    expectTrue(attempt(year))
    expectTrue(!attempt(year + 59_999))
    expectTrue(attempt(year + 60_000))
  }

  @Test func successIsNoAttempt() {
    var limit = RateLimit(2)
    func attempt(_ name: String, _ now: UInt64) -> Bool { limit.begin(name, now: now) }
    for time in 0..<10 {
      expectTrue(attempt("a", UInt64(time)))
      limit.withdraw("a")
    }
  }

  /// `BoundedTable` 1
  @Test func madeUpNamesLockNobodyOut() {
    var limit = RateLimit(2, nameCountMax: 3)
    func attempt(_ name: String, _ now: UInt64) -> Bool { limit.begin(name, now: now) }
    for name in ["a", "b", "c"] { #expect(attempt(name, 0)) }
    // The oldest makes room.
    expectTrue(attempt("d", 1))
    expectTrue(attempt("b", 1))
    expectFalse(attempt("b", 1))
    for number in 0..<100_000 { #expect(attempt("\(number)", 2)) }
    expectTrue(attempt("b", 3))
    expectTrue(attempt("b", 3))
    expectFalse(attempt("b", 3))
  }

  /// `LoginDelays` 1
  @Test func anAccountHasPausesWhereverTheAttemptsComeFrom() {
    var delays = LoginDelays()
    func attempt(_ now: UInt64) -> Bool {
      delays.begin("ann@x.org", from: "10.0.\(now % 250).1", now: now)
    }
    for time in 0..<5 { #expect(attempt(UInt64(time))) }
    expectFalse(attempt(1_003))
    expectTrue(attempt(1_004))
    expectFalse(attempt(3_003))
    expectTrue(attempt(3_004))
    // The longest pause is five minutes.
    var time: UInt64 = 3_004
    for _ in 0..<20 {
      time += 300_000
      expectTrue(attempt(time))
    }
    // An attempt that was not judged is none.
    delays.withdraw("ann@x.org", from: "10.0.0.1")
    time += 3_600_000
    for _ in 0..<5 { #expect(attempt(time)) }
    expectFalse(attempt(time))
  }

  /// `LoginDelays` 2
  @Test func whoGuessesDoesNotLockOutTheUser() {
    var delays = LoginDelays()
    func attempt(_ address: String, _ now: UInt64) -> Bool {
      delays.begin("ann@x.org", from: address, now: now)
    }
    expectTrue(attempt("home", 0))
    delays.succeed("ann@x.org", from: "home")
    for time in 1...5 {
      expectTrue(attempt("elsewhere", UInt64(time)))
    }
    expectFalse(attempt("elsewhere", 6))
    expectTrue(attempt("home", 6))
  }

  /// `PasswordChecker` 3 and 4
  @Test func lanesTakeTurns() {
    var queue = FairQueue<String>(countMax: 4)
    func append(_ job: String, _ lane: String) -> String? { queue.append(job, lane) }
    for number in 1...4 { expectEqual(append("a\(number)", "a"), nil) }
    expectEqual(append("a5", "a"), "a5")
    expectEqual(append("b1", "b"), "a4")
    expectEqual(append("c1", "c"), "a3")
    expectEqual(append("c2", "c"), "c2")
    var order: [String] = []
    while let job = queue.next() { order.append(job) }
    expectEqual(order, ["a1", "b1", "c1", "a2"])
    expectEqual(queue.count, 0)
  }
}
#endif
