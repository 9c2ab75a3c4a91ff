// SPDX-License-Identifier: Apache-2.0

// Comparing decimals by value: 1.0 and 1.00 are different bits and the same number.

import CRealmPlatform

/// The meaning of a decimal's bits (file format 4.6).
package enum DecimalParts: Hashable, Sendable {
  /// `(-1)^negative * coefficient * 10^exponent`.
  case finite(isNegative: Bool, coefficient: UInt128, exponent: Int)
  case infinity(isNegative: Bool)
  case nan
}

extension DecimalBits {
  package static let exponentBias = 6176
  package static let maximumCoefficient: UInt128 = 9_999_999_999_999_999_999_999_999_999_999_999

  /// The decimal taken apart.
  package var parts: DecimalParts {
    let isNegative = high >> 63 == 1
    switch (high >> 58) & 0x1F {
    case 0x1F: return .nan
    case 0x1E: return .infinity(isNegative: isNegative)
    default: break
    }
    // The large-coefficient form has no valid values in 128 bits; it reads as zero.
    if (high >> 61) & 3 == 3 {
      return .finite(
        isNegative: isNegative, coefficient: 0,
        exponent: Int((high >> 47) & 0x3FFF) - Self.exponentBias)
    }
    let coefficient = UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
    return .finite(
      isNegative: isNegative,
      coefficient: coefficient > Self.maximumCoefficient ? 0 : coefficient,
      exponent: Int((high >> 49) & 0x3FFF) - Self.exponentBias)
  }

  /// A decimal of the given coefficient (at most 34 digits) and exponent (-6176 to 6111).
  package init(isNegative: Bool, coefficient: UInt128, exponent: Int) {
    let sign: UInt64 = isNegative ? 1 << 63 : 0
    self.init(
      low: UInt64(truncatingIfNeeded: coefficient),
      high: sign | UInt64(exponent + Self.exponentBias) << 49
        | UInt64(truncatingIfNeeded: coefficient >> 64))
  }

  /// An integer, exactly.
  package init(integer: Int64) {
    self.init(
      isNegative: integer < 0, coefficient: UInt128(integer.magnitude), exponent: 0)
  }

  /// A double, to 15 significant digits, as comparisons across types use it.
  package init(double: Double) {
    self.init(number: double, digits: 15)
  }

  /// A float, to 7 significant digits, as comparisons across types use it.
  package init(float: Float) {
    self.init(number: Double(float), digits: 7)
  }

  private init(number: Double, digits: Int) {
    if number.isNaN {
      self.init(low: 0, high: 0x7C00_0000_0000_0000)
      return
    }
    if number.isInfinite {
      self.init(low: 0, high: number < 0 ? 0xF800_0000_0000_0000 : 0x7800_0000_0000_0000)
      return
    }
    self = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      // Correctly rounded, and without a list of arguments to allocate: mixed values are sorted so.
      let length = unsafe Int(
        realm_print_number(buffer.baseAddress, buffer.count, Int32(digits), number))
      return unsafe DecimalBits(
        text: UnsafeBufferPointer(rebasing: buffer[..<length]), digits: digits,
        isNegative: number.sign == .minus)
    }
  }

  /// - Parameter text: "-d.ddde-xx" with so many digits.
  private init(text: UnsafeBufferPointer<CChar>, digits: Int, isNegative: Bool) {
    var coefficient: UInt128 = 0
    var exponent = 0
    var isNegativeExponent = false
    var inExponent = false
    for index in text.indices {
      let character = unsafe UInt8(bitPattern: text[index])
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let digit = Int(character - UInt8(ascii: "0"))
        if inExponent {
          exponent = exponent * 10 + digit
        } else {
          coefficient = coefficient * 10 + UInt128(digit)
        }
      case UInt8(ascii: "e"): inExponent = true
      case UInt8(ascii: "-") where inExponent: isNegativeExponent = true
      default: break
      }
    }
    var power = (isNegativeExponent ? -exponent : exponent) - (digits - 1)
    while coefficient != 0, coefficient % 10 == 0 {
      coefficient /= 10
      power += 1
    }
    if coefficient == 0 { power = 0 }
    self.init(isNegative: isNegative, coefficient: coefficient, exponent: power)
  }

  /// The number without its fraction, if that fits 64 bits.
  package var truncatedInteger: Int64? {
    guard case .finite(let isNegative, var coefficient, var exponent) = parts else { return nil }
    while exponent < 0, coefficient != 0 {
      coefficient /= 10
      exponent += 1
    }
    while exponent > 0, coefficient != 0 {
      guard coefficient <= UInt128(Int64.max / 10) else { return nil }
      coefficient *= 10
      exponent -= 1
    }
    if isNegative, coefficient == UInt128(Int64.max) + 1 { return Int64.min }
    guard coefficient <= UInt128(Int64.max) else { return nil }
    return isNegative ? -Int64(coefficient) : Int64(coefficient)
  }

  /// Negative, zero or positive as this number is less than, equal to or greater than the other.
  ///
  /// NaN is less than every number; two NaNs are ordered by their bits.
  package func compare(to other: DecimalBits) -> Int {
    switch (parts, other.parts) {
    case (.nan, .nan):
      return high != other.high
        ? (high < other.high ? -1 : 1)
        : low == other.low ? 0 : low < other.low ? -1 : 1
    case (.nan, _): return -1
    case (_, .nan): return 1
    case (.infinity(let left), .infinity(let right)):
      return left == right ? 0 : left ? -1 : 1
    case (.infinity(let isNegative), _): return isNegative ? -1 : 1
    case (_, .infinity(let isNegative)): return isNegative ? 1 : -1
    case (
      .finite(let leftNegative, let left, let leftExponent),
      .finite(let rightNegative, let right, let rightExponent)
    ):
      if left == 0, right == 0 { return 0 }
      if left == 0 { return rightNegative ? 1 : -1 }
      if right == 0 { return leftNegative ? -1 : 1 }
      if leftNegative != rightNegative { return leftNegative ? -1 : 1 }
      let order = Self.compareMagnitudes(left, leftExponent, right, rightExponent)
      return leftNegative ? -order : order
    }
  }

  private static func compareMagnitudes(
    _ left: UInt128, _ leftExponent: Int, _ right: UInt128, _ rightExponent: Int
  ) -> Int {
    let leftPlace = digitCount(left) + leftExponent
    let rightPlace = digitCount(right) + rightExponent
    if leftPlace != rightPlace { return leftPlace < rightPlace ? -1 : 1 }
    // Equal leading places: bringing both to the smaller exponent stays within 34 digits.
    var left = left
    var right = right
    for _ in 0..<max(0, leftExponent - rightExponent) { left *= 10 }
    for _ in 0..<max(0, rightExponent - leftExponent) { right *= 10 }
    return left == right ? 0 : left < right ? -1 : 1
  }
}
