// SPDX-License-Identifier: Apache-2.0

// The calls of a recorder for each kind of write, and their order.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("A recorder") struct RecordingRuleTests {
  // MARK: Schema

  @Test func recordsTablesThenColumnsThenPrimaryKeys() throws {
    let database = try RecordedDatabase()
    let writes = try database.write { group in
      let table = try group.createTable(named: "class_New", kind: .asymmetric)
      let id = try table.addColumn(named: "id", type: .uuid, isNullable: true)
      try table.addColumn(named: "n", type: .int)
      try table.setPrimaryKey(id.key)
    }
    let table = try database.database.table("class_New")
    var id = try table.schema.existing("id")
    expectEqual(writes.count, 4)
    expectEqual(writes[0], .addTable("class_New", table.key, .asymmetric))
    guard case .addColumn(let told, table.key) = writes[1] else {
      Issue.record("\(writes[1])")
      return
    }
    expectFalse(told.isPrimaryKey)
    expectEqual(told.key, id.key)
    expectTrue(told.isNullable)
    id = try table.schema.existing("n")
    expectEqual(writes[2], .addColumn(id, table.key))
    expectEqual(writes[3], .setPrimaryKey("id", table.key))
  }

  @Test func recordsRemovedColumnsWithoutTheirEmbeddedObjects() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      _ = try tables.things.createEmbedded(try tables.column("part"), of: thing)
      let writes = try tables.recorded {
        try tables.things.columns.remove(try tables.column("part").key)
      }
      expectEqual(writes, [.eraseColumn("part", tables.things.key)])
      try expectEqual(tables.parts.objectCount(), 0)
    }
  }

  @Test func recordsRemovedTablesAfterTheirObjects() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let other = try group.createTable(named: "class_Other")
      try other.addColumn(named: "n", type: .int)
      let object = try other.createObject().key
      let thing = try tables.thing("a")
      try tables.things.setMixed(.typedLink(other.key, object), try tables.column("any"), thing)
      let writes = try tables.recorded { try group.removeTable(other.key) }
      expectEqual(
        writes,
        [
          .set(.null, tables.place("any", thing), isDefault: false),
          .erase(.init(table: other.key, key: object)),
          .eraseTable(other.key),
        ])
    }
  }

  @Test func forbidsToRenameColumns() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let column = try tables.column("count")
      #expect(throws: StorageError.self) {
        try tables.things.columns.rename(column.key, to: "other")
      }
      group.recorder = nil
      try tables.things.columns.rename(column.key, to: "other")
    }
  }

  /// Other devices know a table by its name.
  @Test func forbidsToRenameTables() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let key = try RecordedTables(group).things.key
      #expect(throws: StorageError.self) { try group.renameTable(key, to: "class_Other") }
      #expect(try group.table(named: "class_Other") == nil)
      group.recorder = nil
      try group.renameTable(key, to: "class_Other")
      #expect(try group.table(named: "class_Other") != nil)
    }
  }

  // MARK: Creation

  @Test func recordsCreationBeforeDefaultsAndValues() throws {
    let database = try RecordedDatabase()
    let writes = try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      try tables.things.set(.int(3), try tables.column("count"), thing, isDefault: true)
      try tables.things.set(.int(4), try tables.column("maybe"), thing)
    }
    let table = try database.database.table("class_Thing")
    let thing = try #require(try table.key(at: 0))
    let object = RecordedWrite.Object(table: table.key, key: thing)
    expectEqual(
      writes,
      [
        .create(object, primaryKey: .string("a")),
        .set(.int(3), .init(object: object, column: "count"), isDefault: true),
        .set(.int(4), .init(object: object, column: "maybe"), isDefault: false),
      ])
  }

  /// A new object may begin with values; they are recorded in the order of the columns.
  @Test func recordsTheValuesThatAnObjectBeginsWith() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let values = BeginningValues([
        try tables.column("maybe").leafIndex, try tables.column("count").leafIndex,
      ])
      var key = ObjectKey.null
      let writes = try tables.recorded {
        key = try tables.things.createObject(primaryKey: .string("a"), beginningWith: values).key
      }
      expectEqual(
        writes,
        [
          .create(.init(table: tables.things.key, key: key), primaryKey: .string("a")),
          .set(.int(7), tables.place("count", key), isDefault: false),
          .set(.int(7), tables.place("maybe", key), isDefault: false),
        ])
    }
  }

  @Test func neverRecordsTheAssignmentOfAPrimaryKey() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      let writes = try tables.recorded {
        try tables.things.set(.string("b"), try tables.column("id"), thing)
      }
      expectTrue(writes.isEmpty)
    }
  }

  /// Such a default would erase the embedded object that another device creates meanwhile.
  @Test func doesNotRecordADefaultNullOfALinkThatIsNull() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let (thing, other) = (try tables.thing("a"), try tables.thing("b"))
      let link = try tables.column("link")
      try expectEqual(
        tables.recorded { try tables.things.set(.null, link, thing, isDefault: true) }, [])
      try expectEqual(
        tables.recorded { try tables.things.set(.null, link, thing) },
        [.set(.null, tables.place("link", thing), isDefault: false)])
      try tables.things.setLink(other, link, thing)
      try expectEqual(
        tables.recorded { try tables.things.set(.null, link, thing, isDefault: true) },
        [.set(.null, tables.place("link", thing), isDefault: true)])
    }
  }

  /// Objects of asymmetric classes are for the server alone.
  @Test func recordsObjectsThatNoVersionEverHas() throws {
    let database = try RecordedDatabase()
    var writes = try database.write { group in
      let table = try group.createTable(named: "class_Event", kind: .asymmetric)
      try table.addColumn(named: "n", type: .int)
      let parts = try group.existing("class_Part")
      try table.addColumn(named: "part", type: .link, target: parts.key)
    }
    writes = try database.write { group in
      let table = try group.existing("class_Event")
      let event = try table.createObject().key
      try table.set(.int(3), try table.schema.existing("n"), event)
      _ = try table.createEmbedded(try table.schema.existing("part"), of: event)
    }
    expectEqual(writes.count, 3)
    try expectEqual(database.database.table("class_Event").objectCount(), 0)
    try expectEqual(database.database.table("class_Part").objectCount(), 0)
    // Without a recorder they would be lost.
    try database.database.write { try $0.existing("class_Event").createObject() }
    try expectEqual(database.database.table("class_Event").objectCount(), 1)
  }

  @Test func recordsNothingOfWritesThatAreNotToBeRecorded() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let writes = try tables.recorded {
        _ = try group.withoutRecording(tables.things.createObject(primaryKey: .string("a")))
      }
      expectTrue(writes.isEmpty)
      expectTrue(group.recorder === database.transcript)
    }
  }

  // MARK: Numbers

  @Test func recordsAmountsThatAreAdded() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      let (count, maybe) = (try tables.column("count"), try tables.column("maybe"))
      try tables.things.set(.int(.max), count, thing)
      let writes = try tables.recorded {
        try tables.things.add(2, to: count, of: thing)
        try tables.things.add(2, to: maybe, of: thing)
      }
      expectEqual(writes, [.add(2, tables.place("count", thing))])
      try expectEqual(tables.things.row(of: thing)?.int(count.leafIndex), .min + 1)
      try expectEqual(tables.things.row(of: thing)?.optionalInt(maybe.leafIndex), nil)
      try tables.things.setMixed(.string("no number"), try tables.column("any"), thing)
      for name in ["any", "id", "numbers"] {
        #expect(throws: StorageError.self) {
          try tables.things.add(1, to: try tables.column(name), of: thing)
        }
      }
    }
  }

  // MARK: Collections

  @Test func recordsTheStepsOfLists() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      let place = tables.place("numbers", thing)
      let writes = try tables.recorded {
        let list = try tables.list("numbers", thing)
        try list.append(.int(1))
        try list.insert(.int(2), at: 0)
        try list.set(.int(3), at: 1)
        try list.move(from: 0, to: 1)
        try list.remove(at: 0)
        try list.removeAll()
        try list.removeAll()
      }
      expectEqual(
        writes,
        [
          .insert(.int(1), at: 0, place, priorSize: 0),
          .insert(.int(2), at: 0, place, priorSize: 1),
          .replace(.int(3), at: 1, place, priorSize: 2),
          .move(from: 0, to: 1, place, priorSize: 2),
          .remove(at: 0, place, priorSize: 2),
          .clear(place, .list),
        ])
    }
  }

  @Test func recordsTheStepsOfSetsAndDictionaries() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      let (inSet, inMap) = (tables.place("anySet", thing), tables.place("anyMap", thing))
      let writes = try tables.recorded {
        let set = try tables.things.set(try tables.column("anySet"), thing)
        for _ in 0..<2 { try set.insert(.int(1)) }
        try set.insert(.string("x"))
        for _ in 0..<2 { try set.remove(.int(1)) }
        try set.removeAll()
        let map = try tables.map("anyMap", thing)
        try map.set(.int(1), for: "k")
        try map.set(.null, for: "k")
        for _ in 0..<2 { try map.remove("k") }
        try map.removeAll()
      }
      expectEqual(
        writes,
        [
          .insertMember(.int(1), inSet), .insertMember(.string("x"), inSet),
          .eraseMember(.int(1), inSet), .clear(inSet, .set),
          .setEntry(.int(1), for: "k", inMap), .setEntry(.null, for: "k", inMap),
          .eraseEntry(for: "k", inMap),
        ])
    }
  }

  @Test func recordsCollectionsInMixedValuesElementByElement() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      let any = try tables.column("any")
      let value = TableValue.list([
        .int(1),
        .dictionary(
          TableDictionary([
            .init(key: "k", value: .list([.bool(true)])), .init(key: "l", value: .null),
          ])),
      ])
      let emptyMap = TableValue.dictionary(TableDictionary([]))
      let elements: [RecordedWrite] = [
        .insert(.int(1), at: 0, tables.place("any", thing), priorSize: 0),
        .insert(emptyMap, at: 1, tables.place("any", thing), priorSize: 1),
        .setEntry(.list([]), for: "k", tables.place("any", thing, .index(1))),
        .insert(
          .bool(true), at: 0, tables.place("any", thing, .index(1), .key("k")), priorSize: 0),
        .setEntry(.null, for: "l", tables.place("any", thing, .index(1))),
      ]
      let assignment = RecordedWrite.set(.list([]), tables.place("any", thing), isDefault: false)
      var writes = try tables.recorded { try tables.things.setMixed(value, any, thing) }
      // Making it a list leaves the elements of a list that is there, or that a peer has made
      // meanwhile, so these go by a call.
      let clearing = RecordedWrite.clear(tables.place("any", thing), .list)
      expectEqual(writes, [assignment, clearing] + elements)
      writes = try tables.recorded { try tables.things.setMixed(value, any, thing) }
      expectEqual(writes, [assignment, clearing] + elements)
      writes = try tables.recorded { try tables.things.setMixed(emptyMap, any, thing) }
      expectEqual(
        writes,
        [
          .set(emptyMap, tables.place("any", thing), isDefault: false),
          .clear(tables.place("any", thing), .dictionary),
        ])
    }
  }

  @Test func recordsThePathToNestedCollections() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      let column = try tables.column("anyMap")
      try tables.map("anyMap", thing).set(.list([.int(0), .list([.int(1)])]), for: "k")
      let row = try #require(try tables.things.row(of: thing))
      let outer = try #require(row.dictionary(column).nestedElement(at: 0).step)
      let list = try #require(try row.list(column, [outer]))
      let inner = try #require(list.nestedElement(at: 1).step)
      let writes = try tables.recorded {
        try tables.things.list(column, thing, at: [outer]).remove(at: 0)
        try tables.things.list(column, thing, at: [outer, inner]).append(.int(2))
      }
      expectEqual(
        writes,
        [
          .remove(at: 0, tables.place("anyMap", thing, .key("k")), priorSize: 2),
          .insert(
            .int(2), at: 1, tables.place("anyMap", thing, .key("k"), .index(0)), priorSize: 1),
        ])
    }
  }
}

/// Begins integers with 7.
private final class BeginningValues: InitialValues {
  private let leaves: [Int]

  init(_ leaves: [Int]) { self.leaves = leaves }

  func covers(columnAt leafIndex: Int) -> Bool { leaves.contains(leafIndex) }

  func position(
    ofTextAt leafIndex: Int, _ find: (ByteView?) throws(StorageError) -> Int64?
  ) throws(StorageError) -> Int64? {
    throw .limitExceeded("these are integers")
  }

  func insert(
    at position: Int, in cluster: MutableNode, except enumerated: NewPositions?,
    _ allocator: NodeAllocator
  ) throws(StorageError) {
    for (number, leaf) in leaves.enumerated() {
      let old = try cluster.node.ref(at: leaf + 1)
      let new =
        number == 0
        ? try NullableIntegerLeaf.insert(7, at: position, in: old, allocator)
        : try IntegerLeaf.insert(7, at: position, in: old, allocator)
      if new != old { cluster.store(new.slot, at: leaf + 1) }
    }
  }
}
