// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct DecimalTests {
  @Test(arguments: [
    ("0", "0"), ("-0", "-0"), ("1", "1"), ("1.00", "1"), ("-12.5", "-12.5"), ("1E3", "1E3"),
    ("1.23E6", "1.23E6"), ("0.000001", "1E-6"), ("0.00000123", "1.23E-6"), ("+5", "5"),
    ("inf", "Inf"), ("-Infinity", "-Inf"), ("NaN", "NaN"), (".5", "5E-1"), ("12.30", "12.3"),
    // `cases/06`
    ("100", "100"), ("1200.00", "1200"), ("2.50", "2.5"), ("0.5", "5E-1"), ("1E2", "1E2"),
    ("1000E2", "1E5"), ("1230000", "1230000"), ("1230000.0", "1230000"), ("-100.0", "-100"),
    ("10.010E5", "1.001E6"), ("100000000000000000000", "+100000000000000000000E+0"),
    ("5.", "5"),
    ("1234567890123456789012345678901234", "+1234567890123456789012345678901234E+0"),
    ("12345678901234567890123456789012345", "+1234567890123456789012345678901234E+1"),
    ("12345678901234567890123456789012355", "+1234567890123456789012345678901236E+1"),
    (
      "-1234567890123456789012345678901234.50000000000000000000000001",
      "-1234567890123456789012345678901235E+0"
    ), ("18446744073709551615", "18446744073709551615"),
    ("1.8446744073709551616", "+18446744073709551616E-19"),
    ("1E6145", "Inf"), ("1E-6177", "0"), ("6E-6177", "1E-6176"), ("1E6111", "1E6111"),
    ("1E6112", "1E6112"), ("0.00", "0"), ("0E9999", "0"),
  ])
  func textsAreReadAndWritten(text: String, written: String) {
    expectEqual(Decimal128(text)?.stringValue, written)
    let number = Decimal128(string: text)
    expectEqual(number.stringValue, written)
    expectEqual(Decimal128(low: number.low, high: number.high).stringValue, written)
    expectEqual(Decimal128(string: written).stringValue, written)
  }

  @Test(arguments: ["", "-", ".", "e5", "1e", "1x", "--1", "1.2.3", "0x10"])
  func otherTextsAreRefused(text: String) {
    expectTrue(Decimal128(string: text).isNaN)
    expectTrue(Decimal128(text) == nil)
    let document = Data("[\"\(text)\"]".utf8)
    #expect(throws: Realm.Error(.invalidInput)) {
      try JSONDecoder().decode([Decimal128].self, from: document)
    }
  }

  @Test func textsAreThoseOfOtherWriters() throws {
    let fixture = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("RealmTablesTests/Fixtures/all-types.json")
    let decimals = try String(contentsOf: fixture, encoding: .utf8)
      .components(separatedBy: "{\"string\":\"").dropFirst().map {
        $0.components(separatedBy: "\"")
      }.filter { $0.count > 8 && $0[2] == "high" && $0[6] == "low" }
    expectTrue(decimals.count > 1000)
    for parts in decimals {
      let high = try #require(UInt64(parts[4], radix: 16))
      let low = try #require(UInt64(parts[8], radix: 16))
      // Theirs have the zeros at the end as well.
      let number = Decimal128(low: low, high: high)
      expectEqual(number.bits.parts.text, parts[0])
      #expect(Decimal128(string: number.stringValue) == number || number.isNaN)
      let parsed = Decimal128(string: parts[0])
      expectTrue(parsed.isNaN || parsed.low == low && parsed.high == high)
    }
  }

  @Test func orderAndHashFollowTheValue() throws {
    let ascending = [
      "NaN", "-Inf", "-1E+6111", "-2", "-1.5", "-1E-6176", "0", "1E-6176", "0.1", "1", "1.5", "10",
      "1E+6111", "Inf",
    ]
    let numbers = ascending.map { Decimal128(string: $0) }
    for (left, leftNumber) in numbers.enumerated() {
      for (right, rightNumber) in numbers.enumerated() {
        expectEqual((leftNumber < rightNumber), (left < right))
        expectEqual((leftNumber == rightNumber), (left == right))
      }
    }
    let same: [Decimal128] = ["1", "1.0", "1.000", "10E-1", "0.1E1"]
    expectEqual(Set(same).count, 1)
    expectEqual(Set<Decimal128>(["0", "-0", "0E5"]).count, 1)
  }

  @Test func numbersRoundTrip() throws {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<2000 {
      let number = Double.random(in: -1e9...1e9, using: &generator)
      let decimal = Decimal128(value: number)
      expectEqual(decimal.doubleValue, number)
      let integer = Int64.random(in: .min ... .max, using: &generator)
      expectEqual(Decimal128(value: integer).bits.parts.text, String(integer))
    }
    expectEqual(Decimal128(value: 0.1), "0.1")
    expectEqual(Decimal128(exactly: UInt64.max)?.stringValue, String(UInt64.max))
  }

  @Test func textsHaveNoZerosAtTheEnd() {
    let number: Decimal128 = "-12.500"
    expectEqual("\(number)", "-12.5")
    expectEqual(number.description, "-12.5")
    expectEqual(Decimal128(value: 1_230_000.0).stringValue, "1230000")
    expectEqual(Decimal128(value: 30.0).stringValue, "30")
    expectEqual(Decimal128(value: 250).stringValue, "250")
    expectEqual(Decimal128(value: 1e20).stringValue, "1E20")
    expectEqual((Decimal128("15") + Decimal128("15")).stringValue, "30")
    expectEqual((Decimal128("2.5") * Decimal128("4")).stringValue, "10")
    expectEqual("\(Decimal128(value: 0))", "0")
    expectEqual("\(Decimal128("-0.00"))", "-0")
  }

  @Test func nullIsANaNThatSignals() {
    let null = Decimal128(value: NSNull())
    expectTrue(null.isNaN)
    expectTrue(null.isSignalingNaN)
    expectEqual(null.stringValue, "NaN")
    expectFalse(Decimal128(value: "no number").isSignaling)
    expectTrue(Decimal128(value: "no number").isNaN)
  }
}

struct ObjectIdTests {
  @Test func textsRoundTripAndOrderIsThatOfBytes() throws {
    let id = try ObjectId(string: "507f1f77bcf86cd799439011")
    expectEqual(id.stringValue, "507f1f77bcf86cd799439011")
    expectEqual(id.timestamp, Date(timeIntervalSince1970: 1_350_508_407))
    expectEqual(ObjectId().stringValue, String(repeating: "0", count: 24))
    expectTrue(id < ObjectId("507f1f77bcf86cd799439012"))
    expectTrue(ObjectId() < id)
    for text in ["", "507f", "507f1f77bcf86cd79943901g", "507f1f77bcf86cd7994390111"] {
      #expect(throws: Realm.Error.self) { try ObjectId(string: text) }
    }
  }

  @Test func generatedIdentifiersAreUniqueAndAscend() {
    let ids = (0..<1000).map { _ in ObjectId.generate() }
    expectEqual(Set(ids).count, 1000)
    expectTrue(abs(ids[0].timestamp.timeIntervalSinceNow) < 5)
    let made = ObjectId(timestamp: Date(timeIntervalSince1970: 1), machineId: 2, processId: 3)
    expectTrue(made.stringValue.hasPrefix("000000010000020003"))
  }

  @Test func codableIsTheText() throws {
    let id = ObjectId.generate()
    let json = try JSONEncoder().encode([id])
    expectEqual(String(decoding: json, as: UTF8.self), "[\"\(id)\"]")
    try expectEqual(JSONDecoder().decode([ObjectId].self, from: json), [id])
  }
}
