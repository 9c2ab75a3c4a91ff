// SPDX-License-Identifier: Apache-2.0

// Filters of roles on properties of all types.

import RealmFormats
import RealmStorage
import RealmTables
import Synchronization
import TestExtensions
import Testing

@testable import RealmServerEngine

struct FilterBindingTests {
  private static let fileCount = Atomic(0)
  private static let id = Bytes12(high: 1, low: 2)
  private static let uuid = Bytes16(high: 3, low: 4)

  /// One object with a value of each type, and one with those of new objects.
  private static func objects() throws -> (group: TableGroup, keys: [ObjectKey]) {
    let number = fileCount.add(1, ordering: .relaxed).newValue
    let file = try DatabaseFile.open(
      path: "/filters-\(number).realm", options: OpenOptions(isInMemory: true))
    let group = try WriteGroup(file.beginWrite())
    let table = try group.createTable(named: "class_Thing")
    let values: [(String, ColumnType, TableValue)] = [
      ("text", .string, .string("a\"b\n")), ("number", .int, .int(3)), ("flag", .bool, .bool(true)),
      ("real", .double, .double(2.5)), ("small", .float, .float(1.5)),
      ("exact", .decimal, .decimal(try #require(DecimalBits(text: "1.5")))),
      ("object", .objectId, .objectId(id)), ("uuid", .uuid, .uuid(uuid)),
      ("bytes", .binary, .binary([1, 2])),
      ("date", .timestamp, .timestamp(Timestamp(seconds: 1, nanoseconds: 500_000_000))),
    ]
    let key = try table.createObject().key
    let other = try table.createObject().key
    for (name, type, value) in values {
      let column = try table.addColumn(named: name, type: type, isNullable: true)
      try table.set(value, column, key)
    }
    let tags = try table.addColumn(named: "tags", type: .string, collection: .list)
    try table.list(tags, key).insert(.string("x"), at: 0)
    try table.addColumn(named: "any", type: .mixed)
    _ = try group.commit()
    return (try TableGroup(file.snapshot(), schemas: SchemaCache()), [key, other])
  }

  /// Whether the first and the second object pass.
  private static func passing(_ filter: String) throws -> [Bool] {
    let json = try JSONParser.parse(filter)
    let filter = try DocumentFilterReader(rules: RuleReader()).filter(json, at: [])
      .resolved(in: RuleContext(user: RuleUser(id: "u"), partition: nil))
    let (objects, all) = try objects()
    let view = try View.bind(
      EffectiveQuery(["Thing": "TRUEPREDICATE"], filters: ["Thing": filter]), to: objects
    ).get()
    let keys = try view.keys(ofClass: "Thing", in: objects)
    return all.map(keys.contains)
  }

  @Test(arguments: [
    (#"{"text":"a\"b\n"}"#, true, false), (#"{"text":{"$gt":"a"}}"#, true, false),
    (#"{"number":3}"#, true, false), (#"{"number":3.0}"#, true, false),
    (#"{"number":{"$numberInt":"3"}}"#, true, false), (#"{"number":{"$lt":3.5}}"#, true, false),
    (#"{"number":{"$gte":{"$numberLong":"3"}}}"#, true, false), (#"{"flag":true}"#, true, false),
    (#"{"real":2.5}"#, true, false), (#"{"real":{"$gt":2}}"#, true, false),
    (#"{"small":{"$lte":1.5}}"#, true, false),
    (#"{"exact":{"$numberDecimal":"1.50"}}"#, true, false),
    (#"{"exact":{"$lt":2}}"#, true, false),
    (#"{"object":{"$oid":"000000000000000100000002"}}"#, true, false),
    (#"{"uuid":{"$uuid":"00000000-0000-0003-0000-000000000004"}}"#, true, false),
    (#"{"bytes":{"$binary":{"base64":"AQI=","subType":"00"}}}"#, true, false),
    (#"{"date":{"$date":1500}}"#, true, false), (#"{"date":{"$lt":{"$date":1501}}}"#, true, false),
    // Null is a value, without an order.
    (#"{"number":null}"#, false, true), (#"{"number":{"$ne":null}}"#, true, false),
    (#"{"number":{"$lt":null}}"#, false, false), (#"{"number":{"$lte":5}}"#, true, false),
    // A list equals each of its elements.
    (#"{"tags":"x"}"#, true, false), (#"{"tags":{"$ne":"x"}}"#, false, true),
    (#"{"tags":{"$all":["x"]}}"#, true, false), (#"{"tags":{"$all":["x","y"]}}"#, false, false),
    (#"{"tags":{"$in":["y","x"]}}"#, true, false), (#"{"tags":{"$nin":["y"]}}"#, true, true),
    // Values of other types are not equal.
    (#"{"text":3}"#, false, false), (#"{"text":{"$ne":3}}"#, true, true),
    (#"{"number":"3"}"#, false, false), (#"{"flag":1}"#, false, false),
    (#"{"object":"000000000000000100000002"}"#, false, false), (#"{"tags":null}"#, false, false),
    (#"{"$or":[{"text":3},{"number":3}]}"#, true, false),
    (#"{"flag":{"$gt":false}}"#, false, false),
    // What is missing, or cannot be asked for, admits nothing.
    (#"{"missing":1}"#, false, false), (#"{"missing":{"$ne":1}}"#, false, false),
    (#"{"any":{"$ne":1}}"#, false, false), (#"{"$or":[{"missing":1},{"number":3}]}"#, true, false),
  ])
  func filtersMean(_ filter: String, _ first: Bool, _ second: Bool) throws {
    try expectEqual(Self.passing(filter), [first, second], "\(filter)")
  }
}
