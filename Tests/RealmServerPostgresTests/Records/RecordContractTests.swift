// SPDX-License-Identifier: Apache-2.0

// What all stores of records must do. Each case runs against each kind.

import RealmStorage
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

@Suite(.heavy)
struct RecordContractTests {
  @Test(arguments: StoreKind.all)
  func newRecordsHaveNoTables(_ kind: StoreKind) throws {
    let records = try StoreBench(kind).records(kind)
    let tables = try records.snapshot()
    #expect(try ThingRecords.things.find(in: tables) == nil)
    try expectEqual(AccountStore.userCount(in: records), 0)
  }

  @Test(arguments: StoreKind.all)
  func whatIsChangedIsThereInAllNewSnapshots(_ kind: StoreKind) throws {
    let bench = try StoreBench(kind)
    let records = try bench.records(kind)
    try records.change(ThingRecords.make)
    let before = try records.snapshot()
    try records.change { (group) throws(StorageError) in
      try ThingRecords.set("a", [1, 0], of: "x", in: group)
      try ThingRecords.note("n", 7, in: group)
      return true
    }
    try expectEqual(ThingRecords.things.table(in: before).count(), 0)
    var expected = ThingRecords.Content()
    expected.things["x"] = .init(count: 0, text: "a", bytes: [1, 0])
    expected.notes[7] = "n"
    try expectEqual(ThingRecords.content(of: records), expected)
    if kind != .embedded {
      try expectEqual(ThingRecords.content(of: bench.records(kind, server: 1)), expected)
    }
  }

  /// `RecordStore` 1
  @Test(arguments: StoreKind.all)
  func aBodyThatThrowsOrDeclinesChangesNothing(_ kind: StoreKind) throws {
    let records = try StoreBench(kind).records(kind)
    try records.change(ThingRecords.make)
    try records.change { (group) throws(StorageError) in
      try ThingRecords.count("x", in: group)
      return true
    }
    let expected = try ThingRecords.content(of: records)
    #expect(throws: StoreError.storage(.limitExceeded("a test"))) {
      try records.change { (group) throws(StorageError) in
        try ThingRecords.remove("x", in: group)
        throw .limitExceeded("a test")
      }
    }
    try records.change { (group) throws(StorageError) in
      try ThingRecords.remove("x", in: group)
      return false
    }
    try expectEqual(ThingRecords.content(of: records), expected)
    try records.change { (group) throws(StorageError) in
      try ThingRecords.count("x", in: group)
      return true
    }
    try expectEqual(ThingRecords.content(of: records).things["x"]?.count, 2)
  }

  @Test(arguments: StoreKind.all)
  func aRecordThatIsRemovedAndMadeAgainIsAnother(_ kind: StoreKind) throws {
    let bench = try StoreBench(kind)
    let records = try bench.records(kind)
    try records.change(ThingRecords.make)
    try records.change { (group) throws(StorageError) in
      try ThingRecords.set("a", [1], of: "x", in: group)
      try ThingRecords.note("old", 1, in: group)
      return true
    }
    let other = try kind == .embedded ? records : bench.records(kind, server: 1)
    try expectEqual(ThingRecords.content(of: other).notes, [1: "old"])
    try records.change { (group) throws(StorageError) in
      try ThingRecords.remove("x", in: group)
      try ThingRecords.count("x", in: group)
      try ThingRecords.note(nil, 1, in: group)
      try ThingRecords.note("new", 1, in: group)
      return true
    }
    let content = try ThingRecords.content(of: other)
    expectEqual(content.things, ["x": .init(count: 1, text: nil, bytes: nil)])
    expectEqual(content.notes, [1: "new"])
  }

  /// The tables of users and triggers are of the kinds that each store takes.
  @Test(arguments: StoreKind.all)
  func usersAndTriggersAreRecords(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let now = ThingEntries.now
    let users = try AccountStore(bench.records(kind), app: "todos", now: now)
    try await users.add(
      APIKey(id: "k", account: nil, name: "key", digest: [1], created: now))
    if kind != .embedded {
      let others = try AccountStore(bench.records(kind, server: 1), app: "todos", now: now)
      try await expectEqual(others.keys(of: nil).map(\.id), ["k"])
      await #expect(throws: AccountError.keyNameInUse) {
        try await others.add(
          APIKey(id: "l", account: nil, name: "key", digest: [2], created: now))
      }
    }
    #expect(throws: StoreError.self) {
      try AccountStore(bench.records(kind, server: 2), app: "other", now: now)
    }
  }
}
