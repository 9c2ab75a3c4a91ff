// SPDX-License-Identifier: Apache-2.0

// JSON values survive writing and reading; other bytes are refused.

import RealmFormats
import RealmTestSupport
import TestExtensions
import Testing

struct JSONTests {
  @Test func theOrderOfKeysStays() throws {
    let text = #"{"b":1,"a":[true,false,null,{}],"c":{"z":-2.5,"y":[]},"":"x"}"#
    expectEqual(JSONWriter.text(try JSONParser.parse(text)), text)
  }

  @Test func spaceIsPassed() throws {
    try expectEqual(
      JSONParser.parse(" {\n\t\"a\" :\r [ 1 , 2 ] } "),
      .object([JSONMember("a", .array([.integer(1), .integer(2)]))]))
  }

  @Test func numbersKeepTheirKind() throws {
    try expectEqual(JSONParser.parse("9223372036854775807"), .integer(.max))
    try expectEqual(JSONParser.parse("-9223372036854775808"), .integer(.min))
    try expectEqual(JSONParser.parse("9223372036854775808"), .double(9_223_372_036_854_775_808))
    try expectEqual(JSONParser.parse("1.0"), .double(1))
    try expectEqual(JSONParser.parse("1.0").integer, 1)
    try expectEqual(JSONParser.parse("-0.5e+1"), .double(-5))
    expectEqual(JSONWriter.text(try JSONParser.parse("-0")), "-0.0")
    expectEqual(JSONWriter.text(.double(0.1)), "0.1")
    #expect(try JSONParser.parse("1.5").unsigned == nil && JSONValue.integer(-1).unsigned == nil)
  }

  @Test func stringsAreEscapedAndUnescaped() throws {
    try expectEqual(
      JSONParser.parse(#""\"\\\/\b\f\n\r\t\u00fc\uD83D\uDE00ü""#).string,
      "\"\\/\u{8}\u{C}\n\r\tü😀ü")
    expectEqual(JSONWriter.text(.string("a\"\\/\u{1}\n😀")), #""a\"\\/\u0001\n😀""#)
  }

  @Test func theLastOfEqualKeysCounts() throws {
    let value = try JSONParser.parse(#"{"a":1,"a":2}"#)
    expectEqual(value["a"], .integer(2))
    expectTrue(value["b"] == nil)
    expectTrue(JSONValue.null["a"] == nil)
  }

  @Test(
    arguments: [
      ("", .truncated), ("[1,", .truncated), (#""abc"#, .truncated), ("tru", .truncated),
      ("trux", .unexpectedByte(offset: 3)), ("[1 2]", .unexpectedByte(offset: 3)),
      ("{1:2}", .unexpectedByte(offset: 1)), (#"{"a" 2}"#, .unexpectedByte(offset: 5)),
      ("01", .unexpectedByte(offset: 0)), ("-", .truncated), ("1.", .truncated),
      ("+1", .unexpectedByte(offset: 0)), ("1 2", .trailingBytes), ("1e999", .numberOutOfRange),
      ("[1,]", .unexpectedByte(offset: 3)), ("\"\u{1}\"", .unexpectedByte(offset: 1)),
      (#""\x""#, .badEscape), (#""\ud800""#, .badEscape), (#""\ud800\u0041""#, .badEscape),
      (#""\u12g4""#, .badEscape), (#""\u12"#, .truncated), ("NaN", .unexpectedByte(offset: 0)),
    ] as [(String, JSONError)])
  func theDefectIsNamed(_ text: String, _ error: JSONError) {
    #expect(throws: error) { try JSONParser.parse(text) }
  }

  @Test func defectsAreSaidInWords() {
    for (error, text) in [
      (JSONError.truncated, "it ends in the middle of a value"),
      (.unexpectedByte(offset: 6), "the character at byte 6 cannot stand there"),
      (.invalidUTF8, "a text is not UTF-8"),
      (.badEscape, "an escape in a text is none, or half of a pair"),
      (.numberOutOfRange, "a number is larger than a double can be"),
      (.tooDeep, "arrays and objects are nested too deeply"),
      (.trailingBytes, "something follows the value"),
    ] {
      expectEqual("\(error)", text)
      expectEqual("\(BSONError.json(error))", text)
    }
    expectEqual("\(BSONError.badValue(key: "$oid", path: "a[0]"))", "'a[0]' is no $oid")
  }

  @Test func invalidUTF8IsRefused() {
    #expect(throws: JSONError.invalidUTF8) { try JSONParser.parse(bytes("22 c0af 22")) }
  }

  @Test func depthIsBounded() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try JSONParser.parse(nested(JSONParser.depthMax))
    #expect(throws: JSONError.tooDeep) { try JSONParser.parse(nested(JSONParser.depthMax + 1)) }
    #expect(throws: JSONError.tooDeep) {
      try JSONParser.parse(String(repeating: #"{"a":"#, count: 1_000_000))
    }
  }

  @Test func everyValueComesBack() throws {
    for seed in RandomRuns.seeds(400) {
      var random = SeededGenerator(seed: seed)
      let value = Self.value(&random, depth: 0)
      try expectEqual(JSONParser.parse(JSONWriter.bytes(value)), value, "seed \(seed)")
    }
  }

  /// What damaged text is read as is written and read the same.
  @Test func damagedTextNeverTraps() {
    var random = SeededGenerator(seed: 4)
    let samples = (0..<100).map { _ in JSONWriter.bytes(Self.value(&random, depth: 0)) }
      .filter { $0.count < 200 }
    for round in 0..<100_000 {
      let damaged = random.damaged(samples[round % samples.count])
      guard let value = try? JSONParser.parse(damaged) else { continue }
      if (try? JSONParser.parse(JSONWriter.bytes(value))) != value { Issue.record("\(round)") }
    }
  }

  private static func value(_ random: inout SeededGenerator, depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth < 4 ? 8 : 5), using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2: return .integer(.random(in: .min ... .max, using: &random))
    case 3: return .double(.random(in: -1e10...1e10, using: &random))
    case 4:
      return .string(
        String((0..<5).map { _ in "ab\"\\\n\u{7}ü😀/".randomElement(using: &random) ?? " " }))
    case 5, 6:
      return .array((0..<3).map { _ in value(&random, depth: depth + 1) })
    default:
      return .object((0..<3).map { JSONMember("k\($0)", value(&random, depth: depth + 1)) })
    }
  }
}
