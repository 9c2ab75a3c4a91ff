// SPDX-License-Identifier: Apache-2.0

// The arguments of prepared queries, as their closures see them.

import RealmQuery

/// A value that a prepared query is given each time that it is called.
///
/// The closure of ``Realm/prepare(_:where:)`` compares properties with it as with a value:
///
/// ```swift
/// let find = realm.prepare(Todo.self) { (todo, name: QueryArgument<String>) in todo.name == name }
/// ```
/// It has no value itself, and no meaning outside of that closure: a query that was not prepared
/// with it traps where it is made.
public struct QueryArgument<Value> {
  let placeholder: QueryPlaceholder
}

extension Query {
  /// Compares with an argument.
  private func compared<Value>(
    _ operation: ComparisonOperator, _ argument: QueryArgument<Value>,
    _ options: TextOptions = .none
  ) -> Query<Bool> {
    compared(operation, argument.placeholder, options)
  }
}

// MARK: - Equality

extension Query where T: _Storable {
  /// Whether the property equals the argument.
  public static func == (query: Query, argument: QueryArgument<T>) -> Query<Bool> {
    query.compared(.equal, argument)
  }

  /// Whether the property differs from the argument; null differs from every value.
  public static func != (query: Query, argument: QueryArgument<T>) -> Query<Bool> {
    query.compared(.notEqual, argument)
  }

  /// Whether the property equals one of the values that the argument is.
  public func `in`(_ values: QueryArgument<[T]>) -> Query<Bool> { compared(.in, values) }
}

extension Query where T: _Storable & OptionalProtocol {
  /// Whether the property equals the argument, which is not null.
  public static func == (query: Query, argument: QueryArgument<T.Wrapped>) -> Query<Bool> {
    query.compared(.equal, argument)
  }

  /// Whether the property differs from the argument, which is not null; null does.
  public static func != (query: Query, argument: QueryArgument<T.Wrapped>) -> Query<Bool> {
    query.compared(.notEqual, argument)
  }
}

// MARK: - Order

extension Query where T: _HasPersistedType, T.PersistedType: _QueryOrdered {
  /// Whether the property is less than the argument; null never is.
  public static func < (query: Query, argument: QueryArgument<T>) -> Query<Bool> {
    query.compared(.less, argument)
  }

  /// Whether the property is at most the argument; null never is.
  public static func <= (query: Query, argument: QueryArgument<T>) -> Query<Bool> {
    query.compared(.lessOrEqual, argument)
  }

  /// Whether the property is greater than the argument; null never is.
  public static func > (query: Query, argument: QueryArgument<T>) -> Query<Bool> {
    query.compared(.greater, argument)
  }

  /// Whether the property is at least the argument; null never is.
  public static func >= (query: Query, argument: QueryArgument<T>) -> Query<Bool> {
    query.compared(.greaterOrEqual, argument)
  }
}

// MARK: - Parts of strings and data

extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
  /// Whether the property has the argument somewhere in it. Nothing contains an empty value.
  public func contains(
    _ argument: QueryArgument<T>, options: StringOptions = []
  ) -> Query<Bool> {
    compared(.contains, argument, options.textOptions)
  }

  /// Whether the property begins with the argument.
  public func starts(
    with argument: QueryArgument<T>, options: StringOptions = []
  ) -> Query<Bool> {
    compared(.beginsWith, argument, options.textOptions)
  }

  /// Whether the property ends with the argument.
  public func ends(
    with argument: QueryArgument<T>, options: StringOptions = []
  ) -> Query<Bool> {
    compared(.endsWith, argument, options.textOptions)
  }

  /// Whether the property equals the argument, compared as the options say.
  public func equals(
    _ argument: QueryArgument<T>, options: StringOptions = []
  ) -> Query<Bool> {
    compared(.equal, argument, options.textOptions)
  }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
  /// Whether the property matches the argument as a pattern, in which `?` represents one character
  /// and `*` any number of them.
  public func like(
    _ pattern: QueryArgument<T>, caseInsensitive: Bool = false
  ) -> Query<Bool> {
    compared(.like, pattern, caseInsensitive ? .caseInsensitive : [])
  }
}

// MARK: - Collections

extension Query where T: RealmCollection {
  /// Whether the argument is in the collection.
  public func contains(_ argument: QueryArgument<T.Element>) -> Query<Bool> {
    holds(argument.placeholder)
  }
}
