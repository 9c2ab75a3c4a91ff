// SPDX-License-Identifier: Apache-2.0

// Tells sessions of new versions of their realms.

import RealmStorage
import RealmSyncProtocol

/// The sessions of each realm that wait for news of it.
package final class SessionHeads: Sendable {
  private struct State {
    var links: [RealmID: [UInt64: ServerSessionLink]] = [:]
    var lastNumber: UInt64 = 0
  }

  private let state = Locked(State())

  package init() {}

  /// Adds a session. Returns the number with which it is removed.
  func add(_ link: ServerSessionLink, of realm: RealmID) -> UInt64 {
    state.withLock { state in
      state.lastNumber += 1
      state.links[realm, default: [:]][state.lastNumber] = link
      return state.lastNumber
    }
  }

  func remove(_ number: UInt64, of realm: RealmID) {
    state.withLock { state in
      state.links[realm]?[number] = nil
      if state.links[realm]?.isEmpty == true { state.links[realm] = nil }
    }
  }

  /// Tells all sessions of a realm of its newest version.
  package func announce(_ head: RealmHead) {
    let links = state.withLock { $0.links[head.realm].map { Array($0.values) } ?? [] }
    let version = SaltedVersion(version: head.version, salt: head.salt)
    for link in links { link.headDidChange(version) }
  }
}
