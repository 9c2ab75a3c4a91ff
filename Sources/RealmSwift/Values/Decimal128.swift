// SPDX-License-Identifier: Apache-2.0

// Decimal numbers of 34 digits (IEEE 754-2008 decimal128), in the binary integer encoding that the
// database stores. Which of several representations of a number is used is preserved, but not
// visible in comparisons: 1.0 and 1.00 are equal, and have the same string.

public import Foundation
import RealmSession
import RealmStorage

/// A decimal number of up to 34 digits with an exponent from -6176 to 6111.
public final class Decimal128: Sendable {
  /// The low and the high half of the encoding.
  let low: UInt64
  let high: UInt64

  init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// Zero.
  public convenience init() { self.init(low: 0, high: Decimal128.zeroHigh) }

  /// The number that `string` spells, as in "-1.25E+3" or "Infinity"; NaN for any other string.
  ///
  /// `Decimal128(_:)` of a string is nil for a string that spells no number.
  public convenience init(string: String) { self.init(DecimalBits(string) ?? .notANumber) }

  /// The number that `description` spells, as in "-1.25E+3", "Infinity" or "NaN"; nil for any other
  /// string, and for more than 34 digits.
  public convenience init?(_ description: String) {
    guard let bits = DecimalBits(description) else { return nil }
    self.init(bits)
  }

  /// `value` as a decimal: any number, its string, or a `Decimal128`; a signaling NaN for `NSNull`,
  /// and NaN for anything else.
  public convenience init(value: Any) {
    self.init(DecimalBits(any: value) ?? (value is NSNull ? .signalingNull : .notANumber))
  }

  /// `number` as a decimal.
  public convenience init(number: NSNumber) {
    self.init(DecimalBits(number.stringValue) ?? .notANumber)
  }

  /// `source` as a decimal, or nil if it has too many digits.
  public convenience init?<T: BinaryInteger>(exactly source: T) {
    guard let bits = DecimalBits(exactly: source) else { return nil }
    self.init(bits)
  }

  convenience init(_ bits: DecimalBits) { self.init(low: bits.low, high: bits.high) }

  var bits: DecimalBits { DecimalBits(low: low, high: high) }

  /// The smallest finite number.
  public static let min = Decimal128(
    DecimalBits(isNegative: true, coefficient: DecimalBits.maximumCoefficient, exponent: 6111))

  /// The largest finite number.
  public static let max = Decimal128(
    DecimalBits(isNegative: false, coefficient: DecimalBits.maximumCoefficient, exponent: 6111))

  /// Whether this is not a number. NaN sorts below all numbers.
  public var isNaN: Bool { bits.isNaN }

  /// Whether this is a signaling NaN.
  public var isSignaling: Bool { bits.isSignalingNaN }

  /// Whether this is a signaling NaN.
  public var isSignalingNaN: Bool { isSignaling }

  /// The number without its sign.
  public var magnitude: Decimal128 { Decimal128(low: low, high: high & ~(1 << 63)) }

  /// The string of the number, as in "1.23E6", without zeros at the end of a fraction: 100 is "100"
  /// and 2.50 is "2.5". `init(string:)` makes the same number of it.
  public var stringValue: String { bits.parts.shortText }

  /// The nearest `Double`.
  public var doubleValue: Double { bits.parts.doubleValue }

  /// The nearest `Decimal`.
  public var decimalValue: Decimal {
    bits.parts.plainText.flatMap { Decimal(string: $0) } ?? .nan
  }

  /// The exponent field of a plain zero.
  private static let zeroHigh: UInt64 = 6176 << 49
}

extension Decimal128: Hashable, Comparable {
  /// Whether both are the same number, in whatever representation.
  public static func == (left: Decimal128, right: Decimal128) -> Bool {
    left.low == right.low && left.high == right.high || left.order(right) == 0
  }

  /// Orders by value; NaN is below all numbers.
  public static func < (left: Decimal128, right: Decimal128) -> Bool { left.order(right) < 0 }

  /// Negative, zero or positive as this is below, equal to or above `other`; all NaN are equal.
  private func order(_ other: Decimal128) -> Int {
    bits.isNaN && other.bits.isNaN ? 0 : bits.compare(to: other.bits)
  }

  /// Feeds the value to `hasher`: equal numbers have equal hashes.
  public func hash(into hasher: inout Hasher) { hasher.combine(bits.parts.reduced) }
}

extension Decimal128: LosslessStringConvertible {
  /// The string of the number.
  public var description: String { stringValue }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// The number of an integer literal.
  public convenience init(integerLiteral value: Int64) {
    self.init(DecimalBits(exactly: value) ?? .notANumber)
  }

  /// The number of a floating-point literal, by the shortest string of its `Double`.
  public convenience init(floatLiteral value: Double) {
    self.init(DecimalBits(any: value) ?? .notANumber)
  }
}

extension Decimal128: ExpressibleByStringLiteral {
  /// The number that a literal spells; traps if it spells none.
  public convenience init(stringLiteral value: String) {
    guard let bits = DecimalBits(value) else {
      throwRealmException("'\(value)' is not a valid Decimal128 number")
    }
    self.init(bits)
  }
}

extension Decimal128: Codable {
  /// Decodes a string, an integer or a floating-point number.
  ///
  /// - Throws: `Realm.Error.invalidInput` for a string that spells no number.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      guard let bits = DecimalBits(text) else {
        throw Realm.Error(.invalidInput, message: "'\(text)' is not a valid Decimal128 number")
      }
      self.init(bits)
    } else if let integer = try? container.decode(Int64.self) {
      self.init(integerLiteral: integer)
    } else {
      self.init(floatLiteral: try container.decode(Double.self))
    }
  }

  /// Encodes `stringValue`: decoding it makes an equal number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(stringValue)
  }
}
