// SPDX-License-Identifier: Apache-2.0

// The recording of embedded objects, and of links whose target is deleted.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("A recorder of links") struct RecordedLinkTests {
  // MARK: Embedded objects

  @Test func recordsAReplacedEmbeddedObjectAsNullFirst() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      let column = try tables.column("part")
      let place = tables.place("part", thing)
      var keys: [ObjectKey] = []
      let writes = try tables.recorded {
        keys.append(try tables.things.createEmbedded(column, of: thing, isDefault: true).key)
        keys.append(try tables.things.createEmbedded(column, of: thing, isDefault: true).key)
        // The object that is there already.
        try tables.things.setLink(keys[1], column, thing)
        try tables.things.setLink(nil, column, thing)
      }
      expectEqual(
        writes,
        [
          .set(.link(keys[0]), place, isDefault: true),
          .set(.null, place, isDefault: true),
          .set(.link(keys[1]), place, isDefault: true),
          .set(.null, place, isDefault: false),
        ])
    }
  }

  @Test func recordsAReplacedElementAsErasureAndInsertion() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      let list = try tables.list("parts", thing)
      for index in 0..<3 { _ = try list.insertEmbedded(at: index) }
      let part = try tables.parts.createObject().key
      let writes = try tables.recorded { try list.set(.link(part), at: 1) }
      let place = tables.place("parts", thing)
      expectEqual(
        writes,
        [
          .remove(at: 1, place, priorSize: 3), .insert(.link(part), at: 1, place, priorSize: 2),
        ])
    }
  }

  /// Changes of the object that is replaced do not reach the new one.
  @Test func recordsThatAnEmbeddedObjectOfADictionaryIsReplaced() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      let map = try tables.map("partMap", thing)
      _ = try map.setEmbedded(for: "k")
      var key = ObjectKey.null
      let writes = try tables.recorded { key = try map.setEmbedded(for: "k").key }
      let place = tables.place("partMap", thing)
      expectEqual(
        writes, [.eraseEntry(for: "k", place), .setEntry(.link(key), for: "k", place)])
    }
  }

  /// Programs fill embedded objects before they put them in their place.
  @Test func recordsWhatAnEmbeddedObjectHoldsWhenItIsLinked() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      let parts = tables.parts
      let (part, inner) = (try parts.createObject().key, try parts.createObject().key)
      try parts.set(.double(2), try parts.schema.existing("x"), part)
      try parts.list(try parts.schema.existing("tags"), part).append(.string("t"))
      try parts.set(.double(-0.0), try parts.schema.existing("x"), inner)
      try parts.setLink(inner, try parts.schema.existing("part"), part)
      let contents: [RecordedWrite] = [
        .set(.double(2), tables.partPlace("x", part), isDefault: false),
        .insert(.string("t"), at: 0, tables.partPlace("tags", part), priorSize: 0),
        .set(.link(inner), tables.partPlace("part", part), isDefault: false),
        .set(.double(-0.0), tables.partPlace("x", inner), isDefault: false),
      ]
      let writes = try tables.recorded {
        try tables.things.setLink(part, try tables.column("part"), thing)
      }
      let link = RecordedWrite.set(.link(part), tables.place("part", thing), isDefault: false)
      expectEqual(writes, [link] + contents)
    }
  }

  @Test func doesNotRecordEmbeddedObjectsThatGoWithTheirOwner() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      let part = try tables.things.createEmbedded(try tables.column("part"), of: thing).key
      _ = try tables.parts.createEmbedded(try tables.parts.schema.existing("part"), of: part)
      _ = try tables.list("parts", thing).insertEmbedded(at: 0)
      let writes = try tables.recorded { try tables.things.delete(thing) }
      expectEqual(writes, [.erase(.init(table: tables.things.key, key: thing))])
      try expectEqual(tables.parts.objectCount(), 0)
    }
  }

  @Test func recordsADeletedEmbeddedObjectAtItsOwner() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let thing = try tables.thing("a")
      let single = try tables.things.createEmbedded(try tables.column("part"), of: thing).key
      let list = try tables.list("parts", thing)
      let element = try list.insertEmbedded(at: 0).key
      _ = try list.insertEmbedded(at: 1)
      let value = try tables.map("partMap", thing).setEmbedded(for: "k").key
      let writes = try tables.recorded {
        for part in [single, element, value] { try tables.parts.delete(part) }
      }
      expectEqual(
        writes,
        [
          .set(.null, tables.place("part", thing), isDefault: false),
          .remove(at: 0, tables.place("parts", thing), priorSize: 2),
          .setEntry(.null, for: "k", tables.place("partMap", thing)),
        ])
    }
  }

  // MARK: Deletion

  @Test func recordsEachLinkBeforeTheObjectThatGoes() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let (owner, victim, other) = (
        try tables.thing("a"), try tables.thing("b"), try tables.thing("c")
      )
      let any = TableValue.typedLink(tables.things.key, victim)
      try tables.things.setLink(victim, try tables.column("link"), owner)
      try tables.list("links", owner).replaceAll(
        with: [victim, other, victim].map { .link($0) })
      try tables.things.set(try tables.column("linkSet"), owner).insert(.link(victim))
      try tables.map("linkMap", owner).set(.link(victim), for: "k")
      try tables.things.setMixed(any, try tables.column("any"), owner)
      try tables.list("anyList", owner).replaceAll(with: [any, .int(1), any, .list([any, .null])])
      try tables.things.set(try tables.column("anySet"), owner).insert(any)
      try tables.map("anyMap", owner).set(any, for: "k")
      // The victim's own links are no news.
      try tables.things.setLink(other, try tables.column("link"), victim)
      let writes = try tables.recorded { try tables.things.delete(victim) }
      let (links, list) = (tables.place("links", owner), tables.place("anyList", owner))
      expectEqual(
        writes,
        [
          .set(.null, tables.place("link", owner), isDefault: false),
          .remove(at: 2, links, priorSize: 3),
          .remove(at: 0, links, priorSize: 2),
          .eraseMember(.link(victim), tables.place("linkSet", owner)),
          .setEntry(.null, for: "k", tables.place("linkMap", owner)),
          .set(.null, tables.place("any", owner), isDefault: false),
          .remove(at: 0, tables.place("anyList", owner, .index(3)), priorSize: 2),
          .remove(at: 2, list, priorSize: 4),
          .remove(at: 0, list, priorSize: 3),
          .eraseMember(any, tables.place("anySet", owner)),
          .setEntry(.null, for: "k", tables.place("anyMap", owner)),
          .erase(.init(table: tables.things.key, key: victim)),
        ])
      try expectEqual(tables.list("anyList", owner).count, 2)
    }
  }

  @Test func recordsLinksInCollectionsOfAMixedProperty() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let tables = try RecordedTables(group)
      let (owner, victim) = (try tables.thing("a"), try tables.thing("b"))
      let link = TableValue.typedLink(tables.things.key, victim)
      let map = TableValue.dictionary(
        TableDictionary([
          .init(key: "k", value: link), .init(key: "l", value: .list([.int(1), link, link])),
        ]))
      try tables.things.setMixed(map, try tables.column("any"), owner)
      let writes = try tables.recorded { try tables.things.delete(victim) }
      let list = tables.place("any", owner, .key("l"))
      expectEqual(
        writes,
        [
          .remove(at: 2, list, priorSize: 3),
          .remove(at: 1, list, priorSize: 2),
          .setEntry(.null, for: "k", tables.place("any", owner)),
          .erase(.init(table: tables.things.key, key: victim)),
        ])
    }
  }

  @Test func recordsEachObjectOfATableThatIsEmptied() throws {
    let database = try RecordedDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_Plain")
      let keys = try (0..<3).map { _ in try table.createObject().key }
      let tables = try RecordedTables(group)
      let writes = try tables.recorded { try table.deleteAll() }
      expectEqual(writes, keys.map { .erase(.init(table: table.key, key: $0)) })
    }
  }

  // MARK: Tombstones

  @Test func recordsStoredPositionsAroundHiddenLinks() throws {
    let database = try TestDatabase(fixture: "tombstones")
    let transcript = WriteTranscript()
    try database.write { group in
      group.recorder = transcript
      let origins = try group.existing("class_Origin")
      let links = try origins.schema.existing("links")
      let list = try origins.list(links, ObjectKey(0))
      let stored = try list.view.storedCount
      let hidden = stored - 1
      #expect(try list.count == 1 && hidden > 0)
      try list.append(.link(ObjectKey(2)))
      try list.remove(at: 0)
      let place = RecordedWrite.Place(
        object: .init(table: origins.key, key: ObjectKey(0)), column: "links")
      let writes = transcript.take()
      expectEqual(writes[0], .insert(.link(ObjectKey(2)), at: stored, place, priorSize: stored))
      guard case .remove(let index, place, stored + 1) = writes[1] else {
        Issue.record("\(writes[1])")
        return
      }
      expectTrue(index > 0, "the first stored link is hidden")
    }
  }

  @Test func recordsAnObjectThatComesBackAsANewOneAlone() throws {
    let database = try TestDatabase(fixture: "tombstones")
    let transcript = WriteTranscript()
    try database.write { group in
      group.recorder = transcript
      let targets = try group.existing("class_Target")
      let key = try targets.createObject(primaryKey: .string("t0")).key
      expectEqual(
        transcript.take(),
        [.create(.init(table: targets.key, key: key), primaryKey: .string("t0"))])
      let origins = try group.existing("class_Origin")
      let link = try origins.schema.existing("link")
      try expectEqual(origins.row(of: ObjectKey(0))?.link(link.leafIndex), key)
    }
  }
}
