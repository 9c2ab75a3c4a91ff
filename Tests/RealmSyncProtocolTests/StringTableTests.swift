// SPDX-License-Identifier: Apache-2.0

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSyncProtocol

struct StringTableTests {
  /// `StringTable` 1.
  @Test func aStringHasOneIndex() {
    var table = StringTable()
    expectEqual(table.intern("Item"), InternedString(0))
    expectEqual(table.intern(""), InternedString(1))
    expectEqual(table.intern("Item"), InternedString(0))
    expectEqual(table.text(of: InternedString(0)), "Item")
    expectEqual(table.text(of: InternedString(1)), "")
    expectEqual(table.find("Ite"), nil)
    expectEqual(table.count, 2)
  }

  /// `StringTable` 1, `StringTable` 2.
  @Test(arguments: [1, 8, 9, 16, 17, 33, 5000])
  func manyStringsAreFound(_ count: Int) {
    var table = StringTable()
    let strings = (0..<count).map { "string \($0) " + String(repeating: "x", count: $0 % 23) }
    for (index, string) in strings.enumerated() {
      expectEqual(table.intern(string), InternedString(UInt32(index)))
    }
    for (index, string) in strings.enumerated() {
      expectEqual(table.find(string), InternedString(UInt32(index)))
      expectEqual(table.text(of: InternedString(UInt32(index))), string)
    }
    expectEqual(table.find("string"), nil)
    expectEqual(table.intern(strings[count / 2]), InternedString(UInt32(count / 2)))
    expectEqual(table.count, count)
  }

  @Test func decimalsAreSplitAndJoinedByBits() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<1000 {
      let bits = Decimal128Bits(low: generator.next(), high: generator.next())
      let joined = Decimal128Bits(
        coefficientHigh: bits.coefficientHigh, coefficientLow: bits.low, exponent: bits.exponent,
        isNegative: bits.isNegative)
      expectEqual(joined, bits)
    }
    let price = Decimal128Bits(
      coefficientHigh: 0, coefficientLow: 1250, exponent: -2, isNegative: true)
    expectEqual(price, Decimal128Bits(low: 1250, high: 0xB03C_0000_0000_0000))
    expectEqual(
      Decimal128Bits(
        coefficientHigh: 1 << 49, coefficientLow: 0, exponent: 0, isNegative: false), nil)
    expectEqual(
      Decimal128Bits(
        coefficientHigh: 0, coefficientLow: 0, exponent: 10_208, isNegative: false), nil)
  }

  @Test func timestampsCountFrom2015() {
    expectEqual(OriginTimestamp(unixMilliseconds: 1_420_070_400_005).milliseconds, 5)
    expectEqual(OriginTimestamp(unixMilliseconds: -1).milliseconds, 0)
  }
}

extension StringTable {
  /// The index of a string, or nil.
  fileprivate func find(_ text: String) -> InternedString? {
    var other = StringTable()
    return find(other.intern(text), of: other)
  }
}
