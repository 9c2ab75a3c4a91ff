// SPDX-License-Identifier: Apache-2.0

// Aggregates (least, greatest, sum, mean) over collections of projections: of the projected
// objects.

import RealmQuery

extension RealmCollection where Element: ProjectionObservable {
  /// The least value of the named property of the objects; nil if there is none.
  public func min<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: MinMaxType { T.aggregate(_resultsSource.state.aggregate(.min, property)) }

  /// The greatest value of the named property of the objects; nil if there is none.
  public func max<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: MinMaxType { T.aggregate(_resultsSource.state.aggregate(.max, property)) }

  /// The sum of the named property of the objects; 0 if there is no value.
  public func sum<T: _HasPersistedType>(ofProperty property: String) -> T
  where T.PersistedType: AddableType { T.sum(_resultsSource.state.aggregate(.sum, property)) }

  /// The mean of the named property of the objects; nil if there is no value.
  public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: AddableType {
    T.aggregate(_resultsSource.state.aggregate(.average, property))
  }

  /// The least value of a property; nil if there is none. Nil values do not count.
  ///
  /// The property must project one of the objects' own; this is so for all aggregates.
  public func min<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: MinMaxType { min(ofProperty: _name(for: keyPath)) }

  /// The greatest value of a property; nil if there is none. Nil values do not count.
  public func max<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: MinMaxType { max(ofProperty: _name(for: keyPath)) }

  /// The sum of a property; 0 if there is no value.
  public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T
  where T.PersistedType: AddableType { sum(ofProperty: _name(for: keyPath)) }

  /// The mean of a property; nil if there is no value.
  public func average<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: AddableType { average(ofProperty: _name(for: keyPath)) }
}
