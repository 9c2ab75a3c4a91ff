// SPDX-License-Identifier: Apache-2.0

// The users of an open realm.

import RealmStorage
import RealmSyncProtocol

/// Counts the users of a realm, and keeps the time when the last of them left.
final class RealmUsers: Sendable {
  private struct State {
    var count = 0
    var lastUse: OriginTimestamp
  }

  private let clock: ServerClock
  private let state: Locked<State>

  init(_ clock: ServerClock) {
    self.clock = clock
    state = Locked(State(lastUse: clock.now()))
  }

  /// The time since when the realm is not used; nil while it is.
  var idleSince: OriginTimestamp? {
    state.withLock { $0.count == 0 ? $0.lastUse : nil }
  }

  /// One use, until the last reference to the result is gone.
  func begin() -> RealmUse {
    state.withLock { $0.count += 1 }
    return RealmUse(of: self)
  }

  fileprivate func end() {
    let now = clock.now()
    state.withLock { state in
      state.count -= 1
      state.lastUse = now
    }
  }
}

/// Keeps a realm open as long as it lives.
package final class RealmUse: Sendable {
  private let users: RealmUsers

  fileprivate init(of users: RealmUsers) { self.users = users }

  deinit { users.end() }
}
