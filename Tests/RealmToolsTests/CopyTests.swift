// SPDX-License-Identifier: Apache-2.0

// Copies, comparisons and made-up objects.

#if Tools
import Foundation
import RealmFormats
import RealmStorage
import RealmTables
import RealmTestSupport
import RealmTools
import TestExtensions
import Testing

struct CopyTests {
  private func differences(_ first: String, _ second: String) throws -> [String] {
    var lines: [String] = []
    let count = try FileDifference(
      try RealmReader(path: first).group, try RealmReader(path: second).group
    ).forEach { lines.append($0.text) }
    expectEqual(count, lines.count)
    return lines
  }

  @Test func copiesHaveTheirOwnKeys() throws {
    let sample = try SampleRealm()
    let (keyFile, safe, plain) = (
      sample.directory.file("key"), sample.directory.file("safe.realm"),
      sample.directory.file("plain.realm")
    )
    try FileCopy.makeKey(at: keyFile)
    let attributes = try FileManager.default.attributesOfItem(atPath: keyFile)
    expectEqual(attributes[.posixPermissions] as? Int, 0o600)
    #expect(throws: ToolFailure.self) { try FileCopy.makeKey(at: keyFile) }
    let key = try KeyFile.key(at: keyFile)
    try FileCopy.copy(sample.path, key: nil, to: safe, newKey: key)
    #expect(throws: ToolFailure.self) { try RealmReader(path: safe) }
    try FileCopy.copy(safe, key: key, to: plain, newKey: nil)
    #expect(try differences(sample.path, plain).isEmpty)
    let error = #expect(throws: ToolFailure.self) {
      try FileCopy.copy(sample.path, key: nil, to: plain, newKey: nil)
    }
    expectEqual(error?.status, .cannotCreate)
  }

  @Test func compactFilesAreSmallerAndOpenOnesStay() throws {
    let sample = try SampleRealm(dogCount: 3000)
    var writer: RealmWriter? = try RealmWriter(path: sample.path, creates: false)
    _ = try writer?.write { group in
      try group.table(named: "class_Dog")?.deleteAll()
      return true
    }
    let error = #expect(throws: ToolFailure.self) { try FileCopy.compact(sample.path, key: nil) }
    expectEqual(error?.status, .busy)
    writer = nil
    let (before, after) = try FileCopy.compact(sample.path, key: nil)
    expectTrue(after < before / 2)
  }

  @Test(arguments: OldFixture.upgradable.prefix(6))
  func olderFilesAreUpgradedAndKept(_ fixture: OldFixture) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.copy(of: fixture.path)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let report = try FileReport(path: path)
    expectEqual(report.format, fixture.format)
    expectFalse(report.isCurrentFormat)
    let error = #expect(throws: ToolFailure.self) {
      try RealmWriter(path: path, creates: false)
    }
    expectEqual(error?.message.contains("realm upgrade"), true)
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), before)
    let copy = FileCopy.backupPath(of: path, format: fixture.format)
    try expectEqual(FileCopy.upgrade(path, key: nil) { _ in copy }, fixture.format)
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: copy)), before)
    #expect(try FileReport(path: path).isCurrentFormat)
    let upgraded = try IntegrityReport(path: path)
    expectFalse(upgraded.isDamaged)
    expectEqual(upgraded.checksums.missing, 0)
  }

  /// `NewFile` 1 and `ByteSink` 1
  @Test func filesAppearWhenTheyAreComplete() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("new.realm")
    #expect(throws: ToolFailure.self) {
      try NewFile.make(at: path) { unfinished in
        try Data("half".utf8).write(to: URL(fileURLWithPath: unfinished))
        expectFalse(FileManager.default.fileExists(atPath: path))
        throw ToolFailure.badData("stopped")
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    do {
      let sink = try ByteSink(path: directory.file("a.csv"), overwrites: false)
      try sink.write(String(repeating: "x", count: 100_000))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }

  @Test func presentFilesAreNotUpgraded() throws {
    let sample = try SampleRealm()
    let before = try sample.state().0
    try expectEqual(FileCopy.upgrade(sample.path, key: nil) { _ in "/nowhere" }, nil)
    try expectEqual(sample.state().0, before)
  }

  @Test func differencesAreFoundByPrimaryKey() throws {
    let sample = try SampleRealm()
    let other = sample.directory.file("other.realm")
    try FileCopy.copy(sample.path, key: nil, to: other, newKey: nil)
    #expect(try differences(sample.path, other).isEmpty)
    let writer = try RealmWriter(path: other, creates: false)
    _ = try writer.write { group in
      let persons = try #require(try group.table(named: "class_Person"))
      let name = try #require(try persons.table.schema.column(named: "name"))
      try persons.delete(ObjectKey(1))
      let new = try persons.createObject(primaryKey: .int(9)).key
      try persons.set(.string("Cleo"), name, new)
      try persons.set(.string("Ann"), name, ObjectKey(0))
      let dogs = try #require(try group.table(named: "class_Dog"))
      let tags = try #require(try dogs.table.schema.column(named: "tags"))
      try dogs.set(.list([]), tags, ObjectKey(0))
      try dogs.addColumn(named: "breed", type: .string, isNullable: true)
      return try group.createTable(named: "class_Cat")
    }
    try expectEqual(
      differences(sample.path, other),
      [
        "+ class Cat", "+ Dog.breed: string?",
        "~ Dog #0\n    tags: [\"big\",\"line\\nbreak\"] → []",
        "~ Person 7\n    name: \"Ann, \\\"the\\\" boss\" → \"Ann\"", "- Person 8", "+ Person 9",
      ])
  }

  @Test func differencesOfKindsIndexesAndZerosAreFound() throws {
    let directory = try TemporaryDirectory()
    func make(
      _ name: String, _ kind: TableKind, _ index: IndexKind?, _ zero: Double,
      _ text: String
    ) throws -> String {
      let writer = try RealmWriter(path: directory.file(name), creates: true)
      _ = try writer.write { group in
        _ = try group.createTable(named: "class_Part", kind: kind)
        let table = try group.createTable(named: "class_Whole")
        let note = try table.addColumn(named: "note", type: .string)
        if let index { try table.columns.setIndex(index, note.key) }
        let amounts = try table.addColumn(named: "amounts", type: .double, collection: .list)
        let key = try table.createObject().key
        try table.set(.string(text), note, key)
        try table.set(.list([.double(zero)]), amounts, key)
        return true
      }
      return writer.path
    }
    let first = try make("a", .topLevel, .general, 0, "x")
    #expect(try differences(first, try make("b", .topLevel, .general, 0, "x")).isEmpty)
    try expectEqual(
      differences(first, try make("c", .embedded, .fullText, -0.0, "x")),
      [
        "~ class Part: topLevel → embedded", "- Whole.note: string, indexed",
        "+ Whole.note: string, full text", "~ Whole #0\n    amounts: [0.0] → [-0.0]",
      ])
    try expectEqual(
      differences(first, try make("d", .topLevel, nil, 0, "y")),
      [
        "- Whole.note: string, indexed", "+ Whole.note: string",
        "~ Whole #0\n    note: \"x\" → \"y\"",
      ])
  }

  @Test func madeUpObjectsDependOnTheSeed() throws {
    let (one, two) = (try SampleRealm(), try SampleRealm())
    for sample in [one, two] {
      let writer = try RealmWriter(path: sample.path, creates: false)
      let counts = try SampleData.generate(writer, rowCount: 60, className: nil, seed: 5)
      expectEqual(counts.map(\.name), ["Dog", "Person"])
    }
    #expect(try differences(one.path, two.path).isEmpty)
    try expectEqual(FileReport(path: one.path).classes.map(\.count), [61, 62, 62])
    #expect(try !IntegrityReport(path: one.path).isDamaged)
    let writer = try RealmWriter(path: two.path, creates: false)
    _ = try SampleData.generate(writer, rowCount: 3, className: "Dog", seed: 6)
    try expectEqual(differences(one.path, two.path).count, 3)
    #expect(throws: ToolFailure.self) {
      try SampleData.generate(writer, rowCount: 3, className: "Address", seed: 6)
    }
  }
}
#endif
