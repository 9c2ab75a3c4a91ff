// SPDX-License-Identifier: Apache-2.0

// What is saved of files whose roots, or descriptions of tables, are gone.

#if Tools
import Foundation
import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSalvage
@testable import RealmTools

struct FoundTablesTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// The objects of a class as lines of JSON, without their keys.
  private func lines(_ name: String, _ path: String, columns: [String]? = nil) throws -> [String] {
    let reader = try RealmReader(path: path)
    let classes = try StoredSchema(reader.group)
    let schema = try classes.require(name)
    let output = try QueryOutput(
      schema, in: classes, columns: columns ?? schema.columns.map(\.name))
    return try QueryRun(name, in: classes).keys()
      .compactMap { try output.object(of: $0) }.map { JSONWriter.text($0) }
  }

  /// Saves what a file of these bytes has.
  private func salvage(_ bytes: Data) throws -> (report: SalvageReport, path: String) {
    let name = UUID().uuidString
    let damaged = directory.file(name + ".damaged")
    let target = directory.file(name + ".saved")
    try bytes.write(to: URL(fileURLWithPath: damaged))
    let report = try Salvage.run(damaged, key: nil, to: target)
    #expect(try !IntegrityReport(path: target).isDamaged)
    let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    expectEqual(left.filter { $0.hasPrefix(name) && !$0.hasSuffix(".lock") }.count, 2, "\(left)")
    return (report, target)
  }

  // MARK: Cut files

  /// A file of ten transactions.
  private func grown() throws -> SampleRealm {
    let sample = try SampleRealm(dogCount: 300)
    let writer = try RealmWriter(path: sample.path, creates: false)
    for round in 0..<10 {
      _ = try writer.write { group in
        let dogs = try #require(try group.table(named: "class_Dog"))
        let name = try #require(try dogs.table.schema.column(named: "name"))
        for number in 0..<100 {
          try dogs.set(.string("Round \(round) \(number)"), name, try dogs.createObject().key)
        }
        return true
      }
    }
    return sample
  }

  /// The objects that a cut file gives: of a file with `n` bytes, the first `n * part / 13`.
  private func savedCount(of part: Int, in bytes: Data) throws -> Int {
    do {
      let (report, _) = try salvage(bytes.prefix(bytes.count * part / 13))
      expectFalse(report.isWhole)
      return report.savedCount
    } catch is StorageError {
      return 0
    }
  }

  /// `Salvage` 3 and 4
  @Test(.heavy) func cutFilesGiveWhatTheyHave() throws {
    let bytes = try grown().state().0
    let saved = try (1...12).map { try savedCount(of: $0, in: bytes) }
    // The file has 1,304 objects in the end.
    expectEqual(saved, [303, 48, 304, 304, 304, 304, 582, 792, 1160, 1160, 1226, 1226])
  }

  /// `Salvage` 3 and 4: files that Realm Core wrote. Of the twelve parts of all eight, and of the
  /// file above, 100 of 108 give objects; roots and tables with their descriptions alone gave 53.
  @Test(
    .heavy,
    arguments: [
      ("todo", [1: 7936, 2: 8960, 4: 10000, 7: 8720, 11: 10000]),
      (
        "after-many-commits",
        [1: 0, 2: 118, 3: 661, 5: 829, 7: 829, 8: 507, 9: 506, 10: 506, 11: 507, 12: 507]
      ), ("all-types", [1: 4053, 6: 1032, 9: 2610]), ("deep", [1: 33788, 3: 64050]),
      ("schema-changes", [1: 320, 3: 320, 4: 320, 6: 320, 7: 370, 12: 370]),
      ("tombstones", [1: 0, 2: 13, 4: 13, 7: 13, 8: 33, 12: 33]),
      ("compacted", [3: 0, 4: 168, 7: 168, 8: 349, 12: 349]),
      ("streaming", [3: 0, 4: 168, 8: 168, 9: 349, 12: 349]),
    ])
  func cutFixturesGiveWhatTheyHave(_ name: String, _ expected: [Int: Int]) throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("RealmTablesTests/Fixtures/\(name).realm")
    let bytes = try Data(contentsOf: path)
    for (part, count) in RandomRuns.some(of: expected.sorted { $0.key < $1.key }) {
      try expectEqual(savedCount(of: part, in: bytes), count, "part \(part)")
    }
  }

  /// `Salvage` 3
  @Test func objectsAreFoundWithoutAHeader() throws {
    let sample = try grown()
    var bytes = try sample.state().0
    for index in 0..<FileHeader.byteCount { bytes[index] = 0x5A }
    let (report, path) = try salvage(bytes)
    expectTrue(report.isFound)
    try expectEqual(lines("Dog", path), lines("Dog", sample.path))
  }

  // MARK: Descriptions

  /// Overwrites the headers of nodes.
  private func destroy(_ offsets: [Int], in bytes: inout Data) {
    for offset in offsets {
      for index in offset..<offset + NodeHeader.byteCount { bytes[index] = 0xFF }
    }
  }

  /// Where the parts of the table of dogs are.
  private func dogs(of path: String) throws -> (top: Ref, table: TableTop, spec: [Int]) {
    let reader = try RealmReader(path: path)
    let snapshot = reader.group.snapshot
    let key = try #require(try reader.group.table(named: "class_Dog")).key
    let list = try snapshot.space.node(at: snapshot.roots.tables)
    let top = try list.ref(at: key.index)
    let table = try TableTop(at: top, in: snapshot.space)
    let spec = try snapshot.space.node(at: table.spec)
    let parts = try [SpecSlot.types, SpecSlot.names, SpecSlot.keys].map { try spec.ref(at: $0) }
    return (top, table, [table.spec.offset] + parts.map(\.offset))
  }

  /// `FoundTables` 1
  @Test func aTableWithoutTopIsFoundByItsDescription() throws {
    let sample = try SampleRealm(dogCount: 700)
    var bytes = try sample.state().0
    destroy([try dogs(of: sample.path).top.offset], in: &bytes)
    let (report, path) = try salvage(bytes)
    expectFalse(report.isWhole)
    expectEqual(report.classes.map(\.name), ["Dog", "Person"])
    expectEqual(report.classes.map(\.saved), [702, 2])
    #expect(
      report.problems.contains { $0.hasPrefix("Dog: the table was found by its description") })
    // Links need the other end's description.
    let plain = ["name", "age", "weight", "tags", "scores"]
    try expectEqual(
      lines("Dog", path, columns: plain), lines("Dog", sample.path, columns: plain))
    try expectEqual(lines("Person", path), lines("Person", sample.path))
  }

  /// `FoundTables` 1
  @Test func aTableWithoutDescriptionGivesItsObjects() throws {
    let sample = try SampleRealm(dogCount: 700)
    var bytes = try sample.state().0
    let (top, _, spec) = try dogs(of: sample.path)
    destroy([top.offset] + spec, in: &bytes)
    let (report, path) = try salvage(bytes)
    expectFalse(report.isWhole)
    let found = try #require(report.classes.first { $0.name.hasPrefix("Unknown_") })
    expectEqual(report.classes.count, 2)
    expectEqual(found.saved, 702)
    #expect(
      report.problems.contains { $0.hasPrefix("\(found.name): nothing describes this class") })
    let classes = try StoredSchema(try RealmReader(path: path).group)
    // Lists and maps are not among them, and a link is a number: the key of its object, and one.
    try expectEqual(
      classes.require(found.name).columns.map { "\($0.name): \($0.type)" },
      [
        "property1: string", "property2: int", "property3: double", "property4: int",
      ])
    let columns = ["property1", "property2", "property3"]
    let plain = ["name", "age", "weight"]
    try expectEqual(
      lines(found.name, path, columns: columns),
      lines("Dog", sample.path, columns: plain).map { line in
        zip(plain, columns).reduce(line) { $0.replacing("\"\($1.0)\":", with: "\"\($1.1)\":") }
      })
  }

  /// `FoundTables` 1: links to a table that was found keep their objects.
  @Test func linksToAFoundTableStay() throws {
    let sample = try SampleRealm(dogCount: 10)
    let reader = try RealmReader(path: sample.path)
    let persons = try #require(try reader.group.table(named: "class_Person"))
    let snapshot = reader.group.snapshot
    let list = try snapshot.space.node(at: snapshot.roots.tables)
    var bytes = try sample.state().0
    destroy([try list.ref(at: persons.key.index).offset], in: &bytes)
    let (report, path) = try salvage(bytes)
    expectEqual(report.classes.map(\.name), ["Dog", "Person"])
    try expectEqual(lines("Person", path, columns: ["id", "name"]).count, 2)
    let names = try lines("Dog", path, columns: ["name", "owner"])
    expectEqual(names.first, #"{"name":"Rex","owner":{"$object":0}}"#)
    try expectEqual(
      lines("Person", path, columns: ["name"]).first, #"{"name":"Ann, \"the\" boss"}"#)
  }

  /// `FoundTables` 1: the tree of a table loses its root, and the table no object.
  @Test func clustersWithoutRootAreFound() throws {
    let sample = try SampleRealm(dogCount: 3000)
    var bytes = try sample.state().0
    destroy([try dogs(of: sample.path).table.clusters.offset], in: &bytes)
    let (report, path) = try salvage(bytes)
    expectEqual(report.classes.first { $0.name == "Dog" }?.saved, 3002)
    let plain = ["name", "age", "weight", "tags", "scores"]
    try expectEqual(
      Set(lines("Dog", path, columns: plain)),
      Set(lines("Dog", sample.path, columns: plain)))
  }

  /// `FoundTables` 2: earlier states of objects stay in a file until their space is used again.
  @Test func olderStatesAreLeftOut() throws {
    let sample = try SampleRealm(dogCount: 600)
    let writer = try RealmWriter(path: sample.path, creates: false)
    for age in [21, 22, 23] {
      _ = try writer.write { group in
        let dogs = try #require(try group.table(named: "class_Dog"))
        let column = try #require(try dogs.table.schema.column(named: "age"))
        for number in stride(from: 0, to: 600, by: 50) {
          try dogs.set(.int(Int64(age)), column, ObjectKey(scattered: number))
        }
        return true
      }
    }
    var bytes = try sample.state().0
    // The other table loses its description, so that clusters are looked for.
    let reader = try RealmReader(path: sample.path)
    let persons = try #require(try reader.group.key(ofTable: "class_Person"))
    let snapshot = reader.group.snapshot
    let tops = try snapshot.space.node(at: snapshot.roots.tables)
    let top = try TableTop(at: tops.ref(at: persons.index), in: snapshot.space)
    destroy([top.spec.offset], in: &bytes)
    let (report, path) = try salvage(bytes)
    expectEqual(report.classes.first { $0.name == "Dog" }?.saved, 602)
    expectEqual(
      report.classes.filter { $0.name != "Dog" }.map(\.saved), [2], "\(report.classes)")
    try expectEqual(lines("Dog", path, columns: ["age"]).count { $0.contains("23") }, 12)
  }
}

extension ObjectKey {
  /// The key of the object with that number in a table without primary key (file format
  /// 3.6.2).
  fileprivate init(scattered number: Int) {
    self.init(Int64(number & 0xFF | (number & ~0xFF) << 8))
  }
}
#endif
