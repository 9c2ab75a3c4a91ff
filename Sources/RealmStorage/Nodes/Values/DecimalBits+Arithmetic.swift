// SPDX-License-Identifier: Apache-2.0

// The arithmetic of decimals as IEEE 754-2008 defines it: exact where 34 digits hold the result,
// otherwise rounded once to nearest, ties to even; with the exponent that the standard prefers.

extension DecimalBits {
  /// 10 to the power of 0 to 38.
  package static let powersOfTen: [UInt128] = (0..<38).reduce(into: [1]) { powers, _ in
    powers.append(powers[powers.count - 1] * 10)
  }

  /// The result of an operation that has none.
  package static let notANumber = DecimalBits(low: 0, high: 0x7C00_0000_0000_0000)

  /// The result beyond the greatest number.
  package static func infinity(isNegative: Bool) -> DecimalBits {
    DecimalBits(low: 0, high: isNegative ? 0xF800_0000_0000_0000 : 0x7800_0000_0000_0000)
  }

  /// The number with the other sign.
  package static prefix func - (number: DecimalBits) -> DecimalBits {
    DecimalBits(low: number.low, high: number.high ^ 1 << 63)
  }

  /// The sum.
  package static func + (left: DecimalBits, right: DecimalBits) -> DecimalBits {
    switch (left.parts, right.parts) {
    case (.nan, _), (_, .nan): return .notANumber
    case (.infinity(let first), .infinity(let second)):
      return first == second ? .infinity(isNegative: first) : .notANumber
    case (.infinity(let isNegative), _), (_, .infinity(let isNegative)):
      return .infinity(isNegative: isNegative)
    case (
      .finite(let leftSign, let leftDigits, let leftPower),
      .finite(let rightSign, let rightDigits, let rightPower)
    ):
      let first = FiniteDecimal(isNegative: leftSign, digits: leftDigits, power: leftPower)
      let second = FiniteDecimal(isNegative: rightSign, digits: rightDigits, power: rightPower)
      return leftPower < rightPower
        ? FiniteDecimal.sum(second, first) : FiniteDecimal.sum(first, second)
    }
  }

  /// The difference.
  package static func - (left: DecimalBits, right: DecimalBits) -> DecimalBits { left + -right }

  /// The product.
  package static func * (left: DecimalBits, right: DecimalBits) -> DecimalBits {
    let isNegative = (left.high ^ right.high) >> 63 == 1
    switch (left.parts, right.parts) {
    case (.nan, _), (_, .nan): return .notANumber
    case (.infinity, .finite(_, 0, _)), (.finite(_, 0, _), .infinity): return .notANumber
    case (.infinity, _), (_, .infinity): return .infinity(isNegative: isNegative)
    case (
      .finite(_, let leftDigits, let leftPower), .finite(_, let rightDigits, let rightPower)
    ):
      let product = leftDigits.multipliedFullWidth(by: rightDigits)
      let excess = digitCount(leftDigits) + digitCount(rightDigits) - 37
      guard excess > 0 else {
        return DecimalBits(
          rounding: product.low, exponent: leftPower + rightPower, isNegative: isNegative)
      }
      let (digits, rest) = powersOfTen[excess].dividingFullWidth(product)
      return DecimalBits(
        rounding: digits, exponent: leftPower + rightPower + excess, isNegative: isNegative,
        isInexact: rest != 0)
    }
  }

  /// The quotient; an infinity where only the divisor is zero.
  package static func / (left: DecimalBits, right: DecimalBits) -> DecimalBits {
    let isNegative = (left.high ^ right.high) >> 63 == 1
    switch (left.parts, right.parts) {
    case (.nan, _), (_, .nan), (.infinity, .infinity): return .notANumber
    case (.finite(_, 0, _), .finite(_, 0, _)): return .notANumber
    case (.infinity, _), (_, .finite(_, 0, _)): return .infinity(isNegative: isNegative)
    case (_, .infinity):
      return DecimalBits(rounding: 0, exponent: .min, isNegative: isNegative)
    case (
      .finite(_, let leftDigits, let leftPower), .finite(_, let rightDigits, let rightPower)
    ):
      let preferred = leftPower - rightPower
      guard leftDigits != 0 else {
        return DecimalBits(rounding: 0, exponent: preferred, isNegative: isNegative)
      }
      // So many zeros after the dividend that the quotient has 35 or 36 digits.
      let widening = 34 - digitCount(leftDigits)
      let zeros = digitCount(rightDigits) + 1
      let dividend = (leftDigits * powersOfTen[widening])
        .multipliedFullWidth(by: powersOfTen[zeros])
      let (quotient, rest) = rightDigits.dividingFullWidth(dividend)
      var digits = quotient
      var power = preferred - widening - zeros
      while rest == 0, power < preferred {
        let (shorter, last) = digits.quotientAndRemainder(dividingBy: 10)
        guard last == 0 else { break }
        digits = shorter
        power += 1
      }
      return DecimalBits(
        rounding: digits, exponent: power, isNegative: isNegative, isInexact: rest != 0)
    }
  }

  /// The decimal next to a number of up to 38 digits; infinity beyond the greatest.
  ///
  /// - Parameter isInexact: Whether the number lies above `coefficient`, by less than one unit; the
  ///   coefficient has 35 digits or more then, or its last digits are known not to matter.
  package init(
    rounding coefficient: UInt128, exponent: Int, isNegative: Bool, isInexact: Bool = false
  ) {
    let least = -Self.exponentBias
    guard coefficient != 0 || isInexact else {
      self.init(
        isNegative: isNegative, coefficient: 0,
        exponent: Swift.min(Swift.max(exponent, least), Self.largestExponent))
      return
    }
    let excess = Swift.max(0, Self.digitCount(coefficient) - 34)
    // Both roundings, to 34 digits and to the least exponent, in one step.
    let dropped = exponent < least ? Swift.max(excess, least - exponent) : excess
    var digits = Self.rounded(coefficient, dropping: dropped, isInexact: isInexact)
    var power = exponent + dropped
    if digits > Self.maximumCoefficient {
      digits /= 10
      power += 1
    }
    while power > Self.largestExponent, digits != 0 {
      guard digits <= Self.maximumCoefficient / 10 else {
        self = .infinity(isNegative: isNegative)
        return
      }
      digits *= 10
      power -= 1
    }
    self.init(isNegative: isNegative, coefficient: digits, exponent: power)
  }

  private static let largestExponent = 6111

  private static func rounded(_ number: UInt128, dropping count: Int, isInexact: Bool) -> UInt128 {
    guard count > 0 else { return number }
    guard count < powersOfTen.count else { return 0 }
    let unit = powersOfTen[count]
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: unit)
    let half = unit / 2
    let roundsUp = rest > half || rest == half && (isInexact || quotient & 1 == 1)
    return roundsUp ? quotient + 1 : quotient
  }

  /// The number of digits; 0 for zero.
  package static func digitCount(_ number: UInt128) -> Int {
    // 1233 / 4096 is the logarithm of 2 to the base of 10, a little too small.
    let estimate = ((128 - number.leadingZeroBitCount) * 1233) >> 12
    return number >= powersOfTen[estimate] ? estimate + 1 : estimate
  }
}

/// A finite number on its way into a sum.
private struct FiniteDecimal {
  let isNegative: Bool
  let digits: UInt128
  let power: Int

  /// The sum; `high` has the greater exponent, or the same.
  static func sum(_ high: FiniteDecimal, _ low: FiniteDecimal) -> DecimalBits {
    if high.power == low.power, high.isNegative == low.isNegative {
      return DecimalBits(
        rounding: high.digits + low.digits, exponent: low.power, isNegative: high.isNegative)
    }
    guard high.digits != 0 else {
      let isNegative = low.isNegative && (low.digits != 0 || high.isNegative)
      return DecimalBits(rounding: low.digits, exponent: low.power, isNegative: isNegative)
    }
    // With 37 digits, what is cut off from the smaller number cannot change how the sum is rounded.
    let distance = high.power - low.power
    let widening = min(distance, 37 - DecimalBits.digitCount(high.digits))
    let first = high.digits * DecimalBits.powersOfTen[widening]
    let power = high.power - widening
    let cut = power - low.power
    var second = low.digits
    var isInexact = false
    if cut > 37 {
      second = 0
      isInexact = low.digits != 0
    } else if cut > 0 {
      let (quotient, rest) = second.quotientAndRemainder(
        dividingBy: DecimalBits.powersOfTen[cut])
      second = quotient
      isInexact = rest != 0
    }
    if high.isNegative == low.isNegative {
      return DecimalBits(
        rounding: first + second, exponent: power, isNegative: high.isNegative,
        isInexact: isInexact)
    }
    if first == second, !isInexact {
      return DecimalBits(rounding: 0, exponent: power, isNegative: false)
    }
    guard first > second else {
      return DecimalBits(rounding: second - first, exponent: power, isNegative: low.isNegative)
    }
    return DecimalBits(
      rounding: first - second - (isInexact ? 1 : 0), exponent: power,
      isNegative: high.isNegative, isInexact: isInexact)
  }
}
