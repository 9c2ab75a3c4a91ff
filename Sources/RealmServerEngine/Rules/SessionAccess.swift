// SPDX-License-Identifier: Apache-2.0

// What decides on the rights of sessions in production mode.

package import RealmSyncProtocol

/// The rights of a session's user, which stay until its end.
package struct SessionRights: Hashable, Sendable {
  /// Whether the user may write to the partition; true in flexible mode.
  package var mayWrite: Bool
  /// What the user may do in flexible mode; nil for everything, and in partition mode.
  package var permissions: SessionPermissions?

  package init(mayWrite: Bool = true, permissions: SessionPermissions? = nil) {
    self.mayWrite = mayWrite
    self.permissions = permissions
  }

  /// The rights of every user in development mode.
  package static let all = SessionRights()
}

/// Decides on the sessions of an app.
package protocol SessionAccess: Sendable {
  /// The rights of a user; the refusal of the session if there are none.
  ///
  /// - Parameter partition: The canonical text of the value; nil in flexible mode.
  func rights(
    of user: String, in partition: String?
  ) async throws(SessionRefusal) -> SessionRights
}
