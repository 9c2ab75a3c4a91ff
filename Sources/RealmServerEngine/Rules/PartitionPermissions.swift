// SPDX-License-Identifier: Apache-2.0

// Who may read and write the partitions of an app (P4 C.1).
//
// Invariants:
// 1. No rule, no permission: what neither condition grants is denied.

import RealmFormats
package import RealmSyncProtocol

/// The two conditions of an app's partitions. Who may write may read, too.
package struct PartitionPermissions: Hashable, Sendable {
  package var read: RuleExpression
  package var write: RuleExpression

  package init(
    read: RuleExpression = .constant(false), write: RuleExpression = .constant(false)
  ) {
    self.read = read
    self.write = write
  }

  /// Reads the member "permissions" of `app.json`.
  init(_ json: JSONValue, at path: [JSONStep], _ rules: RuleReader) throws(RuleError) {
    self.init()
    guard case .object(let members) = json else {
      throw RuleError(
        message: "\"permissions\" needs an object with \"read\" and \"write\"", path: path)
    }
    for member in try RuleReader.unique(members, at: path) {
      let place = path + [.key(member.key)]
      switch member.key {
      case "read": read = try rules.expression(member.value, at: place)
      case "write": write = try rules.expression(member.value, at: place)
      default:
        throw RuleError(
          message: "unknown key \"\(member.key)\" in \"permissions\": there are read and write",
          path: place)
      }
    }
  }

  /// The permission of a user for a partition.
  package func permission(in context: RuleContext) -> PartitionPermission {
    if write.holds(in: context) { return .write }
    return read.holds(in: context) ? .read : .none
  }

  /// Whether a rule depends on the addresses of users.
  package var readsEmail: Bool { read.reads(.userEmail) || write.reads(.userEmail) }
}

/// The right of a session. Each includes the lower ones.
package enum PartitionPermission: Hashable, Sendable {
  case none
  case read
  case write
}

/// Decides on the sessions of an app with partitions.
package struct PartitionAccess: SessionAccess {
  private let permissions: PartitionPermissions
  private let users: @Sendable (String) async throws(SessionRefusal) -> RuleUser

  /// - Parameter users: Finds a user by its identifier.
  package init(
    _ permissions: PartitionPermissions,
    users: @escaping @Sendable (String) async throws(SessionRefusal) -> RuleUser
  ) {
    self.permissions = permissions
    self.users = users
  }

  /// Whether a user may write to a partition; the refusal has the code 206 if it may not even read.
  ///
  /// - Parameter partition: The canonical text of the value; nil in flexible mode, which
  ///   permissions of partitions never allow.
  package func rights(
    of user: String, in partition: String?
  ) async throws(SessionRefusal) -> SessionRights {
    let user = try await users(user)
    let value = partition.flatMap { try? ExtendedJSONReader.parse($0) }
    let permission =
      value.map { permissions.permission(in: RuleContext(user: user, partition: $0)) } ?? .none
    switch permission {
    case .none:
      throw SessionRefusal(
        .permissionDenied, "Permission denied: the user may not read the partition")
    case .read: return SessionRights(mayWrite: false)
    case .write: return .all
    }
  }
}
