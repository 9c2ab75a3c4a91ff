// SPDX-License-Identifier: Apache-2.0

// Decimals from values of other types, and the kinds of NaN.

import Foundation
import RealmStorage

extension DecimalBits {
  /// The NaN that represents null where a decimal is wanted.
  static let signalingNull = DecimalBits(low: 0, high: 0x7E00_0000_0000_0000)

  /// An integer, if 34 digits can hold it.
  init?<T: BinaryInteger>(exactly source: T) {
    guard let magnitude = UInt128(exactly: source.magnitude),
      magnitude <= Self.maximumCoefficient
    else { return nil }
    self.init(isNegative: source < 0, coefficient: magnitude, exponent: 0)
  }

  /// A decimal from any value that the API accepts for one; nil for others.
  init?(any value: Any) {
    switch value {
    case let decimal as Decimal128: self = decimal.bits.canonical
    case let integer as any BinaryInteger: self.init(exactly: integer)
    case let double as Double: self.init("\(double)")
    case let float as Float: self.init("\(float)")
    case let decimal as Decimal: self.init(decimal.description)
    case let text as String: self.init(text)
    case let number as NSNumber: self.init(number.stringValue)
    default: return nil
    }
  }

  /// Whether this is not a number.
  var isNaN: Bool { high >> 58 & 0x1F == 0x1F }

  var isSignalingNaN: Bool { high >> 57 & 0x3F == 0x3F }

  /// The same value without meaningless bits.
  var canonical: DecimalBits {
    switch parts {
    case .nan: DecimalBits(low: 0, high: high & 0xFE00_0000_0000_0000)
    case .infinity(let isNegative): .infinity(isNegative: isNegative)
    case .finite(let isNegative, let coefficient, let exponent):
      DecimalBits(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
    }
  }
}
