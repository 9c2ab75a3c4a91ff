// SPDX-License-Identifier: Apache-2.0

// BSON values survive extended JSON; what is none is refused.

import RealmFormats
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

struct ExtendedJSONTests {
  private static let id = ObjectIDBits(high: 0x5F_0102_0304_0506, low: 0x0708_090A)

  static let samples: [(BSONValue, String)] = [
    (.null, "null"), (.bool(true), "true"), (.int32(-3), #"{"$numberInt":"-3"}"#),
    (.int64(.min), #"{"$numberLong":"-9223372036854775808"}"#),
    (.double(1.5), #"{"$numberDouble":"1.5"}"#),
    (.double(-.infinity), #"{"$numberDouble":"-Infinity"}"#),
    (.decimal("1.50"), #"{"$numberDecimal":"1.50"}"#), (.string("a\"ü"), #""a\"ü""#),
    (.objectID(id), #"{"$oid":"005f0102030405060708090a"}"#),
    (.binary(subtype: 0, bytes: [1, 2]), #"{"$binary":{"base64":"AQI=","subType":"00"}}"#),
    (
      .uuid(UUIDBits(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)),
      #"{"$binary":{"base64":"ABEiM0RVZneImaq7zN3u/w==","subType":"04"}}"#
    ),
    (.date(unixMilliseconds: -1), #"{"$date":{"$numberLong":"-1"}}"#),
    (.timestamp(seconds: .max, increment: 2), #"{"$timestamp":{"t":4294967295,"i":2}}"#),
    (
      .regularExpression(pattern: "^a", options: "i"),
      #"{"$regularExpression":{"pattern":"^a","options":"i"}}"#
    ),
    (.minKey, #"{"$minKey":1}"#), (.maxKey, #"{"$maxKey":1}"#),
    (
      .document([BSONElement("b", .array([.int32(1), .null])), BSONElement("a", .document([]))]),
      #"{"b":[{"$numberInt":"1"},null],"a":{}}"#
    ),
  ]

  @Test(arguments: samples.indices) func valuesAreWrittenAndRead(_ index: Int) throws {
    let (value, text) = Self.samples[index]
    expectEqual(ExtendedJSONWriter.text(value), text)
    try expectEqual(ExtendedJSONReader.parse(text), value)
  }

  @Test func relaxedFormsAreRead() throws {
    try expectEqual(ExtendedJSONReader.parse("7"), .int64(7))
    try expectEqual(ExtendedJSONReader.parse("7.0"), .double(7))
    try expectEqual(
      ExtendedJSONReader.parse(#"{"$date":12}"#), .date(unixMilliseconds: 12))
    let id = UUIDBits(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
    let text = #"{"$uuid":"00112233-4455-6677-8899-AABBCCDDEEFF"}"#
    try expectEqual(ExtendedJSONReader.parse(text).uuid, id)
    guard case .double(let number) = try ExtendedJSONReader.parse(#"{"$numberDouble":"NaN"}"#)
    else { throw BSONError.badValue(key: "", path: "") }
    expectTrue(number.isNaN)
  }

  /// The operators of queries look like types, and are none.
  @Test func operatorsStayDocuments() throws {
    let text = #"{"count":{"$gt":{"$numberInt":"5"}},"$or":[{"a":true}]}"#
    let value = try ExtendedJSONReader.parse(text)
    expectEqual(value["count"]?["$gt"], .int32(5))
    expectEqual(ExtendedJSONWriter.text(value), text)
  }

  @Test(arguments: [
    #"{"$numberInt":"2147483648"}"#, #"{"$numberInt":5}"#, #"{"$numberLong":"x"}"#,
    #"{"$numberDouble":"inf"}"#, #"{"$oid":"005f"}"#, #"{"$oid":"+05f0102030405060708090a"}"#,
    #"{"$uuid":"00112233445566778899aabbccddeeff"}"#, #"{"$date":"today"}"#,
    #"{"$binary":{"base64":"A","subType":"00"}}"#, #"{"$binary":{"base64":"","subType":"100"}}"#,
    #"{"$timestamp":{"t":-1,"i":0}}"#, #"{"$minKey":2}"#, #"{"$oid":"","x":1}"#,
    #"{"$regularExpression":{"pattern":"a"}}"#,
    #"{"$regularExpression":{"pattern":"a\u0000","options":""}}"#,
    #"{"$regularExpression":{"pattern":"a","options":"","x":1}}"#,
    #"{"$numberInt":""}"#, #"{"$numberInt":"1.0"}"#, #"{"$numberLong":" 1"}"#,
    #"{"$numberLong":"9223372036854775808"}"#, #"{"$numberDouble":"0x10"}"#,
    #"{"$numberDouble":""}"#, #"{"$numberDouble":" 1"}"#, #"{"$numberDouble":"1e400"}"#,
    #"{"$numberDouble":"1,5"}"#, #"{"$oid":"zz5f0102030405060708090a"}"#, #"{"$oid":null}"#,
    #"{"$uuid":"00112233-4455-6677-8899-AABBCCDDEEF"}"#, #"{"$date":{"$numberLong":"x"}}"#,
    #"{"$date":{"$numberLong":"1","x":1}}"#, #"{"$date":"2026-02-30T00:00:00Z"}"#,
    #"{"$date":1.5}"#, #"{"$binary":{"base64":"AQI=","subType":"0x"}}"#,
    #"{"$binary":{"base64":"!QI=","subType":"00"}}"#, #"{"$binary":"AQI="}"#,
    #"{"$binary":{"base64":"AQI=","subType":"00","x":1}}"#, #"{"$timestamp":{"t":1}}"#,
    #"{"$timestamp":{"t":4294967296,"i":0}}"#, #"{"$timestamp":{"t":1,"i":0,"x":1}}"#,
    #"{"$maxKey":"1"}"#,
  ])
  func whatDoesNotFitItsKeyIsRefused(_ text: String) {
    #expect(throws: BSONError.self) { try ExtendedJSONReader.parse(text) }
  }

  static let decimals = [
    "0", "-0", "+1", "1.", ".5", "1.50", "9999999999999999999999999999999999", "1E+6111",
    "1e-6176", "000000000000000000000000000000000000000001", "NaN", "nan", "Infinity", "-Infinity",
    "Inf", "+inf", "-INF",
  ]
  static let noDecimals = [
    "", "abc", "-", ".", "1,5", "--1", "+-1", "NaN1", "-NaN", " 1 ", "1 ", "0x10", "1e", "1e+",
    "1e1.0", "1E+99999", "1E+6112", "1E-6177", "1.1.1", "infinit", "\r1", "\rinf", "١", "1\u{301}",
    "1e99999999999999999999999", String(repeating: "9", count: 40),
    "1" + String(repeating: "0", count: 34), String(repeating: "1", count: 20_000),
  ]

  @Test func onlyDecimalsAreDecimals() throws {
    for text in Self.decimals {
      let json: JSONValue = ["$numberDecimal": .string(text)]
      try expectEqual(ExtendedJSONReader.value(json), .decimal(text))
    }
    for text in Self.noDecimals {
      let json: JSONValue = ["$numberDecimal": .string(text)]
      #expect(throws: BSONError.badValue(key: "$numberDecimal", path: "")) {
        try ExtendedJSONReader.value(json)
      }
    }
  }

  @Test(arguments: [
    (#"{"$numberDecimal":"abc"}"#, "the value is no $numberDecimal"),
    (#"[1,{"query":{"_id":{"$numberDecimal":"abc"}}}]"#, "'[1].query._id' is no $numberDecimal"),
    (#"{"a":[[{"$oid":""}]]}"#, "'a[0][0]' is no $oid"),
    (#"{"a":[{"b":{"$in":[1,{"$date":"x"}]}}]}"#, "'a[0].b.$in[1]' is no $date"),
  ])
  func refusalsNameThePlace(_ text: String, _ problem: String) {
    do throws(BSONError) {
      _ = try ExtendedJSONReader.parse(text)
      Issue.record("\(text) was read")
    } catch {
      expectEqual(error.valueProblem, problem)
    }
  }

  @Test func whatIsNoJSONIsRefused() {
    #expect(throws: BSONError.json(.truncated)) { try ExtendedJSONReader.parse("{") }
  }

  @Test func damagedTextNeverTraps() {
    var random = SeededGenerator(seed: 9)
    let texts = Self.samples.map { Array($0.1.utf8) }
    for round in 0..<20_000 {
      let damaged = random.damaged(texts[round % texts.count])
      guard let value = try? ExtendedJSONReader.parse(damaged) else { continue }
      let again = ExtendedJSONWriter.text(value)
      #expect((try? ExtendedJSONReader.parse(again)) == value || again.contains("NaN"))
    }
  }
}
