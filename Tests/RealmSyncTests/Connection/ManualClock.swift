// SPDX-License-Identifier: Apache-2.0

// A clock that a test sets.

import RealmStorage
import RealmSync
import RealmSyncProtocol

/// A clock whose time passes only by `advance(by:)`.
final class ManualClock: Sendable {
  private struct Sleeper {
    let id: Int
    let until: Milliseconds
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var now: Milliseconds = 1_000
    var sleepers: [Sleeper] = []
    var lastID = 0
    /// The sleepers that were cancelled before they slept.
    var cancelled: Set<Int> = []
  }

  private let state = Locked(State())

  var clock: SyncClock {
    SyncClock(
      now: { self.state.withLock { $0.now } },
      sleep: { (time) async throws(CancellationError) in
        if await !self.sleep(until: time) { throw CancellationError() }
      })
  }

  /// How long until the next sleeper wakes up.
  var next: Milliseconds? {
    state.withLock { state in state.sleepers.map(\.until).min().map { $0 - state.now } }
  }

  func advance(by time: Milliseconds) {
    let due = state.withLock { state in
      state.now += time
      let due = state.sleepers.filter { $0.until <= state.now }
      state.sleepers.removeAll { $0.until <= state.now }
      return due
    }
    for sleeper in due { sleeper.continuation.resume(returning: true) }
  }

  private func sleep(until time: Milliseconds) async -> Bool {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let result: Bool? = state.withLock { state in
          if state.cancelled.remove(id) != nil { return false }
          if time <= state.now { return true }
          state.sleepers.append(Sleeper(id: id, until: time, continuation: continuation))
          return nil
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(returning: false)
    }
  }
}
