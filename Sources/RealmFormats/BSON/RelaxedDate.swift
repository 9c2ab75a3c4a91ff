// SPDX-License-Identifier: Apache-2.0

// Dates of relaxed extended JSON.

import RealmText

/// Reads dates like `2026-01-31T13:05:00.250Z`.
enum RelaxedDate {
  private static let dayMilliseconds: Int64 = 86_400_000

  /// The milliseconds since 1970 of a date with a time and a time zone; nil for another text.
  static func unixMilliseconds(_ text: String) -> Int64? {
    var rest = Array(text.utf8)[...]
    func digits(_ count: Int, then separator: Unicode.Scalar? = nil) -> Int64? {
      guard rest.count >= count, rest.prefix(count).allSatisfy({ $0 ^ 0x30 < 10 }) else {
        return nil
      }
      let number = rest.prefix(count).reduce(0 as Int64) { $0 * 10 + Int64($1 & 0xF) }
      rest = rest.dropFirst(count)
      guard let separator else { return number }
      guard rest.first == UInt8(ascii: separator) else { return nil }
      rest = rest.dropFirst()
      return number
    }
    guard let year = digits(4, then: "-"), let month = digits(2, then: "-"),
      let dayOfMonth = digits(2, then: "T"),
      let day = CalendarDay(year: year, month: month, day: dayOfMonth),
      let hour = digits(2, then: ":"), let minute = digits(2, then: ":"), let second = digits(2),
      hour < 24, minute < 60, second < 60
    else { return nil }
    var milliseconds: Int64 = 0
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix { $0 ^ 0x30 < 10 }
      guard !fraction.isEmpty else { return nil }
      let padded = (Array(fraction.prefix(3)) + [0x30, 0x30]).prefix(3)
      milliseconds = padded.reduce(0) { $0 * 10 + Int64($1 & 0xF) }
      rest = rest.dropFirst(1 + fraction.count)
    }
    guard let sign = rest.popFirst() else { return nil }
    var offset: Int64 = 0
    if sign != UInt8(ascii: "Z") {
      guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = digits(2)
      else { return nil }
      if rest.first == UInt8(ascii: ":") { rest = rest.dropFirst() }
      guard let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
      offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -60_000 : 60_000)
    }
    guard rest.isEmpty else { return nil }
    return day.daysSince1970 * dayMilliseconds + ((hour * 60 + minute) * 60 + second) * 1_000
      + milliseconds - offset
  }
}
