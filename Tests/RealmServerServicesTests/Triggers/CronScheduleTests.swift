// SPDX-License-Identifier: Apache-2.0

// Schedules against a plain model, with clocks that jump.

#if Server
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

@testable import RealmServerServices

struct CronScheduleTests {
  /// The minute of a date.
  private static func minute(
    _ year: Int64, _ month: Int64, _ day: Int64, _ time: Int64 = 0
  )
    throws -> Int64
  {
    try #require(CalendarDay(year: year, month: month, day: day)).daysSince1970 * 1_440 + time
  }

  @Test func timesAreThoseOfTheFields() throws {
    let start = try Self.minute(2026, 11, 26, 700)
    for (text, expected) in [
      ("* * * * *", start + 1),
      ("0 * * * *", try Self.minute(2026, 11, 26, 720)),
      ("30 11 * * *", try Self.minute(2026, 11, 27, 690)),
      ("*/15 8-10 * * *", try Self.minute(2026, 11, 27, 480)),
      ("0 0 1 jan *", try Self.minute(2027, 1, 1)),
      // The 26th is a Thursday.
      ("0 0 * * mon", try Self.minute(2026, 11, 30)),
      ("0 0 * * 7", try Self.minute(2026, 11, 29)),
      ("0 0 * * 0", try Self.minute(2026, 11, 29)),
      ("0 0 13 * fri", try Self.minute(2026, 11, 27)),
      ("0 0 */2 * sun", try Self.minute(2026, 11, 29)),
      ("0 0 29 2 *", try Self.minute(2028, 2, 29)),
      ("59 23 31 12 *", try Self.minute(2026, 12, 31, 1_439)),
      ("5,7-9,20-30/5 12 * * *", try Self.minute(2026, 11, 26, 725)),
    ] {
      try expectEqual(CronSchedule(text).next(after: start), expected, "\(text)")
    }
  }

  @Test(arguments: [
    "", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *",
    "* * * * 8", "a * * * *", "1-0 * * * *", "*/0 * * * *", "1/2 * * * *", "1--2 * * * *",
    ", * * * *", "* * 30 2 *", "* * 31 4,6,9,11 *", "99999 * * * *", "*/2/3 * * * *",
    "@daily", "-1 * * * *",
  ])
  func whatIsNoScheduleIsRefused(_ text: String) {
    #expect(throws: CronError.self) { try CronSchedule(text) }
  }

  // MARK: Models

  /// The fields of a schedule, as sets.
  private struct Model {
    var sets: [Set<Int>] = []
    var isAny: [Bool] = []
    var text = ""

    init(_ generator: inout SeededGenerator) {
      let ranges = [0...59, 0...23, 1...31, 1...12, 0...6]
      for range in ranges {
        var set: Set<Int> = []
        var texts: [String] = []
        let any = generator.chance(0.4)
        if any {
          let step = generator.chance(0.5) ? 1 : Int.random(in: 1...7, using: &generator)
          texts = [step == 1 ? "*" : "*/\(step)"]
          set.formUnion(stride(from: range.lowerBound, through: range.upperBound, by: step))
        } else {
          for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let (a, b) = (
              Int.random(in: range, using: &generator), Int.random(in: range, using: &generator)
            )
            texts.append(a == b ? "\(a)" : "\(min(a, b))-\(max(a, b))")
            set.formUnion(min(a, b)...max(a, b))
          }
        }
        sets.append(set)
        isAny.append(any)
        text += (text.isEmpty ? "" : " ") + texts.joined(separator: ",")
      }
    }

    func has(_ minute: Int64) -> Bool {
      let (day, rest) = (minute / 1_440, Int(minute % 1_440))
      let date = CalendarDay(daysSince1970: day)
      let weekday = Int((day + 4) % 7)
      let (isDay, isWeekday) = (sets[2].contains(Int(date.day)), sets[4].contains(weekday))
      return sets[0].contains(rest % 60) && sets[1].contains(rest / 60)
        && sets[3].contains(Int(date.month))
        && (isAny[2] || isAny[4] ? isDay && isWeekday : isDay || isWeekday)
    }
  }

  @Test func nextAndLastAgreeWithAModel() throws {
    for seed in 1...30 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let model = Model(&generator)
      guard let schedule = try? CronSchedule(model.text) else { continue }
      let start = Int64.random(in: 20_000_000...35_000_000, using: &generator)
      let end = start + 10 * 1_440
      let expected = (start + 1...end).first(where: model.has)
      let next = try #require(schedule.next(after: start))
      #expect(expected.map { $0 == next } ?? (next > end), "\(model.text), seed \(seed)")
      let last = (start...end).last { $0 > start && model.has($0) }
      expectEqual(schedule.last(upTo: end, after: start), last, "\(model.text), seed \(seed)")
    }
  }

  /// Each minute of the schedule runs once; after a pause the last one does, or none. The model
  /// knows which minutes ran, and nothing of the code's state.
  /// `ScheduleProgress` 1 and 2
  @Test func clocksThatJumpRunNothingTwice() throws {
    for seed in 1...80 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let texts = ["* * * * *", "*/7 * * * *", "13 */2 * * *", "0 3 * * *"]
      let schedule = try CronSchedule(texts[Int.random(in: 0..<texts.count, using: &generator)])
      let skips = generator.chance(0.3)
      var now = Int64(25_000_000)
      var progress = ScheduleProgress(done: now)
      var ran: Set<Int64> = []
      var highest = now
      for _ in 0..<400 {
        let before = now
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: now -= Int64.random(in: 1...ScheduleProgress.backwardMax / 2, using: &generator)
        case 1: now += Int64.random(in: 2...3_000, using: &generator)
        default: now += 1
        }
        // As a whole, it is set back by less than a day.
        now = max(now, highest - ScheduleProgress.backwardMax)
        var runs: [Int64] = []
        stepping: while true {
          switch progress.step(schedule, now: now, skipsMissed: skips) {
          case .run(let minute):
            runs.append(minute)
            progress.done = minute
          case .wait(let minute):
            expectTrue(minute > progress.done)
            expectTrue(minute > now)
            break stepping
          case .end:
            Issue.record("no minute comes")
            return
          }
        }
        expectTrue(runs.count <= 1, "seed \(seed)")
        for minute in runs {
          expectTrue(ran.insert(minute).inserted, "\(minute) ran twice, seed \(seed)")
          expectTrue(minute <= now, "seed \(seed)")
          expectTrue(minute > highest, "seed \(seed)")
          expectEqual(schedule.last(upTo: now, after: highest), minute, "seed \(seed)")
        }
        // What is due and was not missed runs.
        let due = schedule.last(upTo: now, after: max(highest, before))
        if let due, now - due <= ScheduleProgress.delayMax || !skips {
          expectEqual(runs, [due], "seed \(seed)")
        }
        highest = max(highest, now)
      }
    }
  }

  @Test func aClockThatWasFarAheadDoesNotSilenceASchedule() throws {
    let schedule = try CronSchedule("0 * * * *")
    var progress = ScheduleProgress(done: 30_000_000)
    let now = Int64(25_000_000)
    guard case .wait(let next) = progress.step(schedule, now: now, skipsMissed: false) else {
      Issue.record("it runs at once")
      return
    }
    expectTrue(next - now <= 60)
    expectEqual(progress.done, now)
  }
}
#endif
