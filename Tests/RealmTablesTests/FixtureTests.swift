// SPDX-License-Identifier: Apache-2.0

// Files that Realm Core wrote: they open, pass the check and hold what Realm Core reads in them.

import Foundation
import RealmFormats
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("Fixtures of Realm Core")
struct FixtureTests {
  @Test("pass the integrity check", arguments: Fixture.names)
  func check(name: String) throws {
    let directory = try TemporaryDirectory()
    let file = try DatabaseFile.open(path: directory.copy(of: Fixture(name).path))
    let findings = try DatabaseCheck.run(file.snapshot())
    expectTrue(findings.isEmpty, "\(findings.prefix(8))")
  }

  /// `ARCHITECTURE` 5.
  @Test("hold what Realm Core reads in them", arguments: Fixture.names)
  func contents(name: String) throws {
    let fixture = try Fixture(name)
    let expected = try fixture.expected()
    let file = try DatabaseFile.open(
      path: fixture.path, options: OpenOptions(isReadOnly: true, mustExist: true))
    let group = try TableGroup(file.snapshot())
    let tables = try ContentDump(group).json()
    let differences = JSONValue.differences(expected: expected["tables"] ?? [], actual: tables)
    expectTrue(differences.isEmpty, "\(differences.joined(separator: "\n"))")
    let version = try group.schemaVersion().map { JSONValue.integer(Int64(bitPattern: $0)) }
    expectEqual(version ?? .null, expected["schemaVersion"] ?? .null)
  }

  @Test("open read-only where they stand", arguments: Fixture.names)
  func readOnly(name: String) throws {
    let before = try Fixture(name).bytes()
    let file = try DatabaseFile.open(
      path: Fixture(name).path, options: OpenOptions(isReadOnly: true, mustExist: true))
    try expectEqual(TableGroup(file.snapshot()).tableKeys().isEmpty, (name == "blank"))
    try expectEqual(Fixture(name).bytes(), before)
  }
}
