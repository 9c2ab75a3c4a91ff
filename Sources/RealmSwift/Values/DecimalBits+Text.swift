// SPDX-License-Identifier: Apache-2.0

// Conversion between decimals and strings, as all of Realm's SDKs write and read them.

import RealmStorage

extension DecimalParts {
  /// The string that all of Realm's SDKs write. Coefficients of up to 64 bits have one digit before
  /// the point if there is an exponent, as in "1.23E6"; larger ones are written whole, as in
  /// "+123E-4".
  var text: String {
    switch self {
    case .infinity(let isNegative): return isNegative ? "-Inf" : "Inf"
    case .nan: return "NaN"
    case .finite(let isNegative, let coefficient, let exponent):
      let digits = String(coefficient)
      guard coefficient <= UInt64.max else {
        return (isNegative ? "-" : "+") + digits + "E" + (exponent < 0 ? "" : "+")
          + String(exponent)
      }
      // As many digits after the point as the exponent, or the digits, allow.
      let places = exponent == 0 ? 0 : min(digits.count - 1, exponent < 0 ? -exponent : .max)
      let fraction = places > 0 ? "." + digits.suffix(places) : ""
      let power = exponent + places
      return (isNegative ? "-" : "") + digits.dropLast(places) + fraction
        + (power == 0 ? "" : "E\(power)")
    }
  }

  /// `text` without zeros at the end of the fraction: 2.50 is "2.5" and 30.0 is "30", while 100 and
  /// 1E2, which are equal, stay as they were made. Zero is "0" or "-0" with any exponent.
  var shortText: String {
    if case .finite(let isNegative, 0, _) = self { return isNegative ? "-0" : "0" }
    let text = text
    guard let point = text.firstIndex(of: ".") else { return text }
    let end = text.firstIndex(of: "E") ?? text.endIndex
    var fraction = text[point..<end]
    while fraction.last == "0" || fraction.last == "." { fraction.removeLast() }
    return String(text[..<point] + fraction + text[end...])
  }

  /// A string without a point, which other types read too; nil for infinities and NaN.
  var plainText: String? {
    guard case .finite(let isNegative, let coefficient, let exponent) = self else { return nil }
    return "\(isNegative ? "-" : "")\(coefficient)E\(exponent)"
  }

  var doubleValue: Double {
    switch self {
    case .infinity(let isNegative): isNegative ? -.infinity : .infinity
    case .nan: .nan
    case .finite: plainText.flatMap { Double($0) } ?? .nan
    }
  }

  /// The parts with the fewest digits; zero keeps its sign. Their exponent may be one that cannot
  /// be encoded.
  var withoutTrailingZeros: DecimalParts {
    guard case .finite(let isNegative, var coefficient, var exponent) = self else { return self }
    guard coefficient != 0 else {
      return .finite(isNegative: isNegative, coefficient: 0, exponent: 0)
    }
    while coefficient % 10 == 0 {
      coefficient /= 10
      exponent += 1
    }
    return .finite(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
  }

  /// The parts that equal numbers share.
  var reduced: DecimalParts {
    if case .finite(_, 0, _) = self {
      return .finite(isNegative: false, coefficient: 0, exponent: 0)
    }
    return withoutTrailingZeros
  }
}

extension DecimalBits {
  /// Parses a number; digits beyond the 34th are rounded to nearest, ties to even.
  init?(_ string: String) {
    var text = Substring(string)
    let isNegative = text.first == "-"
    if isNegative || text.first == "+" { text.removeFirst() }
    switch text.lowercased() {
    case "inf", "infinity": self = .infinity(isNegative: isNegative)
    case "nan": self = .notANumber
    default:
      guard let scanner = DecimalScanner(text) else { return nil }
      self.init(
        rounding: scanner.coefficient, exponent: scanner.exponent, isNegative: isNegative,
        isInexact: scanner.isInexact)
    }
  }
}

/// The digits and the exponent of a string, before they are made to fit.
private struct DecimalScanner {
  /// The first 37 digits.
  private(set) var coefficient: UInt128 = 0
  private(set) var exponent = 0
  /// Whether any digit after those is not zero.
  private(set) var isInexact = false

  init?(_ text: Substring) {
    var seenDigit = false
    var seenPoint = false
    var index = text.utf8.startIndex
    loop: while index < text.utf8.endIndex {
      switch text.utf8[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        seenDigit = true
        append(text.utf8[index] - UInt8(ascii: "0"), isFraction: seenPoint)
      case UInt8(ascii: ".") where !seenPoint: seenPoint = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"): break loop
      default: return nil
      }
      index = text.utf8.index(after: index)
    }
    guard seenDigit else { return nil }
    if index < text.utf8.endIndex {
      let rest = text[text.index(after: index)...]
      guard let written = Int(rest), written.magnitude < 1 << 40 else { return nil }
      exponent += written
    }
  }

  private mutating func append(_ digit: UInt8, isFraction: Bool) {
    if coefficient < DecimalBits.powersOfTen[36] {
      coefficient = coefficient * 10 + UInt128(digit)
      if isFraction { exponent -= 1 }
      return
    }
    isInexact = isInexact || digit != 0
    if !isFraction { exponent += 1 }
  }
}
