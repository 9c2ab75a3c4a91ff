// SPDX-License-Identifier: Apache-2.0

// Imports of one array of JSON, and of values in all their forms.

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

struct ArrayImportTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func source(_ text: String) throws -> ImportSource {
    let file = directory.file("input.json")
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    return try ImportSource(path: file, format: .json, className: "Dog")
  }

  private func run(
    _ source: ImportSource, batchSize: Int? = nil, primaryKey: String? = nil
  ) throws -> ImportReport {
    let writer = try RealmWriter(path: directory.file("new.realm"), creates: true)
    let plan = try ImportPlan(
      of: source, into: try StoredSchema(try writer.group()), primaryKey: primaryKey)
    var options = Importer.Options()
    options.batchSize = batchSize
    return try Importer(source, plan, options).run(writer)
  }

  private func lines() throws -> [String] {
    let group = try RealmReader(path: directory.file("new.realm")).group
    let classes = try StoredSchema(group)
    let output = try QueryOutput(try classes.require("Dog"), in: classes)
    return try QueryRun("Dog", in: classes).keys()
      .compactMap { try output.object(of: $0) }.map { JSONWriter.text($0) }
  }

  @Test func elementsBecomeObjects() throws {
    let report = try run(
      try source(
        """
        [
          {"id": 1, "name": "Rex"},
          {"id": 2, "name": "F\\"ido", "tags": ["a"]}, {"id": 1, "name": "Rexy"}
        ]
        """), primaryKey: "id")
    expectTrue((report.created, report.updated) == (2, 1))
    try expectEqual(
      lines(),
      [
        #"{"$key":0,"id":1,"name":"Rexy","tags":[]}"#,
        #"{"$key":1,"id":2,"name":"F\"ido","tags":["a"]}"#,
      ])
  }

  @Test func elementsThatAreNoObjectsAreBadRows() throws {
    let report = try run(try source("[\n{\"a\": 1},\n5,\n{\"a\": x}]"))
    expectFalse(report.isComplete)
    expectEqual(
      report.badRows.map(\.description),
      [
        "line 3: this is no JSON object", "line 4, column 7: this is no JSON",
      ])
  }

  /// `Importer` 2: on one line, too, an import goes on after the last committed element.
  @Test func anArrayGoesOnWhereItStopped() throws {
    var elements = (1...25).map { "{\"id\":\($0),\"age\":\($0)}" }
    elements[17] = "{\"id\":18,\"age\":{}}"
    let text = { "[" + elements.joined(separator: ",") + "]" }
    let writer = try RealmWriter(path: directory.file("new.realm"), creates: true)
    _ = try writer.write { group in
      let table = try group.createTable(named: "class_Dog")
      let id = try table.addColumn(named: "id", type: .int)
      try table.addColumn(named: "age", type: .int)
      try table.setPrimaryKey(id.key)
      return true
    }
    let first = try run(try source(text()), batchSize: 5)
    expectTrue((first.created, first.committedLine) == (15, 15))
    elements[17] = "{\"id\":18,\"age\":18}"
    let second = try run(try source(text()), batchSize: 5)
    expectEqual(second.resumedAfterLine, 15)
    expectTrue(second.isComplete)
    expectEqual(second.created, 10)
    try expectEqual(lines().count, 25)
  }

  @Test func aBrokenArrayLeavesTheFileAsItWas() throws {
    let source = try source(#"[{"id":1},{"id":2}"#)
    #expect(throws: ToolFailure.self) { try run(source) }
    #expect(
      try RealmReader(path: directory.file("new.realm")).group.table(named: "class_Dog") == nil)
  }

  /// `CollectedValues` 1 and 2: rows that lack properties, change objects, and repeat names.
  @Test func valuesAreStoredAsOneByOne() throws {
    var random = SeededGenerator(seed: 9)
    let forms: [(name: String, values: [JSONValue])] = [
      ("text", ["", "short", .string(String(repeating: "long ", count: 30)), "ü\"\n"]),
      ("optional", [.null, "x"]), ("int", [0, 5, -7, .double(3)]), ("optionalInt", [.null, 9]),
      ("double", [.double(0.1), 5]), ("bool", [true, false]), ("date", ["2020-02-29", .null]),
      ("float", [.double(1.5), 2]), ("any", [5, "x", .array([1, "x"])]),
      ("list", [.array(["a", "b"]), .array([])]),
    ]
    let columns: [(String, ColumnType, CollectionKind, Bool)] = [
      ("text", .string, .none, false), ("optional", .string, .none, true),
      ("int", .int, .none, false), ("optionalInt", .int, .none, true),
      ("double", .double, .none, false), ("bool", .bool, .none, false),
      ("date", .timestamp, .none, true), ("float", .float, .none, false),
      ("any", .mixed, .none, true), ("list", .string, .list, false),
    ]
    func make(_ group: WriteGroup) throws -> WritableTable {
      let table = try group.createTable(named: "class_Dog")
      let id = try table.addColumn(named: "id", type: .int)
      for (name, type, collection, isNullable) in columns {
        try table.addColumn(
          named: name, type: type, collection: collection, isNullable: isNullable,
          isIndexed: name == "text")
      }
      try table.setPrimaryKey(id.key)
      return table
    }
    let input = try RealmWriter(path: directory.file("new.realm"), creates: true)
    _ = try input.write { try make($0) }
    let model = try RealmWriter(path: directory.file("model.realm"), creates: true)
    var text = ""
    _ = try model.write { group in
      let table = try make(group)
      let value = ValueInput(group: group, classes: try StoredSchema(group))
      for _ in 0..<300 {
        let id = Int64.random(in: 0..<150, using: &random)
        var members = [JSONMember("id", .integer(id))]
        for _ in 0..<Int.random(in: 0..<9, using: &random) {
          let (name, values) = forms[Int.random(in: 0..<forms.count, using: &random)]
          let value = values[Int.random(in: 0..<values.count, using: &random)]
          members.append(JSONMember(name, value))
        }
        text += JSONWriter.text(.object(members)) + "\n"
        let key = try table.findOrCreate(primaryKey: id).key
        for member in members.dropFirst() {
          guard let column = table.schema.column(named: member.key) else { continue }
          try table.set(try value.value(member.value, column, isText: false), column, key)
        }
      }
      return true
    }
    let file = directory.file("rows.json")
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    let source = try ImportSource(path: file, format: .json, className: "Dog")
    let plan = try ImportPlan(of: source, into: try StoredSchema(try input.group()))
    let report = try Importer(source, plan, Importer.Options()).run(input)
    expectTrue(report.isComplete, "\(report.badRows.prefix(3))")
    var changes: [String] = []
    let group = try input.group()
    _ = try FileDifference(try model.group(), group).forEach { changes.append($0.text) }
    expectTrue(changes.isEmpty, "\(changes.prefix(5))")
    #expect(try DatabaseCheck.run(group.snapshot).filter { $0.severity == .error }.isEmpty)
  }
}
#endif
