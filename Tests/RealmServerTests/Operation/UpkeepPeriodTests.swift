// SPDX-License-Identifier: Apache-2.0

// When the regular work of a server is due.

#if Server
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmServerKit

struct UpkeepPeriodTests {
  /// The answers at some minutes.
  private func beginnings(_ minutes: [UInt64]) -> [Bool] {
    var period = UpkeepPeriod(minutes: 5)
    return minutes.map { period.begins(at: OriginTimestamp(milliseconds: $0 * 60_000)) }
  }

  @Test func aPeriodBeginsWhenTheLastIsOver() {
    expectEqual(beginnings([100, 104, 105, 109, 110]), [true, false, true, false, true])
  }

  @Test func aLeapOfTheClockIsOnePeriod() {
    expectEqual(beginnings([100, 100_000, 100_004, 100_005]), [true, true, false, true])
  }

  @Test func aClockThatIsPutBackBeginsOne() {
    expectEqual(beginnings([100, 50, 54, 55]), [true, true, false, true])
  }
}
#endif
