// SPDX-License-Identifier: Apache-2.0

// Random lives of tables with enumerated columns.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct EnumerationModelTests {
  @Test(.heavy, arguments: RandomRuns.seeds(24))
  func columnsHoldWhatTheModelHolds(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let life = try EnumerationLife(seed: seed, path: directory.file("life.realm"))
    try life.run(transactionCount: 40)
    expectTrue(life.enumeratedCount > 0)
    RandomRuns.report(life.expandedCount, "columns that got too many values")
    RandomRuns.report(life.chosenCount, "columns that were chosen")
  }
}
