// SPDX-License-Identifier: Apache-2.0

// News of users without access any more: connections outlive their first request.

#if Server
import RealmStorage

/// Reports the end of a user's access, after it is on the disk.
package final class AccessEnds: Sendable {
  /// The access of one login, or of a user with all of its logins.
  package enum End: Hashable, Sendable {
    /// The session was revoked.
    case session(String)
    /// All sessions of a user were ended by a new password; the user may log in again.
    case sessions(String)
    /// The user was disabled or deleted.
    case account(String)

    /// Whether the access of a connection ends with it.
    package func concerns(_ holder: Holder) -> Bool {
      switch self {
      case .session(let session): holder.session == session
      case .sessions(let account), .account(let account): holder.account == account
      }
    }
  }

  /// A user with the session of a connection.
  package struct Holder: Hashable, Sendable {
    package let account: String
    package let session: String

    package init(account: String, session: String) {
      self.account = account
      self.session = session
    }
  }

  private let observers = Locked<[@Sendable (End) -> Void]>([])

  package init() {}

  /// Adds an observer for the life of this object.
  package func observe(_ observer: @escaping @Sendable (End) -> Void) {
    observers.withLock { $0.append(observer) }
  }

  func report(_ end: End) {
    for observer in observers.withLock({ $0 }) { observer(end) }
  }
}
#endif
