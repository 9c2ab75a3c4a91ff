// SPDX-License-Identifier: Apache-2.0

// Waking connections at their times: a sleeping task for each silent client would cost more memory
// than the rest of its timer.
//
// 1. While there are alarms, a task sleeps until the earliest of them, `nextTime`.
// 2. Alarms are not withdrawn: an ended connection leaves a weak reference until its time.

import RealmStorage
package import RealmSyncProtocol

/// Wakes connections, with one sleeping task for all of them.
package final class ConnectionAlarms: Sendable {
  private struct Alarm {
    weak var driver: ServerDriver?
  }

  private struct State {
    var alarms: [Milliseconds: [Alarm]] = [:]
    var nextTime: Milliseconds?
  }

  private let timer: SyncClock
  private let granularity: Milliseconds
  private let state = Locked(State())

  /// - Parameter granularity: Alarms may come late by less than this, so alarms of many connections
  ///   fall together.
  package init(timer: SyncClock, granularity: Milliseconds = 1) {
    precondition(granularity > 0, "a granularity that is not positive")
    self.timer = timer
    self.granularity = granularity
  }

  /// Wakes a connection at a time, if it still lives then.
  func set(_ driver: ServerDriver, at time: Milliseconds) {
    let time = (time + granularity - 1) / granularity * granularity
    let isFirst = state.withLock { state in
      state.alarms[time, default: []].append(Alarm(driver: driver))
      guard state.nextTime.map({ time < $0 }) ?? true else { return false }
      state.nextTime = time
      return true
    }
    if isFirst { sleep(until: time) }
  }

  private func sleep(until time: Milliseconds) {
    // Detached: it would keep copies of the values of the connection's task.
    Task.detached { [weak self, timer] in
      try? await timer.sleep(time)
      await self?.wake(from: time)
    }
  }

  /// Wakes the connections whose time has come, after a sleep until `time`.
  private func wake(from time: Milliseconds) async {
    let now = max(time, timer.now())
    let (due, next) = state.withLock { state in
      let times = state.alarms.keys.filter { $0 <= now }.sorted()
      let due = times.flatMap { state.alarms.removeValue(forKey: $0) ?? [] }
      // After an earlier alarm the overtaken task leaves the next one to the other.
      guard state.nextTime.map({ $0 <= now }) ?? true else { return (due, Milliseconds?.none) }
      state.nextTime = state.alarms.keys.min()
      return (due, state.nextTime)
    }
    if let next { sleep(until: next) }
    for alarm in due { await alarm.driver?.deliver(.timer) }
  }
}
