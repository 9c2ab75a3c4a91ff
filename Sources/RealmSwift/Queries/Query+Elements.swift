// SPDX-License-Identifier: Apache-2.0

// Collections compared with one value, as a condition on some of their elements, and what is stored
// for the elements.

import RealmQuery

// MARK: - Lists, sets, backlinks

extension Query where T: RealmCollection {
  /// Whether some element equals `value`.
  public static func == (query: Query, value: T.Element) -> Query<Bool> {
    query.compared(.equal, value)
  }

  /// Whether some element differs from `value`.
  public static func != (query: Query, value: T.Element) -> Query<Bool> {
    query.compared(.notEqual, value)
  }
}

extension Query where T: RealmCollection, T.Element.PersistedType: _QueryNumeric {
  /// Whether some element is less than `value`.
  public static func < (query: Query, value: T.Element) -> Query<Bool> {
    query.compared(.less, value)
  }

  /// Whether some element is at most `value`.
  public static func <= (query: Query, value: T.Element) -> Query<Bool> {
    query.compared(.lessOrEqual, value)
  }

  /// Whether some element is greater than `value`.
  public static func > (query: Query, value: T.Element) -> Query<Bool> {
    query.compared(.greater, value)
  }

  /// Whether some element is at least `value`.
  public static func >= (query: Query, value: T.Element) -> Query<Bool> {
    query.compared(.greaterOrEqual, value)
  }
}

extension Query where T: RealmCollection, T.Element: PersistableEnum {
  /// The raw values of the elements.
  public var rawValue: Query<AnyRealmCollection<T.Element.RawValue>> {
    Query<AnyRealmCollection<T.Element.RawValue>>(operand)
  }
}

extension Query
where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum {
  /// The raw values of the elements; null for those that are nil.
  public var rawValue: Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>> {
    Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>>(operand)
  }
}

extension Query
where
  T: RealmCollection, T.Element: _CustomPersistable, T.Element.PersistedType: RealmCollectionValue
{
  /// The stored values of the elements.
  public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> {
    Query<AnyRealmCollection<T.Element.PersistedType>>(operand)
  }
}

extension Query
where
  T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: _CustomPersistable,
  T.Element.Wrapped.PersistedType: _RealmCollectionValueInsideOptional
{
  /// The stored values of the elements; null for those that are nil.
  public var persistableValue: Query<AnyRealmCollection<T.Element.Wrapped.PersistedType?>> {
    Query<AnyRealmCollection<T.Element.Wrapped.PersistedType?>>(operand)
  }
}

// MARK: - Maps

extension Query where T: RealmKeyedCollection {
  /// Whether some value equals `value`.
  public static func == (query: Query, value: T.Value) -> Query<Bool> {
    query.compared(.equal, value)
  }

  /// Whether some value differs from `value`.
  public static func != (query: Query, value: T.Value) -> Query<Bool> {
    query.compared(.notEqual, value)
  }
}

extension Query where T: RealmKeyedCollection, T.Value.PersistedType: _QueryNumeric {
  /// Whether some value is less than `value`.
  public static func < (query: Query, value: T.Value) -> Query<Bool> {
    query.compared(.less, value)
  }

  /// Whether some value is at most `value`.
  public static func <= (query: Query, value: T.Value) -> Query<Bool> {
    query.compared(.lessOrEqual, value)
  }

  /// Whether some value is greater than `value`.
  public static func > (query: Query, value: T.Value) -> Query<Bool> {
    query.compared(.greater, value)
  }

  /// Whether some value is at least `value`.
  public static func >= (query: Query, value: T.Value) -> Query<Bool> {
    query.compared(.greaterOrEqual, value)
  }
}

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum {
  /// The raw values of the map's values.
  public var rawValue: Query<Map<T.Key, T.Value.RawValue>> {
    Query<Map<T.Key, T.Value.RawValue>>(operand)
  }
}

extension Query
where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: PersistableEnum {
  /// The raw values of the map's values; null for those that are nil.
  public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> {
    Query<Map<T.Key, T.Value.Wrapped.RawValue?>>(operand)
  }
}

extension Query
where
  T: RealmKeyedCollection, T.Value: _CustomPersistable, T.Value.PersistedType: RealmCollectionValue
{
  /// The stored values of the map's values.
  public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> {
    Query<Map<T.Key, T.Value.PersistedType>>(operand)
  }
}

extension Query
where
  T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: _CustomPersistable,
  T.Value.Wrapped.PersistedType: _RealmCollectionValueInsideOptional
{
  /// The stored values of the map's values; null for those that are nil.
  public var persistableValue: Query<Map<T.Key, T.Value.Wrapped.PersistedType?>> {
    Query<Map<T.Key, T.Value.Wrapped.PersistedType?>>(operand)
  }
}
