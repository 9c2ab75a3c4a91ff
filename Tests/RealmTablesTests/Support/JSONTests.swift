// SPDX-License-Identifier: Apache-2.0

// The JSON reader that the fixtures' expectations come through.

import RealmFormats
import RealmTestSupport
import TestExtensions
import Testing

@Suite("JSON")
struct JSONTests {
  @Test("keeps every kind of value")
  func parsing() throws {
    let text = #"""
      {"a": [1, -9223372036854775808, 9223372036854775807, 1.5e3, true, false, null],
       "b": {"c": "x\n\u00e9\ud83d\ude00\u0000\"\\/"}, "d": [], "e": {}}
      """#
    let value = try JSONParser.parse(Array(text.utf8))
    let expected: JSONValue = [
      "a": [1, .integer(.min), .integer(.max), .double(1500), true, false, .null],
      "b": ["c": "x\né😀\0\"\\/"], "d": [], "e": [:],
    ]
    expectEqual(value, expected)
  }

  @Test(
    "refuses what is not JSON",
    arguments: ["", "{", "[1", "[1,]", "{\"a\"}", "\"abc", "tru", "1 2", "\"\\u12\"", "{1:2}"])
  func syntaxErrors(text: String) {
    #expect(throws: (any Error).self) { try JSONParser.parse(Array(text.utf8)) }
  }

  @Test("tells differences with their paths")
  func differences() {
    let expected: JSONValue = ["a": [1, 2], "b": 1, "c": .double(0.1), "d": 3]
    let actual: JSONValue = [
      "a": [1, 3], "c": .double(Double(Float(0.1))), "d": .double(3), "e": 1,
    ]
    expectEqual(
      JSONValue.differences(expected: expected, actual: actual),
      [
        "/a[1]: expected integer(2), found integer(3)", "/b: missing", "/e: not expected",
      ])
    let decimal: JSONValue = ["string": "1", "high": "1", "low": "2"]
    #expect(
      JSONValue.differences(
        expected: decimal, actual: ["string": "1.0", "high": "1", "low": "2"]
      ).isEmpty)
    #expect(
      !JSONValue.differences(
        expected: decimal, actual: ["string": "1", "high": "1", "low": "3"]
      ).isEmpty)
  }

  @Test("reads the fixtures", arguments: Fixture.names)
  func fixtures(name: String) throws {
    let json = try Fixture(name).expected()
    expectEqual(json["fileFormat"]?.integer, 24)
  }
}
