// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct RowRunsTests {
  @Test func keysKeepTheirOrderAndThoseOfNoObjectAreLeftOut() throws {
    let tables = try SampleTables(seed: 90, items: 900, owners: 4)
    let existing = try Selection(.constant(true), in: tables.items, of: tables.group).keys()
    var random = SeededGenerator(seed: 3)
    var keys: [ObjectKey] = []
    for _ in 0..<300 {
      let start = Int.random(in: 0..<900, using: &random)
      keys += existing[start..<min(start + Int.random(in: 1...40, using: &random), 900)]
      keys.append(ObjectKey(-3))
      keys.append(ObjectKey(1 << 40 + Int64(start)))
    }
    var found: [ObjectKey] = []
    var runCount = 0
    var runs = RowRuns(of: keys, in: tables.items)
    while let (cluster, rows) = try runs.next() {
      expectFalse(rows.isEmpty)
      for row in rows { found.append(cluster.key(at: row)) }
      runCount += 1
    }
    let known = Set(existing)
    expectEqual(found, keys.filter(known.contains))
    expectTrue(runCount < found.count / 4, "neighbors come together")
  }

  @Test func noKeysAreNoRuns() throws {
    let tables = try SampleTables(seed: 91, items: 10, owners: 1)
    var none = RowRuns(of: [], in: tables.items)
    let first = try none.next()
    expectTrue(first == nil)
    var missing = RowRuns(of: [ObjectKey(-1), ObjectKey(1 << 40)], in: tables.items)
    let other = try missing.next()
    expectTrue(other == nil)
  }
}
