// SPDX-License-Identifier: Apache-2.0

// Conditions on maps.

import RealmQuery

extension Query where T: RealmKeyedCollection {
  /// The value of a key; null if there is none.
  public subscript(key: T.Key) -> Query<T.Value> {
    Query<T.Value>(propertyPath.taking(.value(of: key._text)))
  }

  /// The keys: a condition is true if it is for some of them.
  public var keys: Query<T.Key> { Query<T.Key>(propertyPath.taking(.keys)) }

  /// The values: a condition is true if it is for some of them.
  public var values: Query<T.Value> { Query<T.Value>(propertyPath.taking(.values)) }

  /// Whether `value` is a value of the map.
  public func contains(_ value: T.Value) -> Query<Bool> {
    holds(value)
  }

  /// Whether one of `values` is a value of the map.
  public func containsAny<S: Sequence>(in values: S) -> Query<Bool> where S.Element == T.Value {
    isOne(of: values)
  }

  /// Whether one of `values`, none of which is null, is a value of the map.
  @_disfavoredOverload
  public func containsAny<S: Sequence>(in values: S) -> Query<Bool>
  where T.Value: OptionalProtocol, S.Element == T.Value.Wrapped {
    isOne(of: values)
  }

  /// The number of entries.
  public var count: Query<Int> { Query<Int>(propertyPath.applying(.count)) }
}

extension Query
where T: RealmKeyedCollection, T.Value: _HasPersistedType, T.Value.PersistedType: _QueryNumeric {
  /// The least value; null if there is none.
  public var min: Query<T.Value> { Query<T.Value>(propertyPath.applying(.min)) }

  /// The greatest value; null if there is none.
  public var max: Query<T.Value> { Query<T.Value>(propertyPath.applying(.max)) }

  /// The mean of the values; null if there is none.
  public var avg: Query<T.Value> { Query<T.Value>(propertyPath.applying(.average)) }

  /// The sum of the values; 0 if there is none.
  public var sum: Query<T.Value> { Query<T.Value>(propertyPath.applying(.sum)) }
}

extension Query where T: RealmKeyedCollection, T.Value: Comparable {
  /// Whether all values lie in the range, and there is one.
  public func contains(_ range: Range<T.Value>) -> Query<Bool> { contains(propertyPath, range) }

  /// Whether all values lie in the range, ends included, and there is one.
  public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
    contains(propertyPath, range)
  }
}

extension Query
where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: Comparable {
  /// Whether all values that are not null lie in the range, and there is one.
  public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> {
    contains(propertyPath, range)
  }

  /// Whether all values that are not null lie in the range, ends included, and there is one.
  public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> {
    contains(propertyPath, range)
  }
}
