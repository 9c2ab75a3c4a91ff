// SPDX-License-Identifier: Apache-2.0

// Least, greatest, sum and mean over collections.

import RealmQuery
import RealmSession
import RealmStorage
import RealmTables

extension RealmCollection where Element: ObjectBase {
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

  /// The least value of a property; nil if there is none. Nil values do not count.
  public func min<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: MinMaxType {
    min(ofProperty: _name(for: keyPath))
  }

  /// The greatest value of a property; nil if there is none. Nil values do not count.
  public func max<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: MinMaxType {
    max(ofProperty: _name(for: keyPath))
  }

  /// The sum of a property; 0 if there is no value.
  public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T
  where T.PersistedType: AddableType {
    sum(ofProperty: _name(for: keyPath))
  }

  /// The mean of a property; nil if there is no value.
  public func average<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: AddableType {
    average(ofProperty: _name(for: keyPath))
  }
}

extension RealmCollection where Element: _HasPersistedType, Element.PersistedType: MinMaxType {
  /// The least element; nil if there is none. Nil elements do not count.
  public func min() -> Element? { Element.aggregate(_aggregateValues(.min)) }

  /// The greatest element; nil if there is none. Nil elements do not count.
  public func max() -> Element? { Element.aggregate(_aggregateValues(.max)) }
}

extension RealmCollection where Element: _HasPersistedType, Element.PersistedType: AddableType {
  /// The sum of the elements; 0 if there is none.
  public func sum() -> Element { Element.sum(_aggregateValues(.sum)) }

  /// The mean of the elements; nil if there is none.
  public func average<T: _HasPersistedType>() -> T?
  where T.PersistedType: AddableType {
    T.aggregate(_aggregateValues(.average))
  }
}

// MARK: - Computing

extension ResultsState {
  /// Aggregates a property of the objects.
  func aggregate(_ function: CollectionFunction, _ name: String) -> MixedValue {
    core.checkIsolation()
    guard let info, !isOfInvalidRealm else { return .null }
    let property = info.schema.property(named: name, for: function)
    return searching(try aggregate(function, info.column(property.index), info), else: .null)
  }

  private func aggregate(
    _ function: CollectionFunction, _ column: Column, _ info: ClassInfo
  ) throws(StorageError) -> MixedValue {
    if case .table = source {
      if query.steps.isEmpty {
        return query.condition == nil
          ? try Aggregates.compute(function, of: column, in: info.table)
          : try selection(info).aggregate(function, of: column)
      }
    }
    return try Aggregates.compute(function, of: column, in: info.table, over: contents().keys())
  }

  /// Aggregates values that are elements themselves.
  func aggregateOfValues(_ function: CollectionFunction) -> MixedValue {
    var aggregator = Aggregator(function)
    for value in searching(try contents().values(), else: []) {
      value.withMixed { aggregator.add($0) }
    }
    return aggregator.result
  }
}

extension ModelSchema {
  /// The property called `name`; traps if there is none, or if it cannot be aggregated so.
  func property(named name: String, for function: CollectionFunction) -> ModelProperty {
    guard let property = property(named: name) else {
      throwRealmException(
        "Invalid property name: property '\(name)' not found in object of type '\(className)'")
    }
    guard property.shape.collection == .none, property.shape.type.supports(function) else {
      throwRealmException(
        "\(function.rawValue) is not supported for \(property.shape.type) property "
          + "'\(className).\(name)'")
    }
    return property
  }
}

extension PropertyType {
  /// Whether values of the type can be aggregated so.
  fileprivate func supports(_ function: CollectionFunction) -> Bool {
    switch self {
    case .int, .float, .double, .decimal128, .any: true
    case .date: function == .min || function == .max
    default: false
    }
  }
}
