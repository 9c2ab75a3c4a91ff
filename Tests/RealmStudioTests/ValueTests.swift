// SPDX-License-Identifier: Apache-2.0

// Values on their way to the page and back.

#if Tools
import RealmQuery
import RealmStorage
import RealmTables
import TestExtensions
import Testing

@testable import RealmStudio

struct ValueTests {
  @Test(arguments: [
    ("0", DecimalBits.zero), ("42", DecimalBits(integer: 42)), ("-7", DecimalBits(integer: -7)),
    ("1.5", DecimalBits(isNegative: false, coefficient: 15, exponent: -1)),
    ("-2.50E+3", DecimalBits(isNegative: true, coefficient: 250, exponent: 1)),
    ("nan", .notANumber), ("-inf", .infinity(isNegative: true)),
  ])
  func decimalsAreRead(_ text: String, _ number: DecimalBits) {
    expectEqual(DecimalBits(text: text), number)
  }

  @Test(arguments: [
    "", "-", ".", "1.2.3", "1e", "1e99999", "0x10", "１", "1 ", String(repeating: "9", count: 35),
  ])
  func whatIsNoDecimalIsRefused(_ text: String) { expectEqual(DecimalBits(text: text), nil) }

  @Test func textsOfScalarsAreReadAsTheSameScalars() {
    let values: [TableValue] = [
      .int(.min), .int(.max), .bool(true), .float(.pi), .double(.ulpOfOne), .double(-.infinity),
      .string("a\nb"), .timestamp(Timestamp(seconds: -1, nanoseconds: -999_999_999)),
      .timestamp(Timestamp(seconds: .max, nanoseconds: 1)), .decimal(DecimalBits(integer: -3)),
      .objectId(Bytes12(high: 1, low: 2)), .uuid(Bytes16(high: .max, low: 0)),
    ]
    for value in values {
      let text = ValueText.seconds.string(value) ?? "?"
      expectEqual(CellInput.scalar(text, as: value.type?.name ?? "?"), value)
    }
  }

  @Test(arguments: [
    ("int", "9223372036854775808"), ("int", "1.0"), ("bool", "yes"), ("date", "5"),
    ("date", "5:1000000000"), ("date", "5:-1"), ("data", "?"), ("objectId", "12"), ("uuid", ""),
    ("link", "1"), ("list", ""), ("", ""),
  ])
  func whatIsNoValueIsRefused(_ type: String, _ text: String) {
    expectEqual(CellInput.scalar(text, as: type), nil)
  }

  @Test func histogramsCountEveryValueOnce() {
    let chart = Histogram([1, 2, 3, 4, nil, .nan, .infinity, 4], bins: 3)
    expectEqual(chart.counts, [1, 1, 3])
    expectEqual(chart.nullCount, 1)
    expectEqual(chart.oddCount, 2)
    expectTrue(Histogram([], bins: 10).counts.isEmpty)
    expectEqual(Histogram([5, 5], bins: 10).counts, [2])
    let wide = Histogram(
      [-.greatestFiniteMagnitude, 0, .greatestFiniteMagnitude], bins: 2)
    expectEqual(wide.counts, [1, 2])
  }
}
#endif
