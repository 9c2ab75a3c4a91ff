// SPDX-License-Identifier: Apache-2.0

// Numbers and times in query strings.

import RealmText

extension QueryLexer {
  /// A time if it is one, else a number.
  mutating func number() throws(QuerySyntaxError) -> QueryToken.Kind {
    if let date = try date() { return date }
    let start = position
    if let number = try prefixedNumber() { return number }
    var text = take(while: isDigit)
    var isWhole = true
    if current == ".", isDigit(peek(1)) || endsNumber(peek(1)) {
      isWhole = false
      position += 1
      let fraction = take(while: isDigit)
      if !fraction.isEmpty { text += "." + fraction }
    }
    if current == "e" || current == "E" {
      let sign = peek(1) == "-" || peek(1) == "+" ? 1 : 0
      if isDigit(peek(1 + sign)) {
        isWhole = false
        text += "e" + (peek(1) == "-" ? "-" : "")
        position += 1 + sign
        text += take(while: isDigit)
      }
    }
    if isWhole, let value = Int64(text) { return .integer(value) }
    if text.hasPrefix(".") { text = "0" + text }
    guard let value = Double(text) else {
      throw error(at: start, expected: "a number")
    }
    return text.prefix { $0 != "e" }.count > 16 ? .longNumber(text) : .number(value)
  }

  /// `0x1F`, `0b101` and `0o17`; nil for what is none, such as the digits of an id.
  private mutating func prefixedNumber() throws(QuerySyntaxError) -> QueryToken.Kind? {
    guard current == "0", let radix = QueryLexer.radixes[peek(1) ?? " "] else { return nil }
    let start = position
    position += 2
    let digits = take(while: \.properties.isASCIIHexDigit)
    if let value = Int64(digits, radix: radix) { return .integer(value) }
    guard radix != 16 else {
      throw error(at: start, expected: "a hexadecimal number of at most 63 bits")
    }
    position = start
    return nil
  }

  private static let radixes: [Unicode.Scalar: Int] = [
    "x": 16, "X": 16, "b": 2, "B": 2, "o": 8, "O": 8,
  ]

  /// Whether a point in front of what is next belongs to the number before it.
  private func endsNumber(_ next: Unicode.Scalar?) -> Bool {
    guard let next else { return true }
    return next.properties.isWhitespace || ")},]".unicodeScalars.contains(next)
  }

  // MARK: Times

  /// `T1600000000:5`: seconds and nanoseconds since 1970.
  mutating func secondsTime() -> QueryToken.Kind? {
    let start = position
    position += 1
    guard let seconds = signedInteger(), take(":"), let nanoseconds = signedInteger(),
      nanoseconds.magnitude < 1_000_000_000
    else {
      position = start
      return nil
    }
    return QueryLexer.time(seconds, nanoseconds)
  }

  /// Seconds and nanoseconds of one sign.
  private static func time(_ seconds: Int64, _ nanoseconds: Int64) -> QueryToken.Kind {
    if seconds < 0, nanoseconds > 0 {
      return .time(seconds + 1, Int32(nanoseconds - 1_000_000_000))
    }
    if seconds > 0, nanoseconds < 0 {
      return .time(seconds - 1, Int32(nanoseconds + 1_000_000_000))
    }
    return .time(seconds, Int32(nanoseconds))
  }

  /// `2020-02-28@13:05:00:7`, also with `T` for `@`; the nanoseconds may be left out, or be a
  /// fraction after a point, and `Z` or `+02:00` may follow. `2020-02-28` is its first second.
  ///
  /// Nil for a number.
  private mutating func date() throws(QuerySyntaxError) -> QueryToken.Kind? {
    let start = position
    guard let year = integer(digits: 4), take("-"), let month = integer(digits: 2), take("-"),
      let day = integer(digits: 2), !isDigit(current)
    else {
      position = start
      return nil
    }
    var seconds: Int64? = 0
    var nanoseconds: Int64? = 0
    if take("@") || take("T") {
      seconds = timeOfDay()
      nanoseconds = take(":") ? signedInteger() : take(".") ? fraction() : 0
      if let offset = zone() { seconds? -= offset }
    }
    guard let seconds, let nanoseconds, (0..<1_000_000_000).contains(nanoseconds),
      let date = CalendarDay(year: year, month: month, day: day)
    else { throw error(at: start, expected: "a date such as 2020-02-28 or 2020-02-28@13:05:00") }
    return QueryLexer.time(date.daysSince1970 * 86_400 + seconds, nanoseconds)
  }

  private mutating func timeOfDay() -> Int64? {
    guard let hour = signedInteger(), take(":"), let minute = signedInteger(), take(":"),
      let second = signedInteger(), (0...23).contains(hour), (0...59).contains(minute),
      (0...60).contains(second)
    else { return nil }
    return (hour * 60 + minute) * 60 + second
  }

  /// Nanoseconds; digits beyond the ninth do not count.
  private mutating func fraction() -> Int64? {
    let digits = take(while: isDigit)
    guard !digits.isEmpty else { return nil }
    return Int64(digits.prefix(9) + String(repeating: "0", count: max(9 - digits.count, 0)))
  }

  /// The seconds by which a zone is ahead of the universal time.
  private mutating func zone() -> Int64? {
    if take("Z") || take("z") { return 0 }
    let start = position
    let isAhead = take("+")
    if isAhead || take("-"), let hour = integer(digits: 2) {
      _ = take(":")
      if let minute = integer(digits: 2), hour <= 18, minute <= 59 {
        return (hour * 60 + minute) * (isAhead ? 60 : -60)
      }
    }
    position = start
    return nil
  }

  private mutating func signedInteger() -> Int64? {
    let isNegative = take("-")
    let digits = take(while: isDigit)
    return Int64((isNegative ? "-" : "") + digits)
  }

  private mutating func integer(digits count: Int) -> Int64? {
    guard position + count <= scalars.count,
      scalars[position..<position + count].allSatisfy(isDigit)
    else { return nil }
    let digits = scalars[position..<position + count]
    position += count
    return digits.reduce(0) { $0 * 10 + Int64($1.value) - 48 }
  }
}
