// SPDX-License-Identifier: Apache-2.0

// The result of an aggregate as a value of the type that the program asks for.

public import Foundation
import RealmSession
import RealmStorage
import RealmTables

extension NSNumber: _HasPersistedType, MinMaxType, AddableType {
  /// Numbers of Foundation are results of aggregates only.
  public typealias PersistedType = NSNumber
}

extension NSDate: _HasPersistedType, MinMaxType {
  /// Dates of Foundation are results of aggregates only.
  public typealias PersistedType = NSDate
}

extension _HasPersistedType {
  /// The result of an aggregate as a value of this type; nil for null.
  ///
  /// Traps if the type cannot hold it.
  static func aggregate(_ result: MixedValue) -> Self? {
    if case .null = result { return nil }
    return value(of: result, as: Self.self) as? Self
  }

  /// A sum as a value of this type; zero for null.
  static func sum(_ result: MixedValue) -> Self {
    var sum = result
    if case .null = result { sum = .int(0) }
    if let sum = aggregate(sum) { return sum }
    throwRealmException("A sum cannot be of type '\(Self.self)'")
  }

  /// The result as what the types `Self` may be made of hold: a scalar, an optional of one, a mixed
  /// value, or a number or date of Foundation.
  private static func value(of result: MixedValue, as type: Any.Type) -> Any? {
    func wrapped<T: OptionalProtocol>(_ optional: T.Type) -> Any.Type { T.Wrapped.self }
    switch type {
    case let scalar as any _Scalar.Type: return scalar.init(aggregate: result)
    case is AnyRealmValue.Type: return AnyRealmValue(aggregate: result)
    case let optional as any OptionalProtocol.Type:
      return value(of: result, as: wrapped(optional))
    case is NSNumber.Type: return result.number
    case is NSDate.Type:
      return Date(aggregate: result).map {
        NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate)
      }
    default: throwRealmException("The result of an aggregate cannot be of type '\(type)'")
    }
  }
}

extension MixedValue {
  /// The value as a number of Foundation; nil for other values.
  fileprivate var number: NSNumber? {
    switch self {
    case .int(let number): NSNumber(value: number)
    case .float(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .decimal(let bits): NSDecimalNumber(decimal: Decimal128(bits).decimalValue)
    default: nil
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
