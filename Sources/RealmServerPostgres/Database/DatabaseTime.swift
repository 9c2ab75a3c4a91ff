// SPDX-License-Identifier: Apache-2.0

// The time of day that all servers of a database share.

#if Postgres
import RealmStorage

/// Tells the database's time of day without a call to it.
///
/// Tokens that one server signs and another one checks are dated, and the clocks of their machines
/// may differ. The time is the one that the database last gave, and what the monotonic clock of the
/// machine has measured since.
package final class DatabaseTime: Sendable {
  /// A time of the database.
  private struct Reading {
    /// Milliseconds since 1970.
    var time: Int64
    /// The monotonic time at which it was read.
    var moment: Int
  }

  /// After a longer call, in milliseconds, it is not known when the database looked at its clock.
  private static let callMax = 1_000

  private let clock: BlockingClock
  private let last = Locked<Reading?>(nil)

  init(by clock: BlockingClock) { self.clock = clock }

  /// Milliseconds since 1970; nil before the database gave a time. May be used on any thread, and
  /// goes back where the clock of the database does.
  package func now() -> Int64? {
    guard let last = last.withLock({ $0 }) else { return nil }
    return last.time + Int64(clock.now() - last.moment)
  }

  /// Takes the result of `Statements.time`.
  ///
  /// - Parameter asked: The monotonic time before the call.
  func learn(_ rows: DatabaseRows, asked: Int) {
    guard let time = rows.first.flatMap({ DatabaseRowReader($0).optionalInteger(0) }) else {
      return
    }
    let length = clock.now() - asked
    last.withLock { last in
      guard last == nil || length <= Self.callMax else { return }
      last = Reading(time: time, moment: asked + length / 2)
    }
  }
}
#endif
