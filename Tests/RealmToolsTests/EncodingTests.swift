// SPDX-License-Identifier: Apache-2.0

// Imported files that are not UTF-8.

#if Tools
import Foundation
import RealmFormats
import RealmQuery
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTools

struct EncodingTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func file(_ bytes: [UInt8]) throws -> String {
    let path = directory.file("input.txt")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// The bad rows and the objects of a class `L`.
  private func imported(
    _ bytes: [UInt8], _ format: ImportSource.Format, _ encoding: InputEncoding? = nil
  ) throws -> (bad: [String], objects: [String]) {
    let source = try ImportSource(
      path: try file(bytes), format: format, className: "L", encoding: encoding)
    let plan = try ImportPlan(of: source, into: nil)
    let writer = try RealmWriter(path: directory.file("\(UUID()).realm"), creates: true)
    let report = try Importer(source, plan, Importer.Options()).run(writer)
    guard report.isComplete else { return (report.badRows.map(\.description), []) }
    let classes = try StoredSchema(try writer.group())
    let output = try QueryOutput(try classes.require("L"), in: classes)
    let objects = try QueryRun("L", in: classes).keys()
      .compactMap { try output.object(of: $0) }.map { JSONWriter.text($0) }
    return ([], objects)
  }

  private static let advice =
    "is no UTF-8; name the encoding of the file with --encoding: latin1, windows-1252 or utf-16"

  /// Bytes of Latin-1, with the place that a report names.
  @Test(arguments: [
    ("id,name\n1,Andr\u{E9}\n", "line 2, column 7"),
    ("id,name\n1,\"Andr\u{E9}\"\n", "line 2, column 8"),
    ("id,name\n1,\"A\"\"\nB\u{E9}\"\n", "line 3, column 2"),
    ("id,name\n1,\u{E9}\u{E8}\n", "line 2, column 3"),
    ("id,name,x\n1,a\u{E9},b\u{E8}\n", "line 2, column 4"),
    ("id,name\n\n1,\u{FF}\n", "line 3, column 3"),
  ])
  func bytesThatAreNoTextAreBadRows(_ text: String, _ place: String) throws {
    let bytes = text.unicodeScalars.map { UInt8($0.value) }
    let result = try imported(bytes, .csv)
    expectEqual(result.objects, [])
    expectEqual(result.bad.count, 1)
    let reason = try #require(result.bad.first)
    expectTrue(reason.hasPrefix(place + ": the byte 0x"), "\(reason)")
    expectTrue(reason.hasSuffix(Self.advice), "\(reason)")
  }

  @Test func bytesOfJSONAndOfAFirstRowHavePlacesToo() throws {
    let json = try imported(Array(#"{"name":"Andr"#.utf8) + [0xE9] + Array("\"}\n".utf8), .json)
    expectEqual(json.bad, ["line 1, column 14: the byte 0xE9 \(Self.advice)"])
    let source = try ImportSource(
      path: try file([0xE9, 0x2C, 0x61, 0x0A]), format: .csv, className: "L")
    let failure = #expect(throws: ToolFailure.self) { try ImportPlan(of: source, into: nil) }
    expectEqual(failure?.message, "line 1, column 1: the byte 0xE9 \(Self.advice)")
  }

  /// The same text in each encoding, whole and with the characters that only some have.
  @Test(arguments: InputEncoding.allCases) func textsAreReadInTheirEncoding(
    _ encoding: InputEncoding
  ) throws {
    let hasEuro = encoding != .latin1
    let name = "André ß" + (hasEuro ? " €„“" : "") + (encoding == .utf16 ? " 😀" : "")
    let text = "id,name\n1,\(name)\n"
    let bytes: [UInt8] =
      switch encoding {
      case .utf8: Array(text.utf8)
      case .latin1: text.unicodeScalars.map { UInt8($0.value) }
      case .windows1252:
        text.unicodeScalars.map {
          switch $0 {
          case "€": 0x80
          case "„": 0x84
          case "“": 0x93
          default: UInt8($0.value)
          }
        }
      case .utf16: text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
      }
    let result = try imported(bytes, .csv, encoding)
    expectEqual(result.objects, [#"{"$key":0,"id":1,"name":"\#(name)"}"#], "\(result.bad)")
  }

  @Test(arguments: [true, false]) func aMarkTellsUTF16(_ isBigEndian: Bool) throws {
    let units = ("\u{FEFF}id,name\n1,É😀\n").utf16
    let bytes = units.flatMap { unit -> [UInt8] in
      let pair = [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)]
      return isBigEndian ? pair : pair.reversed()
    }
    let result = try imported(bytes, .csv)
    expectEqual(result.objects, [#"{"$key":0,"id":1,"name":"É😀"}"#], "\(result.bad)")
    let failure = #expect(throws: ToolFailure.self) { try imported(Array(bytes.dropLast()), .csv) }
    expectEqual(failure?.message.contains("is no UTF-16"), true)
  }

  /// Blocks end anywhere, also inside of a unit and of a pair.
  @Test func decodersJoinBlocks() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<200 {
      let text = String((0..<6).map { _ in "aé€😀\n".randomElement(using: &random) ?? "a" })
      let bytes = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
      var decoder = InputDecoder(.utf16)
      var (found, start): ([UInt8]?, Int) = ([], 0)
      while start < bytes.count {
        let end = min(bytes.count, start + Int.random(in: 1...4, using: &random))
        found = decoder.decode(bytes[start..<end], isLast: end == bytes.count).flatMap {
          (found ?? []) + $0
        }
        start = end
      }
      expectEqual(found, Array(text.utf8), "\(text)")
    }
    var alone = InputDecoder(.utf16)
    expectEqual(alone.decode([0x00, 0xDC], isLast: true), nil)
    var cut = InputDecoder(.utf16)
    expectEqual(cut.decode([0x3D, 0xD8], isLast: true), nil)
  }

  @Test(
    arguments: [
      ("UTF-8", .utf8), ("utf_16", .utf16), ("ISO-8859-1", .latin1), ("Latin1", .latin1),
      ("cp1252", .windows1252), ("Windows-1252", .windows1252), ("ebcdic", nil),
    ] as [(String, InputEncoding?)])
  func encodingsHaveNames(_ name: String, _ encoding: InputEncoding?) {
    expectEqual(InputEncoding(named: name), encoding)
  }
}
#endif
