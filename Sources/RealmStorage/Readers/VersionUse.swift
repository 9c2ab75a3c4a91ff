// SPDX-License-Identifier: Apache-2.0

// By which call of the API a version got into use, for a reader who looks for the reason that a
// file grows.

/// A call that keeps a version.
package enum VersionUse: UInt8, CaseIterable, Sendable {
  case opening = 1
  case reading
  case refreshing
  case followingCommits
  case writing
  case freezing
  case checking
  case backingUp

  /// The call as programs write it, or what does it for them.
  package var call: String {
    switch self {
    case .opening: "Realm.init"
    case .reading: "the first read after invalidate()"
    case .refreshing: "refresh()"
    case .followingCommits: "autorefresh"
    case .writing: "a write transaction"
    case .freezing: "freeze()"
    case .checking: "verifyIntegrity(configuration:progress:)"
    case .backingUp: "backup(to:progress:)"
    }
  }
}
