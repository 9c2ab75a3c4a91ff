// SPDX-License-Identifier: Apache-2.0

// A user of an app.

import RealmStorage

/// A user. There is one object of each user of an app's client.
///
/// Thread-safe.
package final class AppUser: Sendable {
  package let id: String
  private let state: Locked<UserRecord>

  init(_ record: UserRecord) {
    id = record.id
    state = Locked(record)
  }

  /// The present knowledge of the user.
  package var record: UserRecord { state.withLock { $0 } }

  package var isLoggedIn: Bool { state.withLock { $0.state == .loggedIn } }

  /// Changes the knowledge of the user. Returns the new one.
  @discardableResult
  func update(_ body: (inout UserRecord) -> Void) -> UserRecord {
    state.withLock { record in
      body(&record)
      return record
    }
  }
}
