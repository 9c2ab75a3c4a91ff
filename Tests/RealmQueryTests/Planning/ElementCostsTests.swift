// SPDX-License-Identifier: Apache-2.0

// What a condition costs for an object with long collections and texts, and the scans that count
// that.

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct ElementCostsTests {
  private let group: TableGroup

  /// Five objects, each with 100 elements in each collection, and texts of 160 bytes.
  init() throws {
    let path = "/memory/costs-\(UInt64.random(in: .min ... .max))"
    let file = try DatabaseFile.open(path: path, options: OpenOptions(isInMemory: true))
    let writing = try WriteGroup(try file.beginWrite())
    let table = try writing.createTable(named: "class_Thing")
    try table.addColumn(named: "n", type: .int)
    try table.addColumn(named: "s", type: .string)
    try table.addColumn(named: "any", type: .mixed, isNullable: true)
    try table.addColumn(named: "list", type: .int, collection: .list)
    try table.addColumn(named: "set", type: .int, collection: .set)
    try table.addColumn(named: "map", type: .int, collection: .dictionary)
    try table.addColumn(named: "texts", type: .string, collection: .list)
    try table.addColumn(named: "link", type: .link, isNullable: true, target: table.key)
    try table.addColumn(named: "links", type: .link, collection: .list, target: table.key)
    let text = TableValue.string(String(repeating: "x", count: 160))
    let numbers = (0..<100).map { TableValue.int($0) }
    for _ in 0..<5 {
      let key = try table.createObject().key
      func column(_ name: String) throws -> Column {
        try #require(table.schema.column(named: name))
      }
      try table.set(text, column("s"), key)
      try table.set(.list(numbers), column("list"), key)
      try table.set(.list(numbers), column("set"), key)
      try table.set(.list(Array(repeating: text, count: 100)), column("texts"), key)
      let map = try table.dictionary(column("map"), key)
      for index in 0..<100 { try map.set(.int(Int64(index)), for: "\(index)") }
    }
    _ = try writing.commit()
    group = try TableGroup(try file.snapshot())
  }

  private func bound(_ text: String) throws -> (BoundPredicate, Table) {
    let table = try #require(try group.table(named: "class_Thing"))
    let classes = try StoredSchema(group)
    let condition = try QueryBinder(classes, on: classes.queryClass(named: "Thing"))
      .bind(QueryParser.parse(text)).condition
    return (condition, table)
  }

  /// Conditions and their costs; nil where an object alone does not tell them.
  private static let costs: [(String, Int?)] = [
    ("n == 1", 0),
    ("n == 1 AND s == 'a'", 0),
    ("n == 1 OR s < 'a' OR s IN {'a', 'b'}", 0),
    ("TRUEPREDICATE", 0),
    ("ANY list == 1", 100),
    ("ALL list == 1 OR NONE list == 2", 200),
    ("list.@count == 1", 100),
    ("list.@sum == 1", 100),
    ("list.@max == n", 100),
    ("n IN list", 100),
    ("NOT (ANY list == 1 AND n == 2)", 100),
    ("ANY set == 1", 100),
    ("ANY map.@values == 1", nil),
    ("ANY map == 1", 100),
    ("s CONTAINS 'a'", 10),
    ("s ==[c] 'a'", 10),
    ("s LIKE '*a*b*'", 10),
    ("ANY texts == 'a'", 100),
    ("ANY texts CONTAINS 'a'", 1_100),
    ("texts.@count == 1", 100),
    ("ANY links.n == 1", nil),
    ("link.n == 1", nil),
    ("ANY any[*] == 1", nil),
    ("ANY map.@keys == '1'", nil),
    ("SUBQUERY(links, $x, $x.n == 1).@count == 1", nil),
    ("ANY list == ANY set", nil),
    ("@links.Thing.link.@count == 1", nil),
    ("list[0] == 1", nil),
    ("link == NULL", 0),
    ("links.@count == 0", 0),
  ]

  /// Costs that are not known are as high as can be.
  @Test(arguments: costs)
  func eachKindOfConditionHasItsCost(text: String, count: Int?) throws {
    let (condition, table) = try bound(text)
    let costs = ElementCosts(condition, of: table.schema)
    let row = try #require(try table.key(at: 0).flatMap { try table.row(of: $0) })
    try expectEqual(costs.count(of: row, table.schema, limit: 10_000), count ?? 10_000)
    let isFree = ["n ==", "TRUE", "link =="].contains(where: text.hasPrefix)
    expectEqual(costs.isEmpty, isFree)
    // The limit ends the counting.
    try expectEqual(costs.count(of: row, table.schema, limit: 7), min(count ?? 7, 7))
  }

  /// A long constant is compared with each element.
  @Test func longConstantsCountForEachElement() throws {
    let (condition, table) = try bound(
      "ANY texts LIKE '\(String(repeating: "?", count: 160))'")
    let row = try #require(try table.key(at: 0).flatMap { try table.row(of: $0) })
    let costs = ElementCosts(condition, of: table.schema)
    try expectEqual(costs.count(of: row, table.schema, limit: 100_000), 11 * 1_100)
  }

  /// Two objects have the elements for a step.
  @Test func aScanStopsAfterLongCollections() throws {
    for (text, steps) in [("ANY list == 1", 3), ("n == 0", 0)] {
      let (condition, table) = try bound(text)
      var scan = try KeyScan(condition, of: table, in: group)
      var counts: [Int] = []
      while let count = try scan.advance(comparisons: 150) { counts.append(count) }
      expectEqual(scan.keys.count, 5)
      expectEqual(counts.count, steps == 0 ? 0 : 2, "\(counts)")
    }
  }
}
