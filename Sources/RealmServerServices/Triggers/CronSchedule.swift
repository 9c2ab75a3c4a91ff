// SPDX-License-Identifier: Apache-2.0

// Times of a schedule: cron expressions of five fields, in UTC.
//
// A field is `*`, a number, a range `a-b`, or a list of these with commas; `/n` after `*` or a
// range takes each n-th of it. Months and days of the week may have their English names of three
// letters; Sunday is 0 and 7. If neither the day of the month nor the day of the week begins with
// `*`, a day needs one of the two.

#if Server
import RealmText

/// The mistake in a cron expression.
package struct CronError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

/// The minutes of a cron expression.
package struct CronSchedule: Hashable, Sendable {
  package let text: String
  private let minutes: UInt64
  private let hours: UInt64
  private let days: UInt64
  private let months: UInt64
  private let weekdays: UInt64
  /// Whether a day needs one of its two conditions, and not both.
  private let needsOneDay: Bool

  package init(_ text: String) throws(CronError) {
    self.text = text
    let fields = text.split(separator: " ").map(String.init)
    guard text.utf8.count <= 256, fields.count == 5 else {
      throw CronError(
        description: "a schedule has five fields: minute, hour, day, month, day of the week")
    }
    minutes = try CronField(fields[0], "minute", 0...59).bits
    hours = try CronField(fields[1], "hour", 0...23).bits
    days = try CronField(fields[2], "day", 1...31).bits
    months = try CronField(fields[3], "month", 1...12, names: CronField.months).bits
    let week = try CronField(fields[4], "day of the week", 0...7, names: CronField.weekdays).bits
    weekdays = week >> 7 & 1 | week & 0x7F
    needsOneDay = !fields[2].hasPrefix("*") && !fields[4].hasPrefix("*")
    guard next(after: 0) != nil else {
      throw CronError(description: "no day is in the schedule: its month has no such day")
    }
  }

  /// The first minute of the schedule after a minute, both since 1970; nil if none comes.
  package func next(after minute: Int64) -> Int64? {
    let start = minute + 1
    var day = start.flooredQuotient(1_440)
    var first = Int(start - day * 1_440)
    // A day of February may be eight years away.
    for _ in 0..<(366 * 9) {
      if isIn(day), let found = minuteOfDay(from: first) { return day * 1_440 + Int64(found) }
      day += 1
      first = 0
    }
    return nil
  }

  /// The last minute of the schedule up to a minute, if it is after another; nil if there is none.
  package func last(upTo minute: Int64, after first: Int64) -> Int64? {
    var day = minute.flooredQuotient(1_440)
    var end = Int(minute - day * 1_440)
    let firstDay = first.flooredQuotient(1_440)
    for _ in 0..<(366 * 9) where day >= firstDay {
      if isIn(day), let found = minuteOfDay(upTo: end) {
        let found = day * 1_440 + Int64(found)
        return found > first ? found : nil
      }
      day -= 1
      end = 1_439
    }
    return nil
  }

  private func minuteOfDay(from first: Int) -> Int? {
    for hour in first / 60..<24 where hours.has(hour) {
      let start = hour == first / 60 ? first % 60 : 0
      if let minute = (start..<60).first(where: { minutes.has($0) }) { return hour * 60 + minute }
    }
    return nil
  }

  private func minuteOfDay(upTo last: Int) -> Int? {
    for hour in (0...last / 60).reversed() where hours.has(hour) {
      let end = hour == last / 60 ? last % 60 : 59
      if let minute = (0...end).last(where: { minutes.has($0) }) { return hour * 60 + minute }
    }
    return nil
  }

  /// Whether a day since 1970 is one of the schedule.
  private func isIn(_ day: Int64) -> Bool {
    let date = CalendarDay(daysSince1970: day)
    guard months.has(Int(date.month)) else { return false }
    // The first day was a Thursday.
    let weekday = Int(day + 4 - (day + 4).flooredQuotient(7) * 7)
    let (isDay, isWeekday) = (days.has(Int(date.day)), weekdays.has(weekday))
    return needsOneDay ? isDay || isWeekday : isDay && isWeekday
  }
}

extension UInt64 {
  fileprivate func has(_ bit: Int) -> Bool { self >> UInt64(bit) & 1 == 1 }
}

extension Int64 {
  fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}

/// One field of a cron expression.
private struct CronField {
  static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  private let name: String
  private let range: ClosedRange<Int>
  private let names: [String]
  private(set) var bits: UInt64 = 0

  init(
    _ text: String, _ name: String, _ range: ClosedRange<Int>, names: [String] = []
  ) throws(CronError) {
    self.name = name
    self.range = range
    self.names = names
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      try add(String(part))
    }
  }

  private func mistake(_ part: String) -> CronError {
    CronError(
      description: "the \(name) \"\(part)\" is none: give *, numbers from \(range.lowerBound) to "
        + "\(range.upperBound), ranges, and steps like */5")
  }

  private mutating func add(_ part: String) throws(CronError) {
    let halves = part.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    var step = 1
    if halves.count == 2 {
      guard let number = Self.number(halves[1]), number > 0 else { throw mistake(part) }
      step = number
    }
    guard halves.count <= 2, let (first, last) = bounds(halves[0], hasStep: halves.count == 2),
      first <= last
    else { throw mistake(part) }
    for value in stride(from: first, through: last, by: step) { bits |= 1 << UInt64(value) }
  }

  private func bounds(_ text: String, hasStep: Bool) -> (Int, Int)? {
    // Sunday has two numbers, of which all days need one.
    if text == "*" { return (range.lowerBound, range.upperBound == 7 ? 6 : range.upperBound) }
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map {
      value(String($0))
    }
    switch ends.count {
    case 1: return hasStep ? nil : ends[0].map { ($0, $0) }
    case 2:
      guard let first = ends[0], let last = ends[1] else { return nil }
      return (first, last)
    default: return nil
    }
  }

  private func value(_ text: String) -> Int? {
    if let index = names.firstIndex(of: text.lowercased()) {
      return index + range.lowerBound
    }
    return Self.number(text).flatMap { range.contains($0) ? $0 : nil }
  }

  private static func number(_ text: String) -> Int? {
    guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return Int(text)
  }
}
#endif
