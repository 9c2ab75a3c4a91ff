// SPDX-License-Identifier: Apache-2.0

// The forms in which clients write conditions (P4 B.2).

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct SubscriptionFormTests {
  /// Two items: the first has the values that the conditions below ask for, the second has others.
  private func makeObjects() throws -> TableGroup {
    let file = try SimulatedFileSystem().openDatabase()
    let group = try WriteGroup(file.beginWrite())
    let items = try group.createTable(named: "class_Item")
    let id = try items.addColumn(named: "_id", type: .objectId)
    try items.setPrimaryKey(id.key)
    for (name, type, isNullable) in [
      ("name", .string, true), ("count", .int, false), ("when", .timestamp, false),
      ("uid", .uuid, false), ("dec", .decimal, false), ("price", .double, false),
      ("done", .bool, false), ("data", .binary, false),
    ] as [(String, ColumnType, Bool)] {
      try items.addColumn(named: name, type: type, isNullable: isNullable)
    }
    let points = try group.createTable(named: "class_Point", kind: .embedded)
    let type = try points.addColumn(named: "type", type: .string)
    let coordinates = try points.addColumn(
      named: "coordinates", type: .double, collection: .list)
    let place = try items.addColumn(named: "place", type: .link, target: points.key)
    let other = try group.createTable(named: "class_Other", kind: .embedded)
    try other.addColumn(named: "type", type: .string)
    try items.addColumn(named: "other", type: .link, target: other.key)
    try items.addColumn(named: "tags", type: .string, collection: .list)
    try items.addColumn(named: "nums", type: .int, collection: .list)
    try items.addColumn(named: "labels", type: .string, collection: .set)
    let dec = DecimalBits(isNegative: false, coefficient: 150, exponent: -2)
    for number in 0..<2 as Range<UInt32> {
      let key = Bytes12(high: 0x6553_F100_0000_0000, low: number)
      let (item, _) = try items.createObject(primaryKey: .objectId(key))
      let values: [(String, TableValue)] = [
        ("name", number == 0 ? .string("O'Neil\n") : .null), ("count", .int(Int64(number) * 9)),
        ("when", .timestamp(Timestamp(seconds: 1_700_000_000 + Int64(number), nanoseconds: 5))),
        ("uid", .uuid(Bytes16(high: 0x3B24_1101_E2BB_4255, low: UInt64(number)))),
        (
          "dec",
          .decimal(number == 0 ? dec : DecimalBits(isNegative: false, coefficient: 9, exponent: 0))
        ),
        ("price", .double(number == 0 ? 0.1 : 7)), ("done", .bool(number == 0)),
        ("data", .binary([UInt8(number), 2, 3])),
      ]
      for (name, value) in values {
        try items.set(value, try #require(items.schema.column(named: name)), item)
      }
      let (point, _) = try items.createEmbedded(place, of: item)
      try points.set(.string("Point"), type, point)
      for number in [Double(number) * 10, 50] {
        let list = try points.list(coordinates, point)
        try list.insert(.double(number), at: list.count)
      }
      let tags = try items.list(try #require(items.schema.column(named: "tags")), item)
      for tag in number == 0 ? ["x", "O'Neil\n"] : ["y", "z", "w"] {
        try tags.insert(.string(tag), at: 0)
      }
      let nums = try items.list(try #require(items.schema.column(named: "nums")), item)
      for num in number == 0 ? [4, 5] : [1, 2, 3] { try nums.insert(.int(Int64(num)), at: 0) }
      let labels = try items.set(try #require(items.schema.column(named: "labels")), item)
      try labels.insert(.string(number == 0 ? "x" : "y"))
    }
    return try TableGroup(group.commit())
  }

  private static let first = "6553f1000000000000000000"

  /// Each selects the first item, and not the second.
  @Test(arguments: [
    "(TRUEPREDICATE and done == true)", "(count < 1)", "(count between {-1, 4})",
    "(count > 5 and count < 10 or count == 0) and done == true", "!(count > 4 and count < 10)",
    "name != NULL", "name ==[c] B64\"b25laWwK\" or name == B64\"TydOZWlsCg==\"",
    "name == B64\"TydOZWlsCg==\"", "name ==[c] B64\"bydORUlMCg==\"",
    "name BEGINSWITH B64\"Tyc=\"", "name CONTAINS[c] B64\"bmVpbAo=\"",
    "name LIKE B64\"TypsCg==\"", "name ENDSWITH \"\\n\"",
    "name IN {B64\"TydOZWlsCg==\", \"b\"}", "name IN {\"b\", \"a\", 'O\\'Neil\\n'}",
    "when < T1700000000:6", "when == T1700000000:5", "when <= 2023-11-14@22:13:20:5",
    "_id == oid(\(first))", "uid == uuid(3b241101-e2bb-4255-0000-000000000000)",
    "\"x\" == tags", "'x' IN tags", "ANY tags == {\"x\", \"b\"}", "ANY tags IN {'a','x'}",
    "B64\"TydOZWlsCg==\" == tags", "B64\"TydOZWlsCg==\" IN tags", "\"X\" ==[c] tags",
    "ANY tags == B64\"TydOZWlsCg==\"", "\"x\" == labels", "4 == nums",
    "ALL nums > 3", "NONE nums == 1", "ANY nums > 4", "tags.@size == 2", "tags.@count < 3",
    "labels.@size == 1 and done == TRUE", "NONE tags IN {\"y\", \"q\"}",
    "price == 0.10000000000000001", "dec == 1.50", "dec < 2", "data == B64\"AAID\"",
    "(TRUEPREDICATE) and (count < 5)", "FALSEPREDICATE or done == true",
    "place GEOWITHIN geoBox([-1, 49], [1, 51])", "place geoWithin geoCircle([0.0, 50.0], 0.01)",
    "!(place GEOWITHIN geoBox([9, 49], [11, 51]))",
    "place GEOWITHIN geoPolygon({[-1, 49], [1, 49], [1, 51], [-1, 51], [-1, 49]})",
    "(count == 0) OR (count == 1)", "nums.@count == tags.@count and count == 0",
  ])
  func itSelectsTheFirst(_ condition: String) throws {
    let objects = try makeObjects()
    let view: View
    switch try View.bind(EffectiveQuery(["Item": condition]), to: objects) {
    case .success(let bound): view = bound
    case .failure(let refusal):
      Issue.record("\(condition): \(refusal.document.message)")
      return
    }
    let keys = try view.keys(ofClass: "Item", in: objects)
    let table = try #require(try objects.table(named: "class_Item"))
    let id = try #require(table.schema.column(named: "_id"))
    let found = try keys.map { try #require(try table.row(of: $0)).value(of: id) }
    let expected = TableValue.objectId(Bytes12(high: 0x6553_F100_0000_0000, low: 0))
    expectEqual(found, [expected], "\(condition)")
  }

  @Test(arguments: [
    ("nums == tags", "comparisons of lists with lists"),
    ("ANY nums == ANY tags", "comparisons of lists with lists"),
    ("nums == nums", "comparisons of lists with lists"),
    ("nums.@avg > 1", "aggregates"), ("nums.@max > 1", "aggregates"),
    ("nums.@min > 1", "aggregates"), ("nums.@sum > 1", "aggregates"),
    ("count > 1 SORT(count ASC)", "SORT, DISTINCT and LIMIT"),
    ("count > 1 DISTINCT(count)", "SORT, DISTINCT and LIMIT"),
    ("count > 1 LIMIT(1)", "SORT, DISTINCT and LIMIT"),
    ("count + 1 GEOWITHIN geoCircle([0, 50], 1)", "regions beside other things than fields"),
    ("a.b == 1", "key paths across links"),
    ("@links.Item.a.@count > 0", "key paths without a property"),
  ])
  func itIsRefusedAs(_ condition: String, _ what: String) throws {
    let refusal = try View.bind(EffectiveQuery(["Item": condition]), to: makeObjects())
    guard case .failure(let refusal) = refusal else {
      Issue.record("\(condition) was accepted")
      return
    }
    expectEqual(refusal.code, .badQuery)
    expectEqual(
      refusal.document.message, "Invalid query: \(what) are not supported in subscriptions")
  }

  @Test(arguments: ["other", "name", "missing"])
  func otherFieldsAreNoPositions(_ name: String) throws {
    let condition = "\(name) GEOWITHIN geoCircle([0, 50], 1)"
    let refusal = try View.bind(EffectiveQuery(["Item": condition]), to: makeObjects())
    guard case .failure(let refusal) = refusal else {
      Issue.record("\(name) was accepted")
      return
    }
    expectEqual(
      refusal.document.message,
      "Invalid query: \"Item\": key \"\(name)\" is not a queryable field")
  }

  /// What an object's position was is known from the touches, and run by the same code.
  @Test func pastPositionsAreSelected() throws {
    let objects = try makeObjects()
    let table = try #require(try objects.table(named: "class_Item"))
    let query = EffectiveQuery(["Item": "place GEOWITHIN geoBox([-1, 49], [1, 51])"])
    let view = try View.bind(query, to: objects).get()
    var values: [[String: TableValue]] = []
    for index in 0..<2 {
      let key = try #require(try table.key(at: index))
      let row = try #require(try table.row(of: key))
      let all = try row.queryableValues(table.schema, in: objects)
      values.append(Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.value) }))
    }
    expectEqual(values[0]["place"], .list([.double(0), .double(50)]))
    expectEqual(values[0]["other"], nil)
    values.append(values[0])
    values[2]["place"] = .null
    let found = try ViewScratch().selected(
      of: values, ofClass: "Item", table.schema, points: objects.pointNames(of: table.schema),
      by: view)
    expectEqual(found, [0])
  }
}
