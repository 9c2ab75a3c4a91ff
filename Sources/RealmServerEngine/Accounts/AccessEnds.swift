// SPDX-License-Identifier: Apache-2.0

// News of users who may not go on: for connections, which outlive the request that began them.

import RealmStorage

/// Says whose access has ended, after that is on the disk.
package final class AccessEnds: Sendable {
  /// The access of one login, or of a user with all of its logins.
  package enum End: Hashable, Sendable {
    /// The session was revoked.
    case session(String)
    /// All sessions of a user were ended by a new password; the user may log in again.
    case sessions(String)
    /// The user was disabled or deleted.
    case account(String)
  }

  private let observers = Locked<[@Sendable (End) -> Void]>([])

  package init() {}

  /// Adds an observer, which stays as long as this object.
  package func observe(_ observer: @escaping @Sendable (End) -> Void) {
    observers.withLock { $0.append(observer) }
  }

  func report(_ end: End) {
    for observer in observers.withLock({ $0 }) { observer(end) }
  }
}
