// SPDX-License-Identifier: Apache-2.0

// The primary keys of new objects on their way into the index.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct NewKeysTests {
  @Test(arguments: [0, 1, 64, 65, 1000])
  func keysComeOutInTheOrderOfTheIndex(count: Int) {
    var random = SeededGenerator(seed: 7)
    var keys = NewKeys()
    var objects: [Int64: ObjectKey] = [:]
    for number in 0..<count {
      let value = ColumnType.int.random(using: &random)
      guard case .int(let value) = value, objects[value] == nil else { continue }
      expectFalse(keys.contains(value))
      objects[value] = ObjectKey(Int64(number))
      keys.insert(value, ObjectKey(Int64(number)))
      expectTrue(keys.contains(value))
    }
    let sorted = keys.takeSorted().entries
    expectTrue(keys.isEmpty)
    #expect(objects.keys.allSatisfy { !keys.contains($0) })
    expectEqual(Dictionary(uniqueKeysWithValues: sorted.map { ($0.value, $0.object) }), objects)
    let chunks = sorted.map { entry in
      let data = IndexData(.int(entry.value))
      expectEqual(entry.chunk, data.chunk(at: 0))
      return [data.chunk(at: 0), data.chunk(at: 4)]
    }
    for (left, right) in zip(chunks, chunks.dropFirst()) {
      expectTrue(left.lexicographicallyPrecedes(right))
    }
  }

  /// Transactions of creations, look-ups, deletions and rollbacks beside a dictionary.
  @Test(.heavy, arguments: RandomRuns.seeds(4), [false, true])
  func transactionsMatchADictionary(seed: UInt64, hasSecondIndex: Bool) throws {
    var random = SeededGenerator(seed: seed)
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      let id = try table.addColumn(named: "id", type: .int)
      try table.setPrimaryKey(id.key)
      try table.addColumn(named: "rank", type: .int, isIndexed: hasSecondIndex)
    }
    var model: [Int64: ObjectKey] = [:]
    var bounds = KeyBoundCache()
    for _ in 0..<14 {
      let old = model
      // Now and then another process commits, which knows nothing of our bounds.
      let group = try WriteGroup(
        database.file.beginWrite(), schemas: database.schemas,
        keyBounds: random.chance(20) ? KeyBoundCache() : bounds)
      let table = try #require(try group.table(named: "class_A"))
      let start = Int64.random(in: -1000...1000, using: &random)
      let stride =
        ([1, -1, 3, 256, 1 << 32, 1 << 56] as [Int64]).randomElement(using: &random) ?? 1
      for step in 0..<Int64.random(in: 1...400, using: &random) {
        let value = start &+ step &* stride
        switch Int.random(in: 0..<40, using: &random) {
        case 0: try delete(model.keys.sorted().randomElement(using: &random), &model, table)
        case 1: try delete(model[value - stride].map { _ in value - stride }, &model, table)
        case 2: try expectFound(model.keys.sorted().randomElement(using: &random), model, table)
        case 3: try expectFound(value, model, table)
        case 4:
          // All of the index, through the view that readers get.
          try expectEqual(table.table.find(primaryKey: value), model[value])
        default: break
        }
        try findOrCreate(value, &model, table)
      }
      if random.chance(20), !model.isEmpty {
        try table.deleteAll()
        model = [:]
      }
      if random.chance(25) {
        group.rollback()
        model = old
      } else {
        let snapshot = try group.commit()
        #expect(try DatabaseCheck.run(snapshot).isEmpty)
      }
      if random.chance(30) {
        try database.reopen()
        bounds = KeyBoundCache()
      }
      try expectComplete(model, database)
    }
  }

  /// Keys that are assigned, or come with another column, count as those of new objects do.
  /// `WritableTable` 2.
  @Test func theBoundFollowsAssignedKeys() throws {
    let database = try TestDatabase()
    let bounds = KeyBoundCache()
    func write(_ body: (WritableTable) throws -> Void) throws {
      let group = try WriteGroup(
        database.file.beginWrite(), schemas: database.schemas, keyBounds: bounds)
      if try group.table(named: "class_A") == nil {
        let table = try group.createTable(named: "class_A")
        let id = try table.addColumn(named: "id", type: .int)
        try table.addColumn(named: "other", type: .int)
        try table.setPrimaryKey(id.key)
      }
      try body(try #require(try group.table(named: "class_A")))
      #expect(try DatabaseCheck.run(try group.commit()).isEmpty)
    }
    try write { table in
      for value in 0..<10 as Range<Int64> { _ = try table.findOrCreate(primaryKey: value) }
      expectEqual(table.keyBound.highest, 9)
    }
    try write { table in
      // What the transaction before knew goes on; a key is found among others and as the highest.
      expectEqual(table.keyBound.highest, 9)
      expectFalse(table.keyBound.mayHold(10))
      #expect(try table.findRow(primaryKey: 9) != nil)
      let nine = try #require(try table.findRow(primaryKey: 9))
      try table.set(.int(100), try table.schema.existing("id"), nine.key)
      try expectEqual(table.findRow(primaryKey: 100)?.key, nine.key)
      try expectEqual(table.findOrCreate(primaryKey: 100).isNew, false)
      #expect(try table.findOrCreate(primaryKey: 101).isNew)
    }
    try write { table in
      try expectEqual(table.findOrCreate(primaryKey: 101).isNew, false)
      let other = try table.schema.existing("other")
      for value in 0..<9 as Range<Int64> {
        let row = try #require(try table.findRow(primaryKey: value))
        try table.set(.int(1000 + value), other, row.key)
      }
      for value in [100, 101] as [Int64] {
        try table.delete(try #require(try table.findRow(primaryKey: value)).key)
      }
      try table.setPrimaryKey(other.key)
      #expect(try table.findRow(primaryKey: 1008) != nil)
      try expectEqual(table.findOrCreate(primaryKey: 1005).isNew, false)
    }
  }

  private func findOrCreate(
    _ value: Int64, _ model: inout [Int64: ObjectKey], _ table: WritableTable
  ) throws {
    let (key, row, isNew) = try table.findOrCreate(primaryKey: value)
    expectEqual(isNew, (model[value] == nil))
    expectEqual(key, model[value] ?? key)
    try expectEqual(row.int(try table.schema.existing("id").leafIndex), value)
    model[value] = key
    try table.set(.int(~value), try table.schema.existing("rank"), key)
  }

  private func delete(
    _ value: Int64?, _ model: inout [Int64: ObjectKey], _ table: WritableTable
  ) throws {
    guard let value, let key = model.removeValue(forKey: value) else { return }
    try table.delete(key)
    #expect(try table.findRow(primaryKey: value) == nil)
  }

  private func expectFound(
    _ value: Int64?, _ model: [Int64: ObjectKey], _ table: WritableTable
  ) throws {
    guard let value else { return }
    try expectEqual(table.findRow(primaryKey: value)?.key, model[value])
    try expectEqual(table.findRow(primaryKey: .int(value))?.key, model[value])
  }

  private func expectComplete(
    _ model: [Int64: ObjectKey], _ database: TestDatabase
  ) throws {
    let table = try database.table("class_A")
    try expectEqual(table.objectCount(), model.count)
    let rank = try table.schema.existing("rank")
    for (value, key) in model {
      try expectEqual(table.find(primaryKey: value), key)
      try expectEqual(table.row(of: key)?.int(rank.leafIndex), ~value)
      if rank.hasIndex { try expectEqual(table.index(of: rank)?.find(.int(~value)), key) }
    }
  }
}
