// SPDX-License-Identifier: Apache-2.0

// Documents of BSON.

import RealmFormats
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

struct BSONReaderTests {
  /// The bytes of hexadecimal digits.
  private static func bytes(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }
    return stride(from: 0, to: digits.count, by: 2).map { offset in
      let start = digits.index(digits.startIndex, offsetBy: offset)
      return UInt8(digits[start...].prefix(2), radix: 16) ?? 0
    }
  }

  /// A document with one value under the key "a".
  private static func value(_ type: String, _ payload: String) throws -> BSONValue? {
    let body = bytes(type + "6100" + payload)
    let count = UInt8(body.count + 5)
    return try BSONReader.document([count, 0, 0, 0] + body + [0])["a"]
  }

  @Test func eachTypeHasItsValue() throws {
    try expectEqual(Self.value("01", "000000000000F83F"), .double(1.5))
    try expectEqual(Self.value("02", "03000000C3A900"), .string("é"))
    try expectEqual(Self.value("03", "0C0000001062000100000000"), [("b", .int32(1))].document)
    try expectEqual(Self.value("04", "0C0000001030000700000000"), .array([.int32(7)]))
    try expectEqual(Self.value("05", "02000000000102"), .binary(subtype: 0, bytes: [1, 2]))
    try expectEqual(Self.value("05", "0600000002020000000102"), .binary(subtype: 0, bytes: [1, 2]))
    try expectEqual(Self.value("06", ""), .null)
    try expectEqual(
      Self.value("07", "0123456789ABCDEF01234567"),
      .objectID(try #require(ObjectIDBits(text: "0123456789abcdef01234567"))))
    try expectEqual(Self.value("08", "01"), .bool(true))
    try expectEqual(Self.value("09", "FFFFFFFFFFFFFFFF"), .date(unixMilliseconds: -1))
    try expectEqual(Self.value("0A", ""), .null)
    try expectEqual(
      Self.value("0B", "78006900"), .regularExpression(pattern: "x", options: "i"))
    try expectEqual(Self.value("0D", "020000007800"), [("$code", .string("x"))].document)
    try expectEqual(Self.value("0E", "020000007800"), .string("x"))
    try expectEqual(
      Self.value("0F", "0F0000000200000078000500000000"),
      [("$code", .string("x")), ("$scope", [].document)].document)
    try expectEqual(Self.value("10", "FEFFFFFF"), .int32(-2))
    try expectEqual(Self.value("11", "0100000002000000"), .timestamp(seconds: 2, increment: 1))
    try expectEqual(Self.value("12", "0000000000000080"), .int64(.min))
    try expectEqual(
      Self.value("13", "96000000000000000000000000003C30"), .decimal("1.50"))
    try expectEqual(Self.value("7F", ""), .maxKey)
    try expectEqual(Self.value("FF", ""), .minKey)
  }

  @Test(
    arguments: [
      (UInt64(0), UInt64(0x3040) << 48, "0"), (1, 0xB040 << 48, "-1"), (5, 0x3046 << 48, "5E+3"),
      (5, 0x3030 << 48, "5E-8"), (5, 0x3034 << 48, "0.000005"), (123, 0x3048 << 48, "1.23E+6"),
      (0, 0x7C00 << 48, "NaN"), (0, 0xF800 << 48, "-Infinity"),
      // The coefficients of this form are too large, and zero.
      (7, 0x6C10 << 48, "0"),
    ] as [(UInt64, UInt64, String)])
  func aDecimalHasItsDigits(_ low: UInt64, _ high: UInt64, _ text: String) {
    expectEqual(DecimalText.text(low: low, high: high), text)
  }

  @Test func damageIsAnErrorOrADocument() throws {
    let whole = Self.bytes(
      """
      43000000 02 7300 05000000 74657874 00 03 6400 0C000000 10 6200 01000000 00
      05 6200 02000000 00 0102 08 7400 01 12 6C00 0100000000000000 0A 6E00 00
      """)
    var bytes = whole
    bytes[0] = UInt8(bytes.count)
    try expectEqual(BSONReader.document(bytes)["s"], .string("text"))
    for count in bytes.indices {
      #expect(throws: BSONDataError.self, "cut after \(count)") {
        try BSONReader.document(Array(bytes.prefix(count)))
      }
    }
    for position in bytes.indices {
      for value in [UInt8(0), 1, 0x7F, 0x80, 0xFF] {
        var damaged = bytes
        damaged[position] = value
        do throws(BSONDataError) {
          guard case .document = try BSONReader.document(damaged) else {
            Issue.record("no document")
            continue
          }
        } catch {
          expectTrue((0...bytes.count).contains(error.offset))
        }
      }
    }
  }

  @Test func nestingIsBounded() {
    var bytes: [UInt8] = [5, 0, 0, 0, 0]
    for _ in 0..<BSONReader.depthMax + 1 {
      let count = bytes.count + 8
      bytes =
        [UInt8(count & 0xFF), UInt8(count >> 8), 0, 0, 3, 0x61, 0] + bytes + [0]
    }
    #expect {
      try BSONReader.document(bytes)
    } throws: {
      ($0 as? BSONDataError)?.reason == .tooDeep
    }
  }

  @Test(arguments: [
    ("2026-01-31T13:05:00.25Z", Int64(1_769_864_700_250)), ("1969-12-31T23:59:59.999Z", -1),
    ("2026-01-31T14:05:00+01:00", 1_769_864_700_000),
  ])
  func aRelaxedDateIsRead(_ text: String, _ milliseconds: Int64) throws {
    try expectEqual(
      ExtendedJSONReader.parse(#"{"$date":"\#(text)"}"#),
      .date(unixMilliseconds: milliseconds))
  }

  @Test(arguments: ["2026-02-30T00:00:00Z", "2026-01-31", "2026-01-31T25:00:00Z", "now", ""])
  func anotherTextIsNoDate(_ text: String) {
    #expect(throws: BSONError.self) { try ExtendedJSONReader.parse(#"{"$date":"\#(text)"}"#) }
  }
}

extension [(String, BSONValue)] {
  fileprivate var document: BSONValue { .document(map { BSONElement($0.0, $0.1) }) }
}
