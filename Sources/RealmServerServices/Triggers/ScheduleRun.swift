// SPDX-License-Identifier: Apache-2.0

// The run of a trigger on times.
//
// Invariants:
// 1. A minute is done once its call returned without an error, or was left out; a server that ends
//    before makes up for it.

#if Server
import RealmFormats
import RealmServerEngine
import RealmSyncProtocol

/// Calls a function at the times of a schedule.
struct ScheduleRun {
  /// The clock of the machine may be set while a schedule sleeps.
  private static let sleepMax: Milliseconds = 15_000
  private static let millisecondsPerMinute: Int64 = 60_000

  private let context: TriggerContext
  private let schedule: CronSchedule
  private var progress: ScheduleProgress

  init(_ context: TriggerContext, _ schedule: CronSchedule, after minute: Int64) {
    self.context = context
    self.schedule = schedule
    progress = ScheduleProgress(done: minute)
  }

  /// A minute since 1970.
  static func minute(of time: OriginTimestamp) -> Int64 {
    time.unixMilliseconds / millisecondsPerMinute
  }

  /// Runs until the task is cancelled, or the trigger cannot go on.
  mutating func run() async throws(TriggerStop) {
    while true {
      let now = context.clock.now()
      let before = progress
      let step = progress.step(
        schedule, now: Self.minute(of: now), skipsMissed: context.settings.skipsCatchUp)
      if progress.done < before.done {
        context.report("the clock was set back by more than a day: the schedule begins anew")
      }
      if progress != before { await store() }
      switch step {
      case .run(let minute):
        try await context.deliver(Self.event(minute, at: now))
        progress.done = minute
        await store()
      case .wait(let minute): try await wait(until: minute, from: now)
      case .end: throw .suspended("no time of its schedule comes any more")
      }
      if Task.isCancelled { throw .cancelled }
    }
  }

  private static func event(_ minute: Int64, at now: OriginTimestamp) -> BSONValue {
    .document([
      BSONElement("scheduledTime", .date(unixMilliseconds: minute * millisecondsPerMinute)),
      BSONElement("time", .date(unixMilliseconds: now.unixMilliseconds)),
    ])
  }

  private func wait(until minute: Int64, from now: OriginTimestamp) async throws(TriggerStop) {
    let due = minute * Self.millisecondsPerMinute
    context.update { $0.nextRun = OriginTimestamp(unixMilliseconds: due) }
    let left = Milliseconds(clamping: max(due - now.unixMilliseconds, 1))
    do throws(CancellationError) {
      try await context.timer.sleep(context.timer.now() + min(left, Self.sleepMax))
    } catch {
      throw .cancelled
    }
  }

  private func store() async {
    do throws(StoreError) {
      try await context.store.set(number: progress.done, of: context.name)
    } catch {
      context.report("its position cannot be stored: \(error)")
    }
  }
}
#endif
