// SPDX-License-Identifier: Apache-2.0

// The questions before an IDENT is refused: a client is not reset for what a server does not know.

#if Postgres
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerPostgres

@Suite(.heavy)
struct LookUpTests {
  private static let clock = ServerClock { ThingEntries.now }

  /// Makes another server the owner, however often the first one renews its lease.
  private static func own(
    _ realm: any RealmStore, _ bench: StoreBench
  ) async throws -> RealmHead {
    for _ in 0..<1_000 {
      bench.simulation?.advance(by: 60_001)
      do throws(StoreError) {
        return try await realm.own()
      } catch {
        guard case .owned = error else { throw error }
      }
    }
    throw StoreError.unavailable("the lease does not end")
  }

  /// `ServerRealm+LookUp` 1
  @Test func aFormerOwnerResetsNoClient() async throws {
    let bench = try StoreBench(.simulated)
    let realm = try await ServerRealm.open(bench.name, of: bench.store(), clock: Self.clock)
    let file = try await realm.allocateFile(for: "u")
    let other = try await bench.otherServer().open(bench.name)
    _ = try await other.fill(try await Self.own(other, bench), to: 2)
    // The client was there, and comes back before this server hears of the other one.
    await #expect(throws: StoreError.fenced) {
      try await realm.lookUp(file.ident, of: "u", latest: 2)
    }
    #expect(await !realm.isOwner)
  }

  /// `ServerRealm+LookUp` 1
  @Test func aFormerOwnerRefusesNoUpload() async throws {
    let bench = try StoreBench(.simulated)
    let realm = try await ServerRealm.open(bench.name, of: bench.store(), clock: Self.clock)
    let file = try await realm.allocateFile(for: "u")
    // An object of a class that is not there, or not known here.
    let upload = Upload(
      file: file.ident,
      entries: [
        UploadEntry(
          clientVersion: 1, serverVersion: 0, timestamp: ThingEntries.now,
          changeset: ChangesetText.create("a"))
      ], progress: UploadCursor(clientVersion: 1, serverVersion: 0))
    guard case .refused = await realm.integrate(upload) else {
      Issue.record("an object without a class is stored")
      return
    }
    #expect(await realm.isOwner)
    _ = try await Self.own(try await bench.otherServer().open(bench.name), bench)
    await expectEqual(realm.integrate(upload), .failed(.fenced))
    #expect(await !realm.isOwner)
  }

  /// `ServerRealm+LookUp` 1
  @Test func aFormerOwnerRefusesNoQuery() async throws {
    let bench = try StoreBench(.simulated)
    let store = try bench.store()
    let realm = try await ServerRealm.open(bench.name, of: store, clock: Self.clock)
    _ = try await store.open(bench.name).fill(await realm.head, to: 1)
    // Of a property that is not there, or not known here.
    let query = EffectiveQuery(["Thing": "later == 1"])
    try await expectEqual(realm.check(query)?.code, .badQuery)
    #expect(await realm.isOwner)
    _ = try await Self.own(try await bench.otherServer().open(bench.name), bench)
    await #expect(throws: StoreError.fenced) { try await realm.check(query) }
    #expect(await !realm.isOwner)
  }

  /// `ServerRealm+LookUp` 1
  @Test func aClientIsNotResetWhileTheDatabaseDoesNotAnswer() async throws {
    let bench = try StoreBench(.simulated, patience: 100)
    let first = try await ServerRealm.open(bench.name, of: bench.store(), clock: Self.clock)
    let file = try await first.allocateFile(for: "u")
    _ = try await first.appendVersions(through: 3, after: first.head, privates: [])
    let lookup = try await first.lookUp(file.ident, of: "u", latest: 2)
    // A server that has no entries in memory.
    let realm = try await ServerRealm.open(bench.name, of: bench.restarted(), clock: Self.clock)
    expectTrue(lookup.latestSalt != nil)
    let connector = try #require(bench.connector)
    connector.onAnswer(to: Statements.file) { connector.setReachable(false) }
    do throws(StoreError) {
      let lookup = try await realm.lookUp(file.ident, of: "u", latest: 2)
      Issue.record("the salt is \(lookup.latestSalt ?? 0)")
    } catch {
      guard case .unavailable = error else { throw error }
    }
    connector.setReachable(true)
    try await expectEqual(
      realm.lookUp(file.ident, of: "u", latest: 2).latestSalt, lookup.latestSalt)
  }

  /// What the server has done itself without having heard of it counts, too.
  @Test func anOwnVersionIsFound() async throws {
    let bench = try StoreBench(.simulated)
    let realm = try await ServerRealm.open(bench.name, of: bench.store(), clock: Self.clock)
    let file = try await realm.allocateFile(for: "u")
    let store = try await realm.store
    let head = try await store.fill(realm.head, to: 2)
    let lookup = try await realm.lookUp(file.ident, of: "u", latest: 2)
    expectEqual(lookup.head, head.latest)
    expectEqual(lookup.latestSalt, head.salt)
  }
}
#endif
