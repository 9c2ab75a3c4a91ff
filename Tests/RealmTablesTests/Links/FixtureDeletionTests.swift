// SPDX-License-Identifier: Apache-2.0

// Deleting and resurrecting in files that Realm Core wrote: sets, dictionaries, nested collections,
// tombstones, enumerated strings and full-text indexes included.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct FixtureDeletionTests {
  @Test(
    .heavy, arguments: ["all-types", "schema-changes", "after-many-commits", "tombstones", "todo"])
  func objectsGoFromEveryTable(_ fixture: String) throws {
    let database = try TestDatabase(fixture: fixture)
    // Two of three objects go in several transactions, then all.
    for round in 0..<3 {
      try database.write { group in
        for key in try group.tableKeys() {
          let table = try #require(try group.table(key))
          guard table.schema.kind == .topLevel else { continue }
          var objects: [ObjectKey] = []
          for cluster in try table.table.clusters.all() {
            for index in 0..<cluster.count { objects.append(cluster.key(at: index)) }
          }
          for (index, object) in objects.enumerated() where index % 3 == round {
            try table.delete(object)
          }
        }
      }
    }
    try database.reopen()
    try database.write { group in
      for key in try group.tableKeys() {
        let table = try #require(try group.table(key))
        if table.schema.kind == .topLevel { try table.deleteAll() }
      }
    }
    let group = try database.read()
    for key in try group.tableKeys() {
      let table = try #require(try group.table(key))
      try expectEqual(table.objectCount(), 0)
      // Nothing links to a tombstone any more.
      try expectEqual(table.tombstones?.count() ?? 0, 0)
    }
  }

  @Test func aTombstoneIsResurrectedByItsPrimaryKey() throws {
    let database = try TestDatabase(fixture: "tombstones")
    let before = try database.table("class_Target")
    let origins = try database.table("class_Origin")
    let link = try #require(origins.schema.column(named: "link"))
    var hidden: [(tombstone: ObjectKey, primaryKey: TableValue)] = []
    let id = try #require(before.schema.primaryKey)
    for cluster in try before.tombstones?.all() ?? [] {
      for index in 0..<cluster.count {
        hidden.append((cluster.key(at: index), try cluster.row(at: index).value(of: id)))
      }
    }
    expectEqual(hidden.count, 7)
    var expected: [ObjectKey: ObjectKey] = [:]
    try database.write { group in
      let targets = try #require(try group.table(named: "class_Target"))
      for (tombstone, primaryKey) in hidden {
        let new = try targets.createObject(primaryKey: primaryKey).key
        for cluster in try origins.clusters.all() {
          for index in 0..<cluster.count
          where try cluster.row(at: index).storedLink(link.leafIndex) == tombstone {
            expected[cluster.key(at: index)] = new
          }
        }
      }
    }
    try database.reopen()
    let now = try database.table("class_Origin")
    expectFalse(expected.isEmpty)
    for (origin, target) in expected {
      try expectEqual(now.row(of: origin)?.link(link.leafIndex), target)
    }
    try expectEqual(database.table("class_Target").tombstones?.count(), 0)
    try expectEqual(database.table("class_Target").objectCount(), 20)
    // Lists have their full length back.
    let links = try #require(now.schema.column(named: "links"))
    let row = try #require(try now.row(of: ObjectKey(0)))
    #expect(try row.list(links).count > 1)
    #expect(try !now.space.node(at: row.collectionRoot(links.leafIndex)).header.hasContext)
  }

  @Test func listsAreEditedAroundHiddenLinks() throws {
    let database = try TestDatabase(fixture: "tombstones")
    try database.write { group in
      let origins = try #require(try group.table(named: "class_Origin"))
      let links = try #require(origins.schema.column(named: "links"))
      let list = try origins.list(links, ObjectKey(0))
      try expectEqual(list.view.keys(), [ObjectKey(1)])
      try list.insert(.link(ObjectKey(2)), at: 0)
      try list.append(.link(ObjectKey(4)))
      try list.set(.link(ObjectKey(5)), at: 1)
      try expectEqual(list.view.keys(), [2, 5, 4].map { ObjectKey($0) })
      try list.move(from: 0, to: 2)
      try list.remove(at: 0)
      try expectEqual(list.view.keys(), [4, 2].map { ObjectKey($0) })
    }
    let origins = try database.table("class_Origin")
    let links = try #require(origins.schema.column(named: "links"))
    let row = try #require(try origins.row(of: ObjectKey(0)))
    try expectEqual(row.list(links).keys(), [4, 2].map { ObjectKey($0) })
    // The hidden ones are still there.
    #expect(try origins.space.node(at: row.collectionRoot(links.leafIndex)).header.hasContext)
  }

  @Test func enumeratedStringsStayEnumerated() throws {
    let database = try TestDatabase(fixture: "all-types")
    let before = try database.table("class_EnumStrings")
    let column = try #require(before.schema.columns.first { $0.isEnumerated })
    var expected: [ObjectKey: TableValue] = [:]
    for cluster in try before.clusters.all() {
      for index in 0..<cluster.count {
        expected[cluster.key(at: index)] = try cluster.row(at: index).value(of: column)
      }
    }
    let first = try #require(expected.keys.min())
    try database.write { group in
      let table = try #require(try group.table(named: "class_EnumStrings"))
      try table.set(.string("something new"), column, first)
    }
    expected[first] = .string("something new")
    try database.reopen()
    let after = try database.table("class_EnumStrings")
    expectEqual(after.schema.columns.first { $0.key == column.key }?.isEnumerated, true)
    for (key, value) in expected { try expectEqual(after.row(of: key)?.value(of: column), value) }
  }
}
