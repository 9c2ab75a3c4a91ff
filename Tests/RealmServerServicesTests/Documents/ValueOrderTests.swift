// SPDX-License-Identifier: Apache-2.0

// The order of values is total, with every odd value beside each other.

#if Server
import RealmFormats
import RealmStorage
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

@testable import RealmServerServices

struct ValueOrderTests {
  private static let numbers: [BSONValue] =
    [
      0, -0.0, 0.1, 0.1.nextUp, 0.5, 1, 1.5, 9_007_199_254_740_992, 0x1p63, -0x1p63, 1e22, 1e23,
      1e308, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
      .leastNormalMagnitude, 0x1p100, .infinity, -.infinity, .nan, -.nan,
      Double(nan: 7, signaling: false),
    ].map { BSONValue.double($0) }
    + [0, 1, -1, Int32.min, .max].map { BSONValue.int32($0) }
    + [0, 1, 9_007_199_254_740_992, 9_007_199_254_740_993, .max, .max - 1, .min]
    .map { BSONValue.int64($0) }
    + [
      "0", "-0", "0E+100", "0.1", "0.10", "0.1000000000000000055511151231257827", "0.5", "1.50",
      "1E0", "9007199254740992", "9007199254740993", "9007199254740992.5", "9223372036854775807",
      "9223372036854775808", "9223372036854775807.5", "-9223372036854775808", "1E22", "1E23",
      "1E+308",
      "99999999999999991611392", "1267650600228229401496703205376",
      "1267650600228229401496703205375", "1E6111", "10E6110",
      "9999999999999999999999999999999999E6111",
      "-1E6111", "1E-6176", "4.9E-324", "5E-324", "NaN", "nan", "Infinity", "-Inf", "abc", "",
    ].map { BSONValue.decimal($0) }

  private static let others: [BSONValue] = [
    .minKey, .maxKey, .null, .bool(false), .bool(true), .string(""), .string("a"), .string("é"),
    .string("e\u{301}"), .string("e\u{301}x"), .objectID(ObjectIDBits(high: 1, low: 0)),
    .objectID(ObjectIDBits(high: 0, low: .max)), .binary(subtype: 0, bytes: []),
    .binary(subtype: 4, bytes: []), .binary(subtype: 0, bytes: Array("é".utf8)),
    .date(unixMilliseconds: 0), .date(unixMilliseconds: .min), .timestamp(seconds: 0, increment: 1),
    .timestamp(seconds: 1, increment: 0), .regularExpression(pattern: "a", options: ""),
    .regularExpression(pattern: "a", options: "i"), .array([]), .array([.null]), .array([.minKey]),
    .array([.int32(1)]), .array([.decimal("1.0")]), .array([.double(.nan)]), .document([]),
    .document([BSONElement("", .minKey)]),
    .document([BSONElement("", .minKey), BSONElement("a", .null)]),
    .document([
      BSONElement("", .minKey), BSONElement("", .binary(subtype: 0, bytes: Array("é".utf8))),
    ]),
    .document([BSONElement("é", .int32(1)), BSONElement("e\u{301}", .int32(2))]),
    .document([BSONElement("e\u{301}", .int64(2)), BSONElement("é", .double(1))]),
    .document([BSONElement("a", .int32(1)), BSONElement("b", .null)]),
    .document([BSONElement("b", .null), BSONElement("a", .decimal("1"))]),
    .document([BSONElement("a", .decimal("nan"))]), .document([BSONElement("a", .double(.nan))]),
  ]

  /// `BSONOrder` 1 and 2, `BSONNumber+Order` 2
  @Test func theOrderIsTotalAndItsNormalFormsAgree() {
    let values = Self.numbers + Self.others
    let normals = values.map(BSONOrder.normal)
    let orders = values.map { left in
      values.map { BSONOrder.compare(left, $0).signum() }
    }
    for (first, value) in values.enumerated() {
      expectEqual(orders[first][first], 0, "\(value)")
      for second in values.indices {
        expectEqual(orders[first][second], -orders[second][first], "\(value), \(values[second])")
        expectEqual(
          normals[first] == normals[second], orders[first][second] == 0,
          "\(value), \(values[second])")
        for third in values.indices where orders[first][second] <= 0 {
          guard orders[second][third] <= 0 else { continue }
          let both = min(orders[first][second], orders[second][third])
          guard orders[first][third] == both else {
            Issue.record("\(value), \(values[second]), \(values[third])")
            return
          }
        }
      }
    }
  }

  /// What is no number equals itself alone, and no operator finds it beside a number.
  @Test func operatorsFollowTheOrder() throws {
    let values = Self.numbers + Self.others
    var work = DocumentWork.endless
    for value in values {
      for bound in values where bound != .null {
        let order = BSONOrder.compare(value, bound)
        let isOrdered =
          BSONOrder.rank(value) == BSONOrder.rank(bound)
          && (order == 0 || !Self.isNoNumber(value) && !Self.isNoNumber(bound))
        let place: Comment = "\(value), \(bound)"
        typealias Operator = DocumentTest.RangeOperator
        try expectEqual(
          Operator.less.holds(value, bound, &work), isOrdered && order < 0, place)
        try expectEqual(
          Operator.lessOrEqual.holds(value, bound, &work), isOrdered && order <= 0, place)
        try expectEqual(
          Operator.greater.holds(value, bound, &work), isOrdered && order > 0, place)
        try expectEqual(
          Operator.greaterOrEqual.holds(value, bound, &work), isOrdered && order >= 0, place)
      }
    }
  }

  private static func isNoNumber(_ value: BSONValue) -> Bool {
    BSONOrder.normal(value) == .decimal("NaN")
  }

  /// `BSONNumber+Order` 1
  @Test func decimalsAreComparedWithDoublesExactly() throws {
    func order(_ text: String, _ double: Double) throws -> Int {
      ExactOrder.compare(try #require(DecimalBits(text: text)), to: double).signum()
    }
    // The double next to a tenth lies above it.
    try expectEqual(order("0.1", 0.1), -1)
    try expectEqual(order("-0.1", -0.1), 1)
    try expectEqual(order("0.5", 0.5), 0)
    try expectEqual(order("1E22", 1e22), 0)
    try expectEqual(order("1E23", 1e23), 1)
    try expectEqual(order("99999999999999991611392", 1e23), 0)
    try expectEqual(order("1267650600228229401496703205376", 0x1p100), 0)
    try expectEqual(order("4.9E-324", .leastNonzeroMagnitude), -1)
    try expectEqual(order("5E-324", .leastNonzeroMagnitude), 1)
    try expectEqual(order("1E309", .greatestFiniteMagnitude), 1)
    try expectEqual(order("1E6111", .infinity), -1)
    try expectEqual(order("-1E6111", -.infinity), 1)
  }

  /// A decimal whose digits a double has exactly, and its neighbours, in random places.
  @Test func exactDecimalsEqualTheirDoubles() throws {
    var random = SeededGenerator(seed: 49)
    for _ in 0..<2_000 {
      let whole = Int64.random(in: -(1 << 50)...(1 << 50), using: &random)
      let shift = Int.random(in: 0...20, using: &random)
      // A whole number over a power of two, which is one over a power of ten with more digits.
      let double = Double(whole) / Double(1 << shift)
      let digits = Int128(whole) * (0..<shift).reduce(1 as Int128) { power, _ in power * 5 }
      guard digits.magnitude <= DecimalBits.maximumCoefficient - 1 else { continue }
      func decimal(_ change: Int128) -> DecimalBits {
        let moved = digits + change
        return DecimalBits(
          isNegative: moved < 0, coefficient: moved.magnitude, exponent: -shift)
      }
      expectEqual(ExactOrder.compare(decimal(0), to: double).signum(), 0, "\(double)")
      expectEqual(ExactOrder.compare(decimal(1), to: double).signum(), 1, "\(double)")
      expectEqual(ExactOrder.compare(decimal(-1), to: double).signum(), -1, "\(double)")
    }
  }

  /// Extended JSON lets through what this module reads, and nothing else.
  @Test func decimalsOfExtendedJSONAreThoseOfTheDatabase() {
    var random = SeededGenerator(seed: 49)
    let parts = [
      "0", "1", "9", "00", "12345678901234567", "-", "+", ".", "e", "E", "6111", "6176", "9999",
      "nan", "NaN", "inf", "INFINITY", " ", ",", "x", "١", "\u{301}",
    ]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...5, using: &random)
      let text = (0..<count).map { _ in parts[Int.random(in: parts.indices, using: &random)] }
        .joined()
      let isDecimal = DecimalBits(text: text) != nil
      expectEqual(DecimalText.isDecimal(text), isDecimal, "\(text)")
    }
  }
}
#endif
