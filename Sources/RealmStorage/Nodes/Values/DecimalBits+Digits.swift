// SPDX-License-Identifier: Apache-2.0

// Decimals from their digits.

extension DecimalBits {
  /// The number that a text spells: digits, or "nan", "inf" and "infinity" in any case; nil for
  /// others.
  package init?(text: String) {
    switch text.lowercased() {
    case "nan": self = .notANumber
    case "inf", "+inf", "infinity", "+infinity": self = .infinity(isNegative: false)
    case "-inf", "-infinity": self = .infinity(isNegative: true)
    default: self.init(digits: text)
    }
  }

  /// The number that digits spell, with a sign, a point and an exponent at most; nil for others.
  package init?(digits: String) {
    var coefficient: UInt128 = 0
    var (exponent, count) = (0, 0)
    var (isNegative, hasPoint, hasDigit) = (false, false, false)
    var rest = digits.utf8[...]
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      rest = rest.dropFirst()
    }
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        hasDigit = true
        count += coefficient == 0 && byte == UInt8(ascii: "0") ? 0 : 1
        guard count <= 34 else { return nil }
        coefficient = coefficient * 10 + UInt128(byte - UInt8(ascii: "0"))
        exponent -= hasPoint ? 1 : 0
      case UInt8(ascii: ".") where !hasPoint: hasPoint = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        guard let power = Int(String(decoding: rest.dropFirst(), as: UTF8.self)),
          abs(power) < 10_000
        else { return nil }
        exponent += power
        rest = rest.prefix(1)
      default: return nil
      }
      rest = rest.dropFirst()
    }
    guard hasDigit, exponent >= -6176, exponent <= 6111 else { return nil }
    self.init(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
  }
}
