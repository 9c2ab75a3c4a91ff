// SPDX-License-Identifier: Apache-2.0

// The questions that an index answers without a plan, against every object asked by itself.

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct IndexedEqualityTests {
  private func comparison(_ name: String, _ value: TableValue) -> BoundPredicate {
    .comparison(BoundComparison(.property(ColumnPath([name])), .equal, .value(value)))
  }

  @Test(arguments: 1...3)
  func answersAreThoseOfAskingEachObject(spread: Int) throws {
    let tables = try SampleTables(
      seed: UInt64(spread) + 60, items: 200, owners: 3, spread: spread)
    let naive = NaivePredicate(group: tables.group)
    let rows = try SelectionTests.rows(of: tables.items)
    var answeredCount = 0
    for name in ["indexed", "tag", "int", "string?"] {
      let column = try #require(tables.items.schema.column(named: name))
      var values = Set(try rows.map { try $0.row.value(of: column) })
      if column.type == .int {
        values.formUnion([.int(77), .double(1), .float(2), .double(.nan)])
      } else {
        values.formUnion([.string("absent"), .string("")])
      }
      values.insert(.null)
      for value in values {
        let predicate = comparison(name, value)
        let expected = try rows.filter { try naive.matches(predicate, tables.items, $0.row) }
        let keys = expected.map(\.key)
        if let equality = try IndexedEquality(predicate, in: tables.items) {
          answeredCount += 1
          expectTrue(column.hasIndex)
          expectEqual(value.type, column.type)
          try expectEqual(equality.keys(limit: 2), Array(keys.prefix(2)), "\(name) == \(value)")
          try expectEqual(equality.keys(limit: 0), [])
        }
        let query = TableQuery(tables.items.key, where: predicate)
        try expectEqual(query.matchCount(of: tables.items, in: tables.group), keys.count)
        try expectEqual(query.keys(of: tables.items, in: tables.group), keys, "\(name) == \(value)")
        let first = try query.firstMatch(of: tables.items, in: tables.group)
        expectEqual(first?.key, keys.first, "\(name) == \(value)")
        if let first, let row = first.row {
          try expectEqual(row.value(of: column), value)
          expectEqual(row.index, expected[0].row.index)
        }
      }
    }
    expectTrue(answeredCount > 10)
  }

  @Test func otherConditionsNeedAPlan() throws {
    let tables = try SampleTables(seed: 64, items: 20, owners: 3)
    let path = BoundOperand.property(ColumnPath(["tag"]))
    var others: [BoundPredicate] = [
      .constant(true), .not(comparison("tag", .string("a"))),
      .all([comparison("tag", .string("a"))]), comparison("string", .string("a")),
      comparison("tag", .null), comparison("absent", .int(1)),
      .comparison(BoundComparison(path, .notEqual, .value(.string("a")))),
      .comparison(BoundComparison(path, .in, .values([.string("a")]))),
      .comparison(
        BoundComparison(path, .equal, .value(.string("a")), options: .caseInsensitive)),
      .comparison(
        BoundComparison(.property(ColumnPath(["owner", "tag"])), .equal, .value(.string("a")))),
    ]
    var quantified = BoundComparison(path, .equal, .value(.string("a")))
    quantified.leftQuantifier = .none
    others.append(.comparison(quantified))
    for predicate in others {
      #expect(try IndexedEquality(predicate, in: tables.items) == nil, "\(predicate)")
    }
    #expect(try IndexedEquality(nil, in: tables.items) == nil)
    #expect(try IndexedEquality(comparison("tag", .string("a")), in: tables.items) != nil)
  }

  /// Lists of keys with several leaves, and objects that were deleted or changed since.
  @Test func longListsOfKeysAreCountedAndRead() throws {
    let file = try DatabaseFile.open(
      path: "/memory/equal-\(UInt64.random(in: .min ... .max))",
      options: OpenOptions(isInMemory: true))
    let writing = try WriteGroup(try file.beginWrite())
    let table = try writing.createTable(named: "class_Item")
    let tag = try table.addColumn(named: "tag", type: .string, isIndexed: true)
    var expected: [String: [ObjectKey]] = [:]
    for number in 0..<5_000 {
      let (key, _) = try table.createObject()
      let text = number % 7 == 0 ? "owner_7" : "owner_42"
      try table.set(.string(text), tag, key)
      expected[text, default: []].append(key)
    }
    var random = SeededGenerator(seed: 9)
    for _ in 0..<600 {
      let text = random.chance(0.5) ? "owner_7" : "owner_42"
      guard let index = expected[text]?.indices.randomElement(using: &random),
        let key = expected[text]?.remove(at: index)
      else { continue }
      if random.chance(0.5) {
        try table.delete(key)
      } else {
        try table.set(.string("owner_8"), tag, key)
        expected["owner_8", default: []].append(key)
      }
    }
    let group = try TableGroup(try writing.commit())
    let items = try #require(try group.table(table.key))
    for (text, keys) in expected {
      let query = TableQuery(items.key, where: comparison("tag", .string(text)))
      try expectEqual(query.matchCount(of: items, in: group), keys.count)
      try expectEqual(query.keys(of: items, in: group), keys.sorted(), "\(text)")
      try expectEqual(query.firstMatch(of: items, in: group)?.key, keys.min())
    }
  }
}
