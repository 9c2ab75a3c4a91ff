// SPDX-License-Identifier: Apache-2.0

// Filtering and sorting collections.

import RealmQuery

extension RealmCollection {
  /// The elements that match a condition.
  ///
  /// ```swift
  /// let open = realm.objects(Todo.self).where { !$0.isDone && $0.priority > 3 }
  /// ```
  /// The results are live. The closure runs once, and describes the condition; its argument
  /// represents an object, or a value in a collection of values. Traps for a collection that no
  /// realm manages.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    _resultsSource.filtered(by: isIncluded(.subject).asCondition)
  }

  /// The position of the first element that matches a condition; nil if there is none.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    firstPosition { $0.filtered(by: isIncluded(.subject).asCondition) }
  }
}

extension RealmCollection where Element: ObjectBase {
  /// The objects in the order of a property.
  ///
  /// Equal ones keep their order; nil comes first.
  public func sorted<Value: _HasPersistedType>(
    by keyPath: KeyPath<Element, Value>, ascending: Bool = true
  ) -> Results<Element> where Value.PersistedType: SortableType {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }
}

extension RealmCollection {
  /// The elements in the order of the named property, or of `self` for values.
  ///
  /// Equal ones keep their order; nil comes first. A key path may lead through links to one object,
  /// and end in what is computed from a collection (`dogs.@count`, `dogs.@avg.age`) or in the value
  /// of a map's key (`prices[EUR]`); objects for which a link on it is nil come last.
  ///
  /// Traps if the key path does not lead to a value.
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// The elements in an order of several properties, the most important first.
  public func sorted<S: Sequence>(by descriptors: S) -> Results<Element>
  where S.Element == SortDescriptor {
    _resultsSource.sorted(by: Array(descriptors))
  }
}

extension RealmCollection where Element: _HasPersistedType, Element.PersistedType: SortableType {
  /// The values in their order.
  public func sorted(ascending: Bool = true) -> Results<Element> {
    sorted(by: [SortDescriptor(keyPath: "self", ascending: ascending)])
  }
}
