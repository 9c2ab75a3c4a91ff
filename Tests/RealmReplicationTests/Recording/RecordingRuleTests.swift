// SPDX-License-Identifier: Apache-2.0

// What writes are recorded as: the rows of P2 B and P5 2, those that the tests of tables do
// not show already.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@Suite("Recorded writes")
struct RecordingRuleTests {
  private let file: ReplicaFile

  /// Makes the classes of `Changeset.addItems` and the objects `a` and `b`.
  init() throws {
    file = try ReplicaFile()
    try file.apply { changeset in
      let item = changeset.addItems()
      changeset.create(item, "a")
      changeset.create(item, "b")
    }
  }

  private func lines(
    _ body: (WriteGroup, WritableTable, ObjectKey) throws -> Void
  ) throws -> [String] {
    try file.lines { group in
      let item = try group.existing("Item")
      let (key, _) = try #require(try item.findRow(primaryKey: .string("a")))
      try body(group, item, key)
    }
  }

  // MARK: Schema

  /// `SyncRecorder` 1.
  @Test func aClassWaitsForItsKeyAndItsPropertiesForAllClasses() throws {
    let lines = try file.lines { group in
      let one = try group.createTable(named: "class_One")
      try one.addColumn(named: "x", type: .int)
      let id = try one.addColumn(named: "id", type: .uuid, isNullable: true)
      let two = try group.createTable(named: "class_Two", kind: .embedded)
      try one.addColumn(named: "two", type: .link, collection: .list, target: two.key)
      try one.setPrimaryKey(id.key)
      try group.existing("Item").addColumn(named: "more", type: .mixed)
      _ = try one.createObject(primaryKey: .null)
    }
    expectEqual(
      lines,
      [
        #"AddTable "One" topLevel "id" uuid nullable"#, #"AddTable "Two" embedded"#,
        #"AddColumn "One"."x" int single"#, #"AddColumn "One"."two" link list to "Two""#,
        #"AddColumn "Item"."more" null single nullable"#, #"CreateObject "One"[null]"#,
      ])
  }

  @Test func aClassWithoutKeyHasGlobalKeys() throws {
    let lines = try file.lines { group in
      let one = try group.createTable(named: "class_One")
      let (first, _) = try one.createObject()
      _ = try one.createObject()
      try one.delete(first)
    }
    expectEqual(lines.first, #"AddTable "One" topLevel "" globalKey"#)
    #expect(lines.dropFirst().allSatisfy { $0.contains("globalKey(") && $0.contains("high: 0") })
    expectEqual(lines.last?.hasPrefix("EraseObject"), true)
    expectEqual(lines.count, 4)
  }

  @Test func whatIsAddedAndErasedInOneTransactionIsNothing() throws {
    let bytes = try file.write { group in
      let one = try group.createTable(named: "class_One")
      let column = try one.addColumn(named: "x", type: .int)
      try one.columns.remove(column.key)
      try group.removeTable(one.key)
    }
    expectTrue(bytes.isEmpty)
  }

  @Test func classesAndPropertiesAreErased() throws {
    let lines = try file.lines { group in
      let item = try group.existing("Item")
      try item.columns.remove(item.column(named: "free").key)
      try group.removeTable(group.existing("Free").key)
    }
    expectEqual(lines, [#"EraseColumn "Item"."free""#, #"EraseTable "Free""#])
  }

  /// `ChangesetBuilder` 1: what takes the place of an erased class or property has its own name,
  /// and so has everything in the next changeset.
  @Test func whatTakesAPlaceHasItsOwnName() throws {
    for value in 1...2 as ClosedRange<Int64> {
      let lines = try lines { group, item, key in
        let old = try item.column(named: value == 1 ? "count" : "other1")
        try item.set(.int(value), old.name, key)
        try item.columns.remove(old.key)
        try item.addColumn(named: "other\(value)", type: .int)
        let new = try item.column(named: "other\(value)")
        expectEqual(new.leafIndex, old.leafIndex)
        try item.set(.int(value), new.name, key)
        let first = try group.createTable(named: "class_First\(value)")
        _ = try first.createObject()
        try group.removeTable(first.key)
        let second = try group.createTable(named: "class_Second\(value)")
        expectEqual(second.key.index, first.key.index)
        _ = try second.createObject()
      }
      let item = #""Item"["a"]."#
      let old = value == 1 ? "count" : "other1"
      expectEqual(
        lines.filter { $0.hasPrefix("Update") || $0.hasPrefix("EraseC") },
        [
          #"Update \#(item)"\#(old)" = int(\#(value)) prior 0"#,
          #"EraseColumn "Item"."\#(old)""#,
          #"Update \#(item)"other\#(value)" = int(\#(value)) prior 0"#,
        ])
      let names = lines.filter { $0.hasPrefix("CreateObject") }.map { $0.split(separator: "\"")[1] }
      expectEqual(names, ["First\(value)", "Second\(value)"])
    }
  }

  @Test func thePrimaryKeyOfAClassStays() throws {
    #expect(throws: StorageError.self) {
      try file.write { try $0.existing("Item").setPrimaryKey(nil) }
    }
    #expect(throws: StorageError.self) {
      try file.write { group in
        let one = try group.createTable(named: "class_One")
        let id = try one.addColumn(named: "id", type: .int)
        _ = try one.createObject()
        try one.setPrimaryKey(id.key)
      }
    }
    // What was recorded of a transaction that was rolled back is forgotten.
    #expect(try file.write { _ in }.isEmpty)
  }

  @Test func internalTablesAreNotRecorded() throws {
    let bytes = try file.write { group in
      let table = try group.createTable(named: "metadata")
      let name = try table.addColumn(named: "name", type: .string)
      try table.addColumn(named: "list", type: .int, collection: .list)
      try table.setPrimaryKey(name.key)
      let (key, _) = try table.createObject(primaryKey: .string("x"))
      try table.list("list", key).append(.int(1))
      try table.delete(key)
      try group.removeTable(table.key)
    }
    expectTrue(bytes.isEmpty)
  }

  @Test func emptyAndUnrecordedTransactionsAreNothing() throws {
    #expect(try file.write { _ in }.isEmpty)
    let bytes = try file.write { group in
      let item = try group.existing("Item")
      _ = try group.withoutRecording(item.createObject(primaryKey: .string("c")))
    }
    expectTrue(bytes.isEmpty)
  }

  // MARK: Objects

  @Test func asymmetricObjectsAreCreatedAndNeverErased() throws {
    try file.apply { changeset in
      changeset.addClass("Event", kind: .asymmetric, key: ("id", .int, false))
      changeset.addProperty("Event", "text", .string)
    }
    let lines = try file.lines { group in
      let events = try group.existing("Event")
      let (key, _) = try events.createObject(primaryKey: 1)
      try events.set(.string("x"), "text", key)
      try events.delete(key)
    }
    expectEqual(
      lines,
      [
        #"CreateObject "Event"[int(1)]"#, #"Update "Event"[int(1)]."text" = string "x" prior 0"#,
      ])
    let table = try #require(try file.read().table(named: "class_Event"))
    try expectEqual(table.objectCount(), 0)
  }

  @Test func aDeletedObjectLeavesItsLinksFirst() throws {
    try file.apply { changeset in
      let item = changeset.intern("Item")
      changeset.update(item, "a", "link", to: changeset.link(item, "b"))
      changeset.insertLink(item, "a", "links", "b", at: 0)
      changeset.update(item, "a", "linkMap", [.key("k")], to: changeset.link(item, "b"))
      changeset.update(item, "a", "part", to: .objectValue)
      changeset.update(item, "b", "part", to: .objectValue)
    }
    let lines = try lines { _, item, _ in
      try item.delete(try #require(try item.findRow(primaryKey: .string("b"))?.key))
    }
    expectEqual(
      Set(lines.dropLast()),
      [
        #"Update "Item"["a"]."link" = null prior 0"#,
        #"ArrayErase "Item"["a"]."links"[0] prior 1"#,
        #"Update "Item"["a"]."linkMap"."k" = null prior 0"#,
      ])
    expectEqual(lines.last, #"EraseObject "Item"["b"]"#)
  }

  // MARK: Values

  @Test func defaultsAreMarked() throws {
    let lines = try lines { _, item, key in
      try item.set(.int(1), "count", key, isDefault: true)
      try item.set(.null, "link", key, isDefault: true)
      try item.set(.null, "link", key)
    }
    expectEqual(
      lines,
      [
        #"Update "Item"["a"]."count" = int(1) default prior 0"#,
        #"Update "Item"["a"]."link" = null prior 0"#,
      ])
  }

  @Test func anIncreasedMixedValueIsAnUpdate() throws {
    let lines = try lines { _, item, key in
      try item.set(.int(3), "any", key)
      try item.add(2, to: item.column(named: "any"), of: key)
      try item.add(2, to: item.column(named: "count"), of: key)
      try item.add(2, to: item.column(named: "maybe"), of: key)
    }
    expectEqual(
      lines,
      [
        #"Update "Item"["a"]."any" = int(3) prior 0"#,
        #"Update "Item"["a"]."any" = int(5) prior 0"#,
        #"AddInteger "Item"["a"]."count" + 2"#,
      ])
  }

  /// `SyncRecorder` 2.
  @Test func linksNameClassAndKey() throws {
    let lines = try lines { group, item, key in
      let (free, _) = try group.existing("Free").createObject()
      try item.set(.link(free), "free", key)
      try item.set(.typedLink(item.key, key), "any", key)
    }
    expectEqual(lines.count, 3)
    #expect(lines[1].hasPrefix(#"Update "Item"["a"]."free" = link "Free"[globalKey("#))
    expectEqual(lines[2], #"Update "Item"["a"]."any" = link "Item"["a"] prior 0"#)
  }

  @Test func collectionsInMixedValuesHaveLongerPaths() throws {
    let lines = try lines { _, item, key in
      let map = TableDictionary([.init(key: "k", value: .list([.int(1)]))])
      try item.set(.list([.dictionary(map)]), "any", key)
    }
    expectEqual(
      lines,
      [
        #"Update "Item"["a"]."any" = list prior 0"#, #"Clear "Item"["a"]."any" list"#,
        #"ArrayInsert "Item"["a"]."any"[0] = dictionary prior 0"#,
        #"Update "Item"["a"]."any"[0]."k" = list prior 0"#,
        #"ArrayInsert "Item"["a"]."any"[0]."k"[0] = int(1) prior 0"#,
      ])
  }

  /// `SyncRecorder` 3 and 4: objects that are written to in turn, and an embedded one in between.
  @Test func objectsInTurnKeepTheirNames() throws {
    let lines = try lines { group, item, a in
      let parts = try group.existing("Part")
      let (b, _) = try #require(try item.findRow(primaryKey: .string("b")))
      for key in [a, b, b, a] { try item.set(.int(1), "count", key) }
      let (part, _) = try item.createEmbedded(item.column(named: "part"), of: b)
      try parts.set(.int(2), "x", part)
      try item.set(.int(3), "count", a)
      try parts.set(.int(4), "x", part)
      try item.set(.int(5), "count", a)
      try item.set(.int(6), "count", b)
    }
    expectEqual(
      lines.map { $0.replacing(#"Update "Item""#, with: "").replacing(" prior 0", with: "") },
      [
        #"["a"]."count" = int(1)"#, #"["b"]."count" = int(1)"#, #"["b"]."count" = int(1)"#,
        #"["a"]."count" = int(1)"#, #"["b"]."part" = objectValue"#, #"["b"]."part"."x" = int(2)"#,
        #"["a"]."count" = int(3)"#, #"["b"]."part"."x" = int(4)"#, #"["a"]."count" = int(5)"#,
        #"["b"]."count" = int(6)"#,
      ])
  }

  /// An assignment says that nothing else is there, also where nothing was: another device may
  /// have assigned a collection meanwhile. A default and an element of a list do not.
  @Test func anAssignedCollectionIsCleared() throws {
    let lines = try lines { _, item, key in
      let empty = TableDictionary([])
      try item.set(.dictionary(empty), "any", key)
      try item.set(.list([.int(1)]), "any", key)
      let column = try item.column(named: "any")
      try item.place(of: key, "any", [.index(0)]).makeCollection(.list)
      try item.setMixed(.list([]), column, key, isDefault: true)
    }
    expectEqual(
      lines.map { $0.replacing(#" "Item"["a"]."any""#, with: "") },
      [
        "Update = dictionary prior 0", "Clear dictionary", "Update = list prior 0", "Clear list",
        "ArrayInsert[0] = int(1) prior 0", "Update[0] = list prior 1",
        "Update = list default prior 0", "Clear list",
      ])
  }

  // MARK: Embedded objects

  /// `PathFinder` 1.
  @Test func writesInEmbeddedObjectsBeginAtTheObjectThatHoldsThem() throws {
    let lines = try lines { group, item, key in
      let parts = try group.existing("Part")
      let part = try parts.column(named: "part")
      let (one, _) = try item.createEmbedded(item.column(named: "part"), of: key)
      try parts.set(.int(1), "x", one)
      let (two, _) = try parts.createEmbedded(part, of: one)
      try parts.set(.int(2), "x", two)
      try parts.set(.int(3), "x", one)
      let (three, _) = try item.map("partMap", key).setEmbedded(for: "k")
      try parts.set(.int(4), "x", three)
      try parts.set(.int(5), "x", two)
    }
    expectEqual(
      lines,
      [
        #"Update "Item"["a"]."part" = objectValue prior 0"#,
        #"Update "Item"["a"]."part"."x" = int(1) prior 0"#,
        #"Update "Item"["a"]."part"."part" = objectValue prior 0"#,
        #"Update "Item"["a"]."part"."part"."x" = int(2) prior 0"#,
        #"Update "Item"["a"]."part"."x" = int(3) prior 0"#,
        #"Update "Item"["a"]."partMap"."k" = objectValue prior 0"#,
        #"Update "Item"["a"]."partMap"."k"."x" = int(4) prior 0"#,
        #"Update "Item"["a"]."part"."part"."x" = int(5) prior 0"#,
      ])
  }

  /// `PathFinder` 2.
  @Test func positionsFollowTheListAbove() throws {
    let lines = try lines { group, item, key in
      let parts = try group.existing("Part")
      let list = try item.list("parts", key)
      let (one, _) = try list.insertEmbedded(at: 0)
      let (two, _) = try list.insertEmbedded(at: 1)
      let (inner, _) = try parts.createEmbedded(parts.column(named: "part"), of: two)
      try parts.set(.int(1), "x", inner)
      try list.remove(at: 0)
      try parts.set(.int(2), "x", inner)
      _ = try list.insertEmbedded(at: 0)
      try parts.set(.int(3), "x", inner)
      try list.move(from: 1, to: 0)
      try parts.set(.int(4), "x", inner)
      _ = one
    }
    let positions = lines.filter { $0.contains(#""x""#) }.map {
      $0.split(separator: "[")[2].prefix(1)
    }
    expectEqual(positions, ["1", "0", "1", "0"])
  }

  @Test func embeddedObjectsThatNothingLinksToAreNotRecorded() throws {
    let lines = try lines { group, item, key in
      let parts = try group.existing("Part")
      let (part, _) = try parts.createObject()
      try parts.set(.int(7), "x", part)
      let (inner, _) = try parts.createEmbedded(parts.column(named: "part"), of: part)
      try parts.set(.int(8), "x", inner)
      try item.list("parts", key).append(.link(part))
    }
    expectEqual(
      lines,
      [
        #"ArrayInsert "Item"["a"]."parts"[0] = objectValue prior 0"#,
        #"Update "Item"["a"]."parts"[0]."x" = int(7) prior 0"#,
        #"Update "Item"["a"]."parts"[0]."part" = objectValue prior 0"#,
        #"Update "Item"["a"]."parts"[0]."part"."x" = int(8) prior 0"#,
      ])
  }

  @Test func aReplacedEmbeddedObjectInAListIsErasedAndInserted() throws {
    let lines = try lines { group, item, key in
      let parts = try group.existing("Part")
      let list = try item.list("parts", key)
      _ = try list.insertEmbedded(at: 0)
      let (part, _) = try parts.createObject()
      try list.set(.link(part), at: 0)
    }
    expectEqual(
      lines.suffix(2),
      [
        #"ArrayErase "Item"["a"]."parts"[0] prior 1"#,
        #"ArrayInsert "Item"["a"]."parts"[0] = objectValue prior 0"#,
      ])
  }

  @Test func objectsCannotBeEmbeddedInEachOtherWithoutLimit() throws {
    #expect(throws: StorageError.self) {
      try file.write { group in
        let item = try group.existing("Item")
        let parts = try group.existing("Part")
        let (key, _) = try #require(try item.findRow(primaryKey: .string("a")))
        var (part, _) = try item.createEmbedded(item.column(named: "part"), of: key)
        for _ in 0..<300 {
          part = try parts.createEmbedded(parts.column(named: "part"), of: part).key
        }
      }
    }
  }

  /// An element of a set of mixed values is seen, even if its object is gone: as null.
  @Test func anElementIsErasedWhoseObjectIsGone() throws {
    try file.write { group in
      let item = try group.existing("Item")
      try item.addColumn(named: "seen", type: .mixed, collection: .set)
      let (key, _) = try #require(try item.findRow(primaryKey: .string("a")))
      let (other, _) = try #require(try item.findRow(primaryKey: .string("b")))
      try item.members("seen", key).insert(.typedLink(item.key, other))
    }
    try file.apply { changeset in changeset.erase(changeset.intern("Item"), "b") }
    let lines = try lines { _, item, key in
      let set = try item.members("seen", key)
      try expectEqual(set.view.count, 1)
      try set.remove(at: 0)
    }
    expectEqual(lines, [#"SetErase "Item"["a"]."seen" link "Item"["b"]"#])
  }
}
