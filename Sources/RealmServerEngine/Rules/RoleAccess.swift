// SPDX-License-Identifier: Apache-2.0

// The roles of the users of an app in production mode.

package import RealmSyncProtocol

/// Finds the permissions of the sessions of an app with roles.
package struct RoleAccess: SessionAccess {
  private let roles: AppRoles
  private let users: @Sendable (String) async throws(SessionRefusal) -> RuleUser

  /// - Parameter users: Finds a user by its identifier.
  package init(
    _ roles: AppRoles, users: @escaping @Sendable (String) async throws(SessionRefusal) -> RuleUser
  ) {
    self.roles = roles
    self.users = users
  }

  /// The rights of a user: a user without any role has a session in which nothing is seen.
  package func rights(
    of user: String, in partition: String?
  ) async throws(SessionRefusal) -> SessionRights {
    SessionRights(permissions: roles.permissions(of: try await users(user)))
  }
}
