// SPDX-License-Identifier: Apache-2.0

// Journals of records: what they say, and bytes that are none.

#if Postgres
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerPostgres

struct RecordJournalTests {
  private static func journal(
    _ file: DatabaseFile, _ body: (WriteGroup) throws(StorageError) -> Void
  ) throws -> RecordJournal {
    let group = try WriteGroup(file.beginWrite())
    try body(group)
    let journal = try RecordJournal(of: group, leavingOut: ["left out"])
    _ = try group.commit()
    return journal
  }

  private static func file() throws -> DatabaseFile { try SimulatedFileSystem().openDatabase() }

  /// One with all kinds of values.
  private static func sample() throws -> RecordJournal {
    let file = try file()
    _ = try journal(file) { (group) throws(StorageError) in
      _ = try ThingRecords.make(in: group)
      try ThingRecords.count("old", in: group)
      try ThingRecords.note("old", 300, in: group)
    }
    return try journal(file) { (group) throws(StorageError) in
      try ThingRecords.set("ä", [0, 255], of: "x", in: group)
      try ThingRecords.count("x", in: group)
      try ThingRecords.remove("old", in: group)
      try ThingRecords.note(nil, 300, in: group)
      try ThingRecords.note("", 2, in: group)
    }
  }

  /// `RecordJournal` 1 and 2
  @Test func aJournalHasTheChangedRecords() throws {
    let journal = try Self.sample()
    expectEqual(journal.tables.map(\.name), ["things", "notes"])
    expectEqual(journal.tables[0].columns.map(\.name), ["key", "count", "text", "bytes"])
    expectEqual(journal.tables[0].removed, [.primary(.string("old"))])
    expectEqual(
      journal.tables[0].changed.map(\.values),
      [[.string("x"), .int(1), .string("ä"), .binary([0, 255])]])
    expectEqual(journal.tables[1].removed, [.object(ObjectKey(300))])
    expectEqual(journal.tables[1].changed.map(\.key), [.object(ObjectKey(2))])
  }

  @Test func tablesThatAreLeftOutAndThatCannotBeSharedAreNotInIt() throws {
    let file = try Self.file()
    let left = RecordLayout("left out", [RecordField("number", .int)])
    let journal = try Self.journal(file) { (group) throws(StorageError) in
      try left.make(in: group)
      _ = try left.table(in: group).create()
      try ThingRecords.notes.make(in: group)
    }
    expectEqual(journal.tables.map(\.name), ["notes"])
    for layout in [
      RecordLayout("times", [RecordField("time", .timestamp)]),
      RecordLayout("lists", [RecordField("list", .int, collection: .list)]),
    ] {
      #expect(throws: StorageError.self) {
        try Self.journal(file) { (group) throws(StorageError) in try layout.make(in: group) }
      }
    }
    #expect(throws: StorageError.self) {
      try Self.journal(file) { (group) throws(StorageError) in
        try ThingRecords.notes.remove(from: group)
      }
    }
  }

  @Test func aTransactionWithoutChangesHasNone() throws {
    let file = try Self.file()
    _ = try Self.journal(file) { (group) throws(StorageError) in
      _ = try ThingRecords.make(in: group)
    }
    #expect(try Self.journal(file) { (_) throws(StorageError) in }.isEmpty)
  }

  @Test func bytesGiveTheJournal() throws {
    let journal = try Self.sample()
    let bytes = RecordJournalWriter.encode(journal)
    try expectEqual(RecordJournalReader.decode(bytes), journal)
    let empty = RecordJournalWriter.encode(RecordJournal())
    #expect(try RecordJournalReader.decode(empty).isEmpty)
  }

  @Test func aLaterFormIsSaidToBeOne() throws {
    var bytes = RecordJournalWriter.encode(try Self.sample())
    bytes[0] = 2
    do {
      _ = try RecordJournalReader.decode(bytes)
      Issue.record("form 2 is read")
    } catch { #expect("\(error)".contains("newer realm-server")) }
  }

  /// Whatever the bytes are, they are read or refused, and carried out or refused.
  @Test(.heavy) func hostileBytesAreRefused() throws {
    let bytes = RecordJournalWriter.encode(try Self.sample())
    for count in 0..<bytes.count {
      #expect(throws: StoreError.self) { try RecordJournalReader.decode(Array(bytes[..<count])) }
    }
    #expect(throws: StoreError.self) { try RecordJournalReader.decode(bytes + [0]) }
    var random = SeededGenerator(seed: 3)
    var readCount = 0
    for _ in 0..<3_000 {
      var changed = bytes
      for _ in 0...random.number(below: 3) {
        changed[random.number(below: changed.count)] = UInt8(random.number(below: 256))
      }
      let journal: RecordJournal
      do throws(StoreError) {
        journal = try RecordJournalReader.decode(changed)
      } catch {
        guard case .damaged = error else { throw error }
        continue
      }
      readCount += 1
      let group = try WriteGroup(Self.file().beginWrite())
      do throws(StoreError) {
        try journal.apply(to: group)
      } catch {
        guard case .damaged = error else { throw error }
      }
      group.rollback()
    }
    expectTrue(readCount > 100)
  }

  @Test func aJournalThatDoesNotFitIsDamage() throws {
    let file = try Self.file()
    _ = try Self.journal(file) { (group) throws(StorageError) in
      _ = try ThingRecords.make(in: group)
    }
    typealias Column = RecordJournal.Column
    let key = Column(name: "key", type: .string, isNullable: false)
    for table in [
      RecordJournal.Table(name: "things", hasPrimaryKey: false, columns: [key]),
      RecordJournal.Table(
        name: "things", hasPrimaryKey: true,
        columns: [key, Column(name: "count", type: .string, isNullable: false)]),
      RecordJournal.Table(name: "notes", hasPrimaryKey: true, columns: [key]),
      RecordJournal.Table(name: "", hasPrimaryKey: true, columns: [key]),
    ] {
      let group = try WriteGroup(file.beginWrite())
      defer { group.rollback() }
      var journal = RecordJournal()
      journal.tables = [table]
      do throws(StoreError) {
        try journal.apply(to: group)
        Issue.record("\(table) is carried out")
      } catch {
        guard case .damaged = error else { throw error }
      }
    }
  }

  /// A replica with a journal that cannot be read says so, as for a changeset.
  @Test func aDamagedEntryIsSaidToBeOne() async throws {
    let bench = try StoreBench(.simulated)
    let store = try bench.server(0)
    let realm = try await store.open(RealmName(app: bench.name.app + "/users"))
    let head = try await realm.own()
    var entry = ThingEntries.entry(1)
    entry.changeset = [1, 0xFF]
    let batch = Batch(entries: [entry])
    _ = try await realm.append(expecting: 0, epoch: head.epoch) { _ in batch }
    let records = try bench.records(.simulated, server: 1)
    do {
      _ = try records.snapshot()
      Issue.record("a journal of two bytes is carried out")
    } catch {
      guard case .damaged(let reason) = error, reason.contains("version 1") else { throw error }
    }
  }
}
#endif
