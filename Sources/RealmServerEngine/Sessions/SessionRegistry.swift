// SPDX-License-Identifier: Apache-2.0

// The sessions of files (P4 A.3).
//
// Invariants:
// 1. A file of a realm belongs to one session at most: of its claimants, the one with the last
//    BIND.

import RealmStorage
package import RealmSyncProtocol

/// Maps client files to sessions.
package final class SessionRegistry: Sendable {
  private struct Key: Hashable {
    let realm: RealmID
    let file: FileIdentifier
  }

  /// A session with the number of its BIND.
  private struct Holder {
    weak var session: ServerSession?
    let binding: UInt64
  }

  /// The end of a claim.
  enum Claim {
    /// The session has the file. Another one has lost it, if there is one here, and has to be
    /// evicted.
    case claimed(evicted: ServerSession?)
    /// A newer session has it.
    case refused
  }

  private struct State {
    var holders: [Key: Holder] = [:]
    var bindingCount: UInt64 = 0
  }

  private let state = Locked(State())

  package init() {}

  /// The session of a file; nil if it has none.
  package func session(
    of file: FileIdentifier, in realm: RealmID
  ) -> ServerSession? {
    state.withLock { $0.holders[Key(realm: realm, file: file)]?.session }
  }

  /// The number of a BIND, higher than earlier ones.
  func makeBinding() -> UInt64 {
    state.withLock { state in
      state.bindingCount += 1
      return state.bindingCount
    }
  }

  /// Gives a file to a session, unless a newer one has it.
  func claim(
    _ file: FileIdentifier, in realm: RealmID, for session: ServerSession, binding: UInt64
  ) -> Claim {
    let key = Key(realm: realm, file: file)
    return state.withLock { state in
      let holder = state.holders[key]
      if let holder, holder.binding > binding { return .refused }
      state.holders[key] = Holder(session: session, binding: binding)
      return .claimed(evicted: holder?.session.flatMap { $0 === session ? nil : $0 })
    }
  }

  /// Takes a file from its session, if it still has it.
  func release(
    _ file: FileIdentifier, in realm: RealmID, by session: ServerSession
  ) {
    let key = Key(realm: realm, file: file)
    state.withLock { state in
      if state.holders[key]?.session === session { state.holders[key] = nil }
    }
  }
}
