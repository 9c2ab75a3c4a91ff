// SPDX-License-Identifier: Apache-2.0

// What a commit writes does not grow with the file, but for the paths to the root.

import RealmStorage
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmTables

struct CommitBytesTests {
  /// The bytes of each of `count` commits that follow the insertion of `rowCount` objects.
  private func byteCounts(
    rowCount: Int64, commits count: Int64, _ body: (WritableTable, Int64) throws -> Void
  ) throws -> [Int] {
    let directory = try TemporaryDirectory()
    let file = try DatabaseFile.open(path: directory.file("test.realm"))
    let first = try WriteGroup(file.beginWrite())
    let table = try first.createTable(named: "class_A")
    let id = try table.addColumn(named: "id", type: .int)
    try table.addColumn(named: "value", type: .int)
    try table.setPrimaryKey(id.key)
    for number in 0..<rowCount { _ = try table.createObject(primaryKey: .int(number)) }
    _ = try first.commit()

    let path = file.path
    let counts = Mutex<[Int]>([])
    let observer = CommitObservers.add { report in
      if report.path == path { counts.withLock { $0.append(report.work.byteCount) } }
    }
    defer { _ = CommitObservers.remove(observer) }
    for number in 0..<count {
      let group = try WriteGroup(file.beginWrite())
      try body(try #require(try group.table(named: "class_A")), number)
      _ = try group.commit()
    }
    #expect(try DatabaseCheck.run(file.snapshot()).isEmpty)
    return counts.withLock { $0 }
  }

  /// The median: a commit may move nodes of others beside its own work (`Evacuation`).
  private func usual(_ counts: [Int]) throws -> Int {
    expectEqual(counts.count, 30)
    return counts.sorted()[counts.count / 2]
  }

  private static let sizes: (small: Int64, large: Int64) = (600, 12_000)
  /// What the inner nodes of both trees may grow by: one of the index has up to 256 children. The
  /// objects grow by a hundred times as much.
  private static let pathGrowth = 2500

  @Test(.heavy) func aChangeOfOnePropertyWritesAPath() throws {
    func measure(_ rowCount: Int64) throws -> Int {
      var random = SeededGenerator(seed: 5)
      return try usual(
        byteCounts(rowCount: rowCount, commits: 30) { table, number in
          let row = try #require(
            try table.findRow(primaryKey: Int64.random(in: 0..<rowCount, using: &random)))
          try table.set(.int(number), try table.schema.existing("value"), row.key)
        })
    }
    let small = try measure(Self.sizes.small)
    let large = try measure(Self.sizes.large)
    expectTrue(large < small + Self.pathGrowth, "\(large) bytes instead of \(small)")
  }

  @Test(.heavy) func anInsertionWritesAPath() throws {
    func measure(_ rowCount: Int64) throws -> Int {
      try usual(
        byteCounts(rowCount: rowCount, commits: 30) { table, number in
          _ = try table.createObject(primaryKey: .int(rowCount + number))
        })
    }
    let small = try measure(Self.sizes.small)
    let large = try measure(Self.sizes.large)
    expectTrue(large < small + Self.pathGrowth, "\(large) bytes instead of \(small)")
  }

  /// Ascending keys come by all lowest bytes: what a transaction of many writes grows by the nodes
  /// above a leaf for each of them, and not with the index.
  @Test(.heavy) func aTransactionOfManyInsertionsDoesNotWriteTheIndex() throws {
    func measure(_ rowCount: Int64) throws -> Int {
      try usual(
        byteCounts(rowCount: rowCount, commits: 30) { table, number in
          for key in 0..<512 as Range<Int64> {
            _ = try table.createObject(primaryKey: .int(rowCount + number * 512 + key))
          }
        })
    }
    let small = try measure(4_000)
    let large = try measure(40_000)
    expectTrue(large < small * 2, "\(large) bytes instead of \(small), with 10 times the objects")
  }
}
