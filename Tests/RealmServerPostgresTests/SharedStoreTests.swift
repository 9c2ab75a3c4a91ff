// SPDX-License-Identifier: Apache-2.0

// What several servers with one database are to each other.

#if Postgres
import Foundation
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmServerPostgres

@Suite(.heavy)
struct SharedStoreTests {
  /// Waits until a call goes well.
  private func eventually<R>(
    _ call: () async throws(StoreError) -> R
  ) async throws -> R {
    for _ in 0..<600 {
      do throws(StoreError) {
        return try await call()
      } catch {
        switch error {
        case .unavailable, .owned: break
        default: throw error
        }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    return try await call()
  }

  @Test(arguments: StoreKind.shared)
  func anotherServerMakesTheObjectsFromTheEntries(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let head = try await realm.fill(try await realm.own(), to: 30)
    let other = try await bench.otherServer().open(bench.name)
    let snapshot = try await other.snapshot(atLeast: 30)
    expectEqual(snapshot.head, head)
    let own = try await realm.snapshot(atLeast: 0)
    try expectEqual(ThingEntries.keys(in: snapshot), ThingEntries.keys(in: own))
    try expectEqual(ThingEntries.keys(in: snapshot).count, 29)
  }

  @Test(arguments: StoreKind.shared)
  func aServerThatStartsTakesTheCheckpointAndWhatFollows(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let realm = try #require(try await bench.store().open(bench.name) as? PostgresRealm)
    var head = try await realm.fill(try realm.own(), to: 20)
    try realm.makeCheckpoint()
    head = try await realm.fill(head, to: 25)
    head = try #require(
      try await realm.append(Batch(trimsThrough: 24), after: 25, epoch: head.epoch))
    // What the checkpoint has is gone; what follows it stays for other servers.
    let entries = try realm.entries(from: 1, through: 25, byteCount: 1 << 20)
    expectEqual(entries.map(\.version), Array(21...25))
    let other = try #require(try await bench.otherServer().open(bench.name) as? PostgresRealm)
    try expectEqual(other.snapshot(atLeast: 25).head, head)
    try expectEqual(
      ThingEntries.keys(in: other.snapshot(atLeast: 0)),
      ThingEntries.keys(in: realm.snapshot(atLeast: 0)))
    #expect(throws: StoreError.trimmed(through: 24)) { _ = try other.entries(in: 24..<26) }
    // The next checkpoint takes the place of the first.
    try other.makeCheckpoint()
    try expectEqual(realm.entries(from: 1, through: 25, byteCount: 1 << 20).map(\.version), [25])
    let third = try await bench.otherServer().open(bench.name)
    try await expectEqual(ThingEntries.keys(in: third.snapshot(atLeast: 25)).count, 24)
  }

  @Test(arguments: StoreKind.shared)
  func checkpointsAreMadeAfterManyVersions(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind, checkpointVersions: 200)
    let realm = try #require(try await bench.store().open(bench.name) as? PostgresRealm)
    let head = try realm.own()
    let count = bench.settings.checkpointVersions
    let entries = (1...count).map { version in
      var entry = ThingEntries.entry(version)
      if version > 1 { entry.changeset = [] }
      return entry
    }
    _ = try await realm.append(Batch(entries: entries), after: 0, epoch: head.epoch)
    _ = try await eventually { () throws(StoreError) in
      guard try realm.newestRow().checkpoint == count else { throw .unavailable("not yet") }
    }
  }

  /// The replica is ahead of the row that the checkpoint begins with.
  @Test(arguments: StoreKind.shared)
  func aCheckpointBesideAnAppendKeepsTheReplica(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let store = try bench.store()
    let realm = try #require(try await store.open(bench.name) as? PostgresRealm)
    let head = try await realm.fill(try realm.own(), to: 5)
    let connector = try #require(bench.connector)
    let batch = Batch(entries: [ThingEntries.entry(6)])
    connector.onAnswer(to: Statements.realm) {
      do throws(StoreError) {
        _ = try realm.append(expecting: 5, epoch: head.epoch) { (group) throws(StorageError) in
          try ThingEntries.carryOut(batch, in: group)
        }
      } catch {
        Issue.record("\(error)")
      }
    }
    connector.onAnswer(to: Statements.entries) { Issue.record("the replica is made again") }
    try realm.makeCheckpoint()
    connector.onAnswer(to: Statements.entries, nil)
    expectEqual(realm.known.version, 6)
    try expectEqual(realm.newestRow().checkpoint, 6)
    try expectEqual(ThingEntries.keys(in: realm.snapshot(atLeast: 6)).count, 5)
    withExtendedLifetime(store) {}
  }

  /// `PostgresRealm` 2: an answer is about the appends before the question.
  @Test func anOutcomeThatBecomesOpenMeanwhileStaysOpen() async throws {
    let bench = try StoreBench(.simulated)
    let realm = try #require(try await bench.store().open(bench.name) as? PostgresRealm)
    let connector = try #require(bench.connector)
    let isAsked = Locked(false)
    _ = try await realm.fill(try realm.own(), to: 1)
    realm.unsettle()
    connector.onAnswer(to: Statements.lockRealm) { realm.unsettle() }
    _ = try realm.snapshot(atLeast: 0)
    connector.onAnswer(to: Statements.lockRealm) { isAsked.withLock { $0 = true } }
    _ = try realm.snapshot(atLeast: 0)
    let wasAsked = isAsked.withLock { $0 }
    expectTrue(wasAsked)
    connector.onAnswer(to: Statements.lockRealm) { Issue.record("a settled append is asked for") }
    _ = try realm.snapshot(atLeast: 0)
  }

  @Test(arguments: StoreKind.shared)
  func longAnswersAreReadInPortions(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let realm = try #require(try await bench.store().open(bench.name) as? PostgresRealm)
    _ = try await realm.fill(try realm.own(), to: 50)
    let portion = try realm.entries(from: 2, through: 50, byteCount: 100)
    expectFalse(portion.isEmpty)
    expectTrue(portion.count < 20)
    // One that is larger by itself comes alone.
    try expectEqual(realm.entries(from: 2, through: 50, byteCount: 1).map(\.version), [2])
  }

  // MARK: Owners

  @Test(arguments: StoreKind.shared)
  func aRealmHasOneOwnerUntilItIsClosed(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let head = try await realm.fill(try await realm.own(), to: 1)
    let other = try await bench.otherServer().open(bench.name)
    let node = try #require(realm as? PostgresRealm).node
    await #expect(throws: StoreError.owned(by: node)) { _ = try await other.own() }
    await realm.close()
    let newer = try await eventually { () throws(StoreError) in try await other.own() }
    expectEqual(newer.epoch, head.epoch + 1)
    expectEqual(newer.version, 1)
  }

  /// The lease of a server that is gone ends; it is fenced by its epoch, if it is not gone.
  @Test(arguments: StoreKind.shared)
  func aRealmOfAServerThatIsGoneIsTakenOver(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind, lease: 2_000)
    var store: (any ServerStore)? = try bench.store()
    let realm = try #require(try await store?.open(bench.name))
    let head = try await realm.fill(try await realm.own(), to: 2)
    let other = try await bench.otherServer().open(bench.name)
    // Without a store nothing renews the lease.
    store = nil
    bench.simulation?.advance(by: 2_001)
    let newer = try await eventually { () throws(StoreError) in try await other.own() }
    expectEqual(newer.version, 2)
    expectEqual(newer.epoch, head.epoch + 1)
    let next = Batch(entries: [ThingEntries.entry(3)])
    await #expect(throws: StoreError.fenced) {
      _ = try await realm.append(next, after: 2, epoch: head.epoch)
    }
    try await expectEqual(other.append(next, after: 2, epoch: newer.epoch)?.version, 3)
    await #expect(throws: StoreError.fenced) {
      _ = try await realm.append(next, after: 2, epoch: head.epoch)
    }
    // The one before reads what the present one wrote.
    try await expectEqual(ThingEntries.keys(in: realm.snapshot(atLeast: 3)).count, 2)
    _ = store
  }

  /// A server without news of the new owner has nothing but the database's comparison.
  @Test(arguments: [nil, SimulationFlaw.ignoresEpochs])
  func theEpochInTheDatabaseFences(_ flaw: SimulationFlaw?) async throws {
    let bench = try StoreBench(.simulated, flaw: flaw)
    var store: (any ServerStore)? = try bench.store()
    let realm = try #require(try await store?.open(bench.name))
    let head = try await realm.fill(try await realm.own(), to: 1)
    store = nil
    bench.simulation?.advance(by: 100_000)
    let other = try await bench.otherServer().open(bench.name)
    _ = try await eventually { () throws(StoreError) in
      bench.simulation?.advance(by: 100_000)
      return try await other.own()
    }
    var isFenced = false
    do {
      _ = try await realm.append(
        Batch(entries: [ThingEntries.entry(2)]), after: 1, epoch: head.epoch)
    } catch { isFenced = error == .fenced }
    // Without the comparison the test above would fail, too.
    expectEqual(isFenced, (flaw == nil))
    _ = store
  }

  @Test(arguments: StoreKind.shared)
  func aLeaseIsRenewedWithoutAppends(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind, lease: 3_000)
    let store = try bench.store()
    let realm = try #require(try await store.open(bench.name) as? PostgresRealm)
    _ = try realm.own()
    func millisecondsLeft() throws -> Int64? {
      let rows = try realm.database.repeating([Statements.leaseLeft(realm.key)])[0]
      return rows.first.flatMap { DatabaseRowReader($0).optionalInteger(0) }
    }
    for _ in 0..<2 {
      bench.simulation?.advance(by: 500)
      var least = try #require(try millisecondsLeft())
      for attempt in 0..<600 {
        let left = try #require(try millisecondsLeft())
        if left > least { break }
        least = min(least, left)
        expectTrue(attempt < 599, "a lease is not renewed")
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.shared)
  func headsOfOtherServersAreNews(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let store = try bench.otherServer()
    let other = try await store.open(bench.name)
    try await expectEqual(other.snapshot(atLeast: 0).head.version, 0)
    var heads = store.heads().makeAsyncIterator()
    let head = try await realm.fill(try await realm.own(), to: 1)
    while let news = await heads.next(), news != head {}
    // What is heard of is read, whatever the caller asks for.
    try await expectEqual(other.snapshot(atLeast: 0).head, head)
  }

  /// `FollowedApps` 1: triggers hear of realms that only another server has open.
  @Test(arguments: StoreKind.shared)
  func allHeadsOfAnAppAreThoseOfRealmsThatAreNotOpen(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    var head = try await realm.fill(try await realm.own(), to: 1)
    let store = try bench.server(1)
    var heads = store.allHeads(ofApp: bench.name.app).makeAsyncIterator()
    // What there is comes first.
    await expectEqual(heads.next(), head)
    head = try await realm.fill(head, to: 2)
    await expectEqual(heads.next(), head)
    head = try await realm.fill(head, to: 3)
    await expectEqual(heads.next(), head)
    withExtendedLifetime(store) {}
  }

  /// No news are needed for what another server has acknowledged.
  @Test func theNewestVersionIsThatOfAnyServer() async throws {
    let bench = try StoreBench(.simulated, poll: 3_600_000)
    let realm = try await bench.store().open(bench.name)
    let other = try await bench.otherServer().open(bench.name)
    try await expectEqual(other.newest().head.version, 0)
    var head = try await realm.own()
    for version in 1...20 as ClosedRange<UInt64> {
      head = try await realm.fill(head, to: version)
      try await expectEqual(other.newest().head, head)
      try await expectEqual(realm.newest().head, head)
      #expect(try await other.head().version <= head.version)
    }
  }

  /// The heads of all realms are read once in an hour here, and what is notified is read at once.
  @Test(arguments: StoreKind.shared)
  func theRealmsOfNotificationsAreRead(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind, lease: 3_000, poll: 3_600_000)
    let realm = try await bench.store().open(bench.name)
    let store = try bench.otherServer()
    let other = try #require(try await store.open(bench.name) as? PostgresRealm)
    let head = try await realm.fill(try await realm.own(), to: 1)
    try await eventually { () throws(StoreError) in
      guard other.known.version == head.version else { throw .unavailable("not yet") }
    }
    withExtendedLifetime(store) {}
  }

  // MARK: Replicas

  @Test(arguments: StoreKind.shared)
  func aDamagedReplicaIsMadeAgain(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    do {
      let realm = try await bench.store().open(bench.name)
      _ = try await realm.fill(try await realm.own(), to: 5)
      await realm.close()
    }
    let id = bench.name.fileID.rawValue
    let path = "\(bench.replicas)/\(id).realm"
    expectTrue(FileManager.default.fileExists(atPath: path))
    for content in [[UInt8](repeating: 0xAB, count: 4_096), [], Array("T-DB".utf8)] {
      try Data(content).write(to: URL(filePath: path))
      let realm = try await bench.restarted().open(bench.name)
      try await expectEqual(ThingEntries.keys(in: realm.snapshot(atLeast: 5)).count, 4)
      await realm.close()
    }
  }

  /// `Replica` 1: the identity of the database and the salt of the version say what it is of.
  @Test func aReplicaOfAnotherDatabaseIsMadeAgain() async throws {
    let (first, second) = (try StoreBench(.simulated), SimulatedDatabase())
    let realm = try await first.store().open(first.name)
    _ = try await realm.fill(try await realm.own(), to: 5)
    await realm.close()
    let store = try PostgresStore(second, folder: first.replicas)
    let other = try await store.open(first.name)
    try await expectEqual(other.snapshot(atLeast: 0).head.version, 0)
    try await expectEqual(ThingEntries.keys(in: other.snapshot(atLeast: 0)), [])
    let head = try await other.fill(try await other.own(), to: 2)
    try await expectEqual(other.snapshot(atLeast: 0).head, head)
  }

  @Test(arguments: StoreKind.shared)
  func textsThatTheDatabaseCannotKeepAreRefused(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let store = try bench.store()
    let realm = try await store.open(bench.name)
    let limit = StoreError.limit("the database keeps no text with the character U+0000")
    await #expect(throws: limit) {
      _ = try await realm.allocateFile(for: "a\0b", now: ThingEntries.now)
    }
    await #expect(throws: limit) {
      _ = try await store.open(RealmName(app: bench.name.app, partition: "a\0"))
    }
    let head = try await realm.own()
    var file = try await realm.allocateFile(for: "u", now: ThingEntries.now)
    file.filters = "\0"
    let batch = Batch(files: [file])
    await #expect(throws: limit) {
      _ = try await realm.append(batch, after: 0, epoch: head.epoch)
    }
  }

  @Test(arguments: StoreKind.shared)
  func anEntryThatCannotBeCarriedOutIsSaidToBeDamaged(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let head = try await realm.own()
    var entry = ThingEntries.entry(1)
    entry.changeset = [0xFF, 0xFF]
    let batch = Batch(entries: [entry])
    _ = try await realm.append(expecting: 0, epoch: head.epoch) { _ in batch }
    try await expectEqual(realm.snapshot(atLeast: 0).head.version, 1)
    let other = try await bench.otherServer().open(bench.name)
    do {
      _ = try await other.snapshot(atLeast: 1)
      Issue.record("a changeset of two bytes is carried out")
    } catch {
      guard case .damaged(let reason) = error, reason.contains("version 1") else { throw error }
    }
  }
}
#endif
