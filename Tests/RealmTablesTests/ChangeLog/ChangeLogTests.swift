// SPDX-License-Identifier: Apache-2.0

// The change log: its bytes against the format's examples, and what readers make of them.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("Change log")
struct ChangeLogTests {
  private static let people = TableKey(0)
  private static let dogs = TableKey(1)
  private static let name = ColumnKey(0x20000)
  private static let tags = ColumnKey(0x4800_0004)

  private func changes(_ logs: ChangeLogWriter...) throws -> VersionChanges {
    try ChangeLogParser.changes(in: logs.map(\.changeset))
  }

  @Test("writes the changeset of the format's worked example A")
  func workedExample() {
    let log = ChangeLogWriter()
    log.insertTable(Self.people)
    log.insertColumn(ColumnKey(0x20000), in: Self.people)
    log.insertTable(Self.dogs)
    for column: Int64 in [0x4402_0001, 0x4400_0002, 0x440C_0003, 0x4800_0004] {
      log.insertColumn(ColumnKey(column), in: Self.dogs)
    }
    log.createObject(ObjectKey(0), in: Self.people)
    log.set(Self.name, of: ObjectKey(0), in: Self.people)
    log.createObject(ObjectKey(0), in: Self.dogs)
    log.insert(at: 0, in: Self.tags, of: ObjectKey(0), Self.dogs)
    log.createObject(ObjectKey(1), in: Self.dogs)
    let expected: [UInt8] = [
      0x01, 0x00, 0x0A, 0x00, 0x00, 0x14, 0x80, 0x80, 0x08, 0x01, 0x01, 0x0A, 0x00, 0x01, 0x14,
      0x81, 0x80, 0x88, 0xA0, 0x04, 0x14, 0x82, 0x80, 0x80, 0xA0, 0x04, 0x14, 0x83, 0x80, 0xB0,
      0xA0, 0x04, 0x14, 0x84, 0x80, 0x80, 0xC0, 0x04, 0x0A, 0x00, 0x00, 0x0B, 0x00, 0x0A, 0x00,
      0x01, 0x0B, 0x00, 0x0B, 0x01,
    ]
    expectEqual(log.changeset, expected)
  }

  /// `WriteJournal` 2.
  @Test("tells who follows a transaction what readers of other versions need not know")
  func followers() throws {
    let log = ChangeLogWriter()
    let (first, second) = (ObjectKey(1), ObjectKey(2))
    log.createObject(first, in: Self.people)
    let start = log.follow()
    expectEqual(log.changes(since: start)?.isEmpty, true)
    log.set(Self.name, of: first, in: Self.people)
    log.set(Self.name, of: first, in: Self.people)
    log.insert(at: 0, in: Self.tags, of: first, Self.dogs)
    let own = try #require(log.changes(since: start))
    expectEqual(own[Self.people]?.isModified(first, Self.name), true)
    expectEqual(own[Self.dogs]?.isModified(first, Self.tags), true)
    let later = log.follow()
    log.insert(at: 1, in: Self.tags, of: first, Self.dogs)
    expectEqual(log.changes(since: later)?[Self.dogs]?.isModified(first, Self.tags), true)
    log.removeObject(first, in: Self.people)
    log.createObject(second, in: Self.people)
    let changes = try #require(log.changes(since: start)?[Self.people])
    expectEqual(changes.deleted, [first])
    expectEqual(changes.inserted, [second])
    expectTrue(changes.modifications.isEmpty)
    expectEqual(log.changes(since: start)?.schemaChanged, false)
    log.insertColumn(Self.name, in: Self.people)
    expectEqual(log.changes(since: start)?.schemaChanged, true)
    expectEqual(log.changes(since: log.follow())?.schemaChanged, false)
  }

  /// `WriteJournal` 1.
  @Test("forgets what long transactions did first")
  func longTransactions() {
    let log = ChangeLogWriter()
    let start = log.follow()
    for number in 0..<300_000 { log.createObject(ObjectKey(Int64(number)), in: Self.people) }
    expectEqual(log.changes(since: start), nil)
    let now = log.follow()
    log.removeObject(ObjectKey(5), in: Self.people)
    expectEqual(log.changes(since: now)?[Self.people]?.deleted, [ObjectKey(5)])
  }

  @Test(
    "encodes numbers as the format shows",
    arguments: [
      (0, [0x00]), (63, [0x3F]), (64, [0xC0, 0x00]), (-1, [0x40]), (-64, [0x7F]),
      (-65, [0xC0, 0x40]), (1 << 14, [0x80, 0x80, 0x01]),
    ] as [(Int64, [UInt8])])
  func integers(value: Int64, bytes: [UInt8]) {
    let encoded = [UInt8](unsafeUninitializedCapacity: 10) { buffer, count in
      count = ChangeLogInteger.store(value, to: buffer.baseAddress!)
    }
    expectEqual(encoded, bytes)
  }

  @Test("reads back numbers of every magnitude")
  func integerRoundTrip() {
    var values: [Int64] = [.min, .max]
    for shift in 0..<64 as Range<Int64> {
      for delta in -1...1 as ClosedRange<Int64> {
        let value = Int64(bitPattern: 1 << UInt64(shift)) &+ delta
        values += [value, ~value]
      }
    }
    for value in values {
      let encoded = [UInt8](unsafeUninitializedCapacity: 10) { buffer, count in
        count = ChangeLogInteger.store(value, to: buffer.baseAddress!)
      }
      var offset = 0
      let decoded = encoded.withUnsafeBufferPointer { ChangeLogInteger.load($0, at: &offset) }
      expectEqual(decoded, value)
      expectEqual(offset, encoded.count)
    }
  }

  @Test("refuses numbers that do not fit or do not end")
  func badIntegers() {
    for bytes: [UInt8] in [
      [], [0x80], Array(repeating: 0xFF, count: 10), Array(repeating: 0xFF, count: 9) + [0x01],
      Array(repeating: 0x80, count: 12) + [0x00],
    ] {
      var offset = 0
      expectEqual(bytes.withUnsafeBufferPointer { ChangeLogInteger.load($0, at: &offset) }, nil)
    }
  }

  /// `ChangeLogWriter` 1, 2 and 3.
  @Test("leaves out what is written inside new objects and what repeats")
  func redundantInstructions() throws {
    let log = ChangeLogWriter()
    log.createObject(ObjectKey(5), in: Self.dogs)
    let length = log.changeset.count
    log.set(Self.name, of: ObjectKey(5), in: Self.dogs)
    log.insert(at: 0, in: Self.tags, of: ObjectKey(5), Self.dogs)
    expectEqual(log.changeset.count, length)
    expectTrue(log.didCreate(ObjectKey(5), in: Self.dogs))
    expectFalse(log.didCreate(ObjectKey(5), in: Self.people))

    log.set(Self.name, of: ObjectKey(4), in: Self.dogs)
    let afterSet = log.changeset.count
    log.set(Self.name, of: ObjectKey(4), in: Self.dogs)
    expectEqual(log.changeset.count, afterSet)

    // Another table in between must not make the writer forget.
    log.set(Self.name, of: ObjectKey(4), in: Self.people)
    let afterOther = log.changeset.count
    log.insert(at: 1, in: Self.tags, of: ObjectKey(5), Self.dogs)
    expectEqual(log.changeset.count, afterOther + 3)
    expectTrue(log.didCreate(ObjectKey(5), in: Self.dogs))

    // The key's next object is logged like any other.
    log.removeObject(ObjectKey(5), in: Self.dogs)
    log.set(Self.name, of: ObjectKey(5), in: Self.dogs)
    try expectEqual(changes(log)[Self.dogs]?.isModified(ObjectKey(5), Self.name), true)
  }

  /// `TableChanges` 1 and 2.
  @Test("folds a life inside the run to nothing, and a second life to both")
  func insertionAndDeletion() throws {
    let first = ChangeLogWriter()
    let second = ChangeLogWriter()
    first.createObject(ObjectKey(1), in: Self.dogs)
    first.set(Self.name, of: ObjectKey(2), in: Self.dogs)
    first.insert(at: 0, in: Self.tags, of: ObjectKey(2), Self.dogs)
    first.removeObject(ObjectKey(3), in: Self.dogs)
    second.removeObject(ObjectKey(1), in: Self.dogs)
    second.removeObject(ObjectKey(2), in: Self.dogs)
    second.createObject(ObjectKey(3), in: Self.dogs)
    let dogs = try #require(try changes(first, second)[Self.dogs])
    expectEqual(dogs.inserted, [ObjectKey(3)])
    expectEqual(dogs.deleted, [ObjectKey(2), ObjectKey(3)])
    expectTrue(dogs.modifications.isEmpty)
    expectTrue(dogs.collections.isEmpty)
    #expect(try !changes(first).schemaChanged)
  }

  @Test("keeps list edits and joins runs")
  func collectionEdits() throws {
    let log = ChangeLogWriter()
    let owner = ObjectKey(9)
    for index in 0..<5 { log.insert(at: 10 + index, in: Self.tags, of: owner, Self.dogs) }
    for _ in 0..<3 { log.erase(at: 2, in: Self.tags, of: owner, Self.dogs) }
    log.set(at: 0, in: Self.tags, of: owner, Self.dogs)
    log.set(at: 0, in: Self.tags, of: owner, Self.dogs)
    log.move(from: 4, to: 1, in: Self.tags, of: owner, Self.dogs)
    let place = TableChanges.CollectionPlace(object: owner, column: Self.tags)
    let tags = try #require(try changes(log)[Self.dogs]?.collections[place])
    expectEqual(
      tags.edits,
      [
        .insert(at: 10, count: 5), .erase(at: 2, count: 3), .set(at: 0), .move(from: 4, to: 1),
      ])
    try expectEqual(changes(log)[Self.dogs]?.modifiedColumns(of: owner), [Self.tags])

    // 10 elements at first: 5 came and 3 went before 12 were cleared.
    log.clear(oldCount: 12, in: Self.tags, of: owner, Self.dogs)
    log.insert(at: 0, in: Self.tags, of: owner, Self.dogs)
    let cleared = try #require(try changes(log)[Self.dogs]?.collections[place])
    expectEqual(cleared.edits, [.clear(oldCount: 10), .insert(at: 0, count: 1)])
  }

  @Test("marks edits that it cannot tell in steps")
  func unspecifiedEdits() throws {
    let place = TableChanges.CollectionPlace(object: ObjectKey(3), column: ColumnKey(7))
    let keyed: [UInt8] = [10, 0, 1, 30, 7, 3, 40, 0]
    let changes = try ChangeLogParser.changes(in: [keyed])
    expectEqual(changes[TableKey(1)]?.collections[place]?.isUnspecified, true)
  }

  @Test("keeps edits of nested collections, and tells those around them where")
  func nestedEdits() throws {
    let owner = ObjectKey(3)
    let log = ChangeLogWriter()
    let path = [NestedStep(salt: 900, position: 4), NestedStep(salt: 17, position: 0)]
    log.insert(at: 5, in: Self.tags, of: owner, Self.dogs, path)
    log.set(at: 2, in: Self.tags, of: owner, Self.dogs, path)
    log.erase(at: 1, in: Self.tags, of: owner, Self.dogs)
    log.set(at: 0, in: Self.tags, of: owner, Self.dogs, [path[0]])
    let found = try #require(try changes(log)[Self.dogs])
    func edits(_ salts: [Int64]) -> CollectionChanges? {
      found.collections[.init(object: owner, column: Self.tags, salts: salts)]
    }
    expectEqual(edits([900, 17])?.edits, [.insert(at: 5, count: 1), .set(at: 2)])
    expectEqual(edits([900])?.edits, [.set(at: 0)])
    expectEqual(edits([900])?.nested, [17])
    expectEqual(edits([])?.edits, [.erase(at: 1, count: 1)])
    expectEqual(edits([])?.nested, [900])
    expectEqual(found.modifiedColumns(of: owner), [Self.tags])
    log.removeObject(owner, in: Self.dogs)
    try expectEqual(changes(log)[Self.dogs]?.collections.isEmpty, true)
  }

  @Test("drops the objects of an erased table")
  func erasedTable() throws {
    let log = ChangeLogWriter()
    log.createObject(ObjectKey(0), in: Self.dogs)
    log.eraseTable(Self.dogs)
    expectFalse(log.didCreate(ObjectKey(0), in: Self.dogs))
    let folded = try changes(log)
    expectTrue(folded.schemaChanged)
    expectEqual(folded[Self.dogs], nil)
  }

  @Test("tells more than 64 changed columns apart")
  func manyColumns() throws {
    let log = ChangeLogWriter()
    for index in 0..<200 { log.set(ColumnKey(Int64(index)), of: ObjectKey(1), in: Self.dogs) }
    log.set(ColumnKey(150), of: ObjectKey(2), in: Self.dogs)
    let dogs = try #require(try changes(log)[Self.dogs])
    expectEqual(dogs.modifiedColumns(of: ObjectKey(1)), (0..<200).map { ColumnKey($0) })
    expectEqual(dogs.modifiedColumns(of: ObjectKey(2)), [ColumnKey(150)])
    expectFalse(dogs.isModified(ObjectKey(2), ColumnKey(149)))
  }

  @Test(
    "throws for bytes that are not a changeset",
    arguments: [
      [0], [255], [34], [11, 0], [13, 0, 0], [10, 0], [10, 1, 0], [10, 0, 0x40], [10, 0, 0, 31, 0],
      [10, 0, 0, 30, 0], [10, 0, 0, 30, 0, 0, 31, 0x40], [31, 0], [20, 0], [45, 0, 0, 0],
      [10, 0, 0, 45, 0, 0, 0x40], [10, 0, 0, 45, 0, 0, 0xE5, 0x01], [1, 0x40],
    ] as [[UInt8]])
  func badChangesets(bytes: [UInt8]) {
    #expect(throws: StorageError.self) { try ChangeLogParser.changes(in: [bytes]) }
  }
}
