// SPDX-License-Identifier: Apache-2.0

// The rules of an app: who may read and write what.

#if Server
import RealmServerEngine
import RealmServerServices
public import RealmSwift

/// The rules of an app.
public struct AppRules: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case development
    case partitions(PartitionPermissions)
    case roles(AppRoles)
  }

  let kind: Kind

  /// Every user reads and writes everything, and devices add classes and properties.
  public static let development = AppRules(kind: .development)

  /// Rules of partitions. No rule, no right; who may write may read.
  ///
  /// - Parameters:
  ///   - read: The condition for reading a partition.
  ///   - write: The condition for writing a partition.
  public static func partitions(
    read: UserCondition = .never, write: UserCondition = .never
  ) -> AppRules {
    AppRules(kind: .partitions(PartitionPermissions(read: read.rule, write: write.rule)))
  }

  /// Roles of flexible sync. The first role of a class whose condition holds for a user decides.
  ///
  /// - Parameters:
  ///   - classes: The roles of classes.
  ///   - otherwise: The roles of all other classes.
  public static func roles(
    _ classes: ClassRoles..., otherwise: [AccessRole] = []
  ) -> AppRules {
    AppRules(
      kind: .roles(
        AppRoles(
          fallback: otherwise.map(\.role),
          classes: Dictionary(
            classes.map { ($0.className, $0.roles.map(\.role)) }, uniquingKeysWith: { $0 + $1 }))))
  }
}

/// The roles of one class.
public struct ClassRoles: Hashable, Sendable {
  let className: String
  let roles: [AccessRole]

  /// The roles of a class, in the order in which they are asked.
  public init<T: ObjectBase>(_ type: T.Type, _ roles: AccessRole...) {
    className = type.className()
    self.roles = roles
  }
}
#endif
