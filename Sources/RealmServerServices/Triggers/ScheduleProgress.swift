// SPDX-License-Identifier: Apache-2.0

// The due run of a schedule, by a clock with jumps.
//
// Invariants:
// 1. No minute of the schedule runs twice, unless the clock was set back by more than a day.
// 2. Of missed runs the last one is made up for, or none.

#if Server
/// How far a schedule has come. All times are minutes since 1970.
struct ScheduleProgress: Hashable, Sendable {
  /// A clock set back further starts the schedule again: it would wait for long otherwise.
  static let backwardMax: Int64 = 1_440
  /// A later run was missed.
  static let delayMax: Int64 = 1

  /// The next thing to do.
  enum Step: Hashable, Sendable {
    case run(Int64)
    case wait(until: Int64)
    /// No run comes any more.
    case end
  }

  /// The last minute whose run is over, or was left out.
  var done: Int64

  /// The next step. Runs left out are done.
  ///
  /// - Parameter skipsMissed: Whether no missed run is made up for.
  mutating func step(_ schedule: CronSchedule, now: Int64, skipsMissed: Bool) -> Step {
    if now < done - Self.backwardMax { done = now }
    if let due = schedule.last(upTo: now, after: done) {
      guard skipsMissed, now - due > Self.delayMax else { return .run(due) }
      done = due
    }
    return schedule.next(after: done).map { .wait(until: $0) } ?? .end
  }
}
#endif
