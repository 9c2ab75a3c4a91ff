// SPDX-License-Identifier: Apache-2.0

// Where paths lead, and where they end with an error.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("A path") struct ValuePathWalkTests {
  /// A thing with embedded objects in each other, and collections in mixed values.
  struct World {
    let tables: RecordedTables
    let thing: ObjectKey
    let part: ObjectKey
    let element: ObjectKey

    init(_ group: WriteGroup) throws {
      tables = try RecordedTables(group)
      group.recorder = nil
      thing = try tables.thing("a")
      part = try tables.things.createEmbedded(try tables.column("part"), of: thing).key
      element = try tables.list("parts", thing).insertEmbedded(at: 0).key
      let inner = try tables.map("partMap", thing).setEmbedded(for: "k").key
      _ = try tables.parts.createEmbedded(try tables.parts.schema.existing("part"), of: inner)
      try tables.things.setMixed(
        .list([.int(1), .dictionary(TableDictionary([.init(key: "k", value: .list([.int(2)]))]))]),
        try tables.column("any"), thing)
      try tables.map("anyMap", thing).set(.list([.null]), for: "l")
      try tables.map("anyMap", thing).set(.int(3), for: "n")
    }

    func place(_ field: String, _ steps: PathStep...) throws -> ValuePlace {
      try tables.things.place(of: thing, field, steps)
    }

    /// What is at the end of a path.
    func value(_ field: String, _ steps: PathStep...) throws -> TableValue? {
      try tables.things.place(of: thing, field, steps).outline()
    }

    /// The size of the list at the end of a path.
    func size(_ field: String, _ steps: PathStep...) throws -> Int {
      try tables.things.place(of: thing, field, steps).listSize
    }

    /// The error that a path ends with; nil if it leads somewhere.
    func error(_ field: String, _ steps: PathStep...) -> PathError? {
      do throws(PathError) {
        _ = try tables.things.place(of: thing, field, steps)
        return nil
      } catch {
        return error
      }
    }
  }

  private func run(_ body: (World) throws -> Void) throws {
    let database = try RecordedDatabase()
    try database.write { try body(try World($0)) }
  }

  @Test func leadsToPropertiesElementsAndEntries() throws {
    try run { world in
      var place = try world.place("count")
      expectEqual(place.end, .property)
      expectEqual(place.column.name, "count")
      expectEqual(place.object, world.thing)
      expectTrue(place.table === world.tables.things)
      place = try world.place("numbers", .index(5))
      expectEqual(place.end, .element(5))
      expectTrue(place.path.isEmpty)
      place = try world.place("anyMap", .key("new"))
      expectEqual(place.end, .entry("new"))
      expectTrue(place.path.isEmpty)
    }
  }

  @Test func goesThroughEmbeddedObjects() throws {
    try run { world in
      var place = try world.place("part", .key("x"))
      expectEqual(place.object, world.part)
      expectTrue(place.table === world.tables.parts)
      place = try world.place("parts", .index(0), .key("tags"), .index(0))
      expectEqual(place.object, world.element)
      expectEqual(place.column.name, "tags")
      expectEqual(place.end, .element(0))
      place = try world.place("partMap", .key("k"), .key("part"), .key("x"))
      expectEqual(place.column.name, "x")
    }
  }

  @Test func goesThroughCollectionsInMixedValues() throws {
    try run { world in
      let first = try world.value("any", .index(0))
      expectEqual(first, .int(1))
      try expectEqual(
        world.value("any", .index(1)), .dictionary(TableDictionary([])))
      try expectEqual(world.value("any", .index(1), .key("k"), .index(0)), .int(2))
      try expectEqual(world.value("any", .index(1), .key("none")), nil)
      try expectEqual(world.value("anyMap", .key("l"), .index(0)), .null)
      try expectEqual(world.value("anyMap", .key("l"), .index(7)), nil)
    }
  }

  @Test func endsWithAnErrorWhereSomethingIsMissing() throws {
    try run { world in
      expectEqual(world.error("nothing"), .missingField(table: "Thing", field: "nothing"))
      expectEqual(
        world.error("part", .key("nothing")), .missingField(table: "Part", field: "nothing"))
      expectEqual(
        world.error("part", .key("part"), .key("x")), .missingEmbeddedObject(field: "part"))
      expectEqual(
        world.error("partMap", .key("z"), .key("x")), .missingKey(field: "partMap", key: "z"))
      expectEqual(
        world.error("anyMap", .key("z"), .index(0)), .missingKey(field: "anyMap", key: "z"))
      for index in [-1, 1] {
        expectEqual(
          world.error("parts", .index(index), .key("x")),
          .indexOutOfRange(field: "parts", index: index, size: 1))
      }
      expectEqual(
        world.error("any", .index(2), .index(0)),
        .indexOutOfRange(field: "any", index: 2, size: 2))
      #expect(throws: PathError.missingObject(table: "Thing")) {
        try world.tables.things.place(of: ObjectKey(99), "count", [])
      }
      #expect(throws: PathError.missingObject(table: "Thing")) {
        try world.tables.things.place(of: ObjectKey(-5), "count", [])
      }
    }
  }

  @Test func endsWithAnErrorWhereSomethingIsOfAnotherKind() throws {
    try run { world in
      for error in [
        world.error("count", .index(0)), world.error("link", .key("count")),
        world.error("links", .index(0), .key("count")), world.error("numbers", .key("k")),
        world.error("anySet", .index(0)), world.error("anyMap", .index(0)),
        world.error("part", .index(0)), world.error("parts", .index(0), .index(0)),
        world.error("any", .key("k")), world.error("any", .index(0), .index(0)),
        world.error("anyMap", .key("n"), .index(0)),
        world.error("anyMap", .key("l"), .key("k")),
      ] {
        guard case .wrongKind = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
      }
    }
  }
}
