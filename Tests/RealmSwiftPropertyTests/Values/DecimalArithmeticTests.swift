// SPDX-License-Identifier: Apache-2.0

// Decimal arithmetic against worked examples, and against integers that lose nothing.

import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct DecimalArithmeticTests {
  private static let nines = String(repeating: "9", count: 34)

  /// A list with a type, as the compiler takes seconds to find that of so many literals.
  private static let examples: [(String, Character, String, String)] = [
    ("1", "+", "2", "3"), ("1.00", "+", "2.0", "3.00"), ("0.1", "+", "0.2", "3E-1"),
    ("1E3", "+", "1", "1001"), ("1", "+", "-1", "0"), ("-1.00", "+", "1", "0E-2"),
    ("-0", "+", "-0", "-0"), ("-0", "+", "0", "0"), ("0E5", "+", "1.50", "1.50"),
    ("1E10", "+", "0E2", "100000000E2"),
    ("1E6111", "+", "1", "1000000000000000000000000000000000E6078"),
    (nines, "+", "1", "1000000000000000000000000000000000E1"),
    (nines, "+", "0.5", "1000000000000000000000000000000000E1"), (nines, "+", "0.4", nines),
    ("1E34", "-", "0.5", "1000000000000000000000000000000000E1"), ("1E34", "-", "0.6", nines),
    ("1E40", "-", "1", "1000000000000000000000000000000000E7"),
    ("1000000000000000000000000000000000", "-", "1E-40", "1000000000000000000000000000000000"),
    ("2", "*", "3", "6"), ("1.5", "*", "1.50", "2.250"), ("-2", "*", "0", "-0"),
    ("1E4000", "*", "1E4000", "Inf"), ("1E-4000", "*", "-1E-4000", "-0E-6176"),
    (nines, "*", nines, String(repeating: "9", count: 33) + "8E34"),
    ("7E-6176", "*", "0.5", "4E-6176"), ("5E-6176", "*", "0.5", "2E-6176"),
    ("1", "/", "3", "3333333333333333333333333333333333E-34"),
    ("2", "/", "3", "6666666666666666666666666666666667E-34"), ("6", "/", "2", "3"),
    ("1", "/", "8", "0.125"), ("100", "/", "10", "10"), ("1.00", "/", "1", "1.00"),
    ("1E3", "/", "1E-2", "1E5"), ("1", "/", "0", "Inf"), ("-1", "/", "0", "-Inf"),
    ("0", "/", "0", "NaN"), ("1", "/", "Inf", "0E-6176"), ("0", "/", "-5", "-0"),
    ("Inf", "+", "1", "Inf"), ("Inf", "-", "Inf", "NaN"), ("Inf", "*", "0", "NaN"),
    ("Inf", "/", "Inf", "NaN"), ("-Inf", "*", "2", "-Inf"), ("NaN", "+", "1", "NaN"),
    ("1", "*", "NaN", "NaN"), ("1", "/", "NaN", "NaN"),
  ]

  @Test(arguments: examples)
  func workedExamples(left: String, operation: Character, right: String, result: String) throws {
    let (first, second) = (Decimal128(string: left), Decimal128(string: right))
    let found =
      switch operation {
      case "+": first + second
      case "-": first - second
      case "*": first * second
      default: first / second
      }
    let expected = Decimal128(string: result)
    expectEqual(
      found.low, expected.low, "\(left) \(operation) \(right) = \(found), not \(expected)")
    expectEqual(
      found.high, expected.high, "\(left) \(operation) \(right) = \(found), not \(expected)")
  }

  /// An integer of any size, in digits to the base of 10^9, least first; slow and simple.
  private struct Wide: Equatable {
    var limbs: [UInt64]

    init(_ number: UInt128) {
      limbs = []
      var rest = number
      while rest > 0 {
        limbs.append(UInt64(rest % 1_000_000_000))
        rest /= 1_000_000_000
      }
    }

    static func * (left: Wide, right: Wide) -> Wide {
      var result = Wide(0)
      result.limbs = Array(repeating: 0, count: left.limbs.count + right.limbs.count + 1)
      for (first, a) in left.limbs.enumerated() {
        var carry: UInt64 = 0
        for (second, b) in right.limbs.enumerated() {
          let sum = result.limbs[first + second] + a * b + carry
          result.limbs[first + second] = sum % 1_000_000_000
          carry = sum / 1_000_000_000
        }
        result.limbs[first + right.limbs.count] += carry
      }
      return result
    }

    /// The digits without leading zeros.
    var text: String {
      let text = limbs.reversed().map { limb in
        String(String(limb + 1_000_000_000).dropFirst())
      }.joined().drop { $0 == "0" }
      return text.isEmpty ? "0" : String(text)
    }

    func shifted(by power: Int) -> Self {
      var result = self
      for _ in 0..<power { result = result * Self(10) }
      return result
    }

    func plus(_ other: Self) -> Self {
      var result = self
      while result.limbs.count <= other.limbs.count { result.limbs.append(0) }
      for (index, limb) in other.limbs.enumerated() { result.limbs[index] += limb }
      result.limbs.append(0)
      for index in result.limbs.indices.dropLast() where result.limbs[index] >= 1_000_000_000 {
        result.limbs[index] -= 1_000_000_000
        result.limbs[index + 1] += 1
      }
      return result
    }

    /// The digits of the difference, and whether it is negative.
    func minus(_ other: Self) -> (String, Bool) {
      let count = max(limbs.count, other.limbs.count)
      func padded(_ limbs: [UInt64]) -> [UInt64] {
        limbs + Array(repeating: 0, count: count - limbs.count)
      }
      var (large, small) = (padded(limbs), padded(other.limbs))
      let isNegative = large.reversed().lexicographicallyPrecedes(small.reversed())
      if isNegative { swap(&large, &small) }
      var borrow: UInt64 = 0
      for index in large.indices {
        let taken = small[index] + borrow
        borrow = large[index] < taken ? 1 : 0
        large[index] = large[index] + borrow * 1_000_000_000 - taken
      }
      var result = Self(0)
      result.limbs = large
      return (result.text, isNegative)
    }
  }

  /// `digits` rounded to 34, half to even, as a coefficient and what the exponent grows by.
  private func rounded(_ digits: String) -> (UInt128, Int) {
    guard digits.count > 34, let head = UInt128(digits.prefix(34)) else {
      return (UInt128(digits) ?? 0, 0)
    }
    let tail = digits.dropFirst(34)
    let isHalf = tail.first == "5" && tail.dropFirst().allSatisfy { $0 == "0" }
    let roundsUp = isHalf ? head % 2 == 1 : (tail.first ?? "0") >= "5"
    let result = roundsUp ? head + 1 : head
    return result > DecimalBits.maximumCoefficient
      ? (result / 10, tail.count + 1) : (result, tail.count)
  }

  @Test func randomProductsAreRoundedOnce() {
    var random = SeededGenerator(seed: 77)
    for _ in 0..<1000 {
      let left = coefficient(&random)
      let right = coefficient(&random)
      let powers = (
        Int.random(in: -50...50, using: &random), Int.random(in: -50...50, using: &random)
      )
      let product =
        DecimalBits(isNegative: false, coefficient: left, exponent: powers.0)
        * DecimalBits(isNegative: true, coefficient: right, exponent: powers.1)
      let (digits, growth) = rounded((Wide(left) * Wide(right)).text)
      let expected = DecimalBits(
        isNegative: true, coefficient: digits, exponent: powers.0 + powers.1 + growth)
      expectEqual(product, expected, "\(left) * \(right)")
      // What is divided by a factor is the other again, where nothing was lost.
      if growth == 0, left != 0 {
        let back = product / DecimalBits(isNegative: false, coefficient: left, exponent: powers.0)
        expectEqual(
          back.compare(
            to: DecimalBits(isNegative: true, coefficient: right, exponent: powers.1)), 0)
      }
    }
  }

  @Test func randomSumsAreRoundedOnce() {
    var random = SeededGenerator(seed: 78)
    for _ in 0..<600 {
      let power = Int.random(in: 0...70, using: &random)
      let (high, low) = (coefficient(&random), coefficient(&random))
      let isDifference = Bool.random(using: &random)
      let sum =
        DecimalBits(isNegative: false, coefficient: high, exponent: power)
        + DecimalBits(isNegative: isDifference, coefficient: low, exponent: 0)
      // The same in whole numbers: `high` with zeros behind it, and `low`.
      let wide = Wide(high) * Wide(1).shifted(by: power)
      let (text, isNegative) =
        isDifference ? wide.minus(Wide(low)) : (wide.plus(Wide(low)).text, false)
      let (digits, growth) = rounded(text)
      let expected = DecimalBits(isNegative: isNegative, coefficient: digits, exponent: growth)
      expectEqual(sum.compare(to: expected), 0, "\(high)E\(power), \(low), \(isDifference)")
    }
  }

  @Test func randomQuotientsAreTheNearest() {
    var random = SeededGenerator(seed: 79)
    for _ in 0..<2000 {
      let left = DecimalBits(
        isNegative: false, coefficient: max(1, coefficient(&random)), exponent: 0)
      let right = DecimalBits(
        isNegative: false, coefficient: max(1, coefficient(&random)), exponent: 0)
      let quotient = left / right
      guard case .finite(_, let digits, let power) = quotient.parts else {
        Issue.record("\(quotient) is not finite")
        continue
      }
      // No number of 34 digits is nearer: half a unit more or less passes the dividend.
      let unit = DecimalBits(isNegative: false, coefficient: 1, exponent: power)
      #expect(
        digits > DecimalBits.maximumCoefficient / 10 || (quotient * right).compare(to: left) == 0)
      expectTrue(((quotient + unit) * right).compare(to: left) >= 0)
      expectTrue(((quotient - unit) * right).compare(to: left) <= 0)
    }
  }

  @Test func numbersOfTheLanguage() {
    var number: Decimal128 = 1.25
    number *= 2
    number += 0.5
    number -= 1
    number /= 4
    expectEqual(number, "0.5")
    expectEqual(-number, "-0.5")
    expectTrue((-number).magnitude == number)
    expectEqual([1, 2.5, "3.5"].reduce(Decimal128(), +), 7)
    expectEqual(number.distance(to: 3), "2.5")
    expectEqual(number.advanced(by: 1), "1.5")
    expectEqual(
      Array(stride(from: Decimal128("0.1"), to: "0.4", by: "0.1")), ["0.1", "0.2", "0.3"])
    let tenth: Decimal128 = "0.1"
    expectEqual((0..<10).reduce(Decimal128()) { sum, _ in sum + tenth }, 1)
    expectEqual(Decimal128.max + Decimal128.max, "Inf")
    expectEqual(Decimal128.min * 10, "-Inf")
    expectEqual(number.decimalValue, Decimal(string: "0.5"))
    expectEqual(number.doubleValue, 0.5)
    expectTrue(Decimal128.max.decimalValue.isNaN)
  }

  private func coefficient(_ random: inout SeededGenerator) -> UInt128 {
    let digits = Int.random(in: 0...34, using: &random)
    let limit = DecimalBits.powersOfTen[digits]
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return limit - 1
    case 1: return limit / 2
    default: return UInt128.random(in: 0..<limit, using: &random)
    }
  }
}
