// SPDX-License-Identifier: Apache-2.0

// Records of several servers: who is first, what they hear of each other, versions of programs.

#if Postgres
import Foundation
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerPostgres

@Suite(.heavy)
struct SharedRecordTests {
  private static func count(
    _ key: String, in records: any RecordStore
  ) throws(StoreError) {
    try records.change { (group) throws(StorageError) in
      try ThingRecords.count(key, in: group)
      return true
    }
  }

  /// `PostgresStore+Records` 1
  @Test func recordsAreInTheRealmOfNoApp() async throws {
    let bench = try StoreBench(.simulated)
    let (store, app) = (try bench.server(0), bench.name.app)
    let realm = RealmName(app: app)
    _ = try await store.open(realm)
    for kind in [PostgresStore.RecordKind.users, .triggers] {
      #expect(try !store.hasRecords(kind, ofApp: app))
      _ = try store.records(kind, ofApp: app)
      #expect(try store.hasRecords(kind, ofApp: app))
      let name = "\(app)/\(kind.rawValue)"
      try expectEqual(store.realmIDs(ofApp: name).count, 1)
      expectFalse(AppFile.isID(name))
    }
    try expectEqual(store.realmIDs(ofApp: app), [realm.fileID])
  }

  /// `PostgresRecords` 1, `RecordStore` 2
  @Test(arguments: StoreKind.shared)
  func aBodyRunsAgainAfterAnotherServerWasFirst(_ kind: StoreKind) throws {
    let bench = try StoreBench(kind)
    let (first, second) = (try bench.records(kind), try bench.records(kind, server: 1))
    try first.change(ThingRecords.make)
    try Self.count("x", in: second)
    var runs = 0
    try first.change { (group) throws(StorageError) in
      runs += 1
      if runs == 1 {
        do { try Self.count("x", in: second) } catch { Issue.record("\(error)") }
      }
      try ThingRecords.count("x", in: group)
      return true
    }
    expectEqual(runs, 2)
    for records in [first, second] {
      try expectEqual(ThingRecords.content(of: records).things["x"]?.count, 3)
    }
  }

  /// `PostgresRecords` 2
  @Test(arguments: StoreKind.shared)
  func aRefusalByAnOlderVersionIsNotBelieved(_ kind: StoreKind) throws {
    let bench = try StoreBench(kind)
    let (first, second) = (try bench.records(kind), try bench.records(kind, server: 1))
    try first.change(ThingRecords.make)
    try Self.count("x", in: second)
    let outcomes = Locked<[Bool]>([])
    let change: RecordChange = { (group) throws(StorageError) in
      let isThere = try ThingRecords.things.table(in: group).find(.string("x")) != nil
      outcomes.withLock { $0.append(isThere) }
      guard isThere else { throw .limitExceeded("there is no x") }
      try ThingRecords.count("x", in: group)
      return true
    }
    try first.change(change)
    // News may have come, and its version is the first that is asked then.
    #expect([[false, true], [true]].contains(outcomes.withLock { $0 }))
    outcomes.withLock { $0 = [] }
    try expectEqual(ThingRecords.content(of: second).things["x"]?.count, 2)
    try second.change { (group) throws(StorageError) in
      try ThingRecords.remove("x", in: group)
      return true
    }
    // An old version says yes, the newest no.
    #expect(throws: StoreError.storage(.limitExceeded("there is no x"))) {
      try first.change(change)
    }
    #expect([[true, false], [false]].contains(outcomes.withLock { $0 }))
  }

  /// `PostgresRealm+Append` 3: the answer to COMMIT is lost, and another server is first to replace
  /// the token.
  @Test(arguments: StoreKind.shared)
  func aChangeOfAnOpenOutcomeCountsOnceBesideOthers(_ kind: StoreKind) throws {
    let bench = try StoreBench(kind)
    let connector = try #require(bench.connector)
    let (first, second) = (try bench.records(kind), try bench.records(kind, server: 1))
    try first.change(ThingRecords.make)
    try Self.count("x", in: first)
    let wasAsked = Locked(false)
    connector.fail(at: Statements.commit, .after)
    connector.onConnection {
      do {
        try Self.count("x", in: second)
        wasAsked.withLock { $0 = true }
      } catch { Issue.record("\(error)") }
    }
    try Self.count("x", in: first)
    #expect(wasAsked.withLock { $0 })
    for records in [first, second] {
      try expectEqual(ThingRecords.content(of: records).things["x"]?.count, 3)
    }
  }

  @Test(arguments: StoreKind.shared)
  func recordsAreNoRealmsOfTheApp(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let store = try bench.server(0)
    #expect(try !store.hasRecords(.users, ofApp: bench.name.app))
    try store.records(.users, ofApp: bench.name.app).change(ThingRecords.make)
    #expect(try store.hasRecords(.users, ofApp: bench.name.app))
    #expect(try !store.hasRecords(.triggers, ofApp: bench.name.app))
    try await expectEqual(store.realms(ofApp: bench.name.app), [])
    #expect(try store.classes(ofApp: bench.name.app).isEmpty)
  }

  // MARK: News

  @Test(arguments: StoreKind.shared)
  func changesOfOtherServersAreNews(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let (first, second) = (try bench.records(kind), try bench.records(kind, server: 1))
    try first.change(ThingRecords.make)
    try Self.count("x", in: first)
    _ = try second.takeChanges()
    var news = second.news().makeAsyncIterator()
    await news.next()
    try first.change { (group) throws(StorageError) in
      try ThingRecords.remove("x", in: group)
      try ThingRecords.count("y", in: group)
      return true
    }
    await news.next()
    // Those of one's own are none.
    try Self.count("z", in: second)
    let changes = try second.takeChanges().changes
    expectEqual(changes.texts(of: ThingRecords.things), ["x", "y"])
    expectEqual(changes.texts(of: ThingRecords.notes), [])
    #expect(try second.takeChanges().changes.isEmpty)
    // A call that brings the records forward leaves them for the next who asks.
    try Self.count("w", in: first)
    _ = try second.snapshot()
    try expectEqual(second.takeChanges().changes.texts(of: ThingRecords.things), ["w"])
  }

  @Test func manyChangesAreOfAll() {
    var changes = RecordChanges()
    for number in 0...RecordChanges.countMax {
      expectFalse(changes.areOfAll)
      changes.insert(.object(ObjectKey(Int64(number))), of: "notes")
    }
    expectTrue(changes.areOfAll)
    expectTrue(changes.texts(of: ThingRecords.things) == nil)
  }

  // MARK: Checkpoints

  @Test(arguments: StoreKind.shared)
  func aServerThatStartsTakesTheCheckpoint(_ kind: StoreKind) throws {
    let bench = try StoreBench(kind, checkpointVersions: 1_000_000)
    let records = try StoredRecords(bench, server: 0)
    let store = records.store
    try records.change(ThingRecords.make)
    for number in 0..<20 { try Self.count("x \(number % 3)", in: records) }
    let realm = try store.opened(
      RealmName(app: bench.name.app + "/users"), .records(RecordNews()))
    try realm.makeCheckpoint()
    try Self.count("y", in: records)
    let expected = try ThingRecords.content(of: records)
    try #require(bench.connector).onAnswer(to: Statements.part, nil)
    try expectEqual(ThingRecords.content(of: bench.records(kind, server: 1)), expected)
    // A damaged replica is made again, and all may have changed for its server.
    try realm.replica.discard()
    #expect(try records.takeChanges().changes.areOfAll)
    try expectEqual(ThingRecords.content(of: records), expected)
  }

  // MARK: Leases

  @Test(arguments: StoreKind.shared)
  func oneServerHasTheLease(_ kind: StoreKind) throws {
    let bench = try StoreBench(kind)
    let (first, second) = (try bench.records(kind), try bench.records(kind, server: 1))
    let (lease, other) = (try #require(first.lease), try #require(second.lease))
    try first.change(ThingRecords.make)
    expectFalse(lease.isHeld)
    expectFalse(lease.renew())
    #expect(throws: StoreError.fenced) {
      try first.change(by: .leaseholder) { (_) throws(StorageError) in true }
    }
    #expect(try lease.take() && lease.isHeld && lease.renew())
    #expect(try !other.take() && !other.isHeld)
    try first.change(by: .leaseholder) { (group) throws(StorageError) in
      try ThingRecords.count("x", in: group)
      return true
    }
    // Others write beside it, and the lease stays.
    try Self.count("x", in: second)
    try first.change(by: .leaseholder) { (group) throws(StorageError) in
      try ThingRecords.count("x", in: group)
      return true
    }
    expectTrue(lease.renew())
    #expect(try !other.take())
    lease.giveUp()
    expectFalse(lease.isHeld)
    #expect(try other.take())
    #expect(throws: StoreError.fenced) {
      try first.change(by: .leaseholder) { (_) throws(StorageError) in true }
    }
    try expectEqual(ThingRecords.content(of: first).things["x"]?.count, 3)
  }

  /// Whatever a server that was cut off believes.
  @Test func theWritesOfAFormerLeaseholderAreRefused() throws {
    let bench = try StoreBench(.simulated, lease: 3_600_000)
    let (first, second) = (
      try bench.records(.simulated), try bench.records(.simulated, server: 1)
    )
    let (lease, other) = (try #require(first.lease), try #require(second.lease))
    try first.change(ThingRecords.make)
    #expect(try lease.take())
    bench.simulation?.advance(by: 3_600_001)
    // The followers renew leases, too.
    for _ in 0..<1_000 where try !other.take() { bench.simulation?.advance(by: 3_600_001) }
    expectTrue(other.isHeld)
    #expect(throws: StoreError.fenced) {
      try first.change(by: .leaseholder) { (group) throws(StorageError) in
        try ThingRecords.count("x", in: group)
        return true
      }
    }
    expectFalse(lease.isHeld)
    expectFalse(lease.renew())
    #expect(try ThingRecords.content(of: second).things.isEmpty)
  }

  @Test func aLeaseEndsWhereTheDatabaseDoesNotAnswer() throws {
    let bench = try StoreBench(.simulated, patience: 0, lease: 300)
    let records = try bench.records(.simulated)
    let lease = try #require(records.lease)
    #expect(try lease.take())
    let connector = try #require(bench.connector)
    connector.setReachable(false)
    expectTrue(lease.renew())
    Thread.sleep(forTimeInterval: 0.35)
    expectFalse(lease.isHeld)
    expectFalse(lease.renew())
    connector.setReachable(true)
    expectFalse(lease.isHeld)
    #expect(try lease.take() && lease.renew())
  }

  // MARK: Versions of programs

  /// A later program adds a column and a table; the earlier one goes on, and keeps what it does not
  /// know.
  @Test(arguments: StoreKind.shared)
  func anEarlierProgramGoesOnBesideALaterOne(_ kind: StoreKind) throws {
    let bench = try StoreBench(kind)
    let (early, late) = (try bench.records(kind), try bench.records(kind, server: 1))
    let later = RecordLayout(
      "things", hasPrimaryKey: true,
      ThingRecords.things.fields + [
        RecordField("later", .string, isNullable: true, isLater: true)
      ])
    let added = RecordLayout("added", [RecordField("number", .int)])
    try early.change(ThingRecords.make)
    try Self.count("x", in: early)
    try late.change { (group) throws(StorageError) in
      _ = try later.addLater(in: group)
      try added.make(in: group)
      try later.table(in: group).findOrCreate(.string("x")).set("kept", "later")
      return true
    }
    try Self.count("x", in: early)
    try Self.count("y", in: early)
    let group = try late.snapshot()
    let things = try later.table(in: group)
    try expectEqual(things.find(.string("x"))?.text("later"), "kept")
    try expectEqual(things.find(.string("x"))?.integer("count"), 2)
    try expectEqual(things.find(.string("y"))?.optionalText("later"), nil)
    try expectEqual(added.find(in: group)?.count(), 0)
    try expectEqual(added.find(in: early.snapshot())?.count(), 0)
  }

  /// A later program says which earlier ones can use what it has made.
  @Test(arguments: [true, false])
  func laterAccountsAreUsedWhereTheySaySo(_ isUsable: Bool) throws {
    let bench = try StoreBench(.simulated)
    let records = try bench.records(.simulated)
    _ = try AccountStore(records, app: "todos", now: ThingEntries.now)
    try records.change { (group) throws(StorageError) in
      let meta = try needed(try group.table(named: "server_accounts_meta"))
      let layout = try needed(try meta.table.schema.column(named: "layout"))
      for (key, number) in [("accounts", 1_000), ("usable", isUsable ? 6 : 999)] {
        let row = try needed(try meta.findRow(primaryKey: .string(key)))
        try meta.set(.int(Int64(number)), layout, row.key)
      }
      return true
    }
    let other = try bench.records(.simulated, server: 1)
    let opening = Result { () throws(StoreError) in
      try AccountStore(other, app: "todos", now: ThingEntries.now)
    }
    switch opening {
    case .success: #expect(isUsable)
    case .failure(let error):
      expectFalse(isUsable)
      expectEqual(error, .storage(.corrupted("the accounts have another layout")))
    }
  }
}

/// Something that a test needs, in a transaction.
private func needed<T>(_ value: T?) throws(StorageError) -> T {
  guard let value else { throw .corrupted("a test lacks something") }
  return value
}
#endif
