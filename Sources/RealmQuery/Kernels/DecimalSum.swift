// SPDX-License-Identifier: Apache-2.0

// Adding decimals, and dividing their sum, to 34 digits.

package import RealmStorage

/// A running sum of decimals, rounded half to even where 34 digits do not hold it.
package struct DecimalSum {
  private var coefficient: Int128 = 0
  private var exponent = 0
  /// What the sum is once an infinity or NaN came in.
  private var special: DecimalBits?

  package init() {}

  /// The sum.
  package var bits: DecimalBits {
    special
      ?? DecimalBits(
        isNegative: coefficient < 0, coefficient: coefficient.magnitude,
        exponent: min(max(exponent, -DecimalBits.exponentBias), DecimalSum.largestExponent))
  }

  /// Adds a number.
  package mutating func add(_ number: DecimalBits) {
    guard case .finite(let isNegative, let digits, let power) = number.parts else {
      addSpecial(number)
      return
    }
    guard special == nil, digits != 0 else { return }
    let other = isNegative ? -Int128(digits) : Int128(digits)
    if coefficient == 0 {
      coefficient = other
      exponent = power
      return
    }
    var (high, highPower) = (coefficient, exponent)
    var (low, lowPower) = (other, power)
    if highPower < lowPower { (high, highPower, low, lowPower) = (low, lowPower, high, highPower) }
    // Widen the number of the larger exponent as far as digits allow, then round the other.
    while highPower > lowPower, high.magnitude <= DecimalSum.widenable {
      high *= 10
      highPower -= 1
    }
    if highPower > lowPower { low = DecimalSum.shifted(low, by: highPower - lowPower) }
    coefficient = high + low
    exponent = highPower
    while coefficient.magnitude > DecimalBits.maximumCoefficient {
      coefficient = DecimalSum.shifted(coefficient, by: 1)
      exponent += 1
    }
  }

  /// The sum divided by a positive number.
  package func divided(by count: Int) -> DecimalBits {
    guard special == nil, count > 0, coefficient != 0 else { return bits }
    let divisor = Int128(count)
    var quotient = coefficient / divisor
    var rest = coefficient % divisor
    var power = exponent
    while rest != 0, quotient.magnitude <= DecimalSum.widenable {
      let (digit, next) = (rest * 10).quotientAndRemainder(dividingBy: divisor)
      quotient = quotient * 10 + digit
      rest = next
      power -= 1
    }
    if rest.magnitude * 2 > divisor.magnitude
      || rest.magnitude * 2 == divisor.magnitude && quotient % 2 != 0
    {
      quotient += coefficient < 0 ? -1 : 1
    }
    var result = DecimalSum()
    result.coefficient = quotient
    result.exponent = power
    return result.bits
  }

  private static let largestExponent = 6111
  /// A coefficient that can take one digit more.
  private static let widenable = (DecimalBits.maximumCoefficient - 9) / 10

  private mutating func addSpecial(_ number: DecimalBits) {
    guard let special else {
      self.special = number
      return
    }
    // Infinities of both signs, or anything with NaN, add up to NaN.
    if special.high != number.high || special.low != number.low {
      self.special = DecimalBits(low: 0, high: 0x7C00_0000_0000_0000)
    }
  }

  /// The number without its last `digits` digits, rounded half to even.
  private static func shifted(_ number: Int128, by digits: Int) -> Int128 {
    guard digits <= 35 else { return 0 }
    var quotient = number
    var isExact = true
    var last: Int128 = 0
    for _ in 0..<digits {
      isExact = isExact && last == 0
      last = quotient % 10
      quotient /= 10
    }
    let digit = last.magnitude
    let roundsUp = digit > 5 || digit == 5 && (!isExact || quotient % 2 != 0)
    return roundsUp ? quotient + (number < 0 ? -1 : 1) : quotient
  }
}
