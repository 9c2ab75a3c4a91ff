// SPDX-License-Identifier: Apache-2.0

// Exports that are imported into a new file, which is equal then.

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

struct RestoringTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Files that Realm Core wrote.
  private static let fixtures = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("RealmTablesTests/Fixtures")

  private func export(
    _ group: TableGroup, _ format: ImportSource.Format
  ) throws -> ImportSource {
    let exporter = try Exporter(group)
    let selection = try exporter.selection(of: [])
    switch format {
    case .sqlite:
      let path = directory.file("out.sqlite")
      _ = try SQLiteExporter(group).write(selection, with: exporter, to: path)
      return ImportSource(try SQLiteSource(path: path))
    case .json:
      let path = directory.file("out.json")
      let sink = try ByteSink(path: path, overwrites: true)
      _ = try exporter.writeJSON(selection, to: sink)
      try sink.finish()
      return try ImportSource(path: path, format: .json, className: nil)
    case .csv:
      let folder = directory.file("out")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      let schema = try ByteSink(
        path: "\(folder)/\(ImportSource.schemaFileName)", overwrites: false)
      try exporter.writeSchema(of: selection, to: schema)
      try schema.finish()
      for (schema, keys) in selection {
        let sink = try ByteSink(
          path: "\(folder)/\(schema.displayName).csv", overwrites: false)
        _ = try exporter.writeCSV(schema, keys, to: sink)
        try sink.finish()
      }
      return try ImportSource(folder: folder)
    }
  }

  private func restore(
    _ source: ImportSource, batchSize: Int? = nil
  ) throws -> (report: ImportReport, group: TableGroup) {
    let writer = try RealmWriter(path: directory.file("new.realm"), creates: true)
    let plan = try ImportPlan(of: source, into: nil)
    var options = Importer.Options()
    options.batchSize = batchSize
    let report = try Importer(source, plan, options).run(writer)
    return (report, try writer.group())
  }

  private func differences(_ first: TableGroup, _ second: TableGroup) throws -> [String] {
    var changes: [String] = []
    _ = try FileDifference(first, second).forEach { changes.append($0.text) }
    return changes
  }

  @Test(
    .heavy,
    arguments: RandomRuns.some(of: [
      "all-types", "after-many-commits", "blank", "encrypted", "compacted", "deep",
      "schema-changes", "streaming", "empty", "tombstones", "todo",
    ]), [ImportSource.Format.json, .sqlite])
  func everyFixtureIsRestored(_ name: String, _ format: ImportSource.Format) throws {
    guard format == .json || SQLiteLibrary.shared != nil else { return }
    let path = Self.fixtures.appendingPathComponent(name + ".realm").path
    let key =
      name == "encrypted"
      ? try KeyFile.key(at: Self.fixtures.appendingPathComponent("encrypted.key.txt").path) : nil
    try expectEqualAfterRestoring(try RealmReader(path: path, key: key), format)
  }

  private func expectEqualAfterRestoring(
    _ reader: RealmReader, _ format: ImportSource.Format
  ) throws {
    let (report, group) = try restore(try export(reader.group, format))
    expectTrue(report.badRows.isEmpty, "\(report.badRows.prefix(3))")
    expectTrue(report.isComplete)
    let changes = try differences(reader.group, group)
    expectTrue(changes.isEmpty, "\(changes.prefix(5))")
    try expectEqual(group.schemaVersion(), reader.group.schemaVersion())
    #expect(try DatabaseCheck.run(group.snapshot).filter { $0.severity == .error }.isEmpty)
  }

  @Test(
    .enabled(if: !OldFixture.all.isEmpty, "the folder shared/fixtures/old-formats is not there"),
    arguments: OldFixture.upgradable, [ImportSource.Format.json, .sqlite])
  func filesOfOlderFormatsAreRestored(
    _ fixture: OldFixture, _ format: ImportSource.Format
  ) throws {
    guard format == .json || SQLiteLibrary.shared != nil else { return }
    let path = try directory.copy(of: fixture.path)
    try expectEqual(FileCopy.upgrade(path, key: nil) { _ in nil }, fixture.format)
    try expectEqualAfterRestoring(try RealmReader(path: path), format)
  }

  /// What exports lost: classes with awkward names and keys, and values that JSON has no form for.
  private func awkward() throws -> TableGroup {
    let writer = try RealmWriter(path: directory.file("awkward.realm"), creates: true)
    _ = try writer.write { group in
      // `a` links to `z`, which comes later, and `z` has no primary key.
      let first = try group.createTable(named: "class_a")
      let last = try group.createTable(named: "class_z")
      // SQLite does not tell these from `a` and from the table of `a.list`.
      let same = try group.createTable(named: "class_A")
      let list = try group.createTable(named: "class_a_list")
      for table in [same, list] {
        let column = try table.addColumn(named: "owner", type: .int)
        try table.set(.int(1), column, try table.createObject().key)
      }
      let key = try first.addColumn(named: "key", type: .int, isNullable: true)
      try first.setPrimaryKey(key.key)
      let next = try first.addColumn(named: "next", type: .link, target: last.key)
      let own = try first.addColumn(named: "own", type: .link, target: first.key)
      let links = try first.addColumn(
        named: "list", type: .link, collection: .list, target: first.key)
      let any = try first.addColumn(named: "any", type: .mixed)
      let dollar = try first.addColumn(named: "$class", type: .string)
      let upper = try first.addColumn(named: "ANY", type: .double)
      let float = try last.addColumn(named: "float", type: .float)
      let map = try last.addColumn(named: "map", type: .mixed, collection: .dictionary)
      let doubles = try last.addColumn(named: "doubles", type: .double, collection: .list)
      let targets = [0, 7, 21].map { ObjectKey($0) }
      for target in targets { _ = try last.createObject(under: target) }
      try last.set(.float(.infinity), float, targets[0])
      try last.set(.float(.nan), float, targets[1])
      try last.set(
        .list([.double(-.infinity), .double(.nan), .double(-0.0), .double(.leastNonzeroMagnitude)]),
        doubles,
        targets[2])
      try last.set(
        .dictionary(
          TableDictionary([
            .init(key: "$date", value: .double(.nan)), .init(key: "", value: .null),
          ])), map, targets[0])
      let null = try first.createObject(primaryKey: .null).key
      let one = try first.createObject(primaryKey: .int(1)).key
      let two = try first.createObject(primaryKey: .int(2)).key
      for (object, target) in zip([null, one, two], targets.reversed()) {
        try first.set(.link(target), next, object)
        try first.set(.string("=1+1"), dollar, object)
        try first.set(.double(.infinity), upper, object)
      }
      try first.set(.link(null), own, one)
      try first.set(.list([.link(two), .link(null), .link(two)]), links, null)
      let inner = TableDictionary([.init(key: "$link", value: .int(1))])
      let values: [TableValue] = [
        .list([.dictionary(inner), .typedLink(last.key, targets[1]), .typedLink(first.key, null)]),
        .double(.nan), .string("5"),
      ]
      for (object, value) in zip([null, one, two], values) { try first.set(value, any, object) }
      return true
    }
    return try writer.group()
  }

  @Test(arguments: [ImportSource.Format.json, .sqlite, .csv], [nil, 1, 2])
  func awkwardFilesAreRestored(_ format: ImportSource.Format, _ batchSize: Int?) throws {
    guard format != .sqlite || SQLiteLibrary.shared != nil else { return }
    let group = try awkward()
    let (report, restored) = try restore(try export(group, format), batchSize: batchSize)
    expectTrue(report.badRows.isEmpty, "\(report.badRows.prefix(3))")
    let changes = try differences(group, restored)
    expectTrue(changes.isEmpty, "\(changes.prefix(5))")
    for name in ["realm_import", "realm_import_keys", "realm_import_links"] {
      #expect(try restored.table(named: name) == nil)
    }
  }

  /// `Importer` 2 and 3: after each row an import may stop and go on.
  @Test func linksComeBackWhereverAnImportStopped() throws {
    let group = try awkward()
    let whole = try export(group, .json)
    let text = try String(contentsOfFile: whole.path, encoding: .utf8)
    let lines = text.split(separator: "\n")
    for stop in 2..<lines.count {
      let path = directory.file("stop\(stop).realm")
      let input = directory.file("stop\(stop).json")
      var broken = lines
      broken[stop] = "nonsense"
      for (part, isComplete) in [(broken, false), (lines, true)] {
        try Data(part.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: input))
        let source = try ImportSource(path: input, format: .json, className: nil)
        let writer = try RealmWriter(path: path, creates: true)
        let plan = try ImportPlan(of: source, into: try StoredSchema(try writer.group()))
        var options = Importer.Options()
        options.batchSize = 1
        let report = try Importer(source, plan, options).run(writer)
        expectEqual(report.isComplete, isComplete, "\(report.badRows)")
      }
      let restored = try RealmReader(path: path).group
      #expect(try differences(group, restored).isEmpty)
    }
  }

  @Test func objectsWhoseKeysAreTakenGetOthers() throws {
    let group = try awkward()
    let source = try export(group, .json)
    let (_, first) = try restore(source)
    let writer = try RealmWriter(path: directory.file("new.realm"), creates: false)
    let plan = try ImportPlan(of: source, into: try StoredSchema(first))
    let report = try Importer(source, plan, Importer.Options()).run(writer)
    // Those with primary keys are the same objects, the others come again.
    expectTrue((report.created, report.updated) == (5, 3))
    let twice = try writer.group()
    try expectEqual(twice.table(named: "class_z")?.objectCount(), 6)
    let a = try #require(try twice.table(named: "class_a"))
    let next = try #require(a.schema.column(named: "next"))
    let row = try #require(try a.findRow(primaryKey: .int(2))?.row)
    guard case .link(let target) = try row.value(of: next) else {
      Issue.record("the link is gone")
      return
    }
    expectFalse([0, 7, 21].contains(target.rawValue))
  }

  @Test(arguments: [
    #"{"$schema":{"classes":[{"name":"A","properties":[{"name":"b","type":"object"}]}]}}"#,
    #"{"$schema":{"classes":[{"name":"A","primaryKey":"c","properties":[]}]}}"#,
    #"{"$schema":{"classes":[{"name":"A","properties":[]},{"name":"A","properties":[]}]}}"#,
    #"{"$schema":{"classes":[{"name":"A","properties":[{"name":"b","type":"x"}]}]}}"#,
    #"{"$schema":5}"#,
  ])
  func wrongDeclarationsAreBadRows(_ line: String) throws {
    let path = directory.file("bad.json")
    try Data(line.utf8).write(to: URL(fileURLWithPath: path))
    let source = try ImportSource(path: path, format: .json, className: "A")
    try expectEqual(ImportPlan(of: source, into: nil).badRows.map(\.line), [1])
  }
}
#endif
