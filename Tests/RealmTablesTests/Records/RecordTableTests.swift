// SPDX-License-Identifier: Apache-2.0

// Tables that a program keeps for itself.

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@Suite("Tables of records") struct RecordTableTests {
  private static let parts = RecordLayout(
    "parts", kind: .embedded, [RecordField("name", .string), RecordField("size", .int)])
  private static let things = RecordLayout(
    "things", hasPrimaryKey: true,
    [
      RecordField("id", .string), RecordField("number", .int),
      RecordField("note", .string, isNullable: true),
      RecordField("data", .binary, isNullable: true), RecordField("at", .timestamp),
      RecordField("key", .objectId),
      RecordField("parts", .link, collection: .list, target: "parts"),
      RecordField("part", .link, target: "parts"),
      RecordField("later", .int, isNullable: true, isLater: true),
    ])

  private let file: DatabaseFile

  init() throws {
    file = try SimulatedFileSystem().openDatabase()
    try write { group in
      try Self.parts.make(in: group)
      try Self.things.make(in: group)
    }
  }

  private func write(_ body: (WriteGroup) throws -> Void) throws {
    let group = try WriteGroup(file.beginWrite())
    do {
      try body(group)
      _ = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
  }

  private func read() throws -> TableGroup { try TableGroup(file.snapshot()) }

  @Test func aRevisionChangesWithItsTableAlone() throws {
    func revisions() throws -> [TableRevision?] {
      let group = try read()
      return try ["things", "parts", "missing"].map { try group.revision(ofTable: $0) }
    }
    var last = try revisions()
    expectTrue(last[0] != nil && last[0] != last[1])
    expectTrue(last[2] == nil)
    func expectChange(
      _ isChanged: [Bool], _ name: Comment, _ body: (WriteGroup) throws -> Void
    ) throws {
      try write(body)
      let next = try revisions()
      expectEqual(zip(last, next).map { $0 != $1 }, isChanged + [false], name)
      last = next
    }
    try expectChange([false, false], "another table") { group in
      _ = try group.createTable(named: "others")
    }
    try expectChange([true, false], "an object") { group in
      _ = try Self.things.table(in: group).findOrCreate(.string("a"))
    }
    try expectChange([true, false], "a value") { group in
      try Self.things.table(in: group).find(.string("a"))?.set(3 as Int64?, "number")
    }
    try expectChange([true, true], "an element of a list") { group in
      let row = try Self.things.table(in: group).find(.string("a"))
      _ = try row?.append(to: "parts", in: Self.parts.table(in: group))
    }
    try expectChange([false, true], "a value of an element") { group in
      var parts = try Self.parts.table(in: group).records()
      try parts.next()?.set(4 as Int64?, "size")
    }
    try expectChange([true, false], "a column") { group in
      try group.table(named: "things")?.addColumn(named: "new", type: .int)
    }
    try expectChange([true, true], "no object any more") { group in
      let things = try Self.things.table(in: group)
      try things.delete(things.keys())
    }
    try expectChange([false, false], "nothing") { _ in }
    let first = last[0]
    try write { group in
      try Self.things.remove(from: group)
      try Self.things.make(in: group)
    }
    #expect(try revisions()[0] != first)
  }

  @Test func fieldsAreReadAsTheyWereWritten() throws {
    try write { group in
      let parts = try Self.parts.table(in: group)
      let row = try Self.things.table(in: group).findOrCreate(.string("a"))
      try row.set(UInt64.max, "number")
      try row.set("hello" as String?, "note")
      try row.set([1, 2] as [UInt8]?, "data")
      try row.set(.timestamp(Timestamp(seconds: 3, nanoseconds: 4)), "at")
      try row.set(.objectId(Bytes12(high: 5, low: 6)), "key")
      for size in 0..<3 as Range<Int64> {
        let part = try row.append(to: "parts", in: parts)
        try part.set("p\(size)" as String?, "name")
        try part.set(size, "size")
      }
      try row.embed("part", in: parts).set(clamping: UInt64.max, "size")
      // A row is found again, wherever changes have moved it.
      #expect(try row.bits("number") == .max && row.optionalText("note") == "hello")
    }
    let group = try read()
    let parts = try Self.parts.table(in: group)
    let table = try Self.things.table(in: group)
    let row = try #require(try table.find(.string("a")))
    #expect(try row.text("id") == "a" && row.integer("number") == -1)
    #expect(throws: StorageError.self) { try row.natural("number") }
    #expect(try row.text("note") == "hello" && row.bytes("data") == [1, 2])
    try expectEqual(row.timestamp("at"), Timestamp(seconds: 3, nanoseconds: 4))
    try expectEqual(row.objectId("key"), Bytes12(high: 5, low: 6))
    try expectEqual(row.links("parts", in: parts).map { try $0.text("name") }, ["p0", "p1", "p2"])
    try expectEqual(row.link("part", in: parts)?.natural("size"), UInt64(Int64.max))
    try expectEqual(row.optionalInteger("later"), nil)
    #expect(try table.count() == 1 && table.find(.string("b")) == nil)
  }

  @Test func nullIsNoValueOfARequiredRead() throws {
    try write { group in _ = try Self.things.table(in: group).findOrCreate(.string("a")) }
    let row = try #require(try Self.things.table(in: read()).find(.string("a")))
    #expect(try row.optionalText("note") == nil && row.optionalBytes("data") == nil)
    #expect(throws: StorageError.self) { try row.text("note") }
    #expect(throws: StorageError.self) { try row.bytes("data") }
    #expect(throws: StorageError.self) { try row.integer("later") }
    #expect(throws: StorageError.self) { try row.integer("note") }
    #expect(throws: StorageError.self) { try row.value("none") }
  }

  @Test func recordsAreWalkedInTheOrderOfTheirKeys() throws {
    let layout = RecordLayout("log", [RecordField("text", .string)])
    let numbers = Array(stride(from: Int64(3), to: 3_000, by: 3))
    try write { group in
      let table = try layout.make(in: group)
      for number in numbers {
        try table.create(under: ObjectKey(number)).set("\(number)" as String?, "text")
      }
      let range = ObjectKey(30)...ObjectKey(300)
      try table.delete(table.keys(in: range))
      #expect(try table.record(ObjectKey(300)) == nil && table.record(ObjectKey(303)) != nil)
    }
    let table = try layout.table(in: read())
    var rows = try table.records(from: ObjectKey(20))
    try expectEqual(rows.next()?.text("text"), "21")
    try expectEqual(
      table.keys(in: ObjectKey(25)...ObjectKey(310)).map(\.rawValue), [27, 303, 306, 309])
    try expectEqual(table.keys().map(\.rawValue), numbers.filter { $0 < 30 || $0 > 300 })
    try expectEqual(table.keys(in: ObjectKey(31)...ObjectKey(31)), [])
  }

  /// `RecordLayout` 1
  @Test func aTableWithoutAFieldIsDamaged() throws {
    for name in ["number", "note"] {
      let other = RecordLayout(
        "things", hasPrimaryKey: true, Self.things.fields.filter { $0.name != name })
      let fresh = try SimulatedFileSystem().openDatabase()
      let group = try WriteGroup(fresh.beginWrite())
      try Self.parts.make(in: group)
      try other.make(in: group)
      #expect(throws: StorageError.self) { try Self.things.table(in: group) }
      group.rollback()
    }
    let group = try WriteGroup(SimulatedFileSystem().openDatabase().beginWrite())
    try RecordLayout("things", [RecordField("id", .int)]).make(in: group)
    #expect(throws: StorageError.self) {
      try RecordLayout("things", [RecordField("id", .string)]).find(in: group)
    }
    #expect(try Self.parts.find(in: group) == nil)
    #expect(throws: StorageError.self) { try Self.parts.table(in: group) }
    group.rollback()
  }

  /// `RecordLayout` 1
  @Test func olderFilesGetTheFieldsThatTheyLack() throws {
    try write { group in
      let table = try #require(try group.table(named: "things"))
      try table.columns.remove(try #require(table.schema.column(named: "later")).key)
      _ = try Self.things.table(in: group).findOrCreate(.string("a"))
    }
    #expect(try Self.things.lacksFields(in: read()))
    let old = try #require(try Self.things.table(in: read()).find(.string("a")))
    try expectEqual(old.optionalInteger("later"), nil)
    try write { group in
      let row = try #require(try Self.things.table(in: group).find(.string("a")))
      #expect(throws: StorageError.self) { try row.set(1 as Int64?, "later") }
      #expect(throws: StorageError.self) { try Self.things.checkExactly(in: group) }
      #expect(try Self.things.addLater(in: group) && !Self.things.addLater(in: group))
      try Self.things.makeIfMissing(in: group)
      try Self.things.table(in: group).find(.string("a"))?.set(1 as Int64?, "later")
    }
    #expect(try !Self.things.lacksFields(in: read()))
    try expectEqual(
      Self.things.table(in: read()).find(.string("a"))?.optionalInteger("later"), 1)
  }
}
