// SPDX-License-Identifier: Apache-2.0

// Sorting and aggregating the values of maps, and of any keyed collection in generic code.

import Foundation

extension RealmKeyedCollection where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
  /// The least value of a property; nil if there is none. Nil values do not count.
  public func min<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
  where T.PersistedType: MinMaxType {
    min(ofProperty: _name(for: keyPath))
  }

  /// The greatest value of a property; nil if there is none. Nil values do not count.
  public func max<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
  where T.PersistedType: MinMaxType {
    max(ofProperty: _name(for: keyPath))
  }

  /// The sum of a property; 0 if there is no value.
  public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T
  where T.PersistedType: AddableType {
    sum(ofProperty: _name(for: keyPath))
  }

  /// The mean of a property; nil if there is no value.
  public func average<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
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

extension RealmKeyedCollection {
  /// The values of a map; of another keyed collection, as results.
  fileprivate func fold<R>(
    _ map: (Map<Key, Value>) -> R, _ results: (Results<Value>) -> R
  ) -> R {
    (self as? Map<Key, Value>).map(map) ?? results(filter(NSPredicate(value: true)))
  }

  /// The values in an order of several properties, the most important first.
  public func sorted<S: Sequence>(by descriptors: S) -> Results<Value>
  where S.Element == SortDescriptor {
    fold({ $0.sorted(by: descriptors) }, { $0.sorted(by: descriptors) })
  }
}

extension RealmKeyedCollection where Value: _HasPersistedType, Value.PersistedType: MinMaxType {
  /// The least value; nil if there is none. Nil values do not count.
  public func min() -> Value? { fold({ $0.min() }, { $0.min() }) }

  /// The greatest value; nil if there is none. Nil values do not count.
  public func max() -> Value? { fold({ $0.max() }, { $0.max() }) }
}

extension RealmKeyedCollection where Value: _HasPersistedType, Value.PersistedType: AddableType {
  /// The sum of the values; 0 if there is none.
  public func sum() -> Value { fold({ $0.sum() }, { $0.sum() }) }

  /// The mean of the values; nil if there is none.
  public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
    fold({ $0.average() }, { $0.average() })
  }
}
