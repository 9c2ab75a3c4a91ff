// SPDX-License-Identifier: Apache-2.0

// Databases of SQLite as sources and as targets.

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

@Suite(.enabled(if: SQLiteLibrary.shared != nil)) struct SQLiteTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func database(_ statements: String...) throws -> String {
    let path = directory.file("a.sqlite")
    let database = try SQLiteDatabase(path: path, creates: true)
    for statement in statements { try database.run(statement) }
    return path
  }

  private func imported(
    _ path: String, links: [String: String] = [:], types: [String: ColumnType] = [:]
  ) throws -> (plan: String, report: ImportReport, target: String) {
    let source = ImportSource(try SQLiteSource(path: path, links: links, types: types))
    let target = directory.file("target.realm")
    let writer = try RealmWriter(path: target, creates: true)
    let plan = try ImportPlan(of: source, into: nil)
    let report = try Importer(source, plan, Importer.Options()).run(writer)
    return (plan.text, report, target)
  }

  private func lines(_ name: String, _ path: String) throws -> [String] {
    let group = try RealmReader(path: path).group
    let classes = try StoredSchema(group)
    let output = try QueryOutput(try classes.require(name), in: classes)
    return try QueryRun(name, in: classes).keys()
      .compactMap { try output.object(of: $0) }.map { JSONWriter.text($0) }
  }

  @Test func tablesBecomeClassesAndKeysLinks() throws {
    let path = try database(
      "CREATE TABLE grdb_migrations (identifier TEXT PRIMARY KEY)",
      "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born DATETIME, "
        + "active BOOLEAN NOT NULL)",
      "CREATE TABLE book (isbn TEXT PRIMARY KEY, author INTEGER REFERENCES author(id), cover BLOB, "
        + "price DOUBLE, uid UUID, any)",
      "INSERT INTO author VALUES (1, 'Ada', '1815-12-10 10:00:00.5', 1), (2, 'Bo', NULL, 0)",
      "INSERT INTO book VALUES ('x', 1, x'0102', 9.5, x'00000000000000010000000000000002', 'any')",
      "INSERT INTO book VALUES ('y', NULL, NULL, NULL, NULL, 5)")
    let (plan, report, target) = try imported(path)
    expectEqual(
      plan,
      """
      author: 2 objects, a new class
        id: int, primary key
        name: string
        born: date?
        active: bool
      book: 2 objects, a new class
        isbn: string, primary key
        author: author?
        cover: data?
        price: double?
        uid: uuid?
        any: mixed

      """)
    expectEqual(report.created, 4)
    try expectEqual(
      lines("author", target),
      [
        #"{"$key":0,"id":1,"name":"Ada","born":"1815-12-10T10:00:00.5Z","active":true}"#,
        #"{"$key":1,"id":2,"name":"Bo","born":null,"active":false}"#,
      ])
    try expectEqual(
      lines("book", target),
      [
        #"{"$key":0,"isbn":"x","author":1,"cover":"AQI=","price":9.5,"#
          + #""uid":"00000000-0000-0001-0000-000000000002","any":"any"}"#,
        #"{"$key":1,"isbn":"y","author":null,"cover":null,"price":null,"uid":null,"any":5}"#,
      ])
  }

  @Test func storesOfSwiftDataAreUnderstood() throws {
    let path = try database(
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY)",
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR)",
      "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Trip'), (2, 'Item')",
      "CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, "
        + "ZSTART TIMESTAMP)",
      "CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTRIP INTEGER, "
        + "ZNEXT INTEGER)",
      "INSERT INTO ZTRIP VALUES (1, 1, 1, 'Oslo', 0.5)",
      "INSERT INTO ZITEM VALUES (1, 2, 1, 1, 2), (2, 2, 1, NULL, NULL)")
    let (_, report, target) = try imported(path, links: ["Item.next": "Item"])
    expectEqual(report.created, 3)
    try expectEqual(
      lines("Trip", target),
      [#"{"$key":0,"pk":1,"name":"Oslo","start":"2001-01-01T00:00:00.5Z"}"#])
    try expectEqual(
      lines("Item", target),
      [
        #"{"$key":0,"pk":1,"trip":1,"next":2}"#, #"{"$key":1,"pk":2,"trip":null,"next":null}"#,
      ])
  }

  @Test func cellsThatDoNotFitAreBadRows() throws {
    let path = try database(
      "CREATE TABLE a (id INTEGER PRIMARY KEY, born DATETIME)",
      "INSERT INTO a VALUES (1, '2020-01-01'), (2, 'yesterday')")
    let (_, report, target) = try imported(path)
    expectEqual(
      report.badRows.map(\.description), ["table 'a', id 2 (born): 'yesterday' is no date"])
    expectFalse(report.isComplete)
    #expect(throws: ToolFailure.self) { try lines("a", target) }
  }

  @Test func givenTypesReplaceDeclaredOnes() throws {
    let path = try database(
      "CREATE TABLE a (id INTEGER PRIMARY KEY, code INTEGER, born TEXT)",
      "CREATE TABLE b (code INTEGER)",
      "INSERT INTO a VALUES (1, 7, '2020-01-01')", "INSERT INTO b VALUES (8)")
    let (_, _, target) = try imported(path, types: ["a.code": .string, "born": .timestamp])
    try expectEqual(
      lines("a", target),
      [
        #"{"$key":0,"id":1,"code":"7","born":"2020-01-01T00:00:00Z"}"#
      ])
    try expectEqual(lines("b", target), [#"{"$key":0,"code":8}"#])
    #expect(throws: ToolFailure.self) {
      try SQLiteSource(path: path, types: ["a.none": .string])
    }
  }

  @Test func amountsAreDecimalsAndCompoundKeysAreNamed() throws {
    let path = try database(
      "CREATE TABLE line (bill INTEGER, nr INTEGER, price DECIMAL(10,2), PRIMARY KEY (bill, nr))",
      "INSERT INTO line VALUES (1, 1, 9.95), (1, 2, 10), (1, 3, '12.50')")
    let (plan, report, target) = try imported(path)
    expectEqual(report.created, 3)
    expectEqual(
      plan,
      """
      line: 3 objects, a new class
        bill: int?
        nr: int?
        price: decimal?
      line: the key of 2 columns (bill, nr) is no primary key of the class, which can have one \
      property only; importing again adds the objects again.

      """)
    try expectEqual(
      lines("line", target),
      [
        #"{"$key":0,"bill":1,"nr":1,"price":"9.95"}"#, #"{"$key":1,"bill":1,"nr":2,"price":"10"}"#,
        #"{"$key":2,"bill":1,"nr":3,"price":"12.5"}"#,
      ])
  }

  /// What a declaration and the values under it become: SQLite stores any value under any name.
  @Test(arguments: [
    ("JSON", "'{\"a\":1}', NULL", "string?"), ("JSON", "'{}', 5", "mixed"),
    ("JSONB", "x'01'", "data?"), ("JSON", "NULL", "string?"), ("NUMERIC", "2", "double?"),
    ("NUMERIC", "2, 2.5", "double?"), ("NUMERIC", "2, 'n/a'", "mixed"),
    ("NUMERIC", "NULL", "double?"), ("REAL", "NULL", "double?"), ("DOUBLE", "1.5", "double?"),
    ("FLOAT", "'none'", "string?"), ("MONEY", "9.95", "double?"), ("INET", "'10.0.0.1'", "string?"),
    ("GEOMETRY", "x'00', 'POINT'", "mixed"), ("", "'a'", "mixed"),
  ])
  func unknownTypesAreThoseOfTheValues(
    _ declared: String, _ values: String, _ type: String
  ) throws {
    let rows = values.split(separator: ", ")
    let path = try database(
      "CREATE TABLE a (id INTEGER PRIMARY KEY, v \(declared))",
      "INSERT INTO a (v) VALUES \(rows.map { "(\($0))" }.joined(separator: ", "))")
    let (plan, report, _) = try imported(path)
    expectTrue(plan.hasSuffix("  v: \(type)\n"), "\(plan)")
    expectEqual(report.badRows.map(\.description), [])
    expectEqual(report.created, rows.count)
  }

  /// `VirtualTables` 1
  @Test func tablesBehindVirtualOnesAreNoClasses() throws {
    let path = try database(
      "CREATE TABLE note (id INTEGER PRIMARY KEY, meta JSON, price NUMERIC)",
      "INSERT INTO note VALUES (1, '{\"a\":1}', 2)")
    let database = try SQLiteDatabase(path: path, creates: false)
    var expected = ["note"]
    for (module, arguments) in [
      ("fts3", "title"), ("fts4", "title"), ("fts5", "title"), ("rtree", "id, low, high"),
    ] {
      do {
        try database.run("CREATE VIRTUAL TABLE my_\(module) USING \(module)(\(arguments))")
      } catch { continue }
      try database.run("INSERT INTO my_\(module) VALUES (\(module == "rtree" ? "1, 2, 3" : "'x'"))")
      expected.append("my_\(module)")
    }
    if expected.contains("my_fts5") {
      try database.run(
        "CREATE VIRTUAL TABLE over_note USING fts5(meta, content='note', content_rowid='id')")
    }
    let source = try SQLiteSource(path: path)
    expectEqual(source.tables.map(\.className), expected.sorted())
    expectEqual(source.notes.count, expected.contains("my_fts5") ? 1 : 0)
    let (plan, report, target) = try imported(path)
    expectTrue(
      plan.contains("note: 1 object, a new class\n  id: int, primary key\n  meta: string?"))
    expectEqual(report.badRows.map(\.description), [])
    try expectEqual(lines("note", target), [#"{"$key":0,"id":1,"meta":"{\"a\":1}","price":2.0}"#])
    if expected.contains("my_fts5") {
      expectTrue(plan.contains("my_fts5: 1 object, a new class\n  title: string?\n"), "\(plan)")
    }
  }

  /// What SQLite does not read with its own modules, it cannot: such a table is named.
  @Test func tablesOfMissingModulesAreLeftOut() throws {
    let path = try database(
      "CREATE TABLE a (id INTEGER PRIMARY KEY)", "PRAGMA writable_schema = ON",
      "INSERT INTO sqlite_master VALUES ('table', 'odd', 'odd', 0, "
        + "'CREATE VIRTUAL TABLE odd USING nonesuch(a)')")
    let source = try SQLiteSource(path: path)
    expectEqual(source.tables.map(\.className), ["a"])
    expectEqual(source.notes.count, 1)
    expectTrue(source.notes[0].contains("the module 'nonesuch'"), "\(source.notes)")
  }

  @Test func keysMayBeNull() throws {
    let path = try database(
      "CREATE TABLE a (id INT PRIMARY KEY, name TEXT)",
      "INSERT INTO a VALUES (1, 'one'), (NULL, 'none')")
    let (plan, report, target) = try imported(path)
    expectTrue(plan.contains("id: int?, primary key"))
    expectEqual(report.created, 2)
    try expectEqual(
      lines("a", target),
      [
        #"{"$key":0,"id":1,"name":"one"}"#, #"{"$key":1,"id":null,"name":"none"}"#,
      ])
  }

  @Test func otherFilesAndLinksAreRefused() throws {
    let path = directory.file("text")
    try Data(String(repeating: "no database", count: 100).utf8)
      .write(to: URL(fileURLWithPath: path))
    #expect(throws: ToolFailure.self) { try SQLiteSource(path: path) }
    #expect(throws: ToolFailure.self) { try SQLiteSource(path: directory.file("none")) }
    let fine = try database("CREATE TABLE a (id INTEGER PRIMARY KEY)")
    #expect(throws: ToolFailure.self) { try SQLiteSource(path: fine, links: ["a.b": "a"]) }
  }

  @Test func exportsHaveTablesForCollections() throws {
    let sample = try SampleRealm()
    let group = try RealmReader(path: sample.path).group
    let exporter = try Exporter(group)
    let path = directory.file("out.sqlite")
    let count = try SQLiteExporter(group).write(
      try exporter.selection(of: []), with: exporter, to: path)
    expectEqual(count, 4)
    let database = try SQLiteDatabase(path: path, creates: false)
    try expectEqual(
      database.rows("SELECT name, born, home FROM Person ORDER BY id"),
      [
        [
          .text("Ann, \"the\" boss"), .text("1970-01-02T00:00:00.25Z"),
          .text(#"{"city":"Oslo"}"#),
        ],
        [.text("Bob"), .null, .null],
      ])
    try expectEqual(
      database.rows(
        "SELECT p.name FROM Dog d JOIN Person p ON d.owner = p.id WHERE d.age = 5"),
      [[.text("Ann, \"the\" boss")]])
    try expectEqual(
      database.rows("SELECT * FROM Dog_tags ORDER BY position"),
      [
        [.integer(0), .integer(0), .text("big")],
        [.integer(0), .integer(1), .text("line\nbreak")],
      ])
    try expectEqual(
      database.rows("SELECT value FROM Dog_friends ORDER BY position"),
      [[.integer(0)], [.integer(1)]])
    try expectEqual(
      database.rows("SELECT * FROM Dog_scores"),
      [[.integer(1), .text("run"), .integer(2)]])
    #expect(try database.rows("PRAGMA foreign_key_check").isEmpty)
    #expect(throws: ToolFailure.self) {
      try SQLiteExporter(group).write([], with: exporter, to: path)
    }
  }
}
#endif
