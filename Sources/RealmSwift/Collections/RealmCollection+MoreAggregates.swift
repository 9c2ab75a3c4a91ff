// SPDX-License-Identifier: Apache-2.0

// Least, greatest, sum and mean of values that may be nil, and of maps of mixed values.

import Foundation
import RealmQuery
import RealmStorage
import RealmTables

extension RealmCollection
where Element: OptionalProtocol, Element.Wrapped: _Scalar, Element.Wrapped.PersistedType: MinMaxType
{
  /// The least element that is not nil; nil if there is none.
  public func min() -> Element.Wrapped? { _foldValues(.min) }

  /// The greatest element that is not nil; nil if there is none.
  public func max() -> Element.Wrapped? { _foldValues(.max) }
}

extension RealmCollection
where
  Element: OptionalProtocol, Element.Wrapped: _Scalar, Element.Wrapped.PersistedType: AddableType
{
  /// The sum of the elements that are not nil; 0 if there is none.
  public func sum() -> Element.Wrapped {
    _foldValues(.sum) ?? Element.Wrapped._makeDefault()
  }

  /// The mean of the elements that are not nil; nil if there is none.
  public func average<T: _Scalar>() -> T?
  where T.PersistedType: AddableType {
    _foldValues(.average)
  }
}

extension Map where Value == AnyRealmValue {
  /// The least number or date; nil if there is none.
  public func min() -> AnyRealmValue? { _foldMixed(.min) }

  /// The greatest number or date; nil if there is none.
  public func max() -> AnyRealmValue? { _foldMixed(.max) }

  /// The sum of the numbers; 0 if there is none.
  public func sum() -> AnyRealmValue { _foldMixed(.sum) ?? .int(0) }

  /// The mean of the numbers; nil if there is none.
  public func average() -> AnyRealmValue? { _foldMixed(.average) }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
  /// The least value of an optional property; nil if there is none.
  public func min<T: _Scalar>(of keyPath: KeyPath<Value.Wrapped, T?>) -> T?
  where T.PersistedType: MinMaxType {
    min(ofProperty: _name(for: keyPath))
  }

  /// The greatest value of an optional property; nil if there is none.
  public func max<T: _Scalar>(of keyPath: KeyPath<Value.Wrapped, T?>) -> T?
  where T.PersistedType: MinMaxType {
    max(ofProperty: _name(for: keyPath))
  }

  /// The sum of an optional property; 0 if there is no value.
  public func sum<T: _Scalar>(of keyPath: KeyPath<Value.Wrapped, T?>) -> T
  where T.PersistedType: AddableType {
    sum(ofProperty: _name(for: keyPath))
  }

  /// The mean of an optional property; nil if there is no value.
  public func average<T: _Scalar>(of keyPath: KeyPath<Value.Wrapped, T?>) -> T?
  where T.PersistedType: AddableType {
    average(ofProperty: _name(for: keyPath))
  }

  /// The objects in the order of a property; objects that are nil are left out.
  public func sorted<T: _HasPersistedType>(
    by keyPath: KeyPath<Value.Wrapped, T>, ascending: Bool = true
  ) -> Results<Value> where T.PersistedType: SortableType {
    sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
  }
}

/// Types of properties that collections can be sorted by.
public typealias KeypathSortable = SortableType
