// SPDX-License-Identifier: Apache-2.0

// Folding collections: those of a realm where they are stored, others value by value.

import Foundation
import RealmQuery
import RealmStorage
import RealmTables

extension RealmCollection {
  /// Aggregates a property of the objects.
  func _aggregate(_ function: CollectionFunction, _ property: String) -> MixedValue {
    guard realm == nil, let model = Element._shape.linkedClass else {
      return _resultsSource.state.aggregate(function, property)
    }
    return UnmanagedAggregate(function).result(property, of: self, model)
  }

  /// Aggregates values that are elements themselves.
  func _aggregateValues(_ function: CollectionFunction) -> MixedValue {
    guard realm == nil else { return _resultsSource.state.aggregateOfValues(function) }
    return UnmanagedAggregate(function).result(self)
  }

  /// Aggregates the numbers and dates among mixed values.
  func _aggregateMixed(_ function: CollectionFunction) -> AnyRealmValue? {
    guard realm == nil else { return _resultsSource.state.aggregateOfMixed(function) }
    return UnmanagedAggregate(function).mixed(self)
  }
}

extension Map {
  /// Aggregates a property of the objects.
  func _aggregate(_ function: CollectionFunction, _ property: String) -> MixedValue {
    guard managed == nil, let model = Value._shape.linkedClass else {
      return resultsSource.state.aggregate(function, property)
    }
    return UnmanagedAggregate(function).result(property, of: values, model)
  }

  /// Aggregates the values themselves.
  func _aggregateValues(_ function: CollectionFunction) -> MixedValue {
    guard managed == nil else { return resultsSource.state.aggregateOfValues(function) }
    return UnmanagedAggregate(function).result(values)
  }

  /// Aggregates the numbers and dates among mixed values.
  func _aggregateMixed(_ function: CollectionFunction) -> AnyRealmValue? {
    guard managed == nil else { return resultsSource.state.aggregateOfMixed(function) }
    return UnmanagedAggregate(function).mixed(values)
  }
}

/// Least, greatest, sum or mean of values that no realm has, as the database computes them.
private struct UnmanagedAggregate {
  private let function: CollectionFunction
  private var aggregator: Aggregator

  init(_ function: CollectionFunction) {
    self.function = function
    aggregator = Aggregator(function)
  }

  consuming func result(
    _ name: String, of objects: some Sequence, _ model: ObjectBase.Type
  ) -> MixedValue {
    let property = ModelSchema.of(model).property(named: name, for: function)
    for object in objects {
      guard let object = unwrapped(object).flatMap({ modelObject($0) }) else { continue }
      add(property.wrapperType.storedScalar(object._value(of: property)))
    }
    return aggregator.result
  }

  consuming func result(_ values: some Sequence) -> MixedValue {
    for value in values { add(stored(value)) }
    return aggregator.result
  }

  consuming func mixed(_ values: some Sequence) -> AnyRealmValue? {
    for case let value as AnyRealmValue in values {
      guard let stored = value.plain.flatMap({ stored($0) }), function.counts(stored.value) else {
        continue
      }
      add(stored)
    }
    return AnyRealmValue(aggregate: aggregator.result)
  }

  private mutating func add(_ value: _StoredValue?) {
    value?.value.withMixed { aggregator.add($0) }
  }

  private func stored(_ value: Any) -> _StoredValue? {
    guard let value = unwrapped(value), let type = type(of: value) as? any _Scalar.Type else {
      return nil
    }
    return type._storedScalar(value)
  }
}
