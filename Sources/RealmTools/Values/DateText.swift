// SPDX-License-Identifier: Apache-2.0

// Dates as ISO 8601 writes them, with nanoseconds and without Foundation's rounding.

package import RealmStorage

/// Conversion of dates to and from texts such as `2026-02-28T13:05:00.25Z`.
package enum DateText {
  private static let nanosecondsPerSecond: Int64 = 1_000_000_000

  /// The text of a date, in UTC; `T1600000000:5`, as queries spell it, beyond the years 1 to 9999.
  package static func text(_ time: Timestamp) -> String {
    guard (-62_135_596_800...253_402_300_799).contains(time.seconds) else {
      return "T\(time.seconds):\(time.nanoseconds)"
    }
    var (seconds, nanoseconds) = (time.seconds, Int64(time.nanoseconds))
    if nanoseconds < 0 {
      seconds -= 1
      nanoseconds += nanosecondsPerSecond
    }
    let day = floored(seconds, 86_400)
    let second = seconds - day * 86_400
    let (year, month, dayOfMonth) = civil(day)
    var fraction = ""
    if nanoseconds != 0 {
      fraction = "." + padded(nanoseconds, 9)
      while fraction.hasSuffix("0") { fraction.removeLast() }
    }
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2) + "T"
      + padded(second / 3600, 2) + ":" + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2)
      + fraction + "Z"
  }

  /// The date of a text: a day, a day and a time (UTC unless it has an offset), or
  /// `T<seconds>:<nanoseconds>`; nil for others.
  package static func date(_ text: some StringProtocol) -> Timestamp? {
    var rest = Array(text.utf8)[...]
    if rest.first == UInt8(ascii: "T") { return seconds(rest.dropFirst()) }
    guard let year = number(&rest, 4), skip(&rest, "-"), let month = number(&rest, 2),
      skip(&rest, "-"), let day = number(&rest, 2), (1...12).contains(month),
      year > 0, day > 0, day <= length(ofMonth: month, year)
    else { return nil }
    var seconds = days(year, month, day) * 86_400
    var nanoseconds: Int64 = 0
    if rest.isEmpty { return Timestamp(seconds: seconds, nanoseconds: 0) }
    guard skip(&rest, "T") || skip(&rest, " ") || skip(&rest, "@"),
      let hour = number(&rest, 2), skip(&rest, ":"), let minute = number(&rest, 2),
      hour < 24, minute < 60
    else { return nil }
    seconds += hour * 3600 + minute * 60
    if skip(&rest, ":") {
      guard let second = number(&rest, 2), second < 61 else { return nil }
      seconds += second
      if skip(&rest, ".") || skip(&rest, ",") {
        var unit: Int64 = 100_000_000
        guard let first = rest.first, first ^ 0x30 < 10 else { return nil }
        while let byte = rest.first, byte ^ 0x30 < 10 {
          nanoseconds += Int64(byte ^ 0x30) * unit
          unit /= 10
          rest = rest.dropFirst()
        }
      }
    }
    guard let offset = offset(&rest), rest.isEmpty else { return nil }
    seconds -= offset
    if seconds < 0, nanoseconds > 0 {
      return Timestamp(
        seconds: seconds + 1, nanoseconds: Int32(nanoseconds - nanosecondsPerSecond))
    }
    return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }

  /// The offset from UTC at the end of a date, in seconds.
  private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    if rest.isEmpty || skip(&rest, "Z") || skip(&rest, "z") { return 0 }
    let isNegative = skip(&rest, "-")
    guard isNegative || skip(&rest, "+"), let hours = number(&rest, 2), hours < 24 else {
      return nil
    }
    _ = skip(&rest, ":")
    guard let minutes = rest.isEmpty ? 0 : number(&rest, 2), minutes < 60 else { return nil }
    return (hours * 3600 + minutes * 60) * (isNegative ? -1 : 1)
  }

  private static func seconds(_ text: ArraySlice<UInt8>) -> Timestamp? {
    let parts = String(decoding: text, as: UTF8.self).split(separator: ":")
    guard parts.count == 2, let seconds = Int64(parts[0]), let rest = Int32(parts[1]),
      rest.magnitude < 1_000_000_000, seconds == 0 || rest == 0 || (seconds < 0) == (rest < 0)
    else { return nil }
    return Timestamp(seconds: seconds, nanoseconds: rest)
  }

  // MARK: The calendar

  private static func padded(_ number: Int64, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(count - digits.count, 0)) + digits
  }

  private static func floored(_ number: Int64, _ divisor: Int64) -> Int64 {
    number >= 0 ? number / divisor : (number - divisor + 1) / divisor
  }

  /// The date of a day counted from 1970. Years begin in March, so the leap day is the last.
  private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = floored(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let isNext = month >= 10
    return (
      era * 400 + year + (isNext ? 1 : 0), isNext ? month - 9 : month + 3,
      dayOfYear - (153 * month + 2) / 5 + 1
    )
  }

  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = floored(year, 400)
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func length(ofMonth month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func number(_ rest: inout ArraySlice<UInt8>, _ count: Int) -> Int64? {
    guard rest.count >= count else { return nil }
    var number: Int64 = 0
    for byte in rest.prefix(count) {
      guard byte ^ 0x30 < 10 else { return nil }
      number = number * 10 + Int64(byte ^ 0x30)
    }
    rest = rest.dropFirst(count)
    return number
  }

  private static func skip(_ rest: inout ArraySlice<UInt8>, _ byte: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: byte) else { return false }
    rest = rest.dropFirst()
    return true
  }
}
