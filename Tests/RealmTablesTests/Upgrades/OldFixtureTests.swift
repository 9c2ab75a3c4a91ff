// SPDX-License-Identifier: Apache-2.0

// Files of older formats that Realm Core wrote: after the upgrade they hold what Realm Core itself
// reads in them after its own.

import Foundation
import RealmFormats
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite(
  "Fixtures of older formats",
  .enabled(if: !OldFixture.all.isEmpty, "the folder shared/fixtures/old-formats is not there"))
struct OldFixtureTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func dump(_ file: DatabaseFile) throws -> JSONValue {
    try ContentDump(TableGroup(file.snapshot())).json()
  }

  /// Errors and warnings, but for lists of indexes that the upgrade leaves in their order.
  private func findings(_ file: DatabaseFile) throws -> [CheckFinding] {
    try DatabaseCheck.run(file.snapshot()).filter { $0.check != 37 }
  }

  /// Expects the file to hold what Realm Core reads in it after an upgrade.
  private func expect(_ fixture: OldFixture, in file: DatabaseFile) throws {
    let expected = try fixture.expected()
    let differences = JSONValue.differences(
      expected: expected["tables"] ?? [], actual: try dump(file))
    expectTrue(differences.isEmpty, "\(differences.joined(separator: "\n"))")
    let version = try TableGroup(file.snapshot()).schemaVersion()
      .map { JSONValue.integer(Int64(bitPattern: $0)) }
    expectEqual(version ?? .null, expected["schemaVersion"] ?? .null)
    expectEqual(file.formatVersion, 24)
    try expectEqual(findings(file), [])
  }

  private func expectReferenceAgrees(
    _ path: String, _ dump: JSONValue, key: [UInt8]? = nil
  ) throws {
    guard ReferenceReader.isAvailable else { return }
    let report = try ReferenceReader.check(path, key: key)
    expectEqual(report.errors, [])
    let reference = try ReferenceReader.dump(path, key: key)
    expectEqual(reference["fileFormat"]?.integer, 24)
    let differences = JSONValue.differences(expected: reference["tables"] ?? [], actual: dump)
    expectTrue(differences.isEmpty, "\(differences.joined(separator: "\n"))")
  }

  @Test(
    "hold what Realm Core reads in them, and are opened as they are from then on", .heavy,
    arguments: OldFixture.upgradable)
  func contents(fixture: OldFixture) throws {
    let path = try directory.copy(of: fixture.path)
    var formats: [Int] = []
    do {
      let file = try DatabaseFile.openUpgraded(path: path) { formats.append($0) }
      try expect(fixture, in: file)
      try expectReferenceAgrees(path, try dump(file))
    }
    expectEqual(formats, [fixture.format])
    let file = try DatabaseFile.openUpgraded(path: path) { formats.append($0) }
    expectEqual(formats, [fixture.format])
    try expect(fixture, in: file)
  }

  @Test("are changed as any other file", .heavy, arguments: OldFixture.upgradable)
  func changes(fixture: OldFixture) throws {
    let path = try directory.copy(of: fixture.path)
    for seed in 1...2 as ClosedRange<UInt64> {
      let file = try DatabaseFile.openUpgraded(path: path)
      let group = try WriteGroup(file.beginWrite())
      if try group.tableKeys().isEmpty { try ModelTable.create(in: group) }
      var editor = FixtureEditor(group, seed: seed)
      try editor.run()
      var collections = CollectionEditor(group, seed: seed)
      try collections.run()
      _ = try group.commit()
      try expectEqual(findings(file), [])
    }
    let file = try DatabaseFile.openUpgraded(path: path)
    try expectReferenceAgrees(path, try dump(file))
  }

  @Test("are upgraded once, however many threads open them", arguments: OldFixture.upgradable)
  func threads(fixture: OldFixture) async throws {
    let path = try directory.copy(of: fixture.path)
    let upgrades = Locked(0)
    let files = try await withThrowingTaskGroup(of: DatabaseFile.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try DatabaseFile.openUpgraded(path: path) { _ in upgrades.withLock { $0 += 1 } }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    expectEqual(upgrades.withLock { $0 }, 1)
    #expect(files.allSatisfy { $0 === files[0] })
    try expect(fixture, in: files[0])
  }

  @Test("are copied and compacted", .heavy, arguments: OldFixture.upgradable)
  func copies(fixture: OldFixture) throws {
    let path = try directory.copy(of: fixture.path)
    let copyPath = directory.file("copy.realm")
    do {
      let file = try DatabaseFile.openUpgraded(path: path)
      let target = try SystemFiles().open(path: copyPath, mode: .readWriteCreating)
      try file.snapshot().write(to: target)
    }
    #expect(try DatabaseFile.compact(path: path))
    for path in [path, copyPath] { try expect(fixture, in: try DatabaseFile.open(path: path)) }
  }

  @Test("are upgraded encrypted", .heavy, arguments: OldFixture.upgradable)
  func encrypted(fixture: OldFixture) throws {
    let bytes = (0..<64).map { UInt8($0) &* 5 &+ 1 }
    let key = try #require(EncryptionKey(bytes))
    let path = directory.file("encrypted.realm")
    try Data(fixture.encrypted(key)).write(to: URL(fileURLWithPath: path))
    for _ in 0..<2 {
      let file = try DatabaseFile.openUpgraded(
        path: path, options: OpenOptions(encryptionKey: key))
      try expect(fixture, in: file)
      _ = try WriteGroup(file.beginWrite()).commit()
    }
    #expect(try DatabaseFile.compact(path: path, key: key))
    let file = try DatabaseFile.open(path: path, options: OpenOptions(encryptionKey: key))
    try expect(fixture, in: file)
    // The reference reader decrypts slowly.
    guard try file.fileByteCount() < 40_000 else { return }
    try expectReferenceAgrees(path, try dump(file), key: bytes)
  }

  /// `DatabaseFile+OlderFormats` 1.
  @Test(
    "are refused for reading, and looked at without an upgrade",
    arguments: OldFixture.upgradable)
  func reading(fixture: OldFixture) throws {
    let expected = StorageError.formatUpgradeRequired(path: fixture.path, version: fixture.format)
    let options = OpenOptions(isReadOnly: true, mustExist: true)
    #expect(throws: expected) {
      try DatabaseFile.openUpgraded(path: fixture.path, options: options)
    }
    let path = try directory.copy(of: fixture.path)
    let file = try DatabaseFile.openForInspection(path: path, key: nil)
    let version = try TableGroup(file.snapshot()).schemaVersion()
      .map { JSONValue.integer(Int64(bitPattern: $0)) }
    expectEqual(version ?? .null, (try fixture.expected())["schemaVersion"] ?? .null)
    expectEqual(Array(try Data(contentsOf: URL(fileURLWithPath: path))), (try fixture.bytes()))
  }

  @Test("are refused if they are older than format 10", arguments: OldFixture.all)
  func refusal(fixture: OldFixture) throws {
    guard !OldFixture.upgradable.contains(where: { $0.name == fixture.name }) else { return }
    let path = try directory.copy(of: fixture.path)
    #expect(throws: StorageError.unsupportedFormat(path: path, version: fixture.format)) {
      try DatabaseFile.openUpgraded(path: path)
    }
    expectEqual(Array(try Data(contentsOf: URL(fileURLWithPath: path))), (try fixture.bytes()))
  }

  @Test("are not touched by versions that no release wrote", arguments: [12, 19, 25, 99])
  func unknown(format: Int) throws {
    let fixture = try #require(OldFixture.upgradable.first)
    var bytes = try fixture.bytes()
    bytes[20] = UInt8(format)
    bytes[21] = UInt8(format)
    let system = try SimulatedFileSystem(contents: bytes)
    #expect(throws: StorageError.unsupportedFormat(path: system.file.path, version: format)) {
      try system.openUpgradedDatabase()
    }
    try expectEqual(system.file.contents(), bytes)
  }
}
