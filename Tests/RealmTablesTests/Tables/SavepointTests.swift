// SPDX-License-Identifier: Apache-2.0

// Parts of transactions that are undone alone.

import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct SavepointTests {
  /// Of two equal files one gets parts that are undone, the other never has them. Afterwards they
  /// are the same, and so are the logs of their transactions.
  /// `ChangeLogWriter` 4, `WriteGroup+Savepoint` 1.
  @Test(
    .heavy, arguments: ["schema-changes", "all-types", "tombstones", "empty"],
    RandomRuns.seeds(6))
  func whatIsUndoneWasNeverThere(name: String, seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.copy(of: Fixture(name).path)
    let twin = directory.file("twin.realm")
    try FileManager.default.copyItem(atPath: path, toPath: twin)
    for round in 0..<2 as Range<UInt64> {
      let (file, other) = (try DatabaseFile.open(path: path), try DatabaseFile.open(path: twin))
      let (group, plain) = (
        try WriteGroup(file.beginWrite()), try WriteGroup(other.beginWrite())
      )
      var life = PartialLife(seed: seed * 10 + round)
      try life.run(group, twin: plain)
      expectEqual(group.log.changeset, plain.log.changeset)
      let (snapshot, expected) = (try group.commit(), try plain.commit())
      try #require(DatabaseCheck.run(snapshot).isEmpty, "\(life.trace)")
      let dump = try ContentDump(TableGroup(snapshot)).json()
      let right = try ContentDump(TableGroup(expected)).json()
      try #require(dump == right, "\(life.trace)")
    }
    try TableGroup(DatabaseFile.open(path: path).snapshot()).expectReferenceAgrees()
  }

  /// `WriteGroup+Savepoint` 2
  @Test func tablesStayTheirs() throws {
    let database = try TestDatabase()
    try database.write { group in
      let dogs = try group.createTable(named: "class_Dog")
      try dogs.addColumn(named: "age", type: .int)
      try group.createTable(named: "class_Cat").addColumn(named: "age", type: .int)
    }
    try database.write { group in
      let dogs = try group.existing("class_Dog")
      try group.beginSavepoint()
      _ = try dogs.createObject()
      let cats = try group.existing("class_Cat")
      _ = try cats.createObject()
      try group.removeTable(cats.key)
      let birds = try group.createTable(named: "class_Bird")
      expectEqual(birds.key.index, cats.key.index)
      group.rollBackSavepoint()
      expectTrue(try group.existing("class_Dog") === dogs)
      expectTrue(try group.existing("class_Cat") === cats)
      #expect(try group.table(named: "class_Bird") == nil)
      try expectEqual(dogs.objectCount(), 0)
      try expectEqual(cats.objectCount(), 0)
      expectTrue(group.log.isEmpty)
      let (key, _) = try cats.createObject()
      try cats.set(.int(3), try cats.schema.existing("age"), key)
    }
    try expectEqual(database.table("class_Cat").objectCount(), 1)
  }

  @Test func aPartThatFailsOrThrowsIsUndone() throws {
    struct Misfit: Error {}
    let database = try TestDatabase()
    try database.write { group in
      let dogs = try group.createTable(named: "class_Dog")
      let failed = try group.attempt { () throws(StorageError) -> Result<Void, Misfit> in
        _ = try dogs.createObject()
        return .failure(Misfit())
      }
      expectTrue((try? failed.get()) == nil)
      #expect(throws: StorageError.self) {
        try group.attempt { () throws(StorageError) -> Result<Void, Misfit> in
          _ = try dogs.createObject()
          throw .limitExceeded("")
        }
      }
      try expectEqual(dogs.objectCount(), 0)
      let kept = try group.attempt { () throws(StorageError) -> Result<ObjectKey, Misfit> in
        .success(try dogs.createObject().key)
      }
      try expectEqual(kept.get(), ObjectKey(0))
    }
    try expectEqual(database.table("class_Dog").objectCount(), 1)
  }

  /// Rows of before are stale then, and who follows the transaction reads everything again.
  /// `WriteGroup` 2 and 3.
  @Test func readersWithinTheTransactionAreTold() throws {
    let database = try TestDatabase()
    try database.write { group in
      let dogs = try group.createTable(named: "class_Dog")
      let start = group.log.follow()
      try group.beginSavepoint()
      _ = try dogs.createObject()
      let middle = group.log.follow()
      expectTrue(group.log.changes(since: start) != nil)
      let generation = group.structureGeneration
      group.rollBackSavepoint()
      expectTrue(group.structureGeneration != generation)
      expectTrue(group.log.changes(since: start) == nil)
      expectTrue(group.log.changes(since: middle) == nil)
      let end = group.log.follow()
      _ = try dogs.createObject()
      expectEqual(group.log.changes(since: end)?[dogs.key]?.inserted, [ObjectKey(0)])
    }
  }

  /// The space of nodes that a part gave up is used once, whatever became of the part.
  @Test func undonePartsCostNoSpace() throws {
    let database = try TestDatabase()
    var table = TableKey.null
    var keys: [ObjectKey] = []
    try database.write { group in
      let dogs = try group.createTable(named: "class_Dog")
      table = dogs.key
      try dogs.addColumn(named: "name", type: .string, isIndexed: true)
      for _ in 0..<600 { keys.append(try dogs.createObject().key) }
    }
    var sizes: [Int] = []
    for round in 0..<12 {
      try database.write { group in
        let dogs = try #require(try group.table(table))
        let name = try dogs.schema.existing("name")
        for part in 0..<20 {
          try group.beginSavepoint()
          for number in 0..<10 {
            let text = TableValue.string("\(round) \(part) \(number)")
            try dogs.set(text, name, keys[number * 60])
          }
          if part % 2 == 0 { group.rollBackSavepoint() } else { group.keepSavepoint() }
        }
      }
      sizes.append(try database.file.snapshot().space.fileEnd)
    }
    expectTrue(Set(sizes.suffix(6)).count <= 2, "\(sizes)")
  }
}

/// Random changes in nested parts of a transaction, and the same without those that are undone.
private struct PartialLife {
  private var random: SeededGenerator
  private var seed: UInt64
  /// What was done, for who reads a failure.
  private(set) var trace = ""

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    self.seed = seed << 20
  }

  mutating func run(_ group: WriteGroup, twin: WriteGroup) throws {
    for _ in 0..<4 { try part(group, twin, depth: 0) }
  }

  /// - Parameter twin: Nil within what is undone.
  private mutating func part(_ group: WriteGroup, _ twin: WriteGroup?, depth: Int) throws {
    let isUndone = random.chance(50)
    let twin = isUndone ? nil : twin
    trace += isUndone ? "(" : "["
    try group.beginSavepoint()
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      if depth < 2, random.chance(40) {
        try part(group, twin, depth: depth + 1)
      } else {
        seed += 1
        let changesSchema = random.chance(40)
        trace += changesSchema ? "s" : "o"
        for group in [group, twin].compactMap({ $0 }) {
          if changesSchema {
            var editor = SchemaEditor(group, seed: seed)
            try editor.run()
          } else {
            var editor = FixtureEditor(group, seed: seed)
            try editor.run()
          }
        }
      }
    }
    if isUndone { group.rollBackSavepoint() } else { group.keepSavepoint() }
    trace += isUndone ? ")" : "]"
  }
}
