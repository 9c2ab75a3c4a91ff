// SPDX-License-Identifier: Apache-2.0

// Rows of exports are what the values are as JSON and as texts.

#if Tools
import Foundation
import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTools

struct ExportRowTests {
  /// A file with random objects, and with awkward texts and numbers.
  private func group() throws -> (SampleRealm, TableGroup) {
    let sample = try SampleRealm()
    let writer = try RealmWriter(path: sample.path, creates: false)
    _ = try SampleData.generate(writer, rowCount: 40, className: nil, seed: 5)
    var random = SeededGenerator(seed: 2)
    let parts = [
      "\"", "\\", ",", ";", "\n", "\r", "\t", "=", "'", "-", "+", "@", " ", "a", "1", "é", "\u{1}",
      "\u{FF1D}", "1a-", "\u{7F}",
    ]
    let numbers: [Double] = [
      0, -0.0, 1, -1.5, .nan, .infinity, -.infinity, 1e300, 0.1, .leastNonzeroMagnitude,
      123_456_789,
    ]
    _ = try writer.write { group in
      guard let dogs = try group.table(named: "class_Dog") else { return nil as Bool? }
      let columns = Dictionary(uniqueKeysWithValues: dogs.schema.columns.map { ($0.name, $0) })
      guard let name = columns["name"], let weight = columns["weight"], let age = columns["age"]
      else { return nil }
      for index in 0..<200 {
        let key = try dogs.createObject().key
        let text = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
          parts[Int.random(in: 0..<parts.count, using: &random)]
        }.joined()
        try dogs.set(.string(text), name, key)
        try dogs.set(.double(numbers[index % numbers.count]), weight, key)
        try dogs.set(index % 3 == 0 ? .null : .int(Int64(index) * -7919), age, key)
      }
      return true
    }
    return (sample, try writer.group())
  }

  @Test func linesOfJSONAreTheMembersOfTheirObjects() throws {
    let (_, group) = try group()
    let classes = try StoredSchema(group)
    let json = ObjectJSON(classes)
    let exporter = try Exporter(group)
    for schema in exporter.wholeClasses {
      let rows = JSONRows(schema, json)
      let count = try exporter.forEach([(schema, nil)]) { _, key, row in
        var bytes: [UInt8] = []
        try rows.append(key, row, to: &bytes)
        let head = [
          JSONMember("$class", .string(schema.displayName)),
          JSONMember("$key", .integer(key.rawValue)),
        ]
        let expected = JSONWriter.text(.object(head + (try json.members(of: row, schema)))) + "\n"
        expectEqual(String(decoding: bytes, as: UTF8.self), expected)
      }
      expectTrue(count > 0)
    }
  }

  @Test(arguments: [",", ";", "\t", "1", "a", "-", "."] as [Character], [true, false])
  func rowsOfCSVAreTheTextsOfTheirCells(_ separator: Character, _ hasFormulas: Bool) throws {
    let (_, group) = try group()
    let cells = CellText(try StoredSchema(group))
    let exporter = try Exporter(group)
    for schema in exporter.wholeClasses {
      let rows = CSVRows(schema, cells, separator: separator, hasFormulas: hasFormulas)
      _ = try exporter.forEach([(schema, nil)]) { _, key, row in
        var bytes: [UInt8] = []
        try rows.append(key, row, to: &bytes)
        var texts: [String?] = ["\(key.rawValue)"]
        for column in schema.columns {
          texts.append(try cells.text(try row.value(of: column), column))
        }
        let expected = CSVText.line(texts, separator: separator, hasFormulas: hasFormulas)
        expectEqual(String(decoding: bytes, as: UTF8.self), expected + "\n")
      }
    }
  }

  @Test func bytesThatAreNotUTF8AreRepaired() throws {
    let sample = try SampleRealm()
    let writer = try RealmWriter(path: sample.path, creates: false)
    _ = try writer.write { group in
      guard let dogs = try group.table(named: "class_Dog"),
        let name = dogs.schema.column(named: "name")
      else { return nil as Bool? }
      let key = try dogs.createObject().key
      try ([0x61, 0xFF, 0x62] as [UInt8]).withByteView { bytes in
        try dogs.set(StringLeaf.self, to: bytes, name, key)
      }
      return true
    }
    let group = try writer.group()
    let path = sample.directory.file("out.json")
    let sink = try ByteSink(path: path, overwrites: false)
    let exporter = try Exporter(group)
    _ = try exporter.writeJSON(try exporter.selection(of: ["Dog"]), to: sink)
    try sink.finish()
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("\"a\u{FFFD}b\""))
  }
}
#endif
