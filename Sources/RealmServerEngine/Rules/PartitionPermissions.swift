// SPDX-License-Identifier: Apache-2.0

// Who may read and write the partitions of an app (P4 C.1).
//
// Invariants:
// 1. No rule, no permission: what neither condition grants is denied.

package import RealmFormats
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
  package init(_ json: JSONValue, at path: [JSONStep], _ rules: RuleReader) throws(AppFileError) {
    self.init()
    guard case .object(let members) = json else {
      throw AppFileError(
        rule: "\"permissions\" needs an object with \"read\" and \"write\"", at: path)
    }
    for member in try RuleReader.unique(members, at: path) {
      let place = path + [.key(member.key)]
      switch member.key {
      case "read": read = try rules.expression(member.value, at: place)
      case "write": write = try rules.expression(member.value, at: place)
      default:
        throw AppFileError(
          rule: "unknown key \"\(member.key)\" in \"permissions\": there are read and write",
          at: place)
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

/// The judge of the partitions of an app.
package enum PartitionRule: Sendable {
  /// The conditions of the app's file.
  case permissions(PartitionPermissions)
  /// A function of the program: the permission of a user for the value of a partition. Where it
  /// throws, the session is refused for now, and its client tries again.
  case function(@Sendable (RuleUser, BSONValue) async throws -> PartitionPermission)
}

/// Decides on the sessions of an app with partitions.
package struct PartitionAccess: SessionAccess {
  private let rule: PartitionRule
  private let users: @Sendable (String) async throws(SessionRefusal) -> RuleUser

  /// - Parameter users: Finds a user by its identifier.
  package init(
    _ rule: PartitionRule,
    users: @escaping @Sendable (String) async throws(SessionRefusal) -> RuleUser
  ) {
    self.rule = rule
    self.users = users
  }

  /// Decides by the conditions of the app's file.
  package init(
    _ permissions: PartitionPermissions,
    users: @escaping @Sendable (String) async throws(SessionRefusal) -> RuleUser
  ) {
    self.init(.permissions(permissions), users: users)
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
    switch try await permission(of: user, for: value) {
    case .none:
      throw SessionRefusal(
        .permissionDenied, "Permission denied: the user may not read the partition")
    case .read: return SessionRights(mayWrite: false)
    case .write: return .all
    }
  }

  /// - Parameter partition: Nil for a text without such a value.
  private func permission(
    of user: RuleUser, for partition: BSONValue?
  ) async throws(SessionRefusal) -> PartitionPermission {
    guard let partition else { return .none }
    switch rule {
    case .permissions(let permissions):
      return permissions.permission(in: RuleContext(user: user, partition: partition))
    case .function(let function):
      do {
        return try await function(user, partition)
      } catch {
        throw SessionRefusal(.sessionClosed, "The rights of the user are not known now")
      }
    }
  }
}
