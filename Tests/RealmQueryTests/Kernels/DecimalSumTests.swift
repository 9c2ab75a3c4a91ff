// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import TestExtensions
import Testing

@testable import RealmQuery

struct DecimalSumTests {
  private func decimal(_ coefficient: Int64, _ exponent: Int = 0) -> DecimalBits {
    DecimalBits(
      isNegative: coefficient < 0, coefficient: UInt128(coefficient.magnitude), exponent: exponent)
  }

  private func sum(_ numbers: DecimalBits...) -> DecimalBits {
    var sum = DecimalSum()
    for number in numbers { sum.add(number) }
    return sum.bits
  }

  @Test func numbersOfDifferentExponentsAddExactly() {
    expectEqual(sum(decimal(1, -1), decimal(2, -1)).compare(to: decimal(3, -1)), 0)
    expectEqual(sum(decimal(1, 20), decimal(1)).compare(to: sum(decimal(1), decimal(1, 20))), 0)
    expectEqual(sum(decimal(5), decimal(-7)).compare(to: decimal(-2)), 0)
    expectEqual(sum(decimal(7, -3), decimal(-7, -3)).compare(to: decimal(0)), 0)
    expectEqual(sum().compare(to: decimal(0)), 0)
  }

  @Test func whatThirtyFourDigitsDoNotHoldIsRoundedToEven() {
    let large = DecimalBits(
      isNegative: false, coefficient: DecimalBits.maximumCoefficient, exponent: 0)
    expectEqual(sum(large, decimal(1)).compare(to: decimal(1, 34)), 0)
    expectEqual(sum(decimal(1, 40), decimal(1)).compare(to: decimal(1, 40)), 0)
    expectEqual(sum(large, decimal(4, -1)).compare(to: large), 0)
    expectEqual(sum(large, decimal(6, -1)).compare(to: decimal(1, 34)), 0)
  }

  @Test func meansAreDivided() {
    var total = DecimalSum()
    for number in [1, 2, 4] { total.add(decimal(Int64(number))) }
    let third = DecimalBits(
      isNegative: false, coefficient: 2_333_333_333_333_333_333_333_333_333_333_333, exponent: -33)
    expectEqual(total.divided(by: 3).compare(to: third), 0)
    total.add(decimal(-15))
    expectEqual(total.divided(by: 4).compare(to: decimal(-2)), 0)
  }

  @Test func infinityAndNaNStay() {
    let infinity = DecimalBits(low: 0, high: 0x7800_0000_0000_0000)
    let negative = DecimalBits(low: 0, high: 0xF800_0000_0000_0000)
    expectEqual(sum(decimal(1), infinity, decimal(2)).parts, .infinity(isNegative: false))
    expectEqual(sum(infinity, negative).parts, .nan)
  }
}
