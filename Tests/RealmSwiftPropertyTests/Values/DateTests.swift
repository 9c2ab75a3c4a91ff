// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct DateTests {
  @Test func datesKeepTheirNanosecondsAndBothPartsOneSign() {
    var generator = SeededGenerator(seed: 9)
    for range in [-1e3...1e3, -2e9...2e9, -1e15...1e15] {
      for _ in 0..<2000 {
        let date = Date(
          timeIntervalSinceReferenceDate: Double.random(in: range, using: &generator))
        let stored = Timestamp(date)
        expectTrue(stored.nanoseconds.magnitude < 1_000_000_000)
        #expect(
          stored.seconds == 0 || stored.nanoseconds == 0
            || (stored.seconds > 0) == (stored.nanoseconds > 0))
        expectTrue(abs(Date(stored).timeIntervalSince(date)) < 1e-6)
        expectTrue(Timestamp(Date(stored)) == stored || abs(stored.seconds) > 1 << 20)
      }
    }
  }

  @Test func datesBeyondTheFormatBecomeTheFurthest() {
    expectEqual(Timestamp(Date(timeIntervalSinceReferenceDate: .infinity)).seconds, .max)
    expectEqual(Timestamp(Date(timeIntervalSinceReferenceDate: -.infinity)).seconds, .min)
    expectEqual(Timestamp(Date(timeIntervalSinceReferenceDate: 1e300)).seconds, .max)
    expectTrue(Timestamp(.distantPast).seconds < 0)
    expectTrue(Timestamp(.distantFuture).seconds > 0)
    expectEqual(Date(Timestamp(.distantPast)), .distantPast)
    expectEqual(Date(Timestamp(Date(timeIntervalSince1970: 0))), Date(timeIntervalSince1970: 0))
    expectEqual(
      Timestamp(Date(timeIntervalSince1970: -0.5)), Timestamp(seconds: 0, nanoseconds: -500_000_000)
    )
  }
}
