// SPDX-License-Identifier: Apache-2.0

// The readers of rows beside simple ones, on input of all kinds.

#if Tools
import Foundation
import RealmFormats
import RealmQuery
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTools

struct ReaderTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func input(_ bytes: [UInt8], block: Int = 1 << 20) throws -> InputBytes {
    let path = directory.file("input")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return try InputBytes(try InputFile(path: path), blockByteCount: block)
  }

  private func bytes(
    _ alphabet: [[UInt8]], _ count: Int, _ random: inout SeededGenerator
  ) -> [UInt8] {
    (0..<Int.random(in: 0...count, using: &random)).flatMap { _ in
      alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
    }
  }

  // MARK: CSV

  private func rows(_ input: InputBytes, separator: UInt8) throws -> [PlainCSV.Row] {
    let reader = CSVReader(input, separator: separator)
    let record = ImportRecord(isText: true)
    var rows: [PlainCSV.Row] = []
    while true {
      do {
        guard try reader.next(into: record) else { return rows }
        rows.append(
          .cells(
            record.cells.map {
              PlainCSV.Cell(text: record.json($0).string, line: $0.line, column: $0.column)
            }))
      } catch let row as BadRow {
        rows.append(.bad(line: row.line, column: row.column ?? 0))
      }
    }
  }

  /// `InputBytes` 1 and 2, `ImportRecord` 2
  @Test(arguments: [1, 2, 3, 7, 64]) func rowsAreThoseOfAPlainReader(_ block: Int) throws {
    var random = SeededGenerator(seed: UInt64(block))
    let alphabet: [[UInt8]] =
      ["\"", "\"\"", ",", ";", "\n", "\r\n", "\r", "a", "12", "é", " "]
      .map { Array($0.utf8) } + [[0xFF], [0xC3], [0xEF, 0xBB, 0xBF], [0]]
    for _ in 0..<400 {
      let bytes = bytes(alphabet, 30, &random)
      let separator = UInt8(ascii: Bool.random(using: &random) ? "," : ";")
      let found = try rows(try input(bytes, block: block), separator: separator)
      expectEqual(found, PlainCSV.rows(bytes, separator: separator), "\(bytes)")
    }
  }

  /// `ImportRecord` 1: the record of a reader is filled again, and a property that was kept of it
  /// stays.
  @Test func whatIsKeptOfARowIsACopy() throws {
    let reader = CSVReader(try input(Array("first,1\nother,22\n".utf8)), separator: 0x2C)
    let record = ImportRecord(isText: true)
    record.begin(RecordFields("A"), line: 1)
    #expect(try reader.next(into: record))
    for name in ["x", "y"] { _ = record.fields.number(of: name) }
    let kept = record.cells.map { record.field($0) }
    #expect(try reader.next(into: record))
    expectEqual(kept.map(\.value), [.string("first"), .string("1")])
    expectEqual(kept.map(\.name), ["x", "y"])
    expectEqual(kept.map(\.line), [1, 1])
    expectEqual(record.cells.map { record.json($0) }, [.string("other"), .string("22")])
  }

  @Test func digestsAreThoseOfTheBytes() throws {
    var random = SeededGenerator(seed: 3)
    for block in [1, 5, 1000] {
      let bytes = bytes(["a,b\n", "\"x\ny\",2\r\n", "\n"].map { Array($0.utf8) }, 20, &random)
      let input = try input(bytes, block: block)
      let reader = CSVReader(input, separator: UInt8(ascii: ","))
      let record = ImportRecord(isText: true)
      while try reader.next(into: record) {
        var digest = InputDigest()
        digest.add(bytes[..<input.offset])
        expectEqual(input.digest, digest)
      }
    }
  }

  // MARK: JSON

  /// Parts of objects, most of them right.
  private static let jsonParts =
    [
      "{", "}", "[", "]", ",", ":", #""a""#, #""b""#, #""a":1"#, #","b":-2.5"#, #","c":"x\ny""#,
      #""é":"ü""#, "true", "null", "1e5", "01", "-", #"{"$class":"B","$key":3,"a":[1,{"b":null}]}"#,
      #"{"a":1,"b":"text","c":false}"#, #"{"$$a":1,"$key":"x"}"#, #"{"a":1,"$class":"C"}"#,
      #"{"b":{},"a":123456789012345678901}"#, " ", "\t", "\"", "\\",
    ].map { Array($0.utf8) } + [[0xFF], [0xC3]]

  /// What a row of JSON is, by the parser for any value.
  private func model(_ text: [UInt8], className: String?) -> String {
    guard let value = try? JSONParser.parse(text) else { return "bad" }
    guard case .object(let members) = value, let name = value["$class"]?.string ?? className else {
      return "bad"
    }
    let fields = members.compactMap { member -> String? in
      if member.key.hasPrefix("$"), !member.key.hasPrefix("$$") { return nil }
      let name = member.key.hasPrefix("$$") ? String(member.key.dropFirst()) : member.key
      return "\(name)=\(JSONWriter.text(member.value))"
    }
    return "\(name) \(value["$key"]?.integer ?? -1) \(fields)"
  }

  private func text(_ content: ImportRow.Content) -> String {
    switch content {
    case .object(let record):
      let fields = record.cells.map {
        "\(record.fields.names[$0.field])=\(JSONWriter.text(record.json($0)))"
      }
      return "\(record.className) \(record.objectKey ?? -1) \(fields)"
    case .bad: return "bad"
    case .schema: return "schema"
    case .header: return "header"
    }
  }

  @Test(arguments: [nil, "A"]) func linesAreWhatTheParserReads(_ className: String?) throws {
    var random = SeededGenerator(seed: 11)
    for block in [1, 9, 1000] {
      var lines: [[UInt8]] = []
      for _ in 0..<400 { lines.append(bytes(Self.jsonParts, 6, &random)) }
      let input = try input(Array(lines.joined(separator: Array("\r\n".utf8))), block: block)
      let reader = JSONReader(
        input, of: "a", isArray: false, className: className, RecordClasses())
      var expected = lines.enumerated().filter { line in
        !line.element.allSatisfy { $0 == 0x20 || $0 == 0x09 }
      }[...]
      while let (content, number) = try reader.next() {
        let next = expected.popFirst()
        let line = try #require(next)
        expectEqual(number, line.offset + 1)
        expectEqual(text(content), model(line.element, className: className), "\(line.element)")
      }
      expectTrue(expected.isEmpty)
    }
  }

  @Test(arguments: [1, 10, 1 << 20]) func elementsOfAnArrayAreWhatTheParserReads(
    _ block: Int
  ) throws {
    var random = SeededGenerator(seed: UInt64(block))
    let spaces = ["", " ", "\n", "\r\n  "]
    func space() -> String { spaces[Int.random(in: 0..<spaces.count, using: &random)] }
    for _ in 0..<100 {
      var values: [JSONValue] = []
      var document = space() + "["
      for index in 0..<Int.random(in: 0..<6, using: &random) {
        let value: JSONValue =
          switch Int.random(in: 0..<5, using: &random) {
          case 0: .integer(5)
          case 1: .string("a]\"}\\")
          case 2: .array([.object([]), .string("[")])
          case 3: ["$class": "B", "x": .string("\n{")]
          default: ["a": .integer(Int64(index)), "b": .array([.null])]
          }
        values.append(value)
        document += (index > 0 ? "," : "") + space() + JSONWriter.text(value) + space()
      }
      document += space() + "]" + space()
      let reader = JSONReader(
        try input(Array(document.utf8), block: block), of: "a", isArray: true, className: "A",
        RecordClasses())
      var found: [String] = []
      while let (content, number) = try reader.next() {
        found.append(text(content))
        expectEqual(number, found.count)
      }
      expectEqual(
        found, values.map { model(JSONWriter.bytes($0), className: "A") }, "\(document)")
    }
  }

  /// A defect between elements ends the reading: what follows cannot be told apart.
  @Test(arguments: [
    "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1]]", "[{]", "[{\"a\":1}", "[1],", "[}", "[\"a",
    "[{\"a\":1}{\"b\":2}]",
  ])
  func brokenArraysAreRefused(_ document: String) throws {
    for block in [1, 100] {
      let reader = JSONReader(
        try input(Array(document.utf8), block: block), of: "a.json", isArray: true,
        className: "A", RecordClasses())
      let failure = #expect(throws: ToolFailure.self) { while try reader.next() != nil {} }
      expectEqual(failure?.message.contains("'a.json' is no array of JSON: line 1"), true)
    }
  }

  @Test func arraysAreRecognisedByTheirFirstByte() throws {
    for (text, isArray) in [
      (" \n\t[", true), ("\u{FEFF}[1]", true), ("{", false), ("", false), ("1[", false),
    ] {
      let path = directory.file("first")
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      try expectEqual(JSONReader.isArray(try InputFile(path: path)), isArray, "\(text)")
    }
  }

  // MARK: Types

  @Test(arguments: [true, false]) func typesOfBytesAreThoseOfTheText(_ isText: Bool) {
    var random = SeededGenerator(seed: 4)
    let alphabet = [
      "0", "1", "12", "-", "+", ".", "e", "x", "T", "t", "true", "FALSE", "false", "é", "nan",
      "2020-02-29", "T10:00:00Z", ":5", " ", "11111111-2222-3333-4444-555555555555", "a", "inf",
      "0x1p3", "\u{301}", "1e999", "123456789", "-1-",
    ].map { Array($0.utf8) }
    for _ in 0..<20_000 {
      let bytes = bytes(alphabet, 4, &random)
      let found = TextTypes([0] + bytes + [0], 1..<bytes.count + 1, isText: isText)
      let text = String(decoding: bytes, as: UTF8.self)
      expectEqual(found, TextTypes(.string(text), isText: isText), "\(text)")
    }
  }
}
#endif
