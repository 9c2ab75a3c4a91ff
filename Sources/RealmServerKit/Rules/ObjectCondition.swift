// SPDX-License-Identifier: Apache-2.0

// Conditions on objects, for roles.

#if Server
import RealmServerEngine
import RealmServerServices
public import RealmSwift

/// A condition on objects, with values of the user.
///
/// ```swift
/// let isOwn: ObjectCondition = .property(\Todo.owner).equals(.userID)
/// ```
public struct ObjectCondition: Hashable, Sendable {
  let filter: DocumentFilter

  init(filter: DocumentFilter) { self.filter = filter }

  /// All objects.
  public static let everything = ObjectCondition(filter: .everything)

  /// All objects for users of a condition, and none for others.
  public static func user(_ condition: UserCondition) -> ObjectCondition {
    ObjectCondition(filter: .user(condition.rule))
  }

  /// A property of the objects, to be compared.
  ///
  /// - Parameter keyPath: A property of the class, or one of an embedded object.
  public static func property<T: ObjectBase>(_ keyPath: PartialKeyPath<T>) -> ObjectProperty {
    property(named: ClassDeclaration.path(keyPath))
  }

  /// A property of the objects, to be compared.
  ///
  /// - Parameter name: The name in the file.
  public static func property(named name: String) -> ObjectProperty {
    ObjectProperty(field: DocumentFilter.field(name))
  }

  /// Both conditions hold.
  public static func && (left: ObjectCondition, right: ObjectCondition) -> ObjectCondition {
    ObjectCondition(filter: left.filter && right.filter)
  }

  /// One of the conditions holds.
  public static func || (left: ObjectCondition, right: ObjectCondition) -> ObjectCondition {
    ObjectCondition(filter: left.filter || right.filter)
  }
}

/// A property of objects in a condition.
public struct ObjectProperty: Hashable, Sendable {
  fileprivate let field: DocumentField

  /// The property equals a value, or is a collection with it.
  public func equals(_ value: RuleValue) -> ObjectCondition {
    ObjectCondition(filter: field.equals(value.term))
  }

  /// The property does not equal a value.
  public func differs(from value: RuleValue) -> ObjectCondition {
    ObjectCondition(filter: field.differs(from: value.term))
  }

  /// The property is less than a value.
  public func isLess(than value: RuleValue) -> ObjectCondition {
    ObjectCondition(filter: field.isLess(than: value.term))
  }

  /// The property is a value or less.
  public func isAtMost(_ value: RuleValue) -> ObjectCondition {
    ObjectCondition(filter: field.isAtMost(value.term))
  }

  /// The property is more than a value.
  public func isMore(than value: RuleValue) -> ObjectCondition {
    ObjectCondition(filter: field.isMore(than: value.term))
  }

  /// The property is a value or more.
  public func isAtLeast(_ value: RuleValue) -> ObjectCondition {
    ObjectCondition(filter: field.isAtLeast(value.term))
  }

  /// The property equals an element of a list.
  public func isIn(_ list: RuleValue) -> ObjectCondition {
    ObjectCondition(filter: field.isIn(list.term))
  }

  /// The property equals no element of a list.
  public func isNotIn(_ list: RuleValue) -> ObjectCondition {
    ObjectCondition(filter: field.isNotIn(list.term))
  }
}
#endif
