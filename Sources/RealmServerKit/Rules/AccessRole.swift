// SPDX-License-Identifier: Apache-2.0

// Roles of flexible sync in Swift.

#if Server
import RealmServerEngine
import RealmServerServices
public import RealmSwift

/// What some users may do with the objects of a class.
///
/// ```swift
/// AccessRole("owner")
///   .reading(where: .property(\Todo.isPublic).equals(true))
///   .writing(where: .property(\Todo.owner).equals(.userID))
///   .inserting().deleting()
/// ```
///
/// A role begins without any right.
public struct AccessRole: Hashable, Sendable {
  let role: Role

  /// A role without any right yet.
  ///
  /// - Parameters:
  ///   - name: The name, for reports of refused writes.
  ///   - condition: The users of the role.
  public init(_ name: String, when condition: UserCondition = .always) {
    role = Role(name, when: condition.rule)
  }

  private init(_ role: Role) { self.role = role }

  /// The role with the right to read objects.
  public func reading(where condition: ObjectCondition = .everything) -> AccessRole {
    AccessRole(role.reading(where: condition.filter))
  }

  /// The role with the right to change objects, and to read them.
  public func writing(where condition: ObjectCondition = .everything) -> AccessRole {
    AccessRole(role.writing(where: condition.filter))
  }

  /// The role with the right to make objects within its right to change them.
  public func inserting() -> AccessRole { AccessRole(role.inserting()) }

  /// The role with the right to delete objects within its right to change them.
  public func deleting() -> AccessRole { AccessRole(role.deleting()) }

  /// The role with another right to one property; nil leaves a right as it is.
  ///
  /// - Parameter keyPath: A property of the class, or one of an embedded object.
  public func property<T: ObjectBase>(
    _ keyPath: PartialKeyPath<T>, read: Bool? = nil, write: Bool? = nil
  ) -> AccessRole {
    AccessRole(role.field(ClassDeclaration.path(keyPath), read: read, write: write))
  }

  /// The role with other rights to the properties that no call of `property` names.
  public func otherProperties(read: Bool? = nil, write: Bool? = nil) -> AccessRole {
    AccessRole(role.otherFields(read: read, write: write))
  }
}
#endif
