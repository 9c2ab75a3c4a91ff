// SPDX-License-Identifier: Apache-2.0

// Days as year, month and day, without Foundation.

/// A day of the Gregorian calendar.
package struct CalendarDay: Hashable, Sendable {
  package let year: Int64
  package let month: Int64
  package let day: Int64

  /// The day of a date; nil if the month has no such day.
  package init?(year: Int64, month: Int64, day: Int64) {
    guard (1...12).contains(month), day > 0, day <= Self.length(ofMonth: month, year) else {
      return nil
    }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The day after a number of days since 1970. Years begin in March, so the leap day is the last;
  /// an era has 400 of them.
  package init(daysSince1970 days: Int64) {
    let (era, dayOfEra) = Self.divided(days + 719_468, by: 146_097)
    let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let isNextYear = month >= 10
    self.year = era * 400 + year + (isNextYear ? 1 : 0)
    self.month = isNextYear ? month - 9 : month + 3
    day = dayOfYear - (153 * month + 2) / 5 + 1
  }

  /// The days from 1970 to this one.
  package var daysSince1970: Int64 {
    let (era, yearOfEra) = Self.divided(month <= 2 ? year - 1 : year, by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The text of the day, as in `2020-02-28`.
  package var text: String {
    "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
  }

  /// The digits of a number, with zeros in front.
  static func padded(_ number: Int64, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(count - digits.count, 0)) + digits
  }

  /// The quotient towards minus infinity, and the rest.
  static func divided(_ number: Int64, by divisor: Int64) -> (quotient: Int64, rest: Int64) {
    let quotient = number >= 0 ? number / divisor : (number - divisor + 1) / divisor
    return (quotient, number - quotient * divisor)
  }

  private static func length(ofMonth month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
