// SPDX-License-Identifier: Apache-2.0

// A decimal as coefficient, exponent and sign, split and joined by bits.

/// The 128 bits of an IEEE 754 decimal in the binary encoding (BID).
///
/// On the wire a decimal is its low 113 bits (the coefficient), the next 14 bits minus 6176 (the
/// exponent) and its top bit (the sign). NaN, infinities and coefficients out of range are such
/// bit patterns too: they are transported by bits, never by arithmetic.
package struct Decimal128Bits: Hashable, Sendable {
  /// The lower 64 bits of the coefficient.
  package var low: UInt64
  /// The sign, the 14 bits of the exponent, and the upper 49 bits of the coefficient.
  package var high: UInt64

  package static let exponentBias: Int64 = 6176
  package static let exponents: ClosedRange<Int64> = -6176...10_207
  private static let coefficientMask: UInt64 = (1 << 49) - 1

  package init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// Joins the parts; nil if the coefficient has more than 113 bits or the exponent does not fit.
  package init?(
    coefficientHigh: UInt64, coefficientLow: UInt64, exponent: Int64, isNegative: Bool
  ) {
    guard coefficientHigh <= Self.coefficientMask, Self.exponents.contains(exponent) else {
      return nil
    }
    low = coefficientLow
    high =
      coefficientHigh | UInt64(exponent + Self.exponentBias) << 49 | (isNegative ? 1 << 63 : 0)
  }

  /// The upper 49 bits of the coefficient.
  package var coefficientHigh: UInt64 { high & Self.coefficientMask }
  package var exponent: Int64 { Int64((high >> 49) & 0x3FFF) - Self.exponentBias }
  package var isNegative: Bool { high >> 63 == 1 }

  /// Whether both are the same number, as the peers compare the elements of sets: 1E1 is 10, zero
  /// has no sign, and NaN equals nothing.
  package func isSameNumber(as other: Decimal128Bits) -> Bool {
    switch (infinity, other.infinity) {
    case (.nan, _), (_, .nan): return false
    case (.infinite, .infinite): return isNegative == other.isNegative
    case (.infinite, .finite), (.finite, .infinite): return false
    case (.finite, .finite): break
    }
    let (left, right) = (normal, other.normal)
    if left.coefficient == 0 || right.coefficient == 0 {
      return left.coefficient == right.coefficient
    }
    return left == right && isNegative == other.isNegative
  }

  private enum Kind {
    case finite, infinite, nan
  }

  private var infinity: Kind {
    switch (high >> 58) & 0x1F {
    case 0x1F: .nan
    case 0x1E: .infinite
    default: .finite
    }
  }

  /// The coefficient without zeros at its end, and its exponent then. Coefficients out of range
  /// count as zero.
  private var normal: (coefficient: UInt128, exponent: Int64) {
    // The form for large coefficients has no valid values in 128 bits.
    if (high >> 61) & 3 == 3 { return (0, 0) }
    var coefficient = UInt128(coefficientHigh) << 64 | UInt128(low)
    var exponent = exponent
    if coefficient > 9_999_999_999_999_999_999_999_999_999_999_999 { return (0, 0) }
    while coefficient != 0, coefficient % 10 == 0 {
      coefficient /= 10
      exponent += 1
    }
    return (coefficient, exponent)
  }
}
