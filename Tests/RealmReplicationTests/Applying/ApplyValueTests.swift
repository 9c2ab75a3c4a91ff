// SPDX-License-Identifier: Apache-2.0

// Instructions about values: each row of P2 C.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmText
import TestExtensions
import Testing

@Suite("Applied values")
struct ApplyValueTests {
  private let items: ItemFile

  init() throws { items = try ItemFile() }

  private func expectWrongType(
    _ field: String, _ steps: [Changeset.Step] = [], to value: Payload,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    try items.expectBad(.path(.wrongType(field: field)), location) { changeset, item in
      changeset.update(item, "a", field, steps, to: value)
    }
  }

  // MARK: Types

  @Test func aValueMustBeOfTheTypeOfItsProperty() throws {
    try expectWrongType("count", to: .bool(true))
    try expectWrongType("name", to: .int(1))
    try expectWrongType("link", to: .int(1))
    try expectWrongType("numberMap", [.key("k")], to: .double(1))
    try items.expectBad(.path(.wrongType(field: "numbers"))) { changeset, item in
      changeset.insert(item, "a", "numbers", [.at(0)], .float(1), priorSize: 0)
    }
    try items.expectBad(.path(.wrongType(field: "numberSet"))) { changeset, item in
      let path = changeset.path(item, "a", "numberSet")
      changeset.append(.setInsert(.init(path: path, value: .bool(true))))
    }
  }

  @Test func nullIsForNullablePropertiesAlone() throws {
    try expectWrongType("count", to: .null)
    try expectWrongType("numberMap", [.key("k")], to: .null)
    try items.apply { changeset, item in
      changeset.update(item, "a", "maybe", to: .int(1))
      changeset.update(item, "a", "maybe", to: .null)
      changeset.update(item, "a", "any", to: .null)
    }
    try expectEqual(items.value("maybe"), .null)
  }

  @Test func mixedTakesAllScalars() throws {
    var payloads: [Payload] = [
      .int(1), .bool(true), .float(2), .double(3), .null, .timestamp(seconds: 1, nanoseconds: 2),
      .decimal(Decimal128Bits(low: 1, high: 0x3040_0000_0000_0000)),
      .objectID(ObjectIDBits(high: 1, low: 2)), .uuid(UUIDBits(high: 1, low: 2)),
    ]
    var values: [TableValue] = [
      .int(1), .bool(true), .float(2), .double(3), .null,
      .timestamp(Timestamp(seconds: 1, nanoseconds: 2)),
      .decimal(DecimalBits(low: 1, high: 0x3040_0000_0000_0000)),
      .objectId(Bytes12(high: 1, low: 2)), .uuid(Bytes16(high: 1, low: 2)),
    ]
    var changeset = Changeset()
    payloads.append(.string(changeset.addBytes("text")))
    values.append(.string("text"))
    payloads.append(.binary(changeset.addBytes([1, 2, 3] as [UInt8])))
    values.append(.binary([1, 2, 3]))
    let item = changeset.intern("Item")
    for (index, payload) in payloads.enumerated() {
      let size = UInt32(index)
      changeset.insert(item, "a", "anys", [.at(size)], payload, priorSize: size)
    }
    try items.file.apply(changeset)
    try expectEqual(items.value("anys"), .list(values))
  }

  @Test func aLinkMustNameTheClassOfItsProperty() throws {
    try items.expectBad(.path(.wrongType(field: "link"))) { changeset, item in
      let free = changeset.intern("Free")
      let key = PrimaryKey.globalKey(GlobalKey(high: 0, low: 0))
      changeset.update(item, "a", "link", to: .link(table: free, key: key))
    }
    try items.expectBad { changeset, item in
      changeset.update(item, "a", "part", to: changeset.link(item, "a"))
    }
    try items.expectBad(.missingClass("None")) { changeset, item in
      changeset.update(item, "a", "any", to: changeset.link(changeset.intern("None"), "a"))
    }
    try items.expectBad(.embeddedClass("Part")) { changeset, item in
      changeset.update(item, "a", "any", to: changeset.link(changeset.intern("Part"), "a"))
    }
  }

  @Test func aLinkToAMissingObjectWaitsForIt() throws {
    try items.apply { changeset, item in
      changeset.update(item, "a", "link", to: changeset.link(item, "later"))
      changeset.insertLink(item, "a", "links", "later", at: 0)
    }
    try expectEqual(items.value("link"), .null)
    try expectEqual(items.links("links"), [])
    try items.apply { changeset, item in changeset.create(item, "later") }
    try expectEqual(items.links("link"), ["later"])
    try expectEqual(items.links("links"), ["later"])
  }

  @Test func aPrimaryKeyIsNotAssigned() throws {
    try items.expectBad { changeset, item in
      changeset.update(item, "a", "id", to: .string(changeset.addBytes("b")))
    }
  }

  // MARK: Embedded objects

  @Test func anEmbeddedObjectIsCreatedIfThereIsNone() throws {
    try items.apply { changeset, item in
      changeset.update(item, "a", "part", to: .objectValue)
      changeset.update(item, "a", "part", [.key("x")], to: .int(5))
      changeset.update(item, "a", "part", to: .objectValue)
      changeset.update(item, "a", "part", [.key("part")], to: .objectValue)
      changeset.update(item, "a", "part", [.key("part"), .key("x")], to: .int(6))
    }
    let lines = try StateDifference.lines(from: items.file.read(), to: ItemFile().file.read())
    expectEqual(lines.count, 1)
    expectEqual(lines.first?.contains("Part(part: Part(part: null, x: int(6)), x: int(5))"), true)
  }

  @Test func anEmbeddedObjectInAListStays() throws {
    try items.apply { changeset, item in
      changeset.insert(item, "a", "parts", [.at(0)], .objectValue, priorSize: 0)
      changeset.update(item, "a", "parts", [.at(0), .key("x")], to: .int(5))
      changeset.update(item, "a", "parts", [.at(0)], to: .objectValue, priorSize: 1)
    }
    let parts = try items.table("Part")
    let key = try #require(try parts.key(at: 0))
    try expectEqual(parts.row(of: key)?.value(of: parts.schema.columns[0]), .int(5))
  }

  @Test func anEmbeddedObjectInADictionaryIsAlwaysNew() throws {
    try items.apply { changeset, item in
      changeset.update(item, "a", "partMap", [.key("k")], to: .objectValue)
      changeset.update(item, "a", "partMap", [.key("k"), .key("x")], to: .int(5))
      changeset.update(item, "a", "partMap", [.key("k")], to: .objectValue)
    }
    let parts = try items.table("Part")
    try expectEqual(parts.objectCount(), 1)
    let key = try #require(try parts.key(at: 0))
    try expectEqual(parts.row(of: key)?.value(of: parts.schema.columns[0]), .int(0))
  }

  // MARK: Integers

  @Test func anIntegerIsAddedToAndWraps() throws {
    try items.apply { changeset, item in
      changeset.update(item, "a", "count", to: .int(.max))
      let path = changeset.path(item, "a", "count")
      changeset.append(.addInteger(.init(path: path, amount: 2)))
    }
    try expectEqual(items.value("count"), .int(.min + 1))
  }

  @Test func nullIsNotAddedTo() throws {
    try items.apply { changeset, item in
      for path in [
        changeset.path(item, "a", "maybe"), changeset.path(item, "a", "any"),
        changeset.path(item, "a", "numberMap", [.key("none")]),
      ] { changeset.append(.addInteger(.init(path: path, amount: 2))) }
    }
    try expectEqual(items.value("maybe"), .null)
  }

  @Test func whatIsNoIntegerIsNotAddedTo() throws {
    try items.expectBad(.path(.wrongType(field: "name"))) { changeset, item in
      let path = changeset.path(item, "a", "name")
      changeset.append(.addInteger(.init(path: path, amount: 2)))
    }
    try items.expectBad(.path(.wrongType(field: "any"))) { changeset, item in
      changeset.update(item, "a", "any", to: .bool(true))
      let path = changeset.path(item, "a", "any")
      changeset.append(.addInteger(.init(path: path, amount: 2)))
    }
  }

  // MARK: Lists

  @Test func insertionsMovesAndErasuresCompareTheSize() throws {
    try items.apply { changeset, item in
      for index in 0..<3 as Range<UInt32> {
        changeset.insert(
          item, "a", "numbers", [.at(index)], .int(Int64(index)), priorSize: index)
      }
    }
    let problem = ApplyProblem.path(.sizeMismatch(field: "numbers", expected: 2, size: 3))
    try items.expectBad(problem) { changeset, item in
      changeset.insert(item, "a", "numbers", [.at(0)], .int(9), priorSize: 2)
    }
    try items.expectBad(problem) { changeset, item in
      let path = changeset.path(item, "a", "numbers", [.at(0)])
      changeset.append(.arrayMove(.init(path: path, target: 1, priorSize: 2)))
    }
    try items.expectBad(problem) { changeset, item in
      let path = changeset.path(item, "a", "numbers", [.at(0)])
      changeset.append(.arrayErase(.init(path: path, priorSize: 2)))
    }
    // An assignment does not.
    try items.apply { changeset, item in
      changeset.update(item, "a", "numbers", [.at(0)], to: .int(7), priorSize: 99)
      let move = changeset.path(item, "a", "numbers", [.at(0)])
      changeset.append(.arrayMove(.init(path: move, target: 2, priorSize: 3)))
      let erase = changeset.path(item, "a", "numbers", [.at(0)])
      changeset.append(.arrayErase(.init(path: erase, priorSize: 3)))
    }
    try expectEqual(items.value("numbers"), .list([.int(2), .int(7)]))
  }

  @Test func positionsMustBeInsideOfTheList() throws {
    try items.expectBad(.path(.indexOutOfRange(field: "numbers", index: 1, size: 0))) {
      changeset, item in
      changeset.insert(item, "a", "numbers", [.at(1)], .int(9), priorSize: 0)
    }
    try items.expectBad(.path(.indexOutOfRange(field: "numbers", index: 0, size: 0))) {
      changeset, item in
      changeset.update(item, "a", "numbers", [.at(0)], to: .int(9))
    }
    try items.expectBad { changeset, item in
      let path = changeset.path(item, "a", "numbers", [.at(0)])
      changeset.append(.arrayErase(.init(path: path, priorSize: 0)))
    }
    try items.expectBad { changeset, item in
      changeset.insert(item, "a", "numbers", [.at(0)], .int(9), priorSize: 0)
      let path = changeset.path(item, "a", "numbers", [.at(0)])
      changeset.append(.arrayMove(.init(path: path, target: 1, priorSize: 1)))
    }
  }

  // MARK: Dictionaries and sets

  @Test func anEntryIsErasedIfItIsThere() throws {
    try items.apply { changeset, item in
      changeset.update(item, "a", "numberMap", [.key("k")], to: .int(1))
      changeset.update(item, "a", "numberMap", [.key("k")], to: .erased)
      changeset.update(item, "a", "numberMap", [.key("none")], to: .erased)
    }
    try expectEqual(items.value("numberMap"), .dictionary(TableDictionary([])))
    try items.expectBad { changeset, item in
      changeset.update(item, "a", "count", to: .erased)
    }
  }

  @Test func membersAreInsertedAndErasedOnce() throws {
    try items.apply { changeset, item in
      for value in [1, 1, 2] as [Int64] {
        let path = changeset.path(item, "a", "numberSet")
        changeset.append(.setInsert(.init(path: path, value: .int(value))))
      }
      for value in [1, 1, 5] as [Int64] {
        let path = changeset.path(item, "a", "numberSet")
        changeset.append(.setErase(.init(path: path, value: .int(value))))
      }
    }
    try expectEqual(items.value("numberSet"), .list([.int(2)]))
    try items.expectBad { changeset, item in
      let path = changeset.path(item, "a", "numbers")
      changeset.append(.setInsert(.init(path: path, value: .int(1))))
    }
  }

  @Test(arguments: [Payload.objectValue, .list, .dictionary, .set, .erased])
  func whatIsNoElementIsNoMember(_ value: Payload) throws {
    try items.expectBad { changeset, item in
      let path = changeset.path(item, "a", "numberSet")
      changeset.append(.setInsert(.init(path: path, value: value)))
    }
    if value == .set || value == .erased {
      try items.expectBad { changeset, item in
        changeset.insert(item, "a", "anys", [.at(0)], value, priorSize: 0)
      }
      try items.expectBad { changeset, item in
        changeset.update(item, "a", "any", to: value)
      }
    }
  }

  // MARK: Collections in mixed values

  @Test func aMixedValueBecomesACollectionOnce() throws {
    try items.apply { changeset, item in
      changeset.update(item, "a", "any", to: .list)
      changeset.insert(item, "a", "any", [.at(0)], .dictionary, priorSize: 0)
      changeset.update(item, "a", "any", [.at(0), .key("k")], to: .int(1))
      changeset.update(item, "a", "any", to: .list)
    }
    let map = TableValue.dictionary(TableDictionary([.init(key: "k", value: .int(1))]))
    try expectEqual(items.value("any"), .list([map]))
    try items.apply { changeset, item in changeset.update(item, "a", "any", to: .dictionary) }
    try expectEqual(items.value("any"), .dictionary(TableDictionary([])))
    try expectWrongType("count", to: .list)
  }

  @Test func aCollectionIsCleared() throws {
    try items.apply { changeset, item in
      changeset.insert(item, "a", "numbers", [.at(0)], .int(1), priorSize: 0)
      changeset.update(item, "a", "numberMap", [.key("k")], to: .int(1))
      for (name, kind) in [("numbers", .list), ("numberMap", .single), ("numberSet", .set)]
        as [(String, ChangesetCollectionKind)]
      {
        let path = changeset.path(item, "a", name)
        changeset.append(.clear(.init(path: path, collection: kind)))
      }
    }
    try expectEqual(items.value("numbers"), .list([]))
    try items.expectBad(.path(.wrongKind(field: "numbers"))) { changeset, item in
      let path = changeset.path(item, "a", "numbers")
      changeset.append(.clear(.init(path: path, collection: .set)))
    }
    try items.expectBad { changeset, item in
      let path = changeset.path(item, "a", "count")
      changeset.append(.clear(.init(path: path, collection: .list)))
    }
  }

  @Test func clearingAMixedValueGivesItItsKind() throws {
    try items.apply { changeset, item in
      changeset.update(item, "a", "any", to: .int(5))
      let path = changeset.path(item, "a", "any")
      changeset.append(.clear(.init(path: path, collection: .dictionary)))
      changeset.insert(item, "a", "anys", [.at(0)], .null, priorSize: 0)
      let element = changeset.path(item, "a", "anys", [.at(0)])
      changeset.append(.clear(.init(path: element, collection: .list)))
    }
    try expectEqual(items.value("any"), .dictionary(TableDictionary([])))
    try expectEqual(items.value("anys"), .list([.list([])]))
    try items.expectBad(.path(.wrongKind(field: "any"))) { changeset, item in
      let path = changeset.path(item, "a", "any")
      changeset.append(.clear(.init(path: path, collection: .single)))
    }
  }

  // MARK: Paths

  @Test func pathsAreWalkedStrictly() throws {
    try items.apply { changeset, item in
      changeset.update(item, "a", "any", to: .int(1))
      changeset.insert(item, "a", "anys", [.at(0)], .list, priorSize: 0)
    }
    let cases: [(ApplyProblem, String, String, [Changeset.Step])] = [
      (.path(.missingObject(table: "Item")), "none", "count", []),
      (.missingProperty("none"), "a", "none", []),
      (.path(.missingField(table: "Part", field: "none")), "a", "none", [.key("x")]),
      (.path(.missingEmbeddedObject(field: "part")), "a", "part", [.key("x")]),
      (.path(.missingKey(field: "partMap", key: "k")), "a", "partMap", [.key("k"), .key("x")]),
      (
        .path(.indexOutOfRange(field: "parts", index: 0, size: 0)), "a", "parts",
        [.at(0), .key("x")]
      ),
      (.path(.wrongKind(field: "numbers")), "a", "numbers", [.key("k")]),
      (.path(.wrongKind(field: "numberMap")), "a", "numberMap", [.at(0)]),
      (.path(.wrongKind(field: "any")), "a", "any", [.at(0)]),
      (.path(.wrongKind(field: "any")), "a", "any", [.key("k")]),
      (.path(.wrongKind(field: "anys")), "a", "anys", [.at(0), .key("k")]),
      (.path(.wrongKind(field: "count")), "a", "count", [.at(0)]),
      (.path(.wrongKind(field: "numberSet")), "a", "numberSet", [.at(0)]),
      (.path(.wrongKind(field: "link")), "a", "link", [.key("count")]),
    ]
    for (problem, object, field, steps) in cases {
      // A field that does not exist is met on the way, too.
      let isWalk = !steps.isEmpty && field == "none"
      let wanted = isWalk ? ApplyProblem.path(.missingField(table: "Item", field: "none")) : problem
      try items.expectBad(wanted) { changeset, item in
        changeset.update(item, object, field, steps, to: .int(1))
      }
    }
  }

  @Test func aPathHasALimit() throws {
    try items.expectBad(.pathTooLong) { changeset, item in
      let steps = Array(repeating: Changeset.Step.key("part"), count: 257)
      changeset.update(item, "a", "part", steps, to: .objectValue)
    }
  }

  @Test func theErrorNamesTheInstruction() throws {
    do {
      try items.apply { changeset, item in changeset.update(item, "a", "count", to: .null) }
      Issue.record("the changeset was carried out")
    } catch let error as ApplyError {
      #expect(
        "\(error)".contains(#"Update "Item"[string"#)
          || "\(error)".contains(#""Item"["a"]."count""#))
    }
  }
}
