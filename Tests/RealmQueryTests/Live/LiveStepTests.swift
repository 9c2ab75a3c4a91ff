// SPDX-License-Identifier: Apache-2.0

// What a step of a live query takes out of a list and puts in, and where.

import RealmStorage
import RealmTables
import TestExtensions
import Testing

@testable import RealmQuery

struct LiveStepTests {
  private static let byName = SortOrder([.init(["name"])])
  private static let byNumber = SortOrder([.init(["number"])])

  private static func number(
    _ operation: ComparisonOperator, _ value: Int64
  ) -> BoundPredicate {
    .comparison(
      BoundComparison(.property(ColumnPath(["number"])), operation, .value(.int(value))))
  }

  /// The edit of a query's result by one transaction over objects with the keys 0, 1, …
  private static func edit(
    _ rows: [(number: Int64, name: String)], where predicate: BoundPredicate? = nil,
    order: SortOrder? = nil, _ steps: [QueryStep],
    by change: (WritableTable, _ number: Column, _ name: Column) throws -> Void
  ) throws -> ListEdit {
    let path = "/memory/live-step-\(UInt64.random(in: .min ... .max))"
    let file = try DatabaseFile.open(path: path, options: OpenOptions(isInMemory: true))
    let making = try WriteGroup(try file.beginWrite())
    let table = try making.createTable(named: "class_Item")
    let number = try table.addColumn(named: "number", type: .int)
    let name = try table.addColumn(named: "name", type: .string)
    for row in rows {
      let key = try table.createObject().key
      try table.set(.int(row.number), number, key)
      try table.set(.string(row.name), name, key)
    }
    let before = try TableGroup(try making.commit())
    let writing = try WriteGroup(try file.beginWrite())
    try change(try #require(try writing.table(table.key)), number, name)
    let after = try TableGroup(try writing.commit())
    let changes = try ChangeLogParser.changes(
      in: file.changesets(after: before.version, through: after.snapshot))
    let query = TableQuery(table.key, where: predicate, order: order, steps: steps)
    let old = try #require(try before.table(table.key))
    let new = try #require(try after.table(table.key))
    var step = try #require(
      try LiveStep(query, by: changes, from: (old, before), to: (new, after)))
    let (_, edit) = try #require(try step.run(try query.state(in: before)))
    return edit
  }

  private static func keys(_ numbers: Int64...) -> [ObjectKey] { numbers.map { ObjectKey($0) } }

  /// `LiveStep` 1: the sort of a later stage comes before that of an earlier one, and objects that
  /// are equal in both are in the order of their keys.
  @Test func changedObjectsGoWhereTheOrdersOfAllStagesSay() throws {
    let edit = try Self.edit(
      [(1, "b"), (1, "d"), (2, "a"), (2, "c"), (2, "c"), (3, "b"), (3, "a")],
      order: Self.byName, [.sort(Self.byNumber)]
    ) { table, number, name in
      for (key, text) in zip(Self.keys(0, 1, 5), ["b", "c", "c"]) {
        try table.set(.int(2), number, key)
        try table.set(.string(text), name, key)
      }
    }
    expectEqual(edit.list.array(), Self.keys(0, 1, 2, 3, 4, 6, 5))
    expectEqual(edit.removed, [0, 1, 6])
    expectEqual(edit.arrivals.map(\.key), Self.keys(0, 1, 5))
    expectEqual(edit.arrivals.map(\.gap), [1, 1, 3])
    expectEqual(edit.result.array(), Self.keys(2, 0, 1, 3, 4, 5, 6))
  }

  /// `LiveStep` 2: an unchanged object comes in where another one's going concerns it, and nothing
  /// else moves.
  @Test func unchangedObjectsStayUnlessAStageIsConcerned() throws {
    let rows: [(Int64, String)] = [(1, "a"), (2, "a"), (3, "b"), (4, "c")]
    let steps: [QueryStep] = [.distinct(Self.byName), .limit(2)]
    let first = try Self.edit(rows, steps) { table, _, _ in try table.delete(ObjectKey(0)) }
    expectEqual(first.list.array(), Self.keys(0, 2))
    expectEqual(first.removed, [0])
    expectEqual(first.arrivals.map(\.key), Self.keys(1))
    expectEqual(first.result.array(), Self.keys(1, 2))
    // What follows a deleted repetition is asked about, and was the first of its value before.
    let second = try Self.edit(rows, steps) { table, _, _ in try table.delete(ObjectKey(1)) }
    expectTrue(second.removed.isEmpty)
    expectTrue(second.arrivals.isEmpty)
    let third = try Self.edit(rows, steps) { table, _, name in
      try table.set(.string("a"), name, ObjectKey(3))
    }
    expectTrue(third.removed.isEmpty)
    expectTrue(third.arrivals.isEmpty)
  }

  /// `LiveStep` 3: changed and new objects that a filter lets through arrive; the others do not.
  @Test func changedObjectsArriveIfEachStageGetsThem() throws {
    let edit = try Self.edit(
      [(2, ""), (1, ""), (7, ""), (3, "")], where: Self.number(.greater, 1),
      [.filter(Self.number(.less, 5))]
    ) { table, number, _ in
      for (key, value) in zip(Self.keys(0, 1, 2, 3), [0, 4, 6, 4] as [Int64]) {
        try table.set(.int(value), number, key)
      }
      for value in [3, 9] as [Int64] {
        try table.set(.int(value), number, try table.createObject().key)
      }
    }
    expectEqual(edit.list.array(), Self.keys(0, 3))
    expectEqual(edit.removed, [0, 1])
    expectEqual(edit.arrivals.map(\.key), Self.keys(1, 3, 4))
    expectEqual(edit.result.array(), Self.keys(1, 3, 4))
  }
}
