// SPDX-License-Identifier: Apache-2.0

// The uses of an open realm.
//
// Invariants:
// 1. A use that asks for it hears once that the realm was closed, if it is there still.

import RealmStorage
import RealmSyncProtocol

/// Counts the uses of a realm, and keeps the time when the last one of each kind ended.
final class RealmUsers: Sendable {
  /// What a use needs, from little to much.
  enum Kind: Int, CaseIterable, Sendable {
    /// The realm of any server.
    case reader
    /// The realm of this server, for a session that another one has forwarded.
    case forwarded
    /// The realm of this server, for what this one was asked for.
    case owner
  }

  private struct State {
    var counts = Kind.allCases.map { _ in 0 }
    var lastUses: [OriginTimestamp]
    /// Whether the closing was the end; nil if there was none.
    var closing: Bool?
    var closers: [Int: @Sendable (_ isEnd: Bool) -> Void] = [:]
    var lastNumber = 0
  }

  private let clock: ServerClock
  private let onLeave: @Sendable () -> Void
  private let state: Locked<State>

  /// - Parameter onLeave: Is called when the last use as the owner has ended.
  init(_ clock: ServerClock, onLeave: @escaping @Sendable () -> Void = {}) {
    self.clock = clock
    self.onLeave = onLeave
    let now = clock.now()
    state = Locked(State(lastUses: Kind.allCases.map { _ in now }))
  }

  /// The time since when the realm has no use of a kind or of one that needs more; nil if it has.
  func idleSince(_ kind: Kind) -> OriginTimestamp? {
    state.withLock { state in
      guard state.counts[kind.rawValue...].allSatisfy({ $0 == 0 }) else { return nil }
      return state.lastUses[kind.rawValue...].max()
    }
  }

  /// One use, until the last reference to the result is gone.
  func begin(_ kind: Kind) -> RealmUse {
    let number = state.withLock { state in
      state.counts[kind.rawValue] += 1
      state.lastNumber += 1
      return state.lastNumber
    }
    return RealmUse(number, kind, of: self)
  }

  fileprivate func whenClosed(
    _ number: Int, _ call: @escaping @Sendable (_ isEnd: Bool) -> Void
  ) {
    let closing = state.withLock { state in
      if state.closing == nil { state.closers[number] = call }
      return state.closing
    }
    if let closing { call(closing) }
  }

  fileprivate func end(_ number: Int, _ kind: Kind) {
    let now = clock.now()
    let hasLeft = state.withLock { state in
      state.closers[number] = nil
      state.counts[kind.rawValue] -= 1
      state.lastUses[kind.rawValue] = now
      return kind == .owner && state.counts[kind.rawValue] == 0
    }
    if hasLeft { onLeave() }
  }

  /// Notes that the realm was closed.
  ///
  /// - Parameter isEnd: Whether no use is to open it again.
  func close(isEnd: Bool) {
    let closers = state.withLock { state in
      state.closing = isEnd
      defer { state.closers = [:] }
      return state.closers.sorted { $0.key < $1.key }.map(\.value)
    }
    for closer in closers { closer(isEnd) }
  }
}

/// Keeps a realm open as long as it lives.
package final class RealmUse: Sendable {
  private let number: Int
  private let kind: RealmUsers.Kind
  private let users: RealmUsers

  fileprivate init(_ number: Int, _ kind: RealmUsers.Kind, of users: RealmUsers) {
    self.number = number
    self.kind = kind
    self.users = users
  }

  deinit { users.end(number, kind) }

  /// Makes a call once the realm is closed all the same, if this use is there still.
  func whenClosed(_ call: @escaping @Sendable (_ isEnd: Bool) -> Void) {
    users.whenClosed(number, call)
  }
}
