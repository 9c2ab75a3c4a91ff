// SPDX-License-Identifier: Apache-2.0

// The operators of key-value coding: `@sum.age`, `@distinctUnionOfObjects.name` and the like.

import Foundation
import RealmQuery
import RealmSession
import RealmStorage
import RealmTables

/// An operator on the values that a key path found in a collection.
enum CollectionOperator: String {
  case count, sum, avg, min, max
  case unionOfObjects, distinctUnionOfObjects
  case unionOfArrays, distinctUnionOfArrays
  case unionOfSets, distinctUnionOfSets

  /// The result for values none of which is null.
  func result(_ values: [Any]) -> Any? {
    switch self {
    case .count: values.count
    case .sum, .avg, .min, .max: folded(values)
    case .unionOfObjects: values
    case .distinctUnionOfObjects: CollectionOperator.distinct(values)
    case .unionOfArrays, .unionOfSets: CollectionOperator.flattened(values)
    case .distinctUnionOfArrays, .distinctUnionOfSets:
      CollectionOperator.distinct(CollectionOperator.flattened(values))
    }
  }

  /// Traps if `path` is a property of `model` that the operator cannot aggregate.
  func requireSupport(of path: Substring, in model: ObjectBase.Type?) {
    guard let model, function != nil,
      let property = ModelSchema.of(model).property(named: String(path)),
      property.shape.collection != .none || !isSupported(property.shape.type)
    else { return }
    throwRealmException(
      "@\(rawValue) is not supported for \(property.shape.type) property "
        + "'\(model.className()).\(property.name)'")
  }

  private func isSupported(_ type: PropertyType) -> Bool {
    switch type {
    case .int, .float, .double, .decimal128, .any: true
    case .date: self == .min || self == .max
    default: false
    }
  }

  private var function: CollectionFunction? {
    switch self {
    case .sum: .sum
    case .avg: .average
    case .min: .min
    case .max: .max
    default: nil
    }
  }

  private func folded(_ values: [Any]) -> Any? {
    guard let function else { return nil }
    var aggregator = Aggregator(function)
    for value in values {
      stored(value).withMixed { aggregator.add($0) }
    }
    switch aggregator.result {
    case .int(let number): return Int(number)
    case .double(let number): return number
    case .float(let number): return number
    case .decimal(let bits): return Decimal128(low: bits.low, high: bits.high)
    case .timestamp(let time): return Date(time)
    default: return self == .sum ? 0 : nil
    }
  }

  private func stored(_ value: Any) -> TableValue {
    let value = swiftValue(untypedValue(value) ?? value)
    if let type = type(of: value) as? any _Scalar.Type, isSupported(type._type),
      let stored = type._storedScalar(value)
    {
      return stored.value
    }
    throwRealmException(
      "@\(rawValue) is not supported for values of type '\(type(of: value))'")
  }

  static func distinct(_ values: [Any]) -> [Any] {
    var seen: Set<AnyHashable> = []
    return values.filter { value in
      guard let key = value as? AnyHashable else { return true }
      return seen.insert(key).inserted
    }
  }

  private static func flattened(_ values: [Any]) -> [Any] {
    values.flatMap { value -> [Any] in
      if let array = value as? [Any] { return array }
      if let collection = value as? any RealmCollection {
        return KeyValuePath.elements(of: collection)
      }
      return [value]
    }.filter { !isNil($0) }
  }
}
