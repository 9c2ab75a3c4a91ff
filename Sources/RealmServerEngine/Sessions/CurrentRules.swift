// SPDX-License-Identifier: Apache-2.0

// The rules of an app. An operator may change them while sessions run (P4 C.4).
//
// Invariants:
// 1. No session keeps rights beyond the newest rules: running ones are asked after a change, and
//    one with its beginning meanwhile asks again.

import RealmStorage
import RealmSyncProtocol

/// The rules of an app, and the sessions with rights by them.
package final class CurrentRules: Sendable {
  /// The rules at a point in time.
  package struct Snapshot: Sendable {
    /// The judge of the rights of users; nil in development mode, where each user has all.
    package fileprivate(set) var access: (any SessionAccess)?
    /// Grows with each change.
    fileprivate(set) var number: UInt64 = 0
  }

  private struct Holder {
    weak var session: ServerSession?
  }

  private struct State {
    var rules = Snapshot()
    var holders: [ObjectIdentifier: Holder] = [:]
  }

  private let state = Locked(State())

  package init() {}

  /// The rules as they are.
  package var snapshot: Snapshot { state.withLock { $0.rules } }

  /// The sessions that have claimed their files, in no order.
  package var sessions: [SessionStatus] {
    state.withLock { $0.holders.values.compactMap(\.session) }.compactMap(\.progress.status)
  }

  /// Adds a session before it asks for its rights.
  func add(_ session: ServerSession) {
    state.withLock { $0.holders[ObjectIdentifier(session)] = Holder(session: session) }
  }

  /// Removes a session after its end.
  func remove(_ session: ServerSession) {
    state.withLock { $0.holders[ObjectIdentifier(session)] = nil }
  }

  /// Sets the rules of an app without sessions.
  func set(_ access: (any SessionAccess)?) {
    state.withLock { $0.rules.access = access }
  }

  /// Replaces the rules. Sessions with other rights by them end, and begin again.
  ///
  /// - Returns: The number of these sessions.
  package func replace(by access: (any SessionAccess)?) async -> Int {
    set(access)
    return await recheck()
  }

  /// Ends the sessions with other rights than at their beginning: something about their users has
  /// changed.
  ///
  /// - Parameter users: The users; nil for all.
  /// - Returns: Their number.
  package func recheck(users: Set<String>? = nil) async -> Int {
    let sessions = state.withLock { state in
      state.rules.number += 1
      return state.holders.values.compactMap(\.session)
    }
    var count = 0
    for session in sessions where await session.endIfRightsChanged(of: users) { count += 1 }
    return count
  }
}
