// SPDX-License-Identifier: Apache-2.0

// A decimal128 taken apart: sign, coefficient, exponent. The text form, the order and the encoding
// are defined on these.

import Foundation
import RealmStorage

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
  /// What stands for null where there is a decimal.
  static let signallingNull = DecimalParts(
    kind: .signalingNaN, isNegative: false, coefficient: 0, exponent: 0)
  /// 34 nines.
  static let maximumCoefficient = DecimalBits.maximumCoefficient

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
    wide.coefficient *= DecimalBits.powersOfTen[missing]
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
    return withoutTrailingZeros
  }

  /// The representation with the fewest digits; zero keeps its sign.
  var withoutTrailingZeros: DecimalParts {
    guard kind == .finite else { return self }
    guard coefficient != 0 else {
      return DecimalParts(isNegative: isNegative, coefficient: 0, exponent: 0)
    }
    var short = self
    while short.coefficient % 10 == 0 {
      short.coefficient /= 10
      short.exponent += 1
    }
    return short
  }

  private var digitCount: Int { DecimalBits.digitCount(coefficient) }

  var doubleValue: Double {
    switch kind {
    case .infinite: isNegative ? -.infinity : .infinity
    case .quietNaN, .signalingNaN: .nan
    case .finite: Double(plainText) ?? .nan
    }
  }
}

// MARK: - Text

extension DecimalParts: CustomStringConvertible {
  /// The text that all of Realm's SDKs write: up to 64 bits of coefficient one digit before the
  /// point if there is an exponent, as in "1.23E6"; larger ones whole, as in "+123E-4".
  var description: String {
    switch kind {
    case .infinite: return isNegative ? "-Inf" : "Inf"
    case .quietNaN, .signalingNaN: return "NaN"
    case .finite: break
    }
    let digits = String(coefficient)
    guard coefficient <= UInt64.max else {
      return (isNegative ? "-" : "+") + digits + "E" + (exponent < 0 ? "" : "+")
        + String(exponent)
    }
    // As many places behind the point as the exponent, or the digits, allow.
    let places = exponent == 0 ? 0 : min(digits.count - 1, exponent < 0 ? -exponent : .max)
    let fraction = places > 0 ? "." + digits.suffix(places) : ""
    let power = exponent + places
    return (isNegative ? "-" : "") + digits.dropLast(places) + fraction
      + (power == 0 ? "" : "E\(power)")
  }

  /// A text without a point, which other types read too.
  var plainText: String { "\(isNegative ? "-" : "")\(coefficient)E\(exponent)" }

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
    guard let scanner = DecimalScanner(text) else { return nil }
    let bits = DecimalBits(
      rounding: scanner.coefficient, exponent: scanner.exponent, isNegative: isNegative,
      isInexact: scanner.isInexact)
    self.init(low: bits.low, high: bits.high)
  }
}

/// The digits and the exponent of a text, before they are made to fit.
private struct DecimalScanner {
  /// The first 37 digits.
  private(set) var coefficient: UInt128 = 0
  private(set) var exponent = 0
  /// Whether any digit behind those is not zero.
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
