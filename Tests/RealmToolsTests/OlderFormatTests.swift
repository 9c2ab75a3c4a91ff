// SPDX-License-Identifier: Apache-2.0

// Files of older formats, also of synchronised apps, are read as they are.

#if Tools
import Foundation
import RealmQuery
import RealmSalvage
import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTools

struct OlderFormatTests {
  /// A file in an older format.
  struct Input: Sendable, CustomStringConvertible {
    /// Nil for a file of the present format, edited.
    var fixture: OldFixture?
    var format: Int
    var isSynchronised: Bool

    var description: String {
      "\(fixture?.name ?? "edited") \(format)\(isSynchronised ? ", synchronised" : "")"
    }

    /// Makes the file; nil if it cannot be synchronised.
    func make(in directory: TemporaryDirectory, key: EncryptionKey? = nil) throws -> String? {
      let path: String
      if let fixture {
        path = try directory.copy(of: fixture.path)
      } else {
        path = directory.file("edited.realm")
        let writer = try RealmWriter(path: path, key: key, creates: true)
        _ = try writer.write { group in
          let dogs = try group.createTable(named: "class_Dog")
          let id = try dogs.addColumn(named: "id", type: .int)
          let tags = try dogs.addColumn(named: "tags", type: .string, collection: .set)
          try dogs.addColumn(named: "friends", type: .link, collection: .list, target: dogs.key)
          try dogs.setPrimaryKey(id.key)
          for number in 0..<50 {
            let dog = try dogs.createObject(primaryKey: .int(Int64(number))).key
            try dogs.set(.list([.string("a"), .string("B\(number)")]), tags, dog)
          }
          return true
        }
        unsafe unlink(path + ".lock")
      }
      let isMade = try OlderFile.edit(
        path, format: fixture == nil ? format : nil, historyType: isSynchronised ? 3 : nil)
      return isMade ? path : nil
    }
  }

  static let inputs: [Input] =
    [false, true].flatMap { isSynchronised in
      [10, 11, 20, 21, 22, 23].map { Input(format: $0, isSynchronised: isSynchronised) }
        + OldFixture.upgradable.map {
          Input(fixture: $0, format: $0.format, isSynchronised: isSynchronised)
        }
    }

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func differences(_ first: String, _ second: String) throws -> [String] {
    var lines: [String] = []
    _ = try FileDifference(
      try RealmReader(path: first).group, try RealmReader(path: second).group
    ).forEach { lines.append($0.text) }
    return lines
  }

  /// The names in the folder.
  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  /// `UpgradedCopy` 2
  @Test func theTemporaryCopyHasNoName() throws {
    let input = Input(format: 11, isSynchronised: false)
    let path = try #require(try input.make(in: directory))
    let copy = try UpgradedCopy.open(path, key: nil)
    try expectEqual(TableGroup(copy.snapshot()).table(named: "class_Dog")?.objectCount(), 50)
    expectTrue(copy.path != path)
    let folder = (copy.path as NSString).deletingLastPathComponent
    let name = (copy.path as NSString).lastPathComponent
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    expectTrue(!names.contains { $0.hasPrefix(name) })
    #if os(Linux)
    var modes: Set<mode_t> = []
    for number in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      let link = "/proc/self/fd/\(number)"
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
      var status = stat()
      guard target?.hasPrefix(copy.path) == true, unsafe stat(link, &status) == 0 else { continue }
      modes.insert(status.st_mode & 0o777)
    }
    expectEqual(modes, [0o600])
    #endif
    withExtendedLifetime(copy) {}
  }

  /// `UpgradedCopy` 1, `RealmReader` 3
  @Test(arguments: inputs) func theyAreReadAndStayAsTheyAre(_ input: Input) throws {
    guard let path = try input.make(in: directory) else { return }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let before = try names()
    let report = try FileReport(path: path)
    expectEqual(report.format, input.format)
    expectFalse(report.isCurrentFormat)
    if input.fixture == nil { expectEqual(report.classes.map(\.count), [50]) }
    if input.isSynchronised { expectEqual(report.historyText, "synchronised (client)") }
    let check = try IntegrityReport(path: path)
    expectFalse(check.isDamaged, "\(check.findings.prefix(3))")
    expectEqual(check.version, report.version)
    let reader = try RealmReader(path: path)
    expectTrue(reader.isUpgraded)
    expectTrue(reader.file.path != path)
    let classes = try reader.classes()
    for schema in classes.all where schema.kind != .embedded {
      let run = try QueryRun("`\(schema.displayName)`", in: classes)
      let count = report.classes.first { $0.name == schema.displayName }?.count
      try expectEqual(run.keys().count, count ?? -1)
    }
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), bytes)
    try expectEqual(names(), before)
    // What they are after an upgrade in their place, which a local file may have.
    let upgraded = directory.file("upgraded.realm")
    if let fixture = input.fixture {
      try Data(fixture.bytes()).write(to: URL(fileURLWithPath: upgraded))
    } else {
      try bytes.write(to: URL(fileURLWithPath: upgraded))
      _ = try OlderFile.edit(upgraded, format: nil, historyType: 2)
    }
    try expectEqual(FileCopy.upgrade(upgraded, key: nil) { _ in nil }, input.format)
    try expectEqual(differences(path, upgraded), [])
    let copy = directory.file("copy.realm")
    try FileCopy.copy(path, key: nil, to: copy, newKey: nil)
    try expectEqual(differences(copy, upgraded), [])
    // A copy is a local file that can be written.
    try RealmWriter(path: copy, creates: false).begin().rollback()
    let saved = directory.file("saved.realm")
    let salvage = try Salvage.run(path, key: nil, to: saved)
    expectTrue(salvage.isWhole, "\(salvage.problems)")
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), bytes)
    #expect(try names().filter { $0.hasPrefix((path as NSString).lastPathComponent + ".") }.isEmpty)
  }

  @Test(arguments: OldFixture.upgradable.prefix(3))
  func encryptedOnesAreReadWithTheirKey(_ fixture: OldFixture) throws {
    let key = try #require(EncryptionKey((0..<64).map { UInt8($0) }))
    let path = directory.file("old.realm")
    let bytes = Data(try fixture.encrypted(key))
    try bytes.write(to: URL(fileURLWithPath: path))
    let report = try FileReport(path: path, key: key)
    expectEqual(report.format, fixture.format)
    #expect(try !IntegrityReport(path: path, key: key).isDamaged)
    #expect(throws: ToolFailure.self) { try RealmReader(path: path) }
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), bytes)
    try expectEqual(names(), ["old.realm"])
  }

  @Test func writersSayWhatToDo() throws {
    let input = Input(format: 23, isSynchronised: true)
    let path = try #require(try input.make(in: directory))
    let upgrade = #expect(throws: ToolFailure.self) {
      try FileCopy.upgrade(path, key: nil) { _ in directory.file("backup") }
    }
    expectEqual(upgrade?.status, .badData)
    expectEqual(upgrade?.message.contains("realm copy"), true)
    let shell = try ShellSession(path: path, key: nil)
    let write = #expect(throws: ToolFailure.self) { try shell.run("DELETE Dog") }
    expectEqual(write?.message.contains("realm copy"), true)
    guard case .rows(let rows) = try shell.run("Dog LIMIT(3)") else {
      Issue.record("a query gives rows")
      return
    }
    try expectEqual(rows.all().count, 3)
    #expect(try !names().contains("backup"))
  }

  /// Formats without a way to the present one: a sentence that says where there is one.
  @Test(arguments: Array(1...9) + [12, 19, 25]) func otherFormatsAreRefused(_ format: Int) throws {
    let input = Input(format: format, isSynchronised: false)
    let path = try #require(try input.make(in: directory))
    for body in [
      { _ = try RealmReader(path: path) }, { _ = try FileReport(path: path) },
      { _ = try IntegrityReport(path: path) },
      { _ = try FileCopy.upgrade(path, key: nil) { _ in nil } },
      { _ = try Salvage.run(path, key: nil, to: path + ".saved") },
    ] as [() throws -> Void] {
      do {
        try body()
        Issue.record("format \(format) was read")
      } catch {
        let failure = ToolFailure(error)
        expectEqual(failure.status, .badData)
        expectTrue(failure.message.contains("is in format \(format). "), "\(failure.message)")
        let remedy = format < 10 ? "Realm SDK" : format == 25 ? "Update this one" : "is damaged"
        expectTrue(failure.message.contains(remedy), "\(failure.message)")
      }
    }
  }
}
#endif
