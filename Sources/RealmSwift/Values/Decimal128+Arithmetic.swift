// SPDX-License-Identifier: Apache-2.0

// Decimal arithmetic by the rules of IEEE 754-2008: results have up to 34 digits and are rounded
// once, to nearest, ties to even; operations without a result yield NaN, and those whose result is
// too large infinity.

import RealmStorage

extension Decimal128: SignedNumeric {
  /// The sum.
  public static func + (left: Decimal128, right: Decimal128) -> Decimal128 {
    Decimal128(left.bits + right.bits)
  }

  /// The difference.
  public static func - (left: Decimal128, right: Decimal128) -> Decimal128 {
    Decimal128(left.bits - right.bits)
  }

  /// The product.
  public static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
    Decimal128(left.bits * right.bits)
  }

  /// The quotient. Dividing by zero gives an infinity, zero by zero NaN.
  public static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
    Decimal128(left.bits / right.bits)
  }

  /// Replaces a number by its product with another.
  public static func *= (left: inout Decimal128, right: Decimal128) {
    // Assigned as a whole: the number is immutable and may be in use elsewhere.
    left = left * right
  }

  /// Replaces a number by its quotient.
  public static func /= (left: inout Decimal128, right: Decimal128) {
    left = left / right
  }

  /// The number with the other sign.
  public static prefix func - (number: Decimal128) -> Decimal128 { Decimal128(-number.bits) }
}

extension Decimal128: Strideable {
  /// The number that has to be added to this number to get `other`.
  public func distance(to other: Decimal128) -> Decimal128 { other - self }

  /// The sum of this number and `n`.
  public func advanced(by n: Decimal128) -> Decimal128 { self + n }
}
