// SPDX-License-Identifier: Apache-2.0

// Filtering, sorting and aggregating the values of a map.

public import Foundation
import RealmQuery

extension Map {
  /// The values of the map as the source of results.
  var resultsSource: _ResultsSource {
    let managed = requireManaged()
    return _ResultsSource(ResultsState(.list(managed), managed.core, managed.info))
  }

  /// The values that match a condition; objects that are nil are left out.
  public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> {
    resultsSource.filtered(by: isIncluded(.subject).asCondition)
  }

  /// The values that match a query string, in which a scalar is called `self`; see
  /// `RealmCollection.filter(_:_:)`. Objects that are nil are left out.
  public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
    resultsSource.filtered(by: predicateFormat, args)
  }

  /// The values that match a predicate; see `RealmCollection.filter(_:)`.
  public func filter(_ predicate: NSPredicate) -> Results<Value> {
    resultsSource.filtered(by: predicate)
  }

  /// The values in the order of the named property, or of `self` for scalars.
  ///
  /// Equal values keep the order of their keys; objects that are nil are left out.
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// The values in an order of several properties, the most important first.
  public func sorted<S: Sequence>(by descriptors: S) -> Results<Value>
  where S.Element == SortDescriptor {
    resultsSource.sorted(by: Array(descriptors))
  }
}

extension Map {
  /// The values in their order. Traps for objects.
  public func sorted(ascending: Bool = true) -> Results<Value> {
    sorted(by: [SortDescriptor(keyPath: "self", ascending: ascending)])
  }

  /// The least value of the named property; nil if there is none. Nil values do not count.
  public func min<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: MinMaxType {
    T.aggregate(_aggregate(.min, property))
  }

  /// The greatest value of the named property; nil if there is none. Nil values do not count.
  public func max<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: MinMaxType {
    T.aggregate(_aggregate(.max, property))
  }

  /// The sum of the named property; 0 if there is no value.
  public func sum<T: _HasPersistedType>(ofProperty property: String) -> T
  where T.PersistedType: AddableType {
    T.sum(_aggregate(.sum, property))
  }

  /// The mean of the named property; nil if there is no value.
  public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: AddableType {
    T.aggregate(_aggregate(.average, property))
  }
}

extension Map where Value: _HasPersistedType, Value.PersistedType: MinMaxType {
  /// The least value; nil if there is none. Nil values do not count.
  public func min() -> Value? { Value.aggregate(_aggregateValues(.min)) }

  /// The greatest value; nil if there is none. Nil values do not count.
  public func max() -> Value? { Value.aggregate(_aggregateValues(.max)) }
}

extension Map where Value: _HasPersistedType, Value.PersistedType: AddableType {
  /// The sum of the values; 0 if there is none.
  public func sum() -> Value { Value.sum(_aggregateValues(.sum)) }

  /// The mean of the values; nil if there is none.
  public func average<T: _HasPersistedType>() -> T?
  where T.PersistedType: AddableType {
    T.aggregate(_aggregateValues(.average))
  }
}
