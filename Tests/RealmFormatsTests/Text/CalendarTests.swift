// SPDX-License-Identifier: Apache-2.0

// Days and times of the calendar are those of seconds since 1970.

import RealmText
import TestExtensions
import Testing

struct CalendarTests {
  @Test(
    arguments: [
      (0, "1970-01-01"), (-1, "1969-12-31"), (18_320, "2020-02-28"), (18_321, "2020-02-29"),
      (18_322, "2020-03-01"), (-719_162, "0001-01-01"), (2_932_896, "9999-12-31"),
      (-25_509, "1900-02-28"), (-25_508, "1900-03-01"), (11_016, "2000-02-29"),
    ] as [(Int64, String)])
  func daysHaveDates(_ days: Int64, _ text: String) {
    let day = CalendarDay(daysSince1970: days)
    expectEqual(day.text, text)
    expectEqual(day.daysSince1970, days)
    expectEqual(CalendarDay(year: day.year, month: day.month, day: day.day), day)
  }

  @Test func monthsEnd() {
    for (year, month, day) in [
      (2021, 2, 29), (1900, 2, 29), (2021, 4, 31), (2021, 13, 1), (2021, 0, 1), (2021, 1, 0),
    ] as [(Int64, Int64, Int64)] {
      expectEqual(CalendarDay(year: year, month: month, day: day), nil)
    }
  }

  @Test func timesHaveFourDigitsOfYears() throws {
    let time = try #require(CalendarTime(seconds: 1_582_895_100, nanoseconds: 250_000_000))
    expectEqual(time.day.text, "2020-02-28")
    expectEqual(time.timeOfDay, "13:05:00")
    expectEqual(time.fraction, "25")
    expectEqual(time.nanoseconds, 250_000_000)
    let before = try #require(CalendarTime(seconds: 0, nanoseconds: -1))
    expectEqual(before.day.text, "1969-12-31")
    expectEqual(before.timeOfDay, "23:59:59")
    expectEqual(before.fraction, "999999999")
    expectEqual(CalendarTime(seconds: 253_402_300_799, nanoseconds: 0)?.day.year, 9999)
    expectEqual(CalendarTime(seconds: 253_402_300_800, nanoseconds: 0), nil)
    expectEqual(CalendarTime(seconds: -62_135_596_801, nanoseconds: 0), nil)
  }
}
