// SPDX-License-Identifier: Apache-2.0

// The order of numbers of all types.
//
// Invariants:
// 1. The order is that of the numbers themselves, without rounding, so it is total: what is equal
//    to one number is equal to each other one. What is no number equals itself, and comes first.
// 2. Two numbers have one normal form exactly if they are equal.

#if Server
import RealmFormats
import RealmQuery
import RealmStorage

extension BSONNumber {
  /// The greatest exponent of a decimal.
  private static let exponentMax = 6_111

  /// Less than 0 if the other number is larger, 0 if they are equal.
  func compare(to other: BSONNumber) -> Int {
    if isNaN || other.isNaN { return isNaN ? (other.isNaN ? 0 : -1) : 1 }
    switch (self, other) {
    case (.decimal(let left), .decimal(let right)): return left.compare(to: right)
    case (.decimal(let left), .double(let right)):
      return ExactOrder.compare(left, to: right)
    case (.double(let left), .decimal(let right)):
      return -ExactOrder.compare(right, to: left)
    case (.decimal(let left), .int32), (.decimal(let left), .int64):
      return left.compare(to: DecimalBits(integer: other.integer ?? 0))
    case (.int32, .decimal(let right)), (.int64, .decimal(let right)):
      return DecimalBits(integer: integer ?? 0).compare(to: right)
    case (.double(let left), .double(let right)):
      return left < right ? -1 : left > right ? 1 : 0
    case (.double(let left), .int32), (.double(let left), .int64):
      return -Self.compare(other.integer ?? 0, to: left)
    case (.int32, .double(let right)), (.int64, .double(let right)):
      return Self.compare(integer ?? 0, to: right)
    case (.int32, .int32), (.int32, .int64), (.int64, .int32), (.int64, .int64):
      let (left, right) = (integer ?? 0, other.integer ?? 0)
      return left < right ? -1 : left > right ? 1 : 0
    }
  }

  private static func compare(_ integer: Int64, to double: Double) -> Int {
    if double >= 0x1p63 { return -1 }
    if double < -0x1p63 { return 1 }
    let whole = Int64(double)
    if integer != whole { return integer < whole ? -1 : 1 }
    let fraction = double - Double(whole)
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
  }

  /// One form for equal numbers: an integer, or a double, or a decimal with the fewest digits.
  var normal: BSONValue {
    if isNaN { return .decimal("NaN") }
    if let integer { return .int64(integer) }
    guard case .decimal(let bits) = self else { return value }
    if case .finite(let isNegative, var coefficient, var exponent) = bits.parts {
      let double = double
      if double.isFinite, ExactOrder.compare(bits, to: double) == 0 { return .double(double) }
      while coefficient % 10 == 0, exponent < Self.exponentMax {
        (coefficient, exponent) = (coefficient / 10, exponent + 1)
      }
      let least = DecimalBits(
        isNegative: isNegative, coefficient: coefficient, exponent: exponent)
      return BSONNumber.decimal(least).value
    }
    return .double(double)
  }
}
#endif
