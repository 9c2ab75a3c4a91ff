// SPDX-License-Identifier: Apache-2.0

// Times as a day and a time of the day, in UTC.

/// A time of the years 1 to 9999, whose year has four digits.
package struct CalendarTime: Hashable, Sendable {
  package static let nanosecondsPerSecond: Int64 = 1_000_000_000

  package let day: CalendarDay
  /// The seconds since the beginning of the day.
  private let second: Int64
  /// The nanoseconds since the beginning of the second.
  package let nanoseconds: Int64

  /// The time after seconds and nanoseconds since 1970, both of one sign; nil in other years.
  package init?(seconds: Int64, nanoseconds: Int32) {
    guard (-62_135_596_800...253_402_300_799).contains(seconds) else { return nil }
    let isBefore = nanoseconds < 0
    self.nanoseconds = Int64(nanoseconds) + (isBefore ? Self.nanosecondsPerSecond : 0)
    let (days, second) = CalendarDay.divided(seconds - (isBefore ? 1 : 0), by: 86_400)
    day = CalendarDay(daysSince1970: days)
    self.second = second
  }

  /// The text of hour, minute and second, as in `13:05:00`.
  package var timeOfDay: String {
    [second / 3600, second / 60 % 60, second % 60].map { CalendarDay.padded($0, 2) }
      .joined(separator: ":")
  }

  /// The digits of the nanoseconds after the point, without zeros at their end.
  package var fraction: String {
    var digits = CalendarDay.padded(nanoseconds, 9)
    while digits.hasSuffix("0") { digits.removeLast() }
    return digits
  }
}
