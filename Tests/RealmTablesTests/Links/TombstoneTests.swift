// SPDX-License-Identifier: Apache-2.0

// Objects that another device deletes while links to them remain.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("Tombstones") struct TombstoneTests {
  // MARK: Keys

  @Test func haveTheDigestOfTheirTextInTheirKeys() throws {
    expectEqual(
      SHA1.digest(of: Array("abc".utf8)),
      [0xA999_3E36, 0x4706_816A, 0xBA3E_2571, 0x7850_C26C, 0x9CD0_D89D])
    expectEqual(
      SHA1.digest(of: []), [0xDA39_A3EE, 0x5E6B_4B0D, 0x3255_BFEF, 0x9560_1890, 0xAFD8_0709])
    // Lengths around the last block, whose padding needs a block of its own from 56 bytes on.
    let long = [UInt8](repeating: 0x61, count: 1_000_000)
    expectEqual(
      SHA1.digest(of: long), [0x34AA_973C, 0xD4C4_DAA4, 0xF61E_EB2B, 0xDBAD_2731, 0x6534_016F])
    expectEqual(SHA1.digest(of: long[..<55])[0], 0xC1C8_BBDC)
    expectEqual(SHA1.digest(of: long[..<56])[0], 0xC2DB_330F)
    expectEqual(SHA1.digest(of: long[..<64])[0], 0x0098_BA82)
  }

  @Test func haveTheKeysThatTheFormatGivesThem() {
    expectEqual(ObjectKey.tombstone(ofPrimaryKey: .string("one")), ObjectKey(-83397806051296768))
    expectEqual(ObjectKey.tombstone(ofPrimaryKey: .null), ObjectKey(-2))
    expectEqual(ObjectKey.tombstone(ofPrimaryKey: .int(5)), ObjectKey(-7))
    expectEqual(ObjectKey.tombstone(ofPrimaryKey: .int(-1)), .lowestHashed)
    expectEqual(
      ObjectKey.tombstone(ofPrimaryKey: .uuid(Bytes16(high: 9, low: 0x0100_0000_0000_0000))),
      ObjectKey(-3))
    expectEqual(ObjectKey.tombstone(ofPrimaryKey: .double(1)), nil)
    expectEqual(ObjectKey(7).tombstone, ObjectKey(-9))
  }

  /// The original client's files have them under the same keys.
  @Test func areFoundInFilesOfTheOriginalByTheirPrimaryKeys() throws {
    let database = try TestDatabase(fixture: "tombstones")
    try database.write { group in
      let targets = try group.existing("class_Target")
      let column = try #require(targets.schema.primaryKey)
      var count = 0
      for cluster in try targets.table.tombstones?.all() ?? [] {
        for index in 0..<cluster.count {
          let value = try cluster.row(at: index).value(of: column)
          let found = try targets.tombstones.tombstone(forPrimaryKey: value)
          expectEqual(found, cluster.key(at: index))
          count += 1
        }
      }
      expectEqual(count, 7)
      try expectEqual(targets.tombstones.tombstone(forPrimaryKey: .string("t1")), nil)
    }
  }

  /// Integers of more than 62 bits can lead to the key of another; so do 0 and null.
  @Test func withEqualKeysAreDistinguished() throws {
    let database = try TestDatabase()
    let values: [TableValue] = [.null, .int(0), .int(1 << 62), .int(.min), .int(1), .int(.max)]
    var keys: [ObjectKey] = []
    func origins(_ group: WriteGroup) throws -> (WritableTable, Column) {
      let table = try group.existing("class_Origin")
      return (table, try table.schema.existing("link"))
    }
    try database.write { group in
      let targets = try group.createTable(named: "class_Target")
      let id = try targets.addColumn(named: "id", type: .int, isNullable: true)
      try targets.setPrimaryKey(id.key)
      let table = try group.createTable(named: "class_Origin")
      let link = try table.addColumn(named: "link", type: .link, target: targets.key)
      for value in values {
        let key = try targets.linkTarget(forPrimaryKey: value)
        try table.setLink(key, link, try table.createObject().key)
        keys.append(key)
      }
      expectEqual(Set(keys).count, values.count)
      #expect(keys.allSatisfy { $0.isTombstone })
    }
    try database.write { group in
      let targets = try group.existing("class_Target")
      try expectEqual(values.map { try targets.linkTarget(forPrimaryKey: $0) }, keys)
      let id = try targets.schema.existing("id")
      try expectEqual(keys.map { try targets.tombstones.row(of: $0)?.value(of: id) }, values)
      // The one that has the key of all goes first.
      for (index, value) in values.enumerated() {
        let object = try targets.createObject(primaryKey: value).key
        let (table, link) = try origins(group)
        let origin = try #require(try table.table.key(at: index))
        try expectEqual(table.row(of: origin)?.link(link.leafIndex), object)
      }
    }
    try expectEqual(database.table("class_Target").tombstones?.count(), 0)
    try database.read().expectReferenceAgrees()
  }

  // MARK: Invalidation

  @Test func areNotMadeOfObjectsThatNothingLinksTo() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      try tables.things.setLink(thing, try tables.column("link"), thing)
      try tables.things.setMixed(
        .typedLink(tables.things.key, thing), try tables.column("any"), thing)
      _ = try tables.things.createEmbedded(try tables.column("part"), of: thing)
      try tables.things.invalidate(thing)
      #expect(try tables.things.table.tombstones == nil)
      #expect(try tables.things.objectCount() == 0 && tables.parts.objectCount() == 0)
      #expect(throws: StorageError.self) { try tables.things.invalidate(thing) }
    }
  }

  @Test func keepLinksOfAllKindsUntilTheObjectIsCreatedAgain() throws {
    let database = try RecordedDatabase()
    var (owner, other) = (ObjectKey.null, ObjectKey.null)
    try database.write { group in
      let tables = try RecordedTables(group)
      owner = try tables.thing("owner")
      other = try tables.thing("other")
      try tables.link(owner, to: try tables.thing("t"), and: other)
      try tables.things.invalidate(
        try #require(try tables.things.findRow(primaryKey: .string("t"))).key)
    }
    let hidden = try database.contents(of: owner)
    expectEqual(
      hidden,
      [
        "link": .null, "links": .list([.link(other)]), "linkSet": .list([.link(other)]),
        "linkMap": .dictionary(TableDictionary([.init(key: "k", value: .null)])),
        "any": .dictionary(TableDictionary([.init(key: "k", value: .list([.null, .int(1)]))])),
        "anyList": .list([.null, .int(1), .null]), "anySet": .list([.int(1), .null]),
        "anyMap": .dictionary(TableDictionary([.init(key: "k", value: .null)])),
      ])
    try expectEqual(database.database.table("class_Thing").tombstones?.count(), 1)
    try database.database.read().expectReferenceAgrees()
    try database.database.reopen()
    var new = ObjectKey.null
    try database.write { new = try RecordedTables($0).thing("t") }
    try database.database.read().expectReferenceAgrees()
    let any = TableValue.typedLink(try database.database.table("class_Thing").key, new)
    try expectEqual(
      database.contents(of: owner),
      [
        "link": .link(new), "links": .list([.link(new), .link(other), .link(new)]),
        "linkSet": .list([.link(other), .link(new)]),
        "linkMap": .dictionary(TableDictionary([.init(key: "k", value: .link(new))])),
        "any": .dictionary(TableDictionary([.init(key: "k", value: .list([any, .int(1)]))])),
        "anyList": .list([any, .int(1), any]), "anySet": .list([.int(1), any]),
        "anyMap": .dictionary(TableDictionary([.init(key: "k", value: any)])),
      ])
    try expectEqual(database.database.table("class_Thing").tombstones?.count(), 0)
  }

  @Test func goWithTheLastLink() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let (owner, other) = (try tables.thing("owner"), try tables.thing("other"))
      try tables.link(
        owner, to: try tables.things.linkTarget(forPrimaryKey: .string("t")), and: other)
      try expectEqual(tables.things.table.tombstones?.count(), 1)
      for name in ["link", "any"] {
        try tables.things.set(.null, try tables.column(name), owner)
      }
      let hidden = try tables.things.linkTarget(forPrimaryKey: .string("t"))
      let members = try tables.things.set(try tables.column("linkSet"), owner)
      #expect(try !members.insert(.link(hidden)))
      #expect(try members.remove(.link(hidden)))
      #expect(
        try tables.things.set(try tables.column("anySet"), owner)
          .remove(.typedLink(tables.things.key, hidden)))
      for name in ["linkMap", "anyMap"] { try tables.map(name, owner).remove("k") }
      try tables.list("anyList", owner).removeAll()
      try expectEqual(tables.things.table.tombstones?.count(), 1)
      let list = try tables.things.list(try tables.column("links"), owner, stored: true)
      for index in [2, 0] { try list.remove(at: index) }
      try expectEqual(tables.things.table.tombstones?.count(), 0)
    }
  }

  @Test func goWithTheColumnOrTheTableOfTheirLinks() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let other = try group.createTable(named: "class_Other")
      let owner = try tables.thing("owner")
      for column in ["link", "links"] {
        let target = try tables.things.linkTarget(forPrimaryKey: .string(column))
        if column == "link" {
          try tables.things.setLink(target, try tables.column(column), owner)
        } else {
          try tables.list(column, owner).append(.link(target))
        }
      }
      try expectEqual(tables.things.table.tombstones?.count(), 2)
      try tables.things.columns.remove(try tables.column("links").key)
      try expectEqual(tables.things.table.tombstones?.count(), 1)
      try tables.list("anyList", owner).replaceAll(
        with: [.typedLink(other.key, try other.linkTarget(forKey: ObjectKey(5))), .int(1)])
      try group.removeTable(other.key)
      try expectEqual(tables.list("anyList", owner).count, 1)
    }
  }

  @Test func ofObjectsWithoutPrimaryKeyWaitForTheirKey() throws {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_Plain")
      let link = try table.addColumn(named: "link", type: .link, target: table.key)
      let number = try table.addColumn(named: "n", type: .int, isIndexed: true)
      let (owner, victim) = (try table.createObject().key, try table.createObject().key)
      try table.setLink(victim, link, owner)
      try table.invalidate(victim)
      try expectEqual(table.linkTarget(forKey: victim), victim.tombstone)
      try expectEqual(table.row(of: owner)?.storedLink(link.leafIndex), victim.tombstone)
      let foreign = try #require(ObjectKey(globalHigh: 3, low: 7))
      let target = try table.linkTarget(forKey: foreign)
      expectTrue(target.isTombstone)
      let second = try table.createObject().key
      try table.setLink(target, link, second)
      for key in [victim, foreign] { _ = try table.createObject(under: key) }
      try table.set(.int(1), number, foreign)
      try expectEqual(table.row(of: owner)?.link(link.leafIndex), victim)
      try expectEqual(table.row(of: second)?.link(link.leafIndex), foreign)
      #expect(throws: StorageError.self) { try table.createObject(under: foreign) }
      // An own object that comes back from elsewhere is not made a second time.
      let later = try #require(ObjectKey(globalHigh: 0, low: 40))
      _ = try table.createObject(under: later)
      try expectEqual(table.createObject().key, ObjectKey(41))
    }
    try expectEqual(database.table("class_Plain").tombstones?.count(), 0)
  }

  /// `KeyBound` knows nothing of objects that come back.
  @Test func doNotHideNewIntegerKeys() throws {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_Numbered")
      let id = try table.addColumn(named: "id", type: .int)
      let link = try table.addColumn(named: "link", type: .link, target: table.key)
      try table.setPrimaryKey(id.key)
      var keys: [ObjectKey] = []
      for number in 0..<600 {
        keys.append(try table.findOrCreate(primaryKey: Int64(number)).key)
      }
      try table.setLink(keys[5], link, keys[0])
      try table.invalidate(keys[5])
      #expect(try table.findRow(primaryKey: 5) == nil)
      #expect(try table.findOrCreate(primaryKey: 5).isNew)
      let far = try table.findOrCreate(primaryKey: 10_000)
      expectTrue(far.isNew)
      try expectEqual(table.findRow(primaryKey: 10_000)?.key, far.key)
    }
  }

  // MARK: Lists by stored position

  @Test func areEditedInListsByStoredPositions() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let owner = try tables.thing("owner")
      let shown = try (0..<3).map { try tables.thing("s\($0)") }
      let hidden = try (0..<3).map {
        try tables.things.linkTarget(forPrimaryKey: .string("h\($0)"))
      }
      let links = try tables.column("links")
      let list = try tables.things.list(links, owner, stored: true)
      let values = [hidden[0], shown[0], hidden[1], shown[1], shown[2]]
      for (index, key) in values.enumerated() { try list.insert(.link(key), at: index) }
      try expectEqual(list.count, 5)
      try expectEqual(list.view.keys(), shown)
      // From one end to the other, over and as a hidden one.
      try list.move(from: 1, to: 4)
      try list.move(from: 0, to: 2)
      try expectEqual(list.storedKeys(), [hidden[1], shown[1], hidden[0], shown[2], shown[0]])
      try list.set(.link(hidden[2]), at: 1)
      try list.set(.link(shown[1]), at: 0)
      try list.remove(at: 2)
      try expectEqual(list.storedKeys(), [shown[1], hidden[2], shown[2], shown[0]])
      try expectEqual(list.view.keys(), [shown[1], shown[2], shown[0]])
      #expect(throws: StorageError.self) { try list.insert(.link(shown[0]), at: 5) }
      #expect(throws: StorageError.self) { try list.remove(at: 4) }
      // Only what links lead to is left of the tombstones.
      try expectEqual(tables.things.table.tombstones?.count(), 1)
      let missing = TableValue.link(ObjectKey(-12345))
      #expect(throws: StorageError.self) { try list.insert(missing, at: 0) }
    }
    try database.database.read().expectReferenceAgrees()
  }

  @Test func inListsOfMixedValuesStayWhatTheyAreWhenTheyMove() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let owner = try tables.thing("owner")
      let hidden = try tables.things.linkTarget(forPrimaryKey: .string("h"))
      let list = try tables.list("anyList", owner)
      try list.replaceAll(with: [.int(1), .typedLink(tables.things.key, hidden), .int(2)])
      try list.move(from: 1, to: 2)
      let new = try tables.thing("h")
      try expectEqual(list.value(at: 2), .typedLink(tables.things.key, new))
    }
  }

  // MARK: Recording

  @Test func areNeverRecorded() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let (owner, other) = (try tables.thing("owner"), try tables.thing("other"))
      let hidden = try tables.things.linkTarget(forPrimaryKey: .string("t"))
      try tables.list("links", owner).append(.link(other))
      var writes = try tables.recorded { try tables.link(owner, to: hidden, and: nil) }
      expectEqual(
        writes,
        [
          .set(.dictionary(TableDictionary([])), tables.place("any", owner), isDefault: false),
          .clear(tables.place("any", owner), .dictionary),
          .setEntry(.list([]), for: "k", tables.place("any", owner)),
          .insert(.int(1), at: 1, tables.place("any", owner, .key("k")), priorSize: 1),
          .insert(.int(1), at: 1, tables.place("anyList", owner), priorSize: 1),
          .insertMember(.int(1), tables.place("anySet", owner)),
        ])
      writes = try tables.recorded {
        try tables.list("links", owner).set(.link(hidden), at: 0)
      }
      expectEqual(writes, [.remove(at: 0, tables.place("links", owner), priorSize: 3)])
      writes = try tables.recorded { _ = try tables.thing("t") }
      expectEqual(writes.count, 1)
      writes = try tables.recorded { try tables.things.invalidate(other) }
      expectEqual(writes, [.erase(.init(table: tables.things.key, key: other))])
    }
  }
}

extension ListEditor {
  /// The elements as they are stored.
  fileprivate func storedKeys() throws -> [ObjectKey] {
    let view = try view
    return try (0..<view.storedCount).map {
      ObjectKey(try BTree<IntegerLeaf>.value(at: $0, of: view.root, in: view.space))
    }
  }
}

extension RecordedTables {
  /// Lets an object link to another in all ways there are; to a third one in lists and sets.
  fileprivate func link(
    _ owner: ObjectKey, to target: ObjectKey, and other: ObjectKey?
  ) throws {
    let any = TableValue.typedLink(things.key, target)
    try things.setLink(target, try column("link"), owner)
    let links = try list("links", owner)
    try links.append(.link(target))
    if let other { try links.append(.link(other)) }
    try links.append(.link(target))
    let members = try things.set(try column("linkSet"), owner)
    if let other { try members.insert(.link(other)) }
    try members.insert(.link(target))
    try map("linkMap", owner).set(.link(target), for: "k")
    try things.setMixed(
      .dictionary(TableDictionary([.init(key: "k", value: .list([any, .int(1)]))])),
      try column("any"), owner)
    try list("anyList", owner).replaceAll(with: [any, .int(1), any])
    let anySet = try things.set(try column("anySet"), owner)
    try anySet.insert(any)
    try anySet.insert(.int(1))
    try map("anyMap", owner).set(any, for: "k")
  }
}

extension RecordedDatabase {
  /// The properties of a thing that can link.
  fileprivate func contents(of thing: ObjectKey) throws -> [String: TableValue] {
    let table = try database.table("class_Thing")
    let row = try #require(try table.row(of: thing))
    var values: [String: TableValue] = [:]
    for column in table.schema.columns
    where column.name.hasPrefix("link") || column.name.hasPrefix("any") {
      values[column.name] = try row.value(of: column)
    }
    return values
  }
}
