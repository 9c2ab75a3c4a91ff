// SPDX-License-Identifier: Apache-2.0

// Objects that come into a file, and rows that do not.

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

struct ImportTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("new.realm")
  }

  private func source(
    _ text: String, _ format: ImportSource.Format, _ className: String? = "Dog"
  ) throws -> ImportSource {
    let file = directory.file("input.txt")
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    return try ImportSource(path: file, format: format, className: className)
  }

  private func run(
    _ source: ImportSource, primaryKey: String? = nil, types: [String: ColumnType] = [:],
    _ change: (inout Importer.Options) -> Void = { _ in }
  ) throws -> ImportReport {
    var options = Importer.Options()
    change(&options)
    let writer = try RealmWriter(path: path, creates: true)
    let classes = try StoredSchema(try writer.group())
    let plan = try ImportPlan(of: source, into: classes, primaryKey: primaryKey, types: types)
    return try Importer(source, plan, options).run(writer)
  }

  private func lines(_ name: String, in path: String? = nil) throws -> [String] {
    let group = try RealmReader(path: path ?? self.path).group
    let classes = try StoredSchema(group)
    guard let schema = classes[name] else { return [] }
    let output = try QueryOutput(schema, in: classes)
    return try QueryRun(name, in: classes).keys()
      .compactMap { try output.object(of: $0) }.map { JSONWriter.text($0) }
  }

  // MARK: Types

  @Test func typesAreGuessedFromAllValues() throws {
    let text = #"""
      id,name,zip,weight,born,good,code,note
      1,Rex,0150,1,2020-02-29,true,11111111-2222-3333-4444-555555555555,
      2,"Fi ""do""",0151,2.5,2021-01-01T10:00:00Z,FALSE,11111111-2222-3333-4444-555555555556,x

      """#
    let plan = try ImportPlan(
      of: try source(text, .csv), into: nil, primaryKey: "id")
    expectEqual(
      plan.text,
      """
      Dog: 2 objects, a new class
        id: int, primary key
        name: string
        zip: string
        weight: double
        born: date
        good: bool
        code: uuid
        note: string?

      """)
  }

  /// Dates as spreadsheets and programs of Apple write them.
  @Test func datesHaveSeveralForms() throws {
    let text = """
      day,time,version
      31.12.2024,2019-01-02 03:04:05 +0000,1.2.24
      1.1.2025,2019-01-02 03:04:05 UTC,1.2.25

      """
    let report = try run(try source(text, .csv))
    expectTrue(report.isComplete)
    try expectEqual(
      lines("Dog"),
      [
        #"{"$key":0,"day":"2024-12-31T00:00:00Z","time":"2019-01-02T03:04:05Z","#
          + #""version":"1.2.24"}"#,
        #"{"$key":1,"day":"2025-01-01T00:00:00Z","time":"2019-01-02T03:04:05Z","#
          + #""version":"1.2.25"}"#,
      ])
  }

  /// A first row of one cell that looks like several.
  @Test(arguments: [(";", ";"), ("\t", "\\t"), ("|", "|")])
  func anotherSeparatorIsHintedAt(_ character: String, _ option: String) throws {
    let file = directory.file("input.txt")
    try Data("id\(character)name\n1\(character)Rex\n".utf8)
      .write(to: URL(fileURLWithPath: file))
    let source = try ImportSource(path: file, format: .csv, className: "Dog")
    let failure = #expect(throws: ToolFailure.self) { try ImportPlan(of: source, into: nil) }
    expectEqual(failure?.status, .usage)
    expectEqual(failure?.message.contains("--separator '\(option)'"), true, "\(failure as Any)")
    let meant = try ImportSource(path: file, format: .csv, className: "Dog", separator: ",")
    try expectEqual(ImportPlan(of: meant, into: nil).classes[0].properties.count, 1)
    let split = try ImportSource(
      path: file, format: .csv, className: "Dog", separator: Character(character))
    try expectEqual(
      ImportPlan(of: split, into: nil).classes[0].properties.map(\.typeText), ["int", "string"])
  }

  /// A first row alone makes the class.
  @Test func aFileOfNoObjectsMakesItsClass() throws {
    let report = try run(
      try source("#,id,name\n", .csv), primaryKey: "id", types: ["id": .int])
    expectTrue(report.isComplete)
    let classes = try StoredSchema(try RealmReader(path: path).group)
    let dog = try classes.require("Dog")
    expectEqual(dog.columns.map(\.name), ["id", "name"])
    expectEqual(dog.primaryKey?.name, "id")
    expectEqual(dog.columns.map(\.type), [.int, .string])
  }

  @Test func guessesSayWhatContradictsThem() throws {
    let rows = (1...10_000).map { [135, 500, 501].contains($0) ? "\($0),old" : "\($0),5" }
    let text = "id,age\n" + rows.joined(separator: "\n") + "\n"
    let plan = try ImportPlan(of: try source(text, .csv), into: nil)
    #expect(
      plan.text.hasSuffix("  age: string (3 of 10,000 are no int, first at line 136)\n"))
    let names = try source("name\nRex\n5\nFido\n", .csv)
    #expect(try ImportPlan(of: names, into: nil).text.hasSuffix("  name: string\n"))
  }

  @Test func valuesOfJSONHaveTheirTypes() throws {
    let text = """
      {"a":1,"b":1,"c":[1,2],"d":[1,"x"],"e":"2020-01-01T00:00:00Z","f":{"x":1}}
      {"a":2,"b":1.5,"c":[],"d":[],"e":null}
      """
    let plan = try ImportPlan(of: try source(text, .json), into: nil)
    expectEqual(
      plan.classes[0].properties.map(\.typeText),
      ["int", "double", "list of int", "list of mixed", "date?", "mixed"])
  }

  @Test func givenTypesAreNotGuessed() throws {
    let report = try run(try source("a,b\n1,2\n", .csv), types: ["a": .string, "b": .decimal])
    expectTrue(report.isComplete)
    try expectEqual(lines("Dog"), [#"{"$key":0,"a":"1","b":"2"}"#])
  }

  // MARK: Rows

  @Test func objectsAreMadeAndChanged() throws {
    let first = "id,name\n1,Rex\n2,Fido\n"
    try expectEqual(run(try source(first, .csv), primaryKey: "id").created, 2)
    let report = try run(try source("id,age\n2,7\n3,1\n", .csv))
    expectTrue((report.created, report.updated) == (1, 1))
    try expectEqual(
      lines("Dog"),
      [
        #"{"$key":0,"id":1,"name":"Rex","age":null}"#,
        #"{"$key":1,"id":2,"name":"Fido","age":7}"#,
        #"{"$key":2,"id":3,"name":"","age":1}"#,
      ])
  }

  @Test func quotedCellsKeepTheirLines() throws {
    let report = try run(try source("a,b\r\n\"x\ny\",1\r\n\"\",2\r\n", .csv))
    expectEqual(report.created, 2)
    try expectEqual(lines("Dog"), [#"{"$key":0,"a":"x\ny","b":1}"#, #"{"$key":1,"a":"","b":2}"#])
  }

  /// `Importer` 1
  @Test func aBadRowLeavesTheFileAsItWas() throws {
    _ = try run(try source("id,age\n1,5\n", .csv), primaryKey: "id")
    let text = "id,age\n2,6\n3,old\n4,7\n5\n"
    let report = try run(try source(text, .csv))
    expectFalse(report.isComplete)
    expectEqual(report.created, 0)
    expectEqual(
      report.badRows.map(\.description),
      [
        "line 3, column 3 (age): \"old\" is no int",
        "line 5, column 1: the row has 1 cells, the first row 2",
      ])
    try expectEqual(lines("Dog"), [#"{"$key":0,"id":1,"age":5}"#])
    let skipped = try run(try source(text, .csv)) { $0.skipsBadRows = true }
    expectTrue(skipped.isComplete)
    expectEqual(skipped.created, 2)
    expectEqual(skipped.badRowCount, 2)
    try expectEqual(lines("Dog").count, 3)
  }

  @Test func badJSONSaysWhere() throws {
    let report = try run(try source("{\"a\":1}\n{\"a\":x}\n[1]\n", .json))
    expectEqual(
      report.badRows.map(\.description),
      [
        "line 2, column 6: this is no JSON", "line 3: this is no JSON object",
      ])
    // Only the first line may be that of columns.
    let csv = try run(try source("id,name\n1,Rex\n", .json))
    expectEqual(
      csv.badRows.map(\.description),
      [
        "line 1, column 1: this is no JSON. Is it CSV? Then give --from csv",
        "line 2: this is no JSON: something follows the value",
      ])
    #expect(try lines("Dog").isEmpty)
  }

  @Test func dryRunsWriteNothing() throws {
    let report = try run(try source("id\n1\n2\n", .csv), primaryKey: "id") { $0.isDryRun = true }
    expectEqual(report.created, 2)
    expectTrue(report.isComplete)
    #expect(try lines("Dog").isEmpty)
  }

  // MARK: Batches

  /// `Importer` 2
  @Test func anImportThatStoppedGoesOn() throws {
    let rows = (1...25).map { $0 == 18 ? "\($0),bad" : "\($0),\($0)" }
    let text = "id,age\n" + rows.joined(separator: "\n") + "\n"
    let types: [String: ColumnType] = ["age": .int]
    let first = try run(try source(text, .csv), primaryKey: "id", types: types) {
      $0.batchSize = 5
    }
    expectFalse(first.isComplete)
    expectEqual(first.badRows.map(\.line), [19])
    expectTrue((first.created, first.committedLine) == (15, 16))
    try expectEqual(lines("Dog").count, 15)
    #expect(try lines("realm_import").isEmpty)
    let better = try source(text.replacing("18,bad", with: "18,18"), .csv)
    let second = try run(better) { $0.batchSize = 5 }
    expectTrue(second.isComplete)
    expectEqual(second.resumedAfterLine, 16)
    expectEqual(second.created, 10)
    try expectEqual(lines("Dog").count, 25)
    // Another import begins at the beginning again.
    try expectEqual(run(better) { $0.batchSize = 5 }.updated, 25)
    #expect(
      try RealmReader(path: path).group.table(named: "realm_import") == nil)
  }

  /// `Importer` 2
  @Test(arguments: [1, 2, 15, 16]) func aChangedSourceIsNotContinued(_ line: Int) throws {
    var rows = ["id,age"] + (1...25).map { $0 == 18 ? "\($0),bad" : "\($0),\($0)" }
    let types: [String: ColumnType] = ["age": .int]
    let first = try source(rows.joined(separator: "\n"), .csv)
    try expectEqual(run(first, types: types) { $0.batchSize = 5 }.committedLine, 16)
    rows[18] = "18,18"
    // Line 16 is the last that was committed; what is removed is not missed by its number.
    rows.remove(at: line == 1 ? 1 : line - 1)
    let changed = try source(rows.joined(separator: "\n"), .csv)
    let failure = #expect(throws: ToolFailure.self) {
      try run(changed) { $0.batchSize = 5 }
    }
    expectEqual(failure?.status, .badData)
    expectEqual(failure?.message.contains("has committed its first 16 lines"), true)
    try expectEqual(lines("Dog").count, 15)
    let again = try run(changed) { ($0.batchSize, $0.startsOver) = (5, true) }
    expectTrue(again.isComplete)
    expectEqual(again.created, 24)
  }

  @Test func aSourceThatBecameShorterIsNotContinued() throws {
    let rows = ["id,age"] + (1...25).map { $0 == 18 ? "\($0),bad" : "\($0),\($0)" }
    let first = try source(rows.joined(separator: "\n"), .csv)
    _ = try run(first, types: ["age": .int]) { $0.batchSize = 5 }
    let short = try source(rows[..<9].joined(separator: "\n"), .csv)
    #expect(throws: ToolFailure.self) { try run(short) { $0.batchSize = 5 } }
    // Another file's import begins at its beginning.
    let other = directory.file("other.csv")
    try Data(rows[..<9].joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: other))
    let report = try run(try ImportSource(path: other, format: .csv, className: "Dog")) {
      $0.batchSize = 5
    }
    expectEqual(report.created, 8)
  }

  // MARK: Pipes

  /// `InputFile` 1
  @Test(arguments: [ImportSource.Format.json, .csv])
  func pipesAreReadOnce(_ format: ImportSource.Format) throws {
    let pipe = directory.file("pipe")
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    let text =
      switch format {
      case .csv: "id,name\n" + (1...9000).map { "\($0),Dog \($0)\n" }.joined()
      default: (1...9000).map { "{\"id\":\($0),\"name\":\"Dog \($0)\"}\n" }.joined()
      }
    let writer = Thread {
      let handle = FileHandle(forWritingAtPath: pipe)
      handle?.write(Data(text.utf8))
      try? handle?.close()
    }
    writer.start()
    let source = try ImportSource(path: pipe, format: format, className: "Dog")
    expectTrue(source.isStream)
    let report = try run(source, primaryKey: "id")
    expectTrue(report.isComplete)
    expectEqual(report.created, 9000)
    try expectEqual(lines("Dog").last, #"{"$key":8999,"id":9000,"name":"Dog 9000"}"#)
    let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(!left.contains { $0.hasPrefix("realm-input") })
  }

  @Test func filesAreNoPipes() throws {
    try expectEqual(source("{}", .json).isStream, false)
    #expect(throws: ToolFailure.self) {
      try ImportSource(path: directory.path, format: .json, className: nil)
    }
    #expect(throws: ToolFailure.self) {
      try ImportSource(path: directory.file("none"), format: .json, className: nil)
    }
  }

  // MARK: Round trips

  /// The objects of a random file, exported and imported into one with the same classes.
  @Test(arguments: [1, 2, 3, 4, 5, 6]) func exportsCanBeImported(_ seed: UInt64) throws {
    let sample = try SampleRealm()
    let writer = try RealmWriter(path: sample.path, creates: false)
    _ = try SampleData.generate(writer, rowCount: 40, className: nil, seed: seed)
    let target = directory.file("target.realm")
    let empty = try RealmWriter(path: target, creates: true)
    let whole = try writer.group()
    let input = directory.file("objects.json")
    let sink = try ByteSink(path: input, overwrites: false)
    let exporter = try Exporter(whole)
    try expectEqual(exporter.writeJSON(try exporter.selection(of: []), to: sink), 84)
    try sink.finish()
    _ = try empty.write { group in
      let addresses = try group.createTable(named: "class_Address", kind: .embedded)
      try addresses.addColumn(named: "city", type: .string)
      let persons = try group.createTable(named: "class_Person")
      let dogs = try group.createTable(named: "class_Dog")
      for (table, name) in [(persons, "Person"), (dogs, "Dog")] {
        for column in try whole.table(named: "class_" + name)?.schema.columns ?? [] {
          let target: TableKey? =
            switch column.name {
            case "home": addresses.key
            case "owner": persons.key
            case "friends": dogs.key
            default: nil
            }
          let new = try table.addColumn(
            named: column.name, type: column.type, collection: column.collection,
            isNullable: column.isNullable, target: target, isIndexed: column.isIndexed)
          if column.isPrimaryKey { try table.setPrimaryKey(new.key) }
        }
      }
      return true
    }
    let source = try ImportSource(path: input, format: .json, className: nil)
    let plan = try ImportPlan(of: source, into: try StoredSchema(try empty.group()))
    #expect(plan.classes.allSatisfy { $0.properties.allSatisfy { !$0.isNew } })
    let report = try Importer(source, plan, Importer.Options()).run(empty)
    expectTrue(report.badRows.isEmpty, "\(report.badRows)")
    expectEqual(report.created, 84)
    var changes: [String] = []
    let count = try FileDifference(whole, try empty.group()).forEach { changes.append($0.text) }
    expectEqual(count, 0, "\(changes.prefix(5))")
  }

  @Test func csvComesBackToo() throws {
    let sample = try SampleRealm(dogCount: 30)
    let writer = try RealmWriter(path: sample.path, creates: false)
    let before = try lines("Person", in: sample.path)
    let group = try writer.group()
    let exporter = try Exporter(group)
    let sink = try ByteSink(path: directory.file("p.csv"), overwrites: false)
    let schema = try #require(exporter.wholeClasses.last)
    try expectEqual(exporter.writeCSV(schema, nil, to: sink), 2)
    try sink.finish()
    _ = try writer.write { group in
      try group.table(named: "class_Person")?.deleteAll()
      return true
    }
    let source = try ImportSource(
      path: directory.file("p.csv"), format: .csv, className: "Person")
    let plan = try ImportPlan(of: source, into: try StoredSchema(try writer.group()))
    let report = try Importer(source, plan, Importer.Options()).run(writer)
    expectTrue(report.badRows.isEmpty, "\(report.badRows)")
    let after = try lines("Person", in: sample.path)
    func withoutKeys(_ lines: [String]) -> [Substring] {
      lines.map { $0.drop { $0 != "," } }
    }
    expectEqual(withoutKeys(after), withoutKeys(before))
  }

  @Test func linksThatLeadNowhereAreBadRows() throws {
    let sample = try SampleRealm()
    let text = #"{"$class":"Dog","name":"Spot","owner":99}"#
    let source = try source(text, .json, nil)
    let writer = try RealmWriter(path: sample.path, creates: false)
    let plan = try ImportPlan(of: source, into: try StoredSchema(try writer.group()))
    let report = try Importer(source, plan, Importer.Options()).run(writer)
    expectEqual(
      report.badRows.map(\.description), ["line 1 (owner): there is no 'Person' with id 99"])
    try expectEqual(lines("Dog", in: sample.path).count, 2)
  }

  // MARK: Hostile input

  @Test func noBytesStopTheReaders() throws {
    var random = SeededGenerator(seed: 23)
    let alphabet = Array("\",\n\r{}[]:ab1.$-\\ ".utf8) + [0xFF, 0xC3, 0]
    for _ in 0..<300 {
      let bytes = (0..<Int.random(in: 0..<80, using: &random)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      let file = directory.file("fuzz")
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      for format in ImportSource.Format.allCases {
        let source = try ImportSource(path: file, format: format, className: "A")
        var count = 0
        do {
          try source.forEach { _ in
            count += 1
            return count < 1000
          }
        } catch is ToolFailure {}
        expectTrue(count < 1000)
      }
    }
  }
}
#endif
