// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct LiveQueryTests {
  private static let notOne = BoundPredicate.not(
    .comparison(BoundComparison(.property(ColumnPath(["int"])), .equal, .value(.int(1)))))

  static let cuts: [[QueryStep]] = [
    [.distinct(SortOrder([.init(["int"])]))], [.offset(2), .limit(9)],
    [.limit(60), .filter(notOne), .sort(SortOrder([.init(["owner", "age"])]))],
    [.distinct(SortOrder([.init(["string?"]), .init(["owner", "name"])])), .offset(3)],
    [.distinct(SortOrder([.init(["int"])])), .sort(SortOrder([.init(["owner", "name"])]))],
    [.distinct(SortOrder([.init(["int"])])), .filter(notOne), .limit(4)],
    [.limit(5)], [.offset(20), .limit(40), .distinct(SortOrder([.init(["int"])]))],
    [.sort(SortOrder([.init(["string"])])), .limit(12), .offset(3), .limit(4)],
    [.limit(0)], [.filter(notOne), .offset(250)],
    [
      .distinct(SortOrder([.init(["double"])])), .limit(30),
      .distinct(SortOrder([.init(["owner", "age"])])),
    ],
  ]

  static let queries: [(BoundPredicate?, SortOrder?)] = [
    (nil, nil),
    (.comparison(BoundComparison(.property(ColumnPath(["int"])), .greater, .value(.int(0)))), nil),
    (nil, SortOrder([.init(["int"]), .init(["string"], isAscending: false)])),
    (
      .comparison(BoundComparison(.property(ColumnPath(["int?"])), .notEqual, .value(.null))),
      SortOrder([.init(["string?"])])
    ),
    (
      .comparison(
        BoundComparison(.property(ColumnPath(["owner", "age"])), .greaterOrEqual, .value(.int(0)))),
      nil
    ),
    (nil, SortOrder([.init(["owner", "name"])])),
  ]

  /// Applies changes to a list and marks what is new.
  private static func apply(_ changes: ResultChanges, to old: [ObjectKey]) -> [ObjectKey?] {
    var result: [ObjectKey?] = old
    for index in changes.deletions.reversed() { result.remove(at: index) }
    for index in changes.insertions { result.insert(nil, at: index) }
    return result
  }

  /// `TableQuery+Live` 1, 2 and 3, and of their steps `LiveStep` 1, 2 and 3: each state is the
  /// result of the query that runs again.
  /// `ResultChanges` 2.
  @Test(.heavy, arguments: RandomRuns.seeds(2))
  func changesLeadFromEachStateToTheNext(seed: UInt64) throws {
    let tables = try SampleTables(seed: seed, items: 300, owners: 12, spread: 2)
    var random = SeededGenerator(seed: seed)
    let file = tables.group.snapshot.file
    var group = tables.group
    var live = Self.queries.map {
      TableQuery(tables.items.key, where: $0.0, order: $0.1)
    }
    live += Self.cuts.enumerated().map { index, rest in
      TableQuery(
        tables.items.key, where: Self.queries[(index + 1) % Self.queries.count].0,
        order: Self.queries[(index + 1) % Self.queries.count].1, steps: rest)
    }
    var states = try live.map { try $0.state(in: group) }
    // A state without an observer is kept without the version that it is from.
    var kept = states
    var refreshCount = 0
    for round in 0..<15 {
      let writing = try WriteGroup(try file.beginWrite())
      let items = try #require(try writing.table(tables.items.key))
      let owners = try #require(try writing.table(tables.owners.key))
      for _ in 0..<Int.random(in: 0...(round % 10 == 9 ? 60 : 6), using: &random) {
        try Self.change(items, owners, &random)
      }
      let next = try TableGroup(try writing.commit())
      let changes = try ChangeLogParser.changes(
        in: file.changesets(after: group.version, through: next.snapshot))
      let modified = changes[tables.items.key].map { Set($0.modifications.keys) } ?? []
      let inserted = changes[tables.items.key]?.inserted ?? []
      let step = ResultStep(from: group, to: next, changes: changes, modified: modified)
      for (index, query) in live.enumerated() {
        let oldKeys = try Self.keys(of: query, in: group)
        let newKeys = try Self.keys(of: query, in: next)
        let (state, found) = try query.advance(states[index], by: step)
        expectEqual(state.count, newKeys.count)
        if let keys = state.keys { expectEqual(keys.array(), newKeys) }
        states[index] = state
        if query.condition != nil || query.order != nil || !query.steps.isEmpty {
          let refreshed = try query.refreshed(kept[index], by: changes, in: next)
          if refreshed != nil { refreshCount += 1 }
          kept[index] = try refreshed ?? query.state(in: next)
          expectEqual(kept[index].keys?.array(), newKeys)
        }
        let applied = Self.apply(found, to: oldKeys)
        try #require(applied.count == newKeys.count)
        for (position, key) in applied.enumerated() {
          if let key { #expect(key == newKeys[position] && !inserted.contains(key)) }
        }
        let expected = oldKeys.indices.filter {
          modified.contains(oldKeys[$0]) && !found.deletions.contains($0)
        }
        expectEqual(found.modifications, expected)
        // Unordered results move nothing; nothing is deleted and inserted that stayed unchanged.
        let stayed = Set(oldKeys).intersection(newKeys).filter { !inserted.contains($0) }
        let deletedKeys = Set(found.deletions.map { oldKeys[$0] })
        for key in stayed where query.isInSourceOrder { #expect(!deletedKeys.contains(key)) }
        if index < 4 { #expect(deletedKeys.intersection(stayed).isSubset(of: modified)) }
      }
      group = next
    }
    expectTrue(refreshCount > 50)
  }

  private static func keys(of query: TableQuery, in group: TableGroup) throws -> [ObjectKey] {
    let table = try #require(try group.table(query.table))
    return try query.keys(of: table, in: group)
  }

  private static func change(
    _ items: WritableTable, _ owners: WritableTable, _ random: inout SeededGenerator
  ) throws {
    func anyKey(_ table: WritableTable) throws -> ObjectKey? {
      let count = try table.objectCount()
      return count == 0 ? nil : try table.table.key(at: Int.random(in: 0..<count, using: &random))
    }
    let names = ["int", "int?", "string", "string?", "owner", "double"]
    let dice = Int.random(in: 0..<10, using: &random)
    if dice < 2 {
      let (key, _) = try items.createObject()
      for name in names { try set(name, of: items, key, try anyKey(owners), &random) }
    } else if dice < 4 {
      if let key = try anyKey(items) { try items.delete(key) }
    } else if dice < 9 {
      guard let key = try anyKey(items), let name = names.randomElement(using: &random) else {
        return
      }
      try set(name, of: items, key, try anyKey(owners), &random)
    } else if let key = try anyKey(owners),
      let name = ["age", "name"].randomElement(using: &random)
    {
      try set(name, of: owners, key, nil, &random)
    }
  }

  private static func set(
    _ name: String, of table: WritableTable, _ key: ObjectKey, _ owner: ObjectKey?,
    _ random: inout SeededGenerator
  ) throws {
    let column = try #require(table.schema.column(named: name))
    if column.type == .link {
      if let owner { try table.set(.link(owner), column, key) }
      return
    }
    try table.set(SampleTables.value(of: column, &random), column, key)
  }

  @Test func longestIncreasingRunsStay() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<100 {
      let count = Int.random(in: 0...8, using: &random)
      var numbers = Array(0..<count).shuffled(using: &random)
      for index in numbers.indices where random.chance(0.2) { numbers[index] = -1 }
      var kept = numbers
      IncreasingRun.keepLongest(&kept)
      let run = kept.filter { $0 >= 0 }
      expectEqual(run, run.sorted())
      #expect(zip(numbers, kept).allSatisfy { $0 == $1 || $1 == -1 })
      // The longest of all subsequences.
      var longest = 0
      for choice in 0..<(1 << count) {
        let chosen = (0..<count).filter { choice >> $0 & 1 == 1 && numbers[$0] >= 0 }
          .map { numbers[$0] }
        if chosen == chosen.sorted() { longest = max(longest, chosen.count) }
      }
      expectEqual(run.count, longest)
    }
  }

  @Test func listsWithRepeatedKeysAreCompared() {
    let old = [1, 2, 2, 3, 5].map { ObjectKey($0) }
    let new = [2, 1, 2, 2, 5, 3].map { ObjectKey($0) }
    let changes = ResultChanges(
      from: old, to: new, isModified: { $0.rawValue == 5 }, isReplaced: { _ in false })
    let applied = Self.apply(changes, to: old)
    expectEqual(applied.count, new.count)
    for (key, expected) in zip(applied, new) { if let key { expectEqual(key, expected) } }
    expectEqual(changes.insertions.count + old.count - changes.deletions.count, new.count)
  }
}
