// SPDX-License-Identifier: Apache-2.0

// Imports that stopped between two batches and go on, from every kind of source.

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

struct ResumptionTests {
  /// The kinds of sources.
  enum Form: CaseIterable {
    case csv, json, folder, sqlite
    /// Databases and lines that our own export wrote.
    case exportedJSON, exportedSQLite

    /// The line of the first row.
    fileprivate var firstLine: Int {
      switch self {
      case .json, .sqlite: 1
      case .csv, .folder, .exportedJSON, .exportedSQLite: 2
      }
    }

    fileprivate static var available: [Form] {
      SQLiteLibrary.shared == nil ? [.csv, .json, .folder, .exportedJSON] : allCases
    }
  }

  /// A row: a text, and one that is a number but for a mistake.
  private struct Row: Hashable {
    var name: String
    var age: String
  }

  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("new.realm")
  }

  /// 25 rows, of which the 18th has a mistake.
  private var rows: [Row] {
    (1...25).map { Row(name: "Dog \($0)", age: $0 == 18 ? "bad" : "\($0)") }
  }

  private static let schema =
    #"{"$schema":{"version":3,"classes":[{"name":"Dog","properties":[{"name":"name","#
    + #""type":"string"},{"name":"age","type":"int"}]}]}}"#

  private func source(
    _ rows: [Row], _ form: Form, class className: String = "Dog", column: String = "age"
  ) throws -> ImportSource {
    func write(_ name: String, _ lines: [String]) throws -> String {
      let text = lines.map { $0 + "\n" }.joined()
      try Data(text.utf8).write(to: URL(fileURLWithPath: directory.file(name)))
      return directory.file(name)
    }
    func objects(_ head: String) -> [String] {
      rows.map { row in
        let age = Int(row.age) == nil ? "\"\(row.age)\"" : row.age
        return #"{\#(head)"name":"\#(row.name)","\#(column)":\#(age)}"#
      }
    }
    switch form {
    case .csv, .folder:
      let lines = ["name,\(column)"] + rows.map { "\($0.name),\($0.age)" }
      guard form == .folder else {
        return try ImportSource(
          path: try write("dogs.csv", lines), format: .csv, className: className)
      }
      try? FileManager.default.removeItem(atPath: directory.file("folder"))
      try FileManager.default.createDirectory(
        atPath: directory.file("folder"), withIntermediateDirectories: false)
      _ = try write("folder/\(className).csv", lines)
      return try ImportSource(folder: directory.file("folder"))
    case .json:
      return try ImportSource(
        path: try write("dogs.json", objects("")), format: .json, className: className)
    case .exportedJSON:
      let schema = Self.schema.replacing("\"Dog\"", with: "\"\(className)\"")
        .replacing("\"age\"", with: "\"\(column)\"")
      let lines = objects(#""$class":"\#(className)","#)
      return try ImportSource(
        path: try write("export.json", [schema] + lines), format: .json, className: nil)
    case .sqlite, .exportedSQLite:
      let file = directory.file("dogs.sqlite")
      try? FileManager.default.removeItem(atPath: file)
      let database = try SQLiteDatabase(path: file, creates: true)
      let key = form == .exportedSQLite ? "_key INTEGER PRIMARY KEY, " : ""
      try database.run("CREATE TABLE \(className) (\(key)name TEXT NOT NULL, \(column) INTEGER)")
      if form == .exportedSQLite {
        let schema = try #require(try JSONParser.parse(Self.schema)["$schema"])
        let text = JSONWriter.text(schema).replacing("\"Dog\"", with: "\"\(className)\"")
          .replacing("\"age\"", with: "\"\(column)\"")
        try database.run("CREATE TABLE realm_schema (declaration TEXT)")
        try database.run("INSERT INTO realm_schema VALUES (?)", [.text(text)])
      }
      for row in rows {
        let age = Int64(row.age).map { SQLiteDatabase.Value.integer($0) } ?? .text(row.age)
        try database.run(
          "INSERT INTO \(className) (name, \(column)) VALUES (?, ?)", [.text(row.name), age])
      }
      return ImportSource(try SQLiteSource(path: file))
    }
  }

  private func run(_ source: ImportSource, startsOver: Bool = false) throws -> ImportReport {
    var options = Importer.Options()
    (options.batchSize, options.startsOver) = (5, startsOver)
    let writer = try RealmWriter(path: path, creates: true)
    let classes = try StoredSchema(try writer.group())
    let plan = try ImportPlan(of: source, into: classes, types: ["age": .int])
    return try Importer(source, plan, options).run(writer)
  }

  private func names() throws -> [String] {
    let group = try RealmReader(path: path).group
    let classes = try StoredSchema(group)
    let output = try QueryOutput(try classes.require("Dog"), in: classes, columns: ["name"])
    return try QueryRun("Dog", in: classes).keys()
      .compactMap { try output.row(of: $0)?.first ?? nil }
  }

  /// Imports up to the mistake: three batches.
  private func stop(_ form: Form) throws {
    let report = try run(try source(rows, form))
    expectFalse(report.isComplete)
    expectEqual(report.created, 15)
    expectEqual(report.committedLine, form.firstLine + 14)
    try expectEqual(names().count, 15)
  }

  /// `Importer` 2
  @Test(arguments: Form.available) func anImportGoesOnBehindTheLastBatch(_ form: Form) throws {
    try stop(form)
    var better = rows
    better[17].age = "18"
    let report = try run(try source(better, form))
    expectTrue(report.isComplete)
    expectEqual(report.resumedAfterLine, form.firstLine + 14)
    expectEqual(report.created, 10)
    try expectEqual(names(), better.map(\.name))
  }

  /// What may have happened to rows that were imported.
  enum Change: CaseIterable {
    case removed, added, edited, swapped
    /// One row went, and another one came elsewhere, so that the lines keep their numbers.
    case moved
  }

  /// `Importer` 2
  @Test(arguments: Form.available, Change.allCases)
  func aSourceWithOtherRowsIsRefused(_ form: Form, _ change: Change) throws {
    try stop(form)
    var other = rows
    other[17].age = "18"
    switch change {
    case .removed: other.remove(at: 3)
    case .added: other.insert(Row(name: "New", age: "1"), at: 0)
    case .edited: other[14].age = "150"
    case .swapped: other.swapAt(2, 7)
    case .moved:
      let row = other.remove(at: 9)
      other.append(row)
    }
    try expectRefusal(try source(other, form))
    // Everything comes again, as the class has no primary key.
    let again = try run(try source(other, form), startsOver: true)
    expectTrue(again.isComplete)
    try expectEqual(names().count, 15 + other.count)
  }

  /// `Importer` 2: rows that are the same, but of another class or property.
  @Test(arguments: Form.available) func aSourceOfAnotherClassIsRefused(_ form: Form) throws {
    try stop(form)
    var better = rows
    better[17].age = "18"
    try expectRefusal(try source(better, form, class: "Cat"))
    try expectRefusal(try source(better, form, column: "years"))
  }

  private func expectRefusal(_ source: ImportSource) throws {
    let failure = #expect(throws: ToolFailure.self) { try run(source) }
    expectEqual(failure?.status, .badData)
    expectEqual(failure?.message.contains("was changed: an earlier import"), true)
    try expectEqual(names(), rows.prefix(15).map(\.name))
    #expect(try RealmReader(path: path).group.table(named: "class_Cat") == nil)
  }
}
#endif
