// SPDX-License-Identifier: Apache-2.0

// Conditions on collections.

import RealmQuery
import RealmSession

extension Query where T: RealmCollection {
  /// Whether `element` is in the collection.
  public func contains(_ element: T.Element) -> Query<Bool> {
    holds(element)
  }

  /// Whether one of `elements` is in the collection.
  public func containsAny<S: Sequence>(in elements: S) -> Query<Bool>
  where S.Element == T.Element {
    isOne(of: elements)
  }

  /// Whether one of `elements`, none of which is null, is in the collection.
  @_disfavoredOverload
  public func containsAny<S: Sequence>(in elements: S) -> Query<Bool>
  where T.Element: OptionalProtocol, S.Element == T.Element.Wrapped {
    isOne(of: elements)
  }

  /// The number of elements.
  public var count: Query<Int> { Query<Int>(propertyPath.applying(.count)) }
}

extension Query
where T: RealmCollection, T.Element: _HasPersistedType, T.Element.PersistedType: _QueryNumeric {
  /// The least element; null if there is none.
  public var min: Query<T.Element> { Query<T.Element>(propertyPath.applying(.min)) }

  /// The greatest element; null if there is none.
  public var max: Query<T.Element> { Query<T.Element>(propertyPath.applying(.max)) }

  /// The mean of the elements; null if there is none.
  public var avg: Query<T.Element> { Query<T.Element>(propertyPath.applying(.average)) }

  /// The sum of the elements; 0 if there is none.
  public var sum: Query<T.Element> { Query<T.Element>(propertyPath.applying(.sum)) }
}

extension Query where T: RealmCollection, T.Element: Comparable {
  /// Whether all elements lie in the range, and there is one.
  public func contains(_ range: Range<T.Element>) -> Query<Bool> { contains(propertyPath, range) }

  /// Whether all elements lie in the range, ends included, and there is one.
  public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
    contains(propertyPath, range)
  }
}

extension Query
where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: Comparable {
  /// Whether all elements that are not null lie in the range, and there is one.
  public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> {
    contains(propertyPath, range)
  }

  /// Whether all elements that are not null lie in the range, ends included, and there is one.
  public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> {
    contains(propertyPath, range)
  }
}

extension Query {
  /// Whether the extremes of a collection lie in a range.
  func contains<Bound>(_ path: PropertyPath, _ range: Range<Bound>) -> Query<Bool> {
    Query<Int>(path.applying(.min)).compared(.greaterOrEqual, range.lowerBound)
      && Query<Int>(path.applying(.max)).compared(.less, range.upperBound)
  }

  /// Whether the extremes of a collection lie in a range, ends included.
  func contains<Bound>(_ path: PropertyPath, _ range: ClosedRange<Bound>) -> Query<Bool> {
    Query<Int>(path.applying(.min)).compared(.greaterOrEqual, range.lowerBound)
      && Query<Int>(path.applying(.max)).compared(.lessOrEqual, range.upperBound)
  }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
  /// The least value of the property in the collection that the path leads through.
  public var min: Query { aggregated(.min) }

  /// The greatest value of the property in the collection that the path leads through.
  public var max: Query { aggregated(.max) }

  /// The mean of the property over the collection that the path leads through.
  public var avg: Query { aggregated(.average) }

  /// The sum of the property over the collection that the path leads through.
  public var sum: Query { aggregated(.sum) }

  private func aggregated(_ function: CollectionFunction) -> Query {
    let path = propertyPath
    guard path.firstMany() != nil else {
      throwRealmException(
        "Aggregate operations can only be used on key paths that include an collection property")
    }
    return Query(path.applying(function))
  }
}
