// SPDX-License-Identifier: Apache-2.0

// The memory of a test's connections.

import RealmServerEngine
import RealmStorage

/// Memory whose room a test sets.
package final class TestMemory: ConnectionMemory {
  private struct State {
    var room = Int.max
    var isTight = false
    var held: [Int] = []
    var reserved = 0
    var hasEnded = false
    var waiters: [CheckedContinuation<Void, Never>] = []
    var uploads: [(session: UInt64, isFound: @Sendable () -> Void)] = []
  }

  private let state = Locked(State())

  package init() {}

  /// What the connection has noted, one after the other.
  package var held: [Int] { state.withLock { $0.held } }
  /// The room that is taken.
  package var reserved: Int { state.withLock { $0.reserved } }
  /// Those who wait for room.
  package var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Sets whether connections should take no more.
  package func setTight(_ isTight: Bool) { state.withLock { $0.isTight = isTight } }

  /// Sets the room, and wakes those who wait for some.
  package func setRoom(_ room: Int) {
    let waiters = state.withLock { state in
      state.room = room
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  package func hold(_ byteCount: Int) -> Bool {
    state.withLock { state in
      if state.held.last != byteCount { state.held.append(byteCount) }
      return state.isTight
    }
  }

  package func reserve(_ byteCount: Int) -> Bool {
    state.withLock { state in
      guard state.reserved + byteCount <= state.room else { return false }
      state.reserved += byteCount
      return true
    }
  }

  package func release(_ byteCount: Int) { state.withLock { $0.reserved -= byteCount } }

  package func waitForRoom(_ byteCount: Int) async {
    await withCheckedContinuation { waiter in
      let isWaiting = state.withLock { state in
        guard !state.hasEnded, state.room < byteCount else { return false }
        state.waiters.append(waiter)
        return true
      }
      if !isWaiting { waiter.resume() }
    }
  }

  // MARK: Uploads

  /// The sessions that have asked for room and not given it back.
  package var uploads: [UInt64] { state.withLock { $0.uploads.map(\.session) } }

  /// Gives room to the first session that has asked for it.
  package func giveUploadRoom() { state.withLock { $0.uploads.first }?.isFound() }

  package func takeUploadRoom(
    _ byteCount: Int, for session: UInt64, isFound: @escaping @Sendable () -> Void
  ) { state.withLock { $0.uploads.append((session, isFound)) } }

  package func giveUploadRoomBack(of session: UInt64) {
    state.withLock { state in state.uploads.removeAll { $0.session == session } }
  }

  package func end() {
    state.withLock { $0.hasEnded = true }
    setRoom(.max)
  }
}
