// SPDX-License-Identifier: Apache-2.0

// Aggregates (least, greatest, sum, mean) of maps of mixed values, and the order of maps of
// objects.

import Foundation
import RealmQuery

extension Map where Value == AnyRealmValue {
  /// The least number or date; nil if there is none.
  public func min() -> AnyRealmValue? { _aggregateMixed(.min) }

  /// The greatest number or date; nil if there is none.
  public func max() -> AnyRealmValue? { _aggregateMixed(.max) }

  /// The sum of the numbers; see `RealmCollection.sum()`.
  public func sum() -> AnyRealmValue { _sumOfMixed() }

  /// The mean of the numbers; nil if there is none.
  public func average() -> AnyRealmValue? { _aggregateMixed(.average) }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
  /// The objects in the order of a property; objects that are nil are left out.
  public func sorted<T: _HasPersistedType>(
    by keyPath: KeyPath<Value.Wrapped, T>, ascending: Bool = true
  ) -> Results<Value> where T.PersistedType: SortableType {
    sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
  }
}

/// Types of properties that collections can be sorted by.
public typealias KeypathSortable = SortableType
