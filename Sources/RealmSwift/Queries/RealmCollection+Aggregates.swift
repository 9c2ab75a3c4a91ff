// SPDX-License-Identifier: Apache-2.0

// Least, greatest, sum and mean over collections.

import RealmQuery
import RealmStorage
import RealmTables

extension RealmCollection where Element: ObjectBase {
  /// The least value of the named property; nil if there is none. Nil values do not count.
  public func min<T: _Scalar>(ofProperty property: String) -> T?
  where T.PersistedType: MinMaxType {
    _fold(.min, property)
  }

  /// The greatest value of the named property; nil if there is none. Nil values do not count.
  public func max<T: _Scalar>(ofProperty property: String) -> T?
  where T.PersistedType: MinMaxType {
    _fold(.max, property)
  }

  /// The sum of the named property; 0 if there is no value.
  public func sum<T: _Scalar>(ofProperty property: String) -> T
  where T.PersistedType: AddableType {
    _fold(.sum, property) ?? T._makeDefault()
  }

  /// The mean of the named property; nil if there is no value.
  public func average<T: _Scalar>(ofProperty property: String) -> T?
  where T.PersistedType: AddableType {
    _fold(.average, property)
  }

  /// The least value of a property; nil if there is none.
  public func min<T: _Scalar>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: MinMaxType {
    min(ofProperty: _name(for: keyPath))
  }

  /// The least value of an optional property; nil if there is none.
  public func min<T: _Scalar>(of keyPath: KeyPath<Element, T?>) -> T?
  where T.PersistedType: MinMaxType {
    min(ofProperty: _name(for: keyPath))
  }

  /// The greatest value of a property; nil if there is none.
  public func max<T: _Scalar>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: MinMaxType {
    max(ofProperty: _name(for: keyPath))
  }

  /// The greatest value of an optional property; nil if there is none.
  public func max<T: _Scalar>(of keyPath: KeyPath<Element, T?>) -> T?
  where T.PersistedType: MinMaxType {
    max(ofProperty: _name(for: keyPath))
  }

  /// The sum of a property; 0 if there is no value.
  public func sum<T: _Scalar>(of keyPath: KeyPath<Element, T>) -> T
  where T.PersistedType: AddableType {
    sum(ofProperty: _name(for: keyPath))
  }

  /// The sum of an optional property; 0 if there is no value.
  public func sum<T: _Scalar>(of keyPath: KeyPath<Element, T?>) -> T
  where T.PersistedType: AddableType {
    sum(ofProperty: _name(for: keyPath))
  }

  /// The mean of a property; nil if there is no value.
  public func average<T: _Scalar>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: AddableType {
    average(ofProperty: _name(for: keyPath))
  }

  /// The mean of an optional property; nil if there is no value.
  public func average<T: _Scalar>(of keyPath: KeyPath<Element, T?>) -> T?
  where T.PersistedType: AddableType {
    average(ofProperty: _name(for: keyPath))
  }
}

extension RealmCollection where Element: _Scalar, Element.PersistedType: MinMaxType {
  /// The least element; nil if there is none.
  public func min() -> Element? { _foldValues(.min) }

  /// The greatest element; nil if there is none.
  public func max() -> Element? { _foldValues(.max) }
}

extension RealmCollection where Element: _Scalar, Element.PersistedType: AddableType {
  /// The sum of the elements; 0 if there is none.
  public func sum() -> Element {
    _foldValues(.sum) ?? Element._makeDefault()
  }

  /// The mean of the elements; nil if there is none.
  public func average<T: _Scalar>() -> T?
  where T.PersistedType: AddableType {
    _foldValues(.average)
  }
}

// MARK: - Computing

extension ResultsState {
  /// Folds a property of the objects.
  func aggregate<T: _Scalar>(_ function: CollectionFunction, _ name: String) -> T? {
    core.checkIsolation()
    guard let info, !isInvalidated else { return nil }
    let property = info.schema.property(named: name, for: function)
    do throws(StorageError) {
      return T(aggregate: try fold(function, info.column(property.index), info))
    } catch { stop(error) }
  }

  private func fold(
    _ function: CollectionFunction, _ column: Column, _ info: ClassInfo
  ) throws(StorageError) -> MixedValue {
    if case .table = source {
      if request.rest.isEmpty {
        guard let predicate = request.predicate else {
          return try Aggregates.fold(function, of: column, in: info.table)
        }
        return try selection(predicate, info).aggregate(function, of: column)
      }
    }
    return try Aggregates.fold(function, of: column, in: info.table, over: contents().keys())
  }

  /// Folds values that are elements themselves.
  func aggregateOfValues<T: _Scalar>(_ function: CollectionFunction) -> T? {
    var aggregator = Aggregator(function)
    do throws(StorageError) {
      for value in try contents().values() { value.withMixed { aggregator.add($0) } }
    } catch { stop(error) }
    return T(aggregate: aggregator.result)
  }
}

extension ModelSchema {
  /// The property called `name`; ends the process if there is none, or if it cannot be folded so.
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
  /// Whether values of the type can be folded so.
  fileprivate func supports(_ function: CollectionFunction) -> Bool {
    switch self {
    case .int, .float, .double, .decimal128, .any: true
    case .date: function == .min || function == .max
    default: false
    }
  }
}

extension _Scalar {
  /// The result of an aggregate as a value of this type; nil for null.
  init?(aggregate value: MixedValue) {
    let candidates: [TableValue]
    switch value {
    case .int(let number):
      candidates = [
        .int(number), .double(Double(number)), .float(Float(number)),
        .decimal(DecimalBits(integer: number)),
      ]
    case .double(let number):
      candidates = [
        .double(number), .float(Float(number)), .decimal(DecimalBits(double: number)),
        .int(Int64(clamping: number)),
      ]
    case .float(let number):
      candidates = [
        .float(number), .double(Double(number)), .decimal(DecimalBits(float: number)),
        .int(Int64(clamping: Double(number))),
      ]
    case .decimal(let bits): candidates = [.decimal(bits)]
    case .timestamp(let date): candidates = [.timestamp(date)]
    default: return nil
    }
    for candidate in candidates {
      if let result = Self._scalar(_StoredValue(candidate)) {
        self = result
        return
      }
    }
    throwRealmException("The result of the aggregate is not of type '\(Self._type)'")
  }
}

extension Int64 {
  /// The whole part of a number, at the end of the range if it lies beyond.
  fileprivate init(clamping number: Double) {
    if number.isNaN {
      self = 0
    } else {
      self = number >= 0x1p63 ? .max : number < -0x1p63 ? .min : Int64(number)
    }
  }
}
