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
  public func min() -> Element.Wrapped? { _resultsSource.state.aggregateOfValues(.min) }

  /// The greatest element that is not nil; nil if there is none.
  public func max() -> Element.Wrapped? { _resultsSource.state.aggregateOfValues(.max) }
}

extension RealmCollection
where
  Element: OptionalProtocol, Element.Wrapped: _Scalar, Element.Wrapped.PersistedType: AddableType
{
  /// The sum of the elements that are not nil; 0 if there is none.
  public func sum() -> Element.Wrapped {
    _resultsSource.state.aggregateOfValues(.sum) ?? Element.Wrapped._makeDefault()
  }

  /// The mean of the elements that are not nil; nil if there is none.
  public func average<T: _Scalar>() -> T?
  where T.PersistedType: AddableType {
    _resultsSource.state.aggregateOfValues(.average)
  }
}

extension Map where Value == AnyRealmValue {
  /// The least number or date; nil if there is none.
  public func min() -> AnyRealmValue? { resultsSource.state.foldOfMixed(.min) }

  /// The greatest number or date; nil if there is none.
  public func max() -> AnyRealmValue? { resultsSource.state.foldOfMixed(.max) }

  /// The sum of the numbers; 0 if there is none.
  public func sum() -> AnyRealmValue { resultsSource.state.foldOfMixed(.sum) ?? .int(0) }

  /// The mean of the numbers; nil if there is none.
  public func average() -> AnyRealmValue? { resultsSource.state.foldOfMixed(.average) }
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

extension ResultsState {
  /// Folds the numbers, and for the least and the greatest the dates, among values of any type.
  fileprivate func foldOfMixed(_ function: CollectionFunction) -> AnyRealmValue? {
    var aggregator = Aggregator(function)
    do throws(StorageError) {
      for value in try contents().values() {
        switch value {
        case .int, .float, .double, .decimal, .timestamp:
          value.withMixed { aggregator.add($0) }
        default: break
        }
      }
    } catch { stop(error) }
    switch aggregator.result {
    case .int(let number): return .int(Int(number))
    case .double(let number): return .double(number)
    case .float(let number): return .float(number)
    case .decimal(let bits): return .decimal128(Decimal128(low: bits.low, high: bits.high))
    case .timestamp(let time): return .date(Date(time))
    default: return nil
    }
  }
}

/// Types of properties that collections can be sorted by.
public typealias KeypathSortable = SortableType
