// SPDX-License-Identifier: Apache-2.0

// Queries in Swift: what the closure of `where` is given and gives back.

import RealmQuery
import RealmSession

/// A property, or a condition on properties, of the objects that a `where` closure asks about.
///
/// ```swift
/// let open = realm.objects(Todo.self).where { !$0.isDone && $0.owner.name.starts(with: "A") }
/// ```
///
/// The closure builds a description of the condition; it runs once, whatever the number of objects.
@dynamicMemberLookup
public struct Query<T> {
  let node: QueryNode

  init(_ node: QueryNode) { self.node = node }

  /// The text of the condition as a predicate, with its arguments.
  public func _constructPredicate() -> (String, [Any]) {
    var arguments: [Any] = []
    let text = node.conditionText(&arguments)
    return (text, arguments)
  }

  /// A query about objects of a class, as `where` hands it to its closure.
  public static func _constructForTesting() -> Query<T> { Query<T>(.root) }

  /// Compares with a constant.
  func compared(
    _ operation: ComparisonOperator, _ value: Any, _ options: TextOptions = []
  ) -> Query<Bool> {
    Query<Bool>(.comparison(node, operation, .constant(value), options))
  }

  /// Compares with another property.
  func compared<Other>(
    _ operation: ComparisonOperator, to other: Query<Other>, _ options: TextOptions = []
  ) -> Query<Bool> {
    Query<Bool>(.comparison(node, operation, other.node, options))
  }
}

// MARK: - Properties

extension Query where T: ObjectBase {
  /// A property of the object.
  public subscript<V: _Persistable>(dynamicMember member: KeyPath<T, V>) -> Query<V> {
    Query<V>(member: member, of: node)
  }
}

extension Query where T: OptionalProtocol, T.Wrapped: ObjectBase {
  /// A property of the linked object.
  public subscript<V: _Persistable>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V> {
    Query<V>(member: member, of: node)
  }
}

extension Query where T: RealmCollection, T.Element: ObjectBase {
  /// A property of the objects in the collection: the condition is true if it is for some of them.
  public subscript<V: _Persistable>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V> {
    Query<V>(member: member, of: node)
  }
}

extension Query
where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: ObjectBase {
  /// A property of the objects in the map: the condition is true if it is for some of them.
  public subscript<V: _Persistable>(dynamicMember member: KeyPath<T.Value.Wrapped, V>) -> Query<V> {
    Query<V>(member: member, of: node, leadsThroughMap: true)
  }
}

extension Query where T: PersistableEnum {
  /// The raw value of the property.
  public var rawValue: Query<T.RawValue> { Query<T.RawValue>(node) }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum {
  /// The raw value of the property; null if the property is.
  public var rawValue: Query<T.Wrapped.RawValue?> { Query<T.Wrapped.RawValue?>(node) }
}

extension Query where T: _Persistable {
  fileprivate init<Root: ObjectBase>(
    member: KeyPath<Root, T>, of node: QueryNode, leadsThroughMap: Bool = false
  ) {
    let shape = T._shape
    let isCollection = shape.collection != .none || shape.type == .linkingObjects
    self.init(
      .path(
        node.path.appending(
          _name(for: member), isCollection: isCollection, leadsThroughMap: leadsThroughMap)))
  }
}

/// `Optional`, as a constraint.
public protocol OptionalProtocol {
  /// The type of the value if there is one.
  associatedtype Wrapped
}

extension Optional: OptionalProtocol {}

// MARK: - Equality

extension Query where T: _Storable {
  /// Whether the property equals `value`.
  public static func == (query: Query, value: T) -> Query<Bool> { query.compared(.equal, value) }

  /// Whether the property differs from `value`; null differs from every value.
  public static func != (query: Query, value: T) -> Query<Bool> {
    query.compared(.notEqual, value)
  }

  /// Whether the two properties are equal.
  public static func == (left: Query, right: Query) -> Query<Bool> {
    left.compared(.equal, to: right)
  }

  /// Whether the two properties differ.
  public static func != (left: Query, right: Query) -> Query<Bool> {
    left.compared(.notEqual, to: right)
  }

  /// Whether the property equals one of `values`.
  public func `in`<S: Sequence>(_ values: S) -> Query<Bool> where S.Element == T {
    Query<Bool>(.oneOf(node, Array(values)))
  }
}

extension Query where T: _Storable & OptionalProtocol {
  /// Whether the property equals one of `values`; null never does.
  ///
  /// ```swift
  /// let names: Set<String> = ["Ada", "Grace"]
  /// let found = people.where { $0.nickname.in(names) }
  /// ```
  @_disfavoredOverload
  public func `in`<S: Sequence>(_ values: S) -> Query<Bool> where S.Element == T.Wrapped {
    Query<Bool>(.oneOf(node, Array(values)))
  }
}

// MARK: - Logic

extension Query where T == Bool {
  /// Whether both conditions hold.
  public static func && (left: Query, right: Query) -> Query {
    Query(.and(left.node, right.node))
  }

  /// Whether at least one of the conditions holds.
  public static func || (left: Query, right: Query) -> Query {
    Query(.or(left.node, right.node))
  }

  /// Whether the condition does not hold.
  public static prefix func ! (query: Query) -> Query { Query(.not(query.node)) }

  /// The number of elements for which the whole condition, on one collection, holds.
  public var count: Query<Int> {
    guard let path = node.firstCollectionPath else {
      throwRealmException("Subqueries must contain a keypath starting with a collection.")
    }
    return Query<Int>(.matchCount(path, node))
  }
}

extension QueryNode {
  /// The first path of the tree that leads through a collection.
  fileprivate var firstCollectionPath: QueryPath? {
    switch self {
    case .path(let path), .contains(let path, _), .within(let path, _, _):
      path.collectionLength == nil ? nil : path
    case .comparison(let left, _, let right, _), .and(let left, let right),
      .or(let left, let right), .arithmetic(_, let left, let right):
      left.firstCollectionPath ?? right.firstCollectionPath
    case .between(let node, _, _), .oneOf(let node, _), .not(let node): node.firstCollectionPath
    case .quantified(let comparison):
      comparison.left.firstCollectionPath ?? comparison.right.firstCollectionPath
    case .root, .constant, .list, .matchCount: nil
    }
  }
}
