// SPDX-License-Identifier: Apache-2.0

// The texts of decimals of 128 bits.

/// Writes decimals of IEEE 754 in their binary integer encoding, and knows what their texts are.
package enum DecimalText {
  private static let exponentBias = 6_176
  /// The coefficients above are those of no number: they are zero.
  private static let coefficientMax: UInt128 = 9_999_999_999_999_999_999_999_999_999_999_999

  /// The least and the greatest exponent of a coefficient.
  private static let exponents = -6_176...6_111
  /// The most digits that are not zeros in front.
  private static let digitCountMax = 34

  /// Whether a text is a decimal: digits with a sign, a point and an exponent at most, which are
  /// kept without rounding, or a word for what is no number, in any case.
  package static func isDecimal(_ text: String) -> Bool {
    switch text.lowercased() {
    case "nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity": true
    default: areDigits(Array(text.utf8))
    }
  }

  private static func areDigits(_ bytes: [UInt8]) -> Bool {
    var position = bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") ? 1 : 0
    var (exponent, count) = (0, 0)
    var (hasPoint, hasDigit) = (false, false)
    while position < bytes.count, bytes[position] | 0x20 != UInt8(ascii: "e") {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
        continue
      }
      guard byte ^ 0x30 < 10 else { return false }
      hasDigit = true
      if count > 0 || byte != UInt8(ascii: "0") { count += 1 }
      if hasPoint { exponent -= 1 }
    }
    if position < bytes.count {
      guard let power = power(bytes[(position + 1)...]) else { return false }
      exponent += power
    }
    return hasDigit && count <= digitCountMax && exponents.contains(exponent)
  }

  /// The number behind the letter of an exponent.
  private static func power(_ bytes: ArraySlice<UInt8>) -> Int? {
    let isNegative = bytes.first == UInt8(ascii: "-")
    let digits = isNegative || bytes.first == UInt8(ascii: "+") ? bytes.dropFirst() : bytes
    guard !digits.isEmpty, digits.allSatisfy({ $0 ^ 0x30 < 10 }) else { return nil }
    let power = digits.reduce(0) { min($0 * 10 + Int($1 & 0xF), 10_000) }
    guard power < 10_000 else { return nil }
    return isNegative ? -power : power
  }

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
