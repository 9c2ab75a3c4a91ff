// SPDX-License-Identifier: Apache-2.0

// Dates with nanoseconds, and without Foundation's rounding.

package import RealmStorage
import RealmText

/// Conversion of dates to and from strings such as `2026-02-28T13:05:00.25Z`.
package enum DateText {
  /// The string of a date, in UTC; `T1600000000:5` beyond the years 1 to 9999.
  package static func string(_ date: Timestamp, _ notation: ValueText = .file) -> String {
    if notation == .seconds { return "\(date.seconds):\(date.nanoseconds)" }
    guard let time = CalendarTime(seconds: date.seconds, nanoseconds: date.nanoseconds) else {
      return "T\(date.seconds):\(date.nanoseconds)"
    }
    let isWhole = time.nanoseconds == 0
    return notation == .file
      ? "\(time.day.text)T\(time.timeOfDay)\(isWhole ? "" : "." + time.fraction)Z"
      : "\(time.day.text)@\(time.timeOfDay)\(isWhole ? "" : ":\(time.nanoseconds)")"
  }

  /// The date of a string: seconds and nanoseconds in their notation; otherwise a day, a day and a
  /// time (UTC unless it has an offset), or `T<seconds>:<nanoseconds>`. Nil for others.
  ///
  /// Days of files may also be `31.12.2024`.
  package static func date(_ text: String, _ notation: ValueText = .file) -> Timestamp? {
    if notation == .seconds { return seconds(text) }
    var rest = Array(text.utf8)[...]
    if rest.first == UInt8(ascii: "T") { return seconds(text.dropFirst()) }
    guard let date = day(&rest) ?? (notation == .file ? dottedDay(&rest) : nil) else { return nil }
    var seconds = date.daysSince1970 * 86_400
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
        seconds: seconds + 1, nanoseconds: Int32(nanoseconds - CalendarTime.nanosecondsPerSecond))
    }
    return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }

  /// A day such as `2024-12-31`; nil, and nothing passed, for another text.
  private static func day(_ rest: inout ArraySlice<UInt8>) -> CalendarDay? {
    var text = rest
    guard let year = number(&text, 4), skip(&text, "-"), let month = number(&text, 2),
      skip(&text, "-"), let day = number(&text, 2), year > 0
    else { return nil }
    rest = text
    return CalendarDay(year: year, month: month, day: day)
  }

  /// A day such as `31.12.2024` or `1.2.2024`; nil, and nothing passed, for another text.
  private static func dottedDay(_ rest: inout ArraySlice<UInt8>) -> CalendarDay? {
    var text = rest
    guard let day = number(&text, 2) ?? number(&text, 1), skip(&text, "."),
      let month = number(&text, 2) ?? number(&text, 1), skip(&text, "."),
      let year = number(&text, 4), year > 0
    else { return nil }
    rest = text
    return CalendarDay(year: year, month: month, day: day)
  }

  /// The offset from UTC at the end of a date, in seconds. A space may be before it.
  private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    if rest.isEmpty { return 0 }
    _ = skip(&rest, " ")
    if skip(&rest, "Z") || skip(&rest, "z") { return 0 }
    if rest.elementsEqual("UTC".utf8) || rest.elementsEqual("GMT".utf8) {
      rest = []
      return 0
    }
    let isNegative = skip(&rest, "-")
    guard isNegative || skip(&rest, "+"), let hours = number(&rest, 2), hours < 24 else {
      return nil
    }
    _ = skip(&rest, ":")
    guard let minutes = rest.isEmpty ? 0 : number(&rest, 2), minutes < 60 else { return nil }
    return (hours * 3600 + minutes * 60) * (isNegative ? -1 : 1)
  }

  private static func seconds(_ text: some StringProtocol) -> Timestamp? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let seconds = Int64(parts[0]), let rest = Int32(parts[1]),
      rest.magnitude < 1_000_000_000, seconds == 0 || rest == 0 || (seconds < 0) == (rest < 0)
    else { return nil }
    return Timestamp(seconds: seconds, nanoseconds: rest)
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
