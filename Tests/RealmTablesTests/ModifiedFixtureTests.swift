// SPDX-License-Identifier: Apache-2.0

// Files of Realm Core that we changed: still whole, also to a reader that is not ours.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("Modified fixtures")
struct ModifiedFixtureTests {
  @Test("stay whole", .heavy, arguments: Fixture.names)
  func modify(name: String) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.copy(of: Fixture(name).path)
    for seed in RandomRuns.seeds(3) {
      let file = try DatabaseFile.open(path: path)
      let group = try WriteGroup(file.beginWrite())
      if try group.tableKeys().isEmpty { try ModelTable.create(in: group) }
      var editor = FixtureEditor(group, seed: seed)
      try editor.run()
      let snapshot = try group.commit()
      let findings = try DatabaseCheck.run(snapshot)
      expectTrue(findings.isEmpty, "\(findings.prefix(8))")
    }
    try TableGroup(DatabaseFile.open(path: path).snapshot()).expectReferenceAgrees()
  }
}
