// SPDX-License-Identifier: Apache-2.0

// The changes at the end of a path, rule by rule (P2 C).

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("A change at the end of a path") struct ValuePlaceEditTests {
  typealias World = ValuePathWalkTests.World

  private func run(_ body: (World) throws -> Void) throws {
    let database = try RecordedDatabase()
    try database.write { try body(try World($0)) }
  }

  private let emptyMap = TableValue.dictionary(TableDictionary([]))

  // MARK: Values

  @Test func assigns() throws {
    try run { world in
      let other = try world.tables.thing("b")
      try world.place("count").set(.int(4))
      try world.place("link").set(.link(other))
      try world.place("part", .key("x")).set(.double(1.5))
      try world.place("any", .index(1), .key("k"), .index(0)).set(.string("s"))
      try world.place("anyMap", .key("new")).set(.typedLink(world.tables.things.key, other))
      try world.place("partMap", .key("k")).set(.null)
      try expectEqual(world.value("count"), .int(4))
      try expectEqual(world.value("link"), .link(other))
      try expectEqual(world.value("part", .key("x")), .double(1.5))
      try expectEqual(world.value("any", .index(1), .key("k"), .index(0)), .string("s"))
      try expectEqual(
        world.value("anyMap", .key("new")),
        .typedLink(world.tables.things.key, other))
      try world.place("part").set(.null)
      // The objects of `parts`, and nothing of what was set to null, are left.
      try expectEqual(world.tables.parts.objectCount(), 1)
    }
  }

  @Test func refusesValuesThatDoNotFit() throws {
    try run { world in
      let other = try world.tables.thing("b")
      let link = TableValue.typedLink(world.tables.things.key, other)
      for (field, value) in [
        ("count", TableValue.null), ("count", .string("s")), ("link", .int(1)), ("link", link),
        ("any", .link(other)), ("any", .list([])), ("any", emptyMap),
        ("part", .link(world.element)), ("maybe", .double(1)),
      ] {
        #expect(throws: PathError.wrongType(field: field)) { try world.place(field).set(value) }
      }
      for field in ["id", "numbers", "anyMap", "linkSet"] {
        let value: TableValue =
          field == "id" ? .string("s") : field == "linkSet" ? .link(other) : .int(1)
        #expect(throws: PathError.wrongKind(field: field)) { try world.place(field).set(value) }
      }
      #expect(throws: PathError.wrongType(field: "parts")) {
        try world.place("parts", .index(0)).set(.null)
      }
    }
  }

  @Test func refusesWhatTheFormatCannotHold() throws {
    // What was begun when a value was refused is undone with the transaction.
    struct RollBack: Error {}
    #expect(throws: RollBack.self) {
      try run { world in
        try refuse(world)
        throw RollBack()
      }
    }
  }

  private func refuse(_ world: World) throws {
    let tooLong = TableValue.binary([UInt8](repeating: 0, count: 0xFF_FFF9))
    let nowhere = TableValue.typedLink(world.tables.things.key, ObjectKey(99))
    for value in [tooLong, nowhere] {
      do throws(PathError) {
        try world.tables.things.place(of: world.thing, "anyMap", [.key("k")]).set(value)
        Issue.record("\(value.type.debugDescription) was stored")
      } catch {
        guard case .refused = error else {
          Issue.record("\(error)")
          continue
        }
      }
    }
    var steps: [PathStep] = []
    var error: PathError?
    while error == nil, steps.count < 200 {
      do throws(PathError) {
        let place = try world.tables.things.place(of: world.thing, "any", steps)
        try place.clear(.list)
        steps.append(.index(0))
        try world.tables.things.place(of: world.thing, "any", steps)
          .insertCollection(.list, priorSize: 0)
      } catch let found {
        error = found
      }
    }
    expectEqual(error, .refused("Max nesting level reached"))
    expectEqual(steps.count, MixedCodec.maximumDepth)
  }

  /// For assignments in lists the sizes need not be equal, only the element must be there.
  @Test func assignsElementsThatAreThere() throws {
    try run { world in
      try world.place("numbers", .index(0)).insert(.int(1), priorSize: 0)
      try world.place("numbers", .index(0)).set(.int(2))
      try expectEqual(world.value("numbers", .index(0)), .int(2))
      for index in [-1, 1] {
        #expect(throws: PathError.indexOutOfRange(field: "numbers", index: index, size: 1)) {
          try world.place("numbers", .index(index)).set(.int(3))
        }
      }
    }
  }

  @Test func addsToIntegersAndLeavesNull() throws {
    try run { world in
      try world.place("count").set(.int(.max))
      try world.place("count").add(1)
      try world.place("maybe").add(1)
      try world.place("any", .index(0)).add(5)
      try world.place("anyMap", .key("n")).add(-4)
      try world.place("anyMap", .key("none")).add(1)
      try expectEqual(world.value("count"), .int(.min))
      try expectEqual(world.value("maybe"), .null)
      try expectEqual(world.value("any", .index(0)), .int(6))
      try expectEqual(world.value("anyMap", .key("n")), .int(-1))
      try expectEqual(world.value("anyMap", .key("none")), nil)
      #expect(throws: PathError.wrongType(field: "anyMap")) {
        try world.place("anyMap", .key("l")).add(1)
      }
      #expect(throws: PathError.wrongType(field: "x")) {
        try world.place("part", .key("x")).add(1)
      }
    }
  }

  @Test func makesMixedValuesCollectionsWithoutClearingThem() throws {
    try run { world in
      try world.place("any").makeCollection(.list)
      try expectEqual(world.value("any", .index(0)), .int(1))
      try world.place("any", .index(1)).makeCollection(.dictionary)
      try expectEqual(world.value("any", .index(1), .key("k"), .index(0)), .int(2))
      try world.place("any", .index(0)).makeCollection(.dictionary)
      try expectEqual(world.value("any", .index(0)), emptyMap)
      try world.place("anyMap", .key("new")).makeCollection(.list)
      try expectEqual(world.value("anyMap", .key("new")), .list([]))
      try world.place("any").makeCollection(.dictionary)
      try expectEqual(world.value("any"), emptyMap)
      #expect(throws: PathError.wrongType(field: "count")) {
        try world.place("count").makeCollection(.list)
      }
      #expect(throws: PathError.wrongKind(field: "anyList")) {
        try world.place("anyList").makeCollection(.list)
      }
    }
  }

  // MARK: Embedded objects

  @Test func createsEmbeddedObjectsWhereThereAreNone() throws {
    try run { world in
      try world.place("part").createEmbedded()
      try expectEqual(world.value("part"), .link(world.part))
      try world.place("parts", .index(0)).createEmbedded()
      try expectEqual(world.value("parts", .index(0)), .link(world.element))
      // In a dictionary always.
      let old = try world.value("partMap", .key("k"))
      try world.place("partMap", .key("k")).createEmbedded()
      #expect(try world.value("partMap", .key("k")) != old)
      try world.place("part", .key("part")).createEmbedded()
      try world.place("part", .key("part"), .key("x")).set(.double(3))
      try world.place("parts", .index(1)).insertEmbedded(priorSize: 1)
      try expectEqual(world.size("parts", .index(1)), 2)
      for field in ["link", "count", "any"] {
        #expect(throws: PathError.wrongType(field: field)) {
          try world.place(field).createEmbedded()
        }
      }
      #expect(throws: PathError.wrongKind(field: "parts")) {
        try world.place("parts").createEmbedded()
      }
    }
  }

  // MARK: Lists

  @Test func comparesTheSizesOfLists() throws {
    try run { world in
      for number in 0..<3 {
        try world.place("numbers", .index(number)).insert(.int(Int64(number)), priorSize: number)
      }
      let wrong = PathError.sizeMismatch(field: "numbers", expected: 2, size: 3)
      #expect(throws: wrong) { try world.place("numbers", .index(0)).insert(.int(1), priorSize: 2) }
      #expect(throws: wrong) { try world.place("numbers", .index(0)).erase(priorSize: 2) }
      #expect(throws: wrong) { try world.place("numbers", .index(0)).move(to: 1, priorSize: 2) }
      for index in [-1, 3] {
        let outside = PathError.indexOutOfRange(field: "numbers", index: index, size: 3)
        #expect(throws: outside) { try world.place("numbers", .index(index)).erase(priorSize: 3) }
        #expect(throws: outside) {
          try world.place("numbers", .index(0)).move(to: index, priorSize: 3)
        }
      }
      try world.place("numbers", .index(0)).move(to: 2, priorSize: 3)
      try world.place("numbers", .index(0)).erase(priorSize: 3)
      let row = try #require(try world.tables.things.row(of: world.thing))
      try expectEqual(row.value(of: world.tables.column("numbers")), .list([.int(2), .int(0)]))
    }
  }

  @Test func insertsInListsOfMixedValues() throws {
    try run { world in
      try world.place("anyList", .index(0)).insertCollection(.dictionary, priorSize: 0)
      try world.place("anyList", .index(0), .key("k")).set(.bool(true))
      try world.place("anyList", .index(0)).insert(.null, priorSize: 1)
      try world.place("any", .index(1), .key("k"), .index(1)).insert(.int(9), priorSize: 1)
      try expectEqual(world.value("anyList", .index(1), .key("k")), .bool(true))
      try expectEqual(world.value("any", .index(1), .key("k"), .index(1)), .int(9))
      for value in [TableValue.list([]), emptyMap, .link(world.thing)] {
        #expect(throws: PathError.wrongType(field: "anyList")) {
          try world.place("anyList", .index(0)).insert(value, priorSize: 2)
        }
      }
      #expect(throws: PathError.wrongKind(field: "anyMap")) {
        try world.place("anyMap", .key("k")).insert(.int(1), priorSize: 0)
      }
    }
  }

  @Test func countsLinksToTombstonesInLists() throws {
    try run { world in
      let hidden = try world.tables.things.linkTarget(forPrimaryKey: .string("gone"))
      try world.place("links", .index(0)).insert(.link(hidden), priorSize: 0)
      try world.place("links", .index(1)).insert(.link(world.thing), priorSize: 1)
      try expectEqual(world.size("links", .index(0)), 2)
      try world.place("links", .index(0)).move(to: 1, priorSize: 2)
      try world.place("links", .index(0)).erase(priorSize: 2)
      try expectEqual(world.value("links", .index(0)), .null)
    }
  }

  // MARK: Sets and dictionaries

  @Test func insertsAndErasesMembersAgain() throws {
    try run { world in
      for _ in 0..<2 { try world.place("anySet").insertMember(.int(1)) }
      let set = try world.tables.things.set(try world.tables.column("anySet"), world.thing)
      try expectEqual(set.view.values(), [.int(1)])
      for _ in 0..<2 { try world.place("anySet").eraseMember(.int(1)) }
      try expectEqual(set.view.values(), [])
      #expect(throws: PathError.wrongType(field: "linkSet")) {
        try world.place("linkSet").insertMember(.int(1))
      }
      #expect(throws: PathError.wrongKind(field: "numbers")) {
        try world.place("numbers").insertMember(.int(1))
      }
    }
  }

  @Test func erasesEntriesThatMayBeGone() throws {
    try run { world in
      for _ in 0..<2 { try world.place("anyMap", .key("n")).eraseEntry() }
      try expectEqual(world.value("anyMap", .key("n")), nil)
      #expect(throws: PathError.wrongKind(field: "numbers")) {
        try world.place("numbers", .index(0)).eraseEntry()
      }
    }
  }

  // MARK: Clearing

  @Test func clearsCollectionsOfTheirKind() throws {
    try run { world in
      try world.place("numbers", .index(0)).insert(.int(1), priorSize: 0)
      try world.place("numbers").clear(.list)
      try expectEqual(world.size("numbers", .index(0)), 0)
      // Devices of older versions do not send the kind.
      try world.place("anyMap").clear(.none)
      try expectEqual(world.value("anyMap", .key("n")), nil)
      try world.place("parts").clear(.list)
      #expect(throws: PathError.wrongKind(field: "anyMap")) {
        try world.place("anyMap").clear(.list)
      }
      #expect(throws: PathError.wrongKind(field: "count")) { try world.place("count").clear(.list) }
    }
  }

  @Test func clearsMixedValuesAndGivesThemTheKind() throws {
    try run { world in
      try world.place("any", .index(1)).clear(.list)
      try expectEqual(world.value("any", .index(1)), .list([]))
      try world.place("anyMap", .key("l")).clear(.list)
      try expectEqual(world.size("anyMap", .key("l"), .index(0)), 0)
      try world.place("any").clear(.list)
      try expectEqual(world.size("any", .index(0)), 0)
      try world.place("any").clear(.dictionary)
      try expectEqual(world.value("any"), emptyMap)
      for kind in [CollectionKind.none, .set] {
        #expect(throws: PathError.wrongKind(field: "any")) { try world.place("any").clear(kind) }
      }
      #expect(throws: PathError.missingKey(field: "anyMap", key: "z")) {
        try world.place("anyMap", .key("z")).clear(.list)
      }
    }
  }
}
