// SPDX-License-Identifier: Apache-2.0

// Random changes of the schema of files with data in them.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("Random schema changes")
struct RandomSchemaTests {
  @Test(
    "leave a file whole", .heavy,
    arguments: ["schema-changes", "after-many-commits", "all-types", "empty"],
    [1, 2] as [UInt64])
  func changes(name: String, seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.copy(of: Fixture(name).path)
    for round in 0..<4 as Range<UInt64> {
      let file = try DatabaseFile.open(path: path)
      let group = try WriteGroup(file.beginWrite())
      var schema = SchemaEditor(group, seed: seed * 100 + round)
      try schema.run()
      var objects = FixtureEditor(group, seed: seed * 100 + round)
      try objects.run()
      let snapshot = try group.commit()
      let findings = try DatabaseCheck.run(snapshot)
      try #require(findings.isEmpty, "round \(round): \(findings.prefix(8))")
    }
    try TableGroup(DatabaseFile.open(path: path).snapshot()).expectReferenceAgrees()
  }
}
