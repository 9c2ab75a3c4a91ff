// SPDX-License-Identifier: Apache-2.0

// Files that Realm Core wrote: they open, pass the check and hold what Realm Core reads in them.

import Foundation
import RealmStorage
import RealmTestSupport
import Testing

@testable import RealmTables

@Suite("Fixtures of Realm Core")
struct FixtureTests {
  @Test("pass the integrity check", arguments: Fixture.names)
  func check(name: String) throws {
    let directory = try TemporaryDirectory()
    let file = try DatabaseFile.open(path: directory.copy(of: Fixture(name).path))
    let findings = try DatabaseCheck.run(file.snapshot())
    #expect(findings.isEmpty, "\(findings.prefix(8))")
  }

  @Test("hold what Realm Core reads in them", arguments: Fixture.names)
  func contents(name: String) throws {
    let fixture = try Fixture(name)
    let expected = try fixture.expected()
    let file = try DatabaseFile.open(
      path: fixture.path, options: OpenOptions(isReadOnly: true, mustExist: true))
    let group = try TableGroup(file.snapshot())
    let tables = try ContentDump(group).json()
    let differences = JSON.differences(expected: expected["tables"] ?? [], actual: tables)
    #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
    let version = try group.schemaVersion().map { JSON.integer(Int64(bitPattern: $0)) }
    #expect(version ?? .null == expected["schemaVersion"] ?? .null)
  }

  @Test("open read-only where they stand", arguments: Fixture.names)
  func readOnly(name: String) throws {
    let before = try Fixture(name).bytes()
    let file = try DatabaseFile.open(
      path: Fixture(name).path, options: OpenOptions(isReadOnly: true, mustExist: true))
    #expect(try TableGroup(file.snapshot()).tableKeys().isEmpty == (name == "blank"))
    #expect(try Fixture(name).bytes() == before)
  }
}

@Suite("Fixtures of older formats")
struct OldFixtureTests {
  /// The files beside the package, with the format that their header tells.
  static let files: [(name: String, format: Int)] = {
    let folder = ReferenceReader.oldFixtures
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".realm") }.sorted().compactMap { name in
      guard let data = FileManager.default.contents(atPath: folder + "/" + name), data.count > 24
      else { return nil }
      return (name, Int(data[data[23] & 1 == 0 ? 20 : 21]))
    }
  }()

  @Test(
    "are refused with the format that was found",
    .enabled(if: !files.isEmpty, "the folder shared/fixtures/old-formats is not there"),
    arguments: files)
  func refusal(name: String, format: Int) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.copy(of: ReferenceReader.oldFixtures + "/" + name)
    let expected: StorageError =
      [10, 11, 20, 21, 22, 23].contains(format)
      ? .formatUpgradeRequired(path: path, version: format)
      : .unsupportedFormat(path: path, version: format)
    let before = FileManager.default.contents(atPath: path)
    #expect(throws: expected) { try DatabaseFile.open(path: path) }
    #expect(FileManager.default.contents(atPath: path) == before)
  }
}
