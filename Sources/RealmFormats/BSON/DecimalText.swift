// SPDX-License-Identifier: Apache-2.0

// The texts of decimals of 128 bits.

/// Writes decimals of IEEE 754 in their binary integer encoding.
package enum DecimalText {
  private static let exponentBias = 6_176
  /// The coefficients above are those of no number: they are zero.
  private static let coefficientMax: UInt128 = 9_999_999_999_999_999_999_999_999_999_999_999

  /// The text of a decimal, with its digits and its exponent as they are.
  package static func text(low: UInt64, high: UInt64) -> String {
    let sign = high >> 63 == 1 ? "-" : ""
    switch high >> 58 & 0x1F {
    case 0x1F: return "NaN"
    case 0x1E: return sign + "Infinity"
    default: break
    }
    let isLarge = high >> 61 & 3 == 3
    let exponent = Int(high >> (isLarge ? 47 : 49) & 0x3FFF) - exponentBias
    // The large form has coefficients above the largest one alone.
    let coefficient = isLarge ? 0 : UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
    return sign + text(coefficient > coefficientMax ? 0 : coefficient, exponent)
  }

  private static func text(_ coefficient: UInt128, _ exponent: Int) -> String {
    var digits = "\(coefficient)"
    let adjusted = exponent + digits.utf8.count - 1
    guard exponent <= 0, adjusted >= -6 else {
      if digits.utf8.count > 1 { digits.insert(".", at: digits.index(after: digits.startIndex)) }
      return digits + (adjusted < 0 ? "E" : "E+") + "\(adjusted)"
    }
    guard exponent < 0 else { return digits }
    let missing = 1 - exponent - digits.utf8.count
    if missing > 0 { digits = String(repeating: "0", count: missing) + digits }
    digits.insert(".", at: digits.index(digits.endIndex, offsetBy: exponent))
    return digits
  }
}
