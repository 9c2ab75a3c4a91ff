// SPDX-License-Identifier: Apache-2.0

// Sums, products and quotients of decimals where digits are lost, and at the ends of exponents.

import TestExtensions
import Testing

@testable import RealmStorage

struct DecimalArithmeticTests {
  /// 34 digits: the largest and the smallest coefficient that has as many.
  private static let nine = "9999999999999999999999999999999999"
  private static let power = "1000000000000000000000000000000000"

  private func expect(
    _ rows: [(String, String, String)], _ name: String,
    _ operation: (DecimalBits, DecimalBits) -> DecimalBits
  ) throws {
    for (left, right, result) in rows {
      let first = try #require(DecimalBits(text: left))
      let second = try #require(DecimalBits(text: right))
      let expected = try #require(DecimalBits(text: result))
      expectEqual(operation(first, second), expected, "\(left) \(name) \(right)")
    }
  }

  private static let sums: [(String, String, String)] = [
    ("1E37", "5000", "\(power)E4"), ("1E37", "5001", "\(power.dropLast())1E4"),
    ("1E36", "1", "\(power)E3"), ("1E37", "1", "\(power)E4"), ("1E37", "-1", "\(power)E4"),
    ("1E73", "9", "\(power)E40"), ("1E73", "-9", "\(power)E40"), ("1E74", "9", "\(power)E41"),
    ("1E74", "-9", "\(power)E41"), ("1E33", "-1", "999999999999999999999999999999999"),
    ("1E34", "-1", "\(nine)"), ("1E35", "-1", "\(power)E2"), ("1E36", "-6", "\(power)E3"),
    ("1E36", "-4", "\(power)E3"), ("1E34", "-5E-1", "\(power)E1"), ("1E34", "5E-1", "\(power)E1"),
    ("1E34", "5", "\(power)E1"), ("1E34", "15", "1000000000000000000000000000000002E1"),
    ("1E34", "25", "1000000000000000000000000000000002E1"),
    ("1E34", "5.1", "1000000000000000000000000000000001E1"), ("\(nine)", "0.5", "\(power)E1"),
    ("\(nine)", "0.6", "\(power)E1"), ("\(nine)", "1", "\(power)E1"),
    ("-\(nine)", "-0.5", "-\(power)E1"), ("1E70", "\(nine)", "\(power)E37"),
    ("1E70", "-\(nine)", "\(power)E37"), ("1E71", "\(nine)", "\(power)E38"),
    ("1E38", "-\(nine)", "9999000000000000000000000000000000E4"),
    ("1E38", "\(nine)", "1000100000000000000000000000000000E5"), ("5", "-5", "0"), ("-5", "5", "0"),
    ("5E2", "-500", "0"), ("-5E2", "500", "0"), ("0E3", "-0", "0"), ("-0E3", "0", "0"),
    ("-0E3", "-0", "-0"), ("0E5", "-7", "-7"), ("-0E5", "7", "7"), ("-0E5", "0", "0"),
    ("0", "5E3", "5000"), ("5", "-6", "-1"), ("6", "-5", "1"), ("-6", "5", "-1"),
    ("1E1", "-11", "-1"), ("12E1", "-11", "109"), ("-1E1", "11", "1"), ("inf", "inf", "inf"),
    ("inf", "-inf", "nan"), ("-inf", "-inf", "-inf"), ("inf", "1", "inf"), ("1", "-inf", "-inf"),
    ("nan", "1", "nan"), ("1", "nan", "nan"), ("\(nine)E6111", "\(nine)E6111", "inf"),
    ("\(nine)E6111", "1E6110", "\(nine)E6111"), ("5E-6176", "5E-6176", "10E-6176"),
    ("5E-6176", "-5E-6176", "0E-6176"),
  ]

  private static let products: [(String, String, String)] = [
    // Halves without a rest go to the even digit.
    ("8\(String(repeating: "0", count: 32))4", "1250", "\(power)E4"),
    ("123456789012345678", "1234567890123456789", "1524157875323883663907940987639079E2"),
    ("1234567890123456789", "1234567890123456789", "1524157875323883675019051998750191E3"),
    ("999999999999999999", "9999999999999999999", "9999999999999999989000000000000000E3"),
    ("9999999999999999999", "9999999999999999999", "9999999999999999998000000000000000E4"),
    ("\(nine)", "\(nine)", "9999999999999999999999999999999998E34"), ("\(nine)", "10", "\(nine)E1"),
    ("3", "-4", "-12"), ("-3", "-4", "12"), ("-3", "4", "-12"), ("0", "-4", "-0"),
    ("-0", "-4", "0"), ("0E3", "0E4", "0E7"), ("inf", "0", "nan"), ("inf", "-2", "-inf"),
    ("-inf", "-inf", "inf"), ("nan", "0", "nan"), ("0", "-inf", "nan"),
    ("1E6111", "1E1", "10E6111"), ("1E6111", "1E33", "\(power)E6111"), ("1E6111", "1E34", "inf"),
    ("1E-6176", "0.5", "0E-6176"), ("1E-6176", "0.6", "1E-6176"), ("3E-6176", "0.5", "2E-6176"),
    ("1E-6100", "1E-76", "1E-6176"), ("1E-6100", "1E-77", "0E-6176"), ("12E5", "5E-5", "60"),
    ("\(power)", "1000", "\(power)E3"), ("\(power)", "10000", "\(power)E4"),
    ("500000000000000001", "20000000000000001", "1000000000000000052000000000000000E1"),
  ]

  private static let quotients: [(String, String, String)] = [
    ("1", "3", "3333333333333333333333333333333333E-34"),
    ("2", "3", "6666666666666666666666666666666667E-34"),
    ("-1", "3", "-3333333333333333333333333333333333E-34"),
    ("1", "-3", "-3333333333333333333333333333333333E-34"),
    ("-1", "-3", "3333333333333333333333333333333333E-34"), ("10", "2", "5"), ("100", "10", "10"),
    ("1", "8", "125E-3"), ("1", "2", "5E-1"), ("4", "2", "2"), ("5E3", "2", "25E2"),
    ("5E-3", "2", "25E-4"), ("1E3", "1E-3", "1E6"), ("0", "5", "0"), ("0E3", "5E5", "0E-2"),
    ("-0", "5", "-0"), ("5", "0", "inf"), ("-5", "0", "-inf"), ("5", "-0", "-inf"),
    ("0", "0", "nan"), ("inf", "inf", "nan"), ("inf", "2", "inf"), ("-inf", "2", "-inf"),
    ("2", "inf", "0E-6176"), ("-2", "inf", "-0E-6176"), ("nan", "2", "nan"), ("2", "nan", "nan"),
    ("\(nine)", "1", "\(nine)"), ("\(nine)", "3", "3333333333333333333333333333333333"),
    ("1", "\(nine)", "\(power)E-67"), ("\(nine)", "\(nine)", "1"), ("1E6111", "1E-1", "10E6111"),
    ("1E6111", "1E-33", "\(power)E6111"), ("1E6111", "1E-34", "inf"), ("1E-6176", "2", "0E-6176"),
    ("3E-6176", "2", "2E-6176"), ("1E-6176", "3", "0E-6176"), ("2E-6176", "3", "1E-6176"),
    ("1000", "8", "125"), ("120", "6", "20"), ("7", "7000", "1E-3"), ("640", "64E3", "10E-3"),
    ("1E-6176", "1E6111", "0E-6176"), ("1", "1E6111", "1E-6111"),
    ("1200000000000000000000000000000000", "12", "100000000000000000000000000000000"),
  ]

  /// Digits behind the 34th are rounded, halves to the even digit.
  @Test func resultsAreThoseOfTheExactNumbers() throws {
    try expect(Self.sums, "+", +)
    try expect(Self.products, "*", *)
    try expect(Self.quotients, "/", /)
    try expect(Self.sums.map { ($1, $0, $2) }, "+", +)
  }

  /// A text has 34 digits behind its zeros, and an exponent of four.
  @Test func textsAreReadToTheirLimits() {
    let zeros = String(repeating: "0", count: 4000)
    let rows: [(String, String?)] = [
      (Self.nine, Self.nine), ("0" + Self.nine, Self.nine), (Self.nine + "0", nil),
      ("0.\(zeros)7E9999", "7E5998"), ("0.\(zeros)7E10000", nil), ("0.\(zeros)7E-9999", nil),
      ("+5", "5"), ("-5", "-5"), ("--5", nil), ("5-", nil), ("1.2.3", nil), (".", nil),
      ("0.10", "10E-2"), ("00012", "12"), ("1e-3", "1E-3"), ("1E+3", "1E3"), ("1Ex", nil),
      ("INF", "inf"), ("-Infinity", "-inf"), ("NaN", "nan"),
    ]
    for (text, expected) in rows {
      expectEqual(
        DecimalBits(text: text), expected.flatMap { DecimalBits(text: $0) }, "\(text.prefix(40))")
    }
    expectEqual(
      DecimalBits(text: "-5")?.parts, .finite(isNegative: true, coefficient: 5, exponent: 0))
    expectEqual(
      DecimalBits(text: "0.10")?.parts, .finite(isNegative: false, coefficient: 10, exponent: -2))
  }

  /// A double has 15 digits, and a float seven.
  @Test func floatingNumbersHaveTheirDigits() {
    let doubles: [(Double, String)] = [
      (0, "0"), (-0.0, "-0"), (0.1, "1E-1"), (-2.5, "-25E-1"), (100, "1E2"), (1e22, "1E22"),
      (123_456_789_012_345_680, "123456789012346E3"),
      (.leastNonzeroMagnitude, "494065645841247E-338"),
      (1e300, "1E300"), (.infinity, "inf"), (-.infinity, "-inf"), (.nan, "nan"),
    ]
    for (number, text) in doubles {
      expectEqual(DecimalBits(double: number), DecimalBits(text: text), "\(number)")
    }
    let floats: [(Float, String)] = [
      (0.1, "1E-1"), (16_777_216, "1677722E1"), (-1.5, "-15E-1"), (-.infinity, "-inf"), (0, "0"),
    ]
    for (number, text) in floats {
      expectEqual(DecimalBits(float: number), DecimalBits(text: text), "\(number)")
    }
    for (integer, text) in [(0, "0"), (-1, "-1"), (1, "1"), (Int64.min, "-9223372036854775808")] {
      expectEqual(DecimalBits(integer: integer), DecimalBits(text: text))
    }
  }

  /// Cells of 4 and 8 bytes have the same numbers, and a pattern for null.
  @Test func narrowFormsAreReadAndWritten() throws {
    let rows: [(String, UInt32?, UInt64?)] = [
      ("8388607E90", 191 << 23 | 8_388_607, 488 << 53 | 8_388_607),
      ("-1E-90", 1 << 31 | 11 << 23 | 1, 1 << 63 | 308 << 53 | 1), ("0E1", 102 << 23, 399 << 53),
      ("9007199254740991E369", nil, 767 << 53 | 9_007_199_254_740_991),
      ("-3E-369", nil, 1 << 63 | 29 << 53 | 3),
    ]
    for (text, narrow, wide) in rows {
      let decimal = try #require(DecimalBits(text: text))
      expectEqual(decimal.leafWidth, narrow == nil ? 8 : 4, "\(text)")
      if let narrow {
        expectEqual(decimal.bits32, narrow, "\(text)")
        expectEqual(DecimalBits(bits32: narrow), decimal)
      }
      if let wide {
        expectEqual(decimal.bits64, wide, "\(text)")
        expectEqual(DecimalBits(bits64: wide), decimal)
      }
    }
    expectEqual(DecimalBits(bits32: 0x7C00_00AA), nil)
    expectEqual(DecimalBits(bits64: 0x7C00_0000_0000_00AA), nil)
    expectEqual(DecimalBits(bits32: 0x7C00_0000), .notANumber)
    expectEqual(DecimalBits(bits64: 0x7C00_0000_0000_0000), .notANumber)
    for isNegative in [false, true] {
      let sign: UInt64 = isNegative ? 1 << 63 : 0
      let infinity = DecimalBits.infinity(isNegative: isNegative)
      expectEqual(DecimalBits(bits32: UInt32(sign >> 32) | 0x7800_0000), infinity)
      expectEqual(DecimalBits(bits64: sign | 0x7800_0000_0000_0000), infinity)
    }
  }

  /// All numbers in their order, each line equal.
  @Test func decimalsAreInOneOrder() {
    let lines = [
      ["-inf"], ["-\(Self.nine)E6111"], ["-2E3", "-2000"], ["-11E1"], ["-10E1", "-1E2"],
      ["-1E-6176"],
      ["0", "-0", "0E9"], ["1E-6176"], ["2E-6176"], ["99"], ["1E2", "100", "100.00"],
      ["1001E-1"], ["101"], ["1E3"], ["\(Self.nine)", "\(Self.nine)E0"], ["1E34"],
      ["\(Self.nine)E6111"], ["inf"],
    ]
    for (place, left) in lines.enumerated() {
      for (otherPlace, right) in lines.enumerated() {
        for first in left {
          for second in right {
            let order = DecimalBits(text: first)?.compare(
              to: DecimalBits(text: second) ?? .notANumber)
            expectEqual(order?.signum(), (place - otherPlace).signum(), "\(first), \(second)")
          }
        }
      }
    }
    // Numbers that are none: by their bits.
    let none = [(0, 0), (0, 5), (1, 0), (1, 5)].map { (high, low) in
      DecimalBits(low: low, high: 0x7C00_0000_0000_0000 | high)
    }
    for (place, left) in none.enumerated() {
      for (otherPlace, right) in none.enumerated() {
        expectEqual(left.compare(to: right), (place - otherPlace).signum())
      }
      expectEqual(left.compare(to: .infinity(isNegative: true)), -1)
      expectEqual(DecimalBits.infinity(isNegative: true).compare(to: left), 1)
    }
  }

  @Test func digitsAreCounted() {
    for count in 1...38 {
      let power = DecimalBits.powersOfTen[count - 1]
      expectEqual(DecimalBits.digitCount(power), count)
      expectEqual(DecimalBits.digitCount(power + 1), count)
      if count > 1 { expectEqual(DecimalBits.digitCount(power - 1), count - 1) }
    }
    expectEqual(DecimalBits.digitCount(0), 0)
  }

  /// Coefficients that are no decimal count as nothing.
  @Test func coefficientsHave34Digits() {
    for (more, coefficient) in [(0, DecimalBits.maximumCoefficient), (1, 0)] as [(UInt128, UInt128)]
    {
      let number = DecimalBits(
        isNegative: false, coefficient: DecimalBits.maximumCoefficient + more, exponent: 3)
      expectEqual(
        number.parts, .finite(isNegative: false, coefficient: coefficient, exponent: 3))
    }
  }
}
