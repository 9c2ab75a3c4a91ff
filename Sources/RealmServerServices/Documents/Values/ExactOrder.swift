// SPDX-License-Identifier: Apache-2.0

// Decimals beside binary numbers, without rounding: their quotient by powers of two and five are
// compared as integers.

#if Server
import RealmStorage

/// Compares a decimal with a double.
enum ExactOrder {
  /// Less than 0 if the double is larger, 0 if they are equal. Neither may be no number.
  static func compare(_ decimal: DecimalBits, to double: Double) -> Int {
    switch decimal.parts {
    case .nan: return -1
    case .infinity(let isNegative):
      let infinity = isNegative ? -Double.infinity : .infinity
      return infinity < double ? -1 : infinity > double ? 1 : 0
    case .finite(let isNegative, let coefficient, let exponent):
      if coefficient == 0 { return 0 < double ? -1 : 0 > double ? 1 : 0 }
      if double == 0 || (double < 0) != isNegative { return isNegative ? -1 : 1 }
      if double.isInfinite { return isNegative ? 1 : -1 }
      let order = compareMagnitudes(coefficient, exponent, double)
      return isNegative ? -order : order
    }
  }

  /// - Parameters:
  ///   - coefficient: Not 0.
  ///   - double: Finite, and not 0.
  private static func compareMagnitudes(
    _ coefficient: UInt128, _ exponent: Int, _ double: Double
  ) -> Int {
    // The digits before the point: doubles have from -323 to 309 of them.
    let place = DecimalBits.digitCount(coefficient) + exponent
    if place > 310 { return 1 }
    if place < -324 { return -1 }
    var left = WideNumber(coefficient)
    var right = WideNumber(UInt128(significand(double)))
    if exponent >= 0 {
      left.multiplyByFive(times: exponent)
    } else {
      right.multiplyByFive(times: -exponent)
    }
    let shift = exponent - power(double)
    if shift >= 0 { left.shift(by: shift) } else { right.shift(by: -shift) }
    return left.compare(to: right)
  }

  /// The whole number that is the double's, once its power of two is taken away.
  private static func significand(_ double: Double) -> UInt64 {
    double.exponentBitPattern == 0
      ? double.significandBitPattern : double.significandBitPattern | 1 << 52
  }

  private static func power(_ double: Double) -> Int {
    max(Int(double.exponentBitPattern), 1) - 1075
  }
}

/// A whole number of any size, which is not negative.
private struct WideNumber {
  /// From the lowest; the last is not 0.
  private var words: [UInt32] = []

  init(_ number: UInt128) {
    var rest = number
    while rest > 0 {
      words.append(UInt32(truncatingIfNeeded: rest))
      rest >>= 32
    }
  }

  mutating func multiplyByFive(times count: Int) {
    // The thirteenth power is the last that a word holds.
    for _ in 0..<count / 13 { multiply(by: 1_220_703_125) }
    for _ in 0..<count % 13 { multiply(by: 5) }
  }

  private mutating func multiply(by factor: UInt32) {
    var carry: UInt64 = 0
    for index in words.indices {
      let product = UInt64(words[index]) * UInt64(factor) + carry
      words[index] = UInt32(truncatingIfNeeded: product)
      carry = product >> 32
    }
    if carry > 0 { words.append(UInt32(carry)) }
  }

  mutating func shift(by count: Int) {
    multiply(by: 1 << UInt32(count % 32))
    words.insert(contentsOf: repeatElement(0, count: count / 32), at: 0)
  }

  func compare(to other: WideNumber) -> Int {
    if words.count != other.words.count { return words.count - other.words.count }
    for index in words.indices.reversed() where words[index] != other.words[index] {
      return words[index] < other.words[index] ? -1 : 1
    }
    return 0
  }
}
#endif
