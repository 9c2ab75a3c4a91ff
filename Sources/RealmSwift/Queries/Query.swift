// SPDX-License-Identifier: Apache-2.0

// Queries in Swift: the argument and the result of `where` closures.

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
  let operand: Operand

  init(_ operand: Operand) { self.operand = operand }

  init(_ path: PropertyPath) { operand = .path(path) }

  /// The object, or the value of a collection, that the query is about.
  static var subject: Query { unsafe Query(Operand.subject) }

  init(_ condition: Predicate) { operand = .condition(condition) }

  /// The condition; a property alone must be true.
  var asCondition: Predicate {
    if case .condition(let condition) = operand { condition } else { .isTrue(operand) }
  }

  /// The path of the property. Traps for a condition.
  var propertyPath: PropertyPath { operand.propertyPath }

  /// The text of the condition as a predicate, with its arguments.
  public func _constructPredicate() -> (String, [Any]) { asCondition.format() }

  /// A query about objects of a class, as `where` hands it to its closure.
  public static func _constructForTesting() -> Query<T> { Query<T>(PropertyPath()) }

  /// Compares with a constant.
  func compared(
    _ operation: ComparisonOperator, _ value: Any, _ options: TextOptions = .none
  ) -> Query<Bool> {
    compared(operation, .constant(value), options)
  }

  /// Compares with another property.
  func compared<Other>(
    _ operation: ComparisonOperator, to other: Query<Other>, _ options: TextOptions = .none
  ) -> Query<Bool> {
    compared(operation, other.operand, options)
  }

  private func compared(
    _ operation: ComparisonOperator, _ right: Operand, _ options: TextOptions
  ) -> Query<Bool> {
    Query<Bool>(.comparison(Comparison(operand, operation, right, options: options)))
  }

  /// Whether the property equals one of some values.
  func isOne(of values: some Sequence) -> Query<Bool> {
    compared(.in, values.map { $0 as Any })
  }

  /// Whether a value is among those of the property.
  func holds(_ value: Any) -> Query<Bool> {
    Query<Bool>(.comparison(Comparison(.constant(value), .in, .path(propertyPath))))
  }

  /// Whether the property lies between two values, both included.
  func isBetween(_ lower: Any, _ upper: Any) -> Query<Bool> {
    compared(.between, .list([.constant(lower), .constant(upper)]), .none)
  }
}

// MARK: - Properties

extension Query where T: ObjectBase {
  /// A property of the object.
  public subscript<V: _Persistable>(dynamicMember member: KeyPath<T, V>) -> Query<V> {
    Query<V>(member: member, of: propertyPath)
  }
}

extension Query where T: OptionalProtocol, T.Wrapped: ObjectBase {
  /// A property of the linked object.
  public subscript<V: _Persistable>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V> {
    Query<V>(member: member, of: propertyPath)
  }
}

extension Query where T: RealmCollection, T.Element: ObjectBase {
  /// A property of the objects in the collection: the condition is true if it is for some of them.
  public subscript<V: _Persistable>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V> {
    Query<V>(member: member, of: propertyPath)
  }
}

extension Query
where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: ObjectBase {
  /// A property of the objects in the map: the condition is true if it is for some of them.
  public subscript<V: _Persistable>(dynamicMember member: KeyPath<T.Value.Wrapped, V>) -> Query<V> {
    Query<V>(member: member, of: propertyPath, leadsThroughMap: true)
  }
}

extension Query where T: PersistableEnum {
  /// The raw value of the property.
  public var rawValue: Query<T.RawValue> { Query<T.RawValue>(operand) }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum {
  /// The raw value of the property; null if the property is.
  public var rawValue: Query<T.Wrapped.RawValue?> { Query<T.Wrapped.RawValue?>(operand) }
}

extension Query where T: _Persistable {
  fileprivate init<Root: ObjectBase>(
    member: KeyPath<Root, T>, of path: PropertyPath, leadsThroughMap: Bool = false
  ) {
    let shape = T._shape
    let isCollection = shape.collection != .none || shape.type == .linkingObjects
    let known = KnownKeyPaths.entry(of: member, from: Root.self)
    if known.name.isEmpty { UnpersistedKeyPath.refuse(member, of: Root.self) }
    guard !path.isStart else {
      self.init(known.operand(isMany: isCollection))
      return
    }
    self.init(
      path.appending(known.name, isMany: isCollection, leadsThroughMap: leadsThroughMap))
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
    isOne(of: values)
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
    isOne(of: values)
  }
}

// MARK: - Logic

extension Query where T == Bool {
  /// Whether both conditions hold.
  public static func && (left: Query, right: Query) -> Query {
    Query(.and(left.asCondition, right.asCondition)).checkingSize()
  }

  /// Whether at least one of the conditions holds.
  public static func || (left: Query, right: Query) -> Query {
    Query(.or(left.asCondition, right.asCondition)).checkingSize()
  }

  /// Whether the condition does not hold.
  public static prefix func ! (query: Query) -> Query {
    Query(.not(query.asCondition)).checkingSize()
  }

  /// Traps for a condition of more comparisons, or levels, than can be evaluated.
  private func checkingSize() -> Query {
    if let flaw = asCondition.flawOfSize { throwRealmException(flaw) }
    return self
  }

  /// The number of elements of a collection for which the whole condition holds.
  ///
  /// The collection is the first that the condition names. Other properties are those of the object
  /// that has it:
  ///
  /// ```swift
  /// realm.objects(Person.self).where { ($0.dogs.age > $0.age).count > 1 }
  /// ```
  ///
  /// A count of elements within elements stands in the condition on these:
  ///
  /// ```swift
  /// realm.objects(Person.self).where {
  ///   ($0.dogs.age > 3 && ($0.dogs.toys.price > 10).count > 1).count > 0
  /// }
  /// ```
  ///
  /// Traps if the condition names no collection.
  public var count: Query<Int> {
    let condition = asCondition
    guard let collection = condition.firstCollection ?? condition.countedCollections.first else {
      throwRealmException("Subqueries must contain a keypath starting with a collection.")
    }
    return Query<Int>(
      condition.countingWithin(collection).counted(in: collection) { $0.starts(with: collection) })
  }
}

// MARK: - Paths

extension Operand {
  /// The path that the operand is. Traps if it is something else.
  var propertyPath: PropertyPath {
    guard let path else { throwRealmException("Key paths can only be applied to properties.") }
    return path
  }
}

extension Operand {
  /// The empty path: the object, or the value of a collection, that a query is about.
  fileprivate nonisolated(unsafe) static let subject = Operand.path(PropertyPath())
  // nonisolated(unsafe): a path alone, which never changes.
}

extension PropertyPath {
  /// Whether this is the object that a query is about, by itself.
  fileprivate var isStart: Bool { components.isEmpty && level == 0 && !isBare && elementStart == 0 }

  /// The path continued by a property.
  ///
  /// - Parameters:
  ///   - name: The name; several, with dots between them, for a key path.
  ///   - isMany: Whether the property has any number of values.
  func followed(by name: String, isMany: Bool) -> PropertyPath {
    let names = name.split(separator: ".")
    return names.indices.reduce(self) { path, index in
      path.appending(
        .property(String(names[index]), isMany: isMany && index == names.endIndex - 1))
    }
  }

  /// The path continued by a property of the objects that it leads to, as `where` closures write
  /// it: elements that are taken from a collection have none.
  ///
  /// - Parameter leadsThroughMap: Whether the path leads to a map so far.
  func appending(_ name: String, isMany: Bool, leadsThroughMap: Bool = false) -> PropertyPath {
    var path = self
    switch lastPart {
    case .value, .index, .first, .last:
      throwRealmException("Cannot apply key path to Map subscripts.")
    case .keys, .type: throwRealmException("Key paths can only be applied to properties.")
    case .values, .every: break
    case nil where leadsThroughMap: path = appending(.part(.values))
    case nil: break
    }
    return path.followed(by: name, isMany: isMany)
  }

  /// The path to a part of the collection, or of the value, that this path leads to.
  func taking(_ part: CollectionPart) -> PropertyPath {
    switch part {
    case .value, .index, .every: appending(.argumentPart(part))
    case .first, .last, .keys, .values, .type: appending(.part(part))
    }
  }
}
