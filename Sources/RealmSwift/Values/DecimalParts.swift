// SPDX-License-Identifier: Apache-2.0

// A decimal128 taken apart: sign, coefficient, exponent. The text form, the order and the encoding
// are defined on these.

import Foundation

/// A decimal number as (-1)^sign * coefficient * 10^exponent, or one that is no finite number.
struct DecimalParts: Hashable {
  enum Kind: Hashable {
    case finite, infinite, quietNaN, signalingNaN

    var isNaN: Bool { self == .quietNaN || self == .signalingNaN }
  }

  var kind = Kind.finite
  var isNegative: Bool
  var coefficient: UInt128
  var exponent: Int

  static let notANumber = DecimalParts(
    kind: .quietNaN, isNegative: false, coefficient: 0, exponent: 0)
  /// 34 nines.
  static let maximumCoefficient: UInt128 = powersOfTen[34] - 1
  static let exponentRange = -6176...6111

  static let powersOfTen: [UInt128] = (0..<38).reduce(into: [1]) { powers, _ in
    powers.append(powers[powers.count - 1] * 10)
  }

  init(kind: Kind = .finite, isNegative: Bool, coefficient: UInt128, exponent: Int) {
    self.kind = kind
    self.isNegative = isNegative
    self.coefficient = coefficient
    self.exponent = exponent
  }

  /// An integer, if 34 digits can hold it.
  init?<T: BinaryInteger>(exactly source: T) {
    guard let magnitude = UInt128(exactly: source.magnitude),
      magnitude <= Self.maximumCoefficient
    else { return nil }
    self.init(isNegative: source < 0, coefficient: magnitude, exponent: 0)
  }

  /// What the API accepts where a decimal is wanted.
  init?(any value: Any) {
    switch value {
    case let decimal as Decimal128: self = decimal.parts
    case let integer as any BinaryInteger: self.init(exactly: integer)
    case let double as Double: self.init("\(double)")
    case let float as Float: self.init("\(float)")
    case let decimal as Decimal: self.init(decimal.description)
    case let text as String: self.init(text)
    case let number as NSNumber: self.init(number.stringValue)
    default: return nil
    }
  }

  // MARK: Encoding

  init(low: UInt64, high: UInt64) {
    isNegative = high >> 63 != 0
    coefficient = 0
    exponent = 0
    switch high >> 58 & 0x1F {
    case 0x1F: kind = high >> 57 & 1 == 1 ? .signalingNaN : .quietNaN
    case 0x1E: kind = .infinite
    default:
      // A combination field that begins with 11 means a coefficient beyond 34 digits: such
      // numbers are zero.
      let isLarge = high >> 61 & 3 == 3
      exponent = Int(high >> (isLarge ? 47 : 49) & 0x3FFF) - 6176
      let digits = UInt128(high & (1 << 49 - 1)) << 64 | UInt128(low)
      coefficient = isLarge || digits > Self.maximumCoefficient ? 0 : digits
    }
  }

  var encoded: (low: UInt64, high: UInt64) {
    let sign: UInt64 = isNegative ? 1 << 63 : 0
    switch kind {
    case .quietNaN: return (0, sign | 0x7C << 56)
    case .signalingNaN: return (0, sign | 0x7E << 56)
    case .infinite: return (0, sign | 0x78 << 56)
    case .finite:
      return (
        UInt64(truncatingIfNeeded: coefficient),
        sign | UInt64(exponent + 6176) << 49 | UInt64(truncatingIfNeeded: coefficient >> 64)
      )
    }
  }

  // MARK: Order

  /// Negative, zero or positive as `self` is below, equal to or above `other`; NaN is lowest.
  func order(_ other: DecimalParts) -> Int {
    if kind.isNaN || other.kind.isNaN {
      return (kind.isNaN ? 0 : 1) - (other.kind.isNaN ? 0 : 1)
    }
    let isZero = coefficient == 0 && kind == .finite
    let isOtherZero = other.coefficient == 0 && other.kind == .finite
    if isZero || isOtherZero {
      if isZero && isOtherZero { return 0 }
      return isZero ? (other.isNegative ? 1 : -1) : (isNegative ? -1 : 1)
    }
    guard isNegative == other.isNegative else { return isNegative ? -1 : 1 }
    return isNegative ? other.magnitudeOrder(self) : magnitudeOrder(other)
  }

  /// The order without signs; neither is NaN or zero.
  private func magnitudeOrder(_ other: DecimalParts) -> Int {
    guard kind == .finite, other.kind == .finite else {
      return (kind == .infinite ? 1 : 0) - (other.kind == .infinite ? 1 : 0)
    }
    // Both with 34 digits, the exponent decides first.
    let left = widened
    let right = other.widened
    if left.exponent != right.exponent { return left.exponent < right.exponent ? -1 : 1 }
    return left.coefficient == right.coefficient ? 0 : left.coefficient < right.coefficient ? -1 : 1
  }

  private var widened: DecimalParts {
    let missing = 34 - digitCount
    var wide = self
    wide.coefficient *= Self.powersOfTen[missing]
    wide.exponent -= missing
    return wide
  }

  /// The representation without trailing zeros, which equal numbers share.
  var reduced: DecimalParts {
    guard kind == .finite else {
      return DecimalParts(
        kind: kind.isNaN ? .quietNaN : kind, isNegative: !kind.isNaN && isNegative, coefficient: 0,
        exponent: 0)
    }
    guard coefficient != 0 else {
      return DecimalParts(isNegative: false, coefficient: 0, exponent: 0)
    }
    var short = self
    while short.coefficient % 10 == 0 {
      short.coefficient /= 10
      short.exponent += 1
    }
    return short
  }

  private var digitCount: Int {
    Self.powersOfTen.firstIndex { $0 > coefficient } ?? Self.powersOfTen.count
  }

  var doubleValue: Double {
    switch kind {
    case .infinite: isNegative ? -.infinity : .infinity
    case .quietNaN, .signalingNaN: .nan
    case .finite: Double(description) ?? .nan
    }
  }
}

// MARK: - Text

extension DecimalParts: CustomStringConvertible {
  var description: String {
    let sign = isNegative ? "-" : ""
    switch kind {
    case .infinite: return sign + "Inf"
    case .quietNaN, .signalingNaN: return "NaN"
    case .finite: break
    }
    let digits = String(coefficient)
    let leading = exponent + digits.count - 1
    if exponent <= 0, leading >= -6 {
      if exponent == 0 { return sign + digits }
      let point = digits.count + exponent
      if point > 0 { return sign + digits.prefix(point) + "." + digits.suffix(-exponent) }
      return sign + "0." + String(repeating: "0", count: -point) + digits
    }
    let fraction = digits.count > 1 ? "." + digits.dropFirst() : ""
    return sign + digits.prefix(1) + fraction + "E" + (leading < 0 ? "" : "+") + String(leading)
  }

  /// Parses a number; digits beyond the 34th are rounded to nearest, ties to even.
  init?(_ string: String) {
    var text = Substring(string)
    let isNegative = text.first == "-"
    if isNegative || text.first == "+" { text.removeFirst() }
    switch text.lowercased() {
    case "inf", "infinity":
      self.init(kind: .infinite, isNegative: isNegative, coefficient: 0, exponent: 0)
      return
    case "nan":
      self = .notANumber
      return
    default: break
    }
    guard var scanner = DecimalScanner(text) else { return nil }
    scanner.round()
    guard let exponent = scanner.fittedExponent() else {
      self.init(kind: .infinite, isNegative: isNegative, coefficient: 0, exponent: 0)
      return
    }
    self.init(isNegative: isNegative, coefficient: scanner.coefficient, exponent: exponent)
  }
}

/// The digits and the exponent of a text, before they are made to fit.
private struct DecimalScanner {
  private(set) var coefficient: UInt128 = 0
  private var exponent = 0
  /// The first digit that did not fit, and whether any digit behind it is not zero.
  private var dropped: UInt8 = 0
  private var isInexact = false

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

  private var digits = 0

  private mutating func append(_ digit: UInt8, isFraction: Bool) {
    if digits < 34 {
      coefficient = coefficient * 10 + UInt128(digit)
      if coefficient != 0 { digits += 1 }
      if isFraction { exponent -= 1 }
      return
    }
    if digits == 34 { dropped = digit } else if digit != 0 { isInexact = true }
    digits += 1
    if !isFraction { exponent += 1 }
  }

  /// Rounds what did not fit.
  mutating func round() {
    guard dropped > 5 || dropped == 5 && (isInexact || coefficient & 1 == 1) else { return }
    coefficient += 1
    if coefficient > DecimalParts.maximumCoefficient {
      coefficient /= 10
      exponent += 1
    }
  }

  /// The exponent after the coefficient was shifted into range; nil if the number is too large.
  mutating func fittedExponent() -> Int? {
    if coefficient == 0 {
      return Swift.min(
        Swift.max(exponent, DecimalParts.exponentRange.lowerBound),
        DecimalParts.exponentRange.upperBound)
    }
    while exponent > DecimalParts.exponentRange.upperBound {
      guard coefficient <= DecimalParts.maximumCoefficient / 10 else { return nil }
      coefficient *= 10
      exponent -= 1
    }
    while exponent < DecimalParts.exponentRange.lowerBound {
      // Numbers too small to be told from zero become zero.
      guard coefficient != 0 else { return DecimalParts.exponentRange.lowerBound }
      coefficient /= 10
      exponent += 1
    }
    return exponent
  }
}
