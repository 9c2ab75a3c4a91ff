// SPDX-License-Identifier: Apache-2.0

// Numbers of ASCII digits, read where they lie.
//
// Files of a million rows have millions of numbers. The library's initialisers take strings, whose
// making costs more than the reading, so the usual forms are read here, and all others there.

/// Reads the usual forms of numbers from bytes; what is nil here may still be a number.
package enum NumberText {
  /// The form of a number: an optional minus, digits, a fraction, an exponent.
  package struct Shape: Equatable, Sendable {
    /// Whether there is neither a fraction nor an exponent.
    package var isWhole: Bool
    /// Whether the digits before the fraction begin with a zero, and are several.
    package var hasLeadingZero: Bool
    package var isNegative: Bool
    /// The digits as one number, without the point; zero if there are more than 19.
    fileprivate var digits: UInt64
    fileprivate var digitCount: Int
    /// The power of ten that the digits are multiplied by.
    fileprivate var exponent: Int
    /// The position after the last byte of the number.
    package var end: Int
  }

  /// The form of the number that begins at `start` and goes on as long as possible; nil if there is
  /// none.
  package static func shape(_ bytes: [UInt8], from start: Int, to limit: Int) -> Shape? {
    var position = start
    var shape = Shape(
      isWhole: true, hasLeadingZero: false, isNegative: false, digits: 0, digitCount: 0,
      exponent: 0, end: start)
    if position < limit, bytes[position] == UInt8(ascii: "-") {
      shape.isNegative = true
      position += 1
    }
    let first = position
    var digits: UInt64 = 0
    while position < limit, bytes[position] ^ 0x30 < 10 {
      digits = digits &* 10 &+ UInt64(bytes[position] ^ 0x30)
      position += 1
    }
    var digitCount = position - first
    guard digitCount > 0 else { return nil }
    shape.hasLeadingZero = digitCount > 1 && bytes[first] == UInt8(ascii: "0")
    shape.end = position
    if position + 1 < limit, bytes[position] == UInt8(ascii: "."), bytes[position + 1] ^ 0x30 < 10 {
      position += 1
      let fraction = position
      while position < limit, bytes[position] ^ 0x30 < 10 {
        digits = digits &* 10 &+ UInt64(bytes[position] ^ 0x30)
        position += 1
      }
      digitCount += position - fraction
      shape.exponent = fraction - position
      shape.isWhole = false
      shape.end = position
    }
    if position < limit, bytes[position] | 0x20 == UInt8(ascii: "e"),
      let (power, end) = exponent(bytes, from: position + 1, to: limit)
    {
      shape.exponent += power
      shape.isWhole = false
      shape.end = end
    }
    shape.digitCount = digitCount
    // Nineteen digits always fit.
    shape.digits = digitCount <= 19 ? digits : 0
    return shape
  }

  /// The digits of an exponent with their sign, and where they end.
  private static func exponent(
    _ bytes: [UInt8], from start: Int, to limit: Int
  ) -> (power: Int, end: Int)? {
    var position = start
    var isNegative = false
    if position < limit,
      bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+")
    {
      isNegative = bytes[position] == UInt8(ascii: "-")
      position += 1
    }
    let first = position
    var power = 0
    while position < limit, bytes[position] ^ 0x30 < 10 {
      power = min(power * 10 + Int(bytes[position] ^ 0x30), 100_000)
      position += 1
    }
    guard position > first else { return nil }
    return (isNegative ? -power : power, position)
  }

  /// The integer that all bytes of a range spell; nil if they are no integer of at most 18 digits.
  package static func integer(_ bytes: [UInt8], _ range: Range<Int>) -> Int64? {
    guard let shape = shape(bytes, from: range.lowerBound, to: range.upperBound),
      shape.end == range.upperBound
    else { return nil }
    return shape.integer
  }

  /// The number that all bytes of a range spell, as the library would read it; nil if it takes the
  /// library.
  package static func double(_ bytes: [UInt8], _ range: Range<Int>) -> Double? {
    guard let shape = shape(bytes, from: range.lowerBound, to: range.upperBound),
      shape.end == range.upperBound
    else { return nil }
    return shape.double
  }

  /// Appends the digits of an integer.
  package static func append(_ number: Int64, to bytes: inout [UInt8]) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    let first = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[first...].reverse()
  }

  fileprivate static let powersOfTen: [UInt64] = (0..<19).reduce(into: [1]) { powers, _ in
    powers.append(powers[powers.count - 1] * 10)
  }
}

extension NumberText.Shape {
  /// The number as an integer; nil if it is not whole, or has more than 18 digits.
  package var integer: Int64? {
    guard isWhole, digitCount <= 18 else { return nil }
    return isNegative ? -Int64(digits) : Int64(digits)
  }

  /// The double next to the number, ties to even; nil where that takes more than one division of
  /// 128 bits.
  package var double: Double? {
    guard digitCount <= 19 else { return nil }
    guard digits != 0 else { return isNegative ? -0.0 : 0 }
    if exponent == 0, digits < 1 << 53 { return isNegative ? -Double(digits) : Double(digits) }
    guard exponent < 0, exponent >= -19 else { return nil }
    // Both have their highest bit at the top, so the quotient has 63 bits or 64.
    let divisor = NumberText.powersOfTen[-exponent]
    let (shift, divisorShift) = (digits.leadingZeroBitCount, divisor.leadingZeroBitCount)
    let dividend = digits << UInt64(shift)
    let (quotient, rest) = (divisor << UInt64(divisorShift))
      .dividingFullWidth((high: dividend >> 1, low: dividend << 63))
    let dropped = 11 - quotient.leadingZeroBitCount
    var significand = quotient >> UInt64(dropped)
    let tail = quotient & (1 << UInt64(dropped) - 1)
    let half: UInt64 = 1 << UInt64(dropped - 1)
    if tail > half || tail == half && (rest != 0 || significand & 1 == 1) { significand += 1 }
    var power = divisorShift - shift - 63 + dropped
    if significand == 1 << 53 {
      significand >>= 1
      power += 1
    }
    // The number lies between 1e-19 and 1e19, so the exponent is in the range of normal numbers.
    let bits = UInt64(power + 52 + 1023) << 52 | significand & (1 << 52 - 1)
    return Double(bitPattern: (isNegative ? 1 << 63 : 0) | bits)
  }
}
