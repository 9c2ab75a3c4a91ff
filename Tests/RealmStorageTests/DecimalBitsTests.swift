// SPDX-License-Identifier: Apache-2.0

// Decimals at the ends of what they can be.

import TestExtensions
import Testing

@testable import RealmStorage

struct DecimalBitsTests {
  private func decimal(_ coefficient: UInt128, _ exponent: Int) -> DecimalBits {
    DecimalBits(isNegative: false, coefficient: coefficient, exponent: exponent)
  }

  /// Coefficients and exponents of any size become the next number that there is.
  @Test func numbersAreRoundedToThoseThatThereAre() {
    let most = DecimalBits.maximumCoefficient
    let power33 = DecimalBits.powersOfTen[33]
    let infinity = DecimalBits.infinity(isNegative: false)
    let rows: [(UInt128, Int, DecimalBits)] = [
      (5, 6_111, decimal(5, 6_111)), (5, 6_112, decimal(50, 6_111)),
      (5, 6_144, decimal(5 * power33, 6_111)), (5, 6_145, infinity),
      (most, 6_111, decimal(most, 6_111)), (most, 6_112, infinity),
      (0, 7_000, decimal(0, 6_111)), (0, -7_000, decimal(0, -6_176)),
      (15, -6_177, decimal(2, -6_176)), (25, -6_177, decimal(2, -6_176)),
      (4, -6_177, decimal(0, -6_176)), (1, -9_000, decimal(0, -6_176)),
      (most / 10, 6_112, decimal(most / 10 * 10, 6_111)), (9, -6_214, decimal(0, -6_176)),
      (9, -6_215, decimal(0, -6_176)), (most * 10 + 4, 0, decimal(most, 1)),
      (most * 10 + 5, 0, decimal(power33, 2)),
    ]
    for (coefficient, exponent, expected) in rows {
      expectEqual(
        DecimalBits(rounding: coefficient, exponent: exponent, isNegative: false), expected,
        "\(coefficient)E\(exponent)")
    }
  }

  @Test func textsHaveExponentsThatThereAre() {
    for exponent in [-6_176, 0, 6_111] {
      expectEqual(DecimalBits(digits: "7E\(exponent)"), decimal(7, exponent))
    }
    for text in ["7E-6177", "7E6112", "E5", ""] { expectEqual(DecimalBits(digits: text), nil) }
  }

  @Test func wholePartsAreIntegersOf64Bits() {
    let beyond = UInt128(Int64.max) + 1
    let rows: [(Bool, UInt128, Int, Int64?)] = [
      (false, 0, 0, 0), (false, 19, -1, 1), (true, 19, -1, -1), (false, 12, 2, 1_200),
      (false, beyond - 1, 0, .max), (false, beyond, 0, nil), (true, beyond, 0, .min),
      (true, beyond + 1, 0, nil), (true, beyond * 10 + 9, -1, .min),
      (false, 1, 18, 1_000_000_000_000_000_000),
      (false, 922_337_203_685_477_580, 1, 9_223_372_036_854_775_800),
      (false, 922_337_203_685_477_581, 1, nil), (true, 922_337_203_685_477_581, 1, nil),
      (false, 1, 19, nil), (false, 1, 6_000, nil), (true, 9, -6_000, 0), (false, 0, 6_000, 0),
    ]
    for (isNegative, coefficient, exponent, whole) in rows {
      let number = DecimalBits(
        isNegative: isNegative, coefficient: coefficient, exponent: exponent)
      expectEqual(number.truncatedInteger, whole, "\(coefficient)E\(exponent)")
    }
    expectEqual(DecimalBits.notANumber.truncatedInteger, nil)
    expectEqual(DecimalBits.infinity(isNegative: true).truncatedInteger, nil)
  }

  @Test func sumsAreThoseOfTheExactNumbers() throws {
    let rows = [
      ("1", "2", "3"), ("1E3", "1", "1001"), ("1", "-1", "0"), ("0E5", "1.5", "1.5"),
      ("-0", "0", "0"), ("-0", "-0", "-0"), ("1E40", "-1", "1000000000000000000000000000000000E7"),
      ("9999999999999999999999999999999999", "0.4", "9999999999999999999999999999999999"),
      ("9999999999999999999999999999999999", "0.5", "1000000000000000000000000000000000E1"),
    ]
    for (left, right, sum) in rows {
      let (first, second) = (try #require(DecimalBits(text: left)), DecimalBits(text: right))
      expectEqual(first + (try #require(second)), DecimalBits(text: sum), "\(left) + \(right)")
    }
  }
}
