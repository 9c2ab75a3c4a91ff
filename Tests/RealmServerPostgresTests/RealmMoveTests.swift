// SPDX-License-Identifier: Apache-2.0

// Realms of files become realms of a database.

#if Postgres
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices
@testable import RealmServerPostgres

@Suite(.heavy)
struct RealmMoveTests {
  /// A realm in a file, with a trimmed history and clients.
  private struct Source {
    let files = SimulatedFiles()
    let realm: any RealmStore
    let head: RealmHead
    let clients: [ClientFile]

    init(_ name: RealmName, versions: UInt64 = 30) async throws {
      realm = try await EmbeddedStore(files).open(name)
      var head = try await realm.own()
      var clients: [ClientFile] = []
      for user in ["a", "b", "a"] {
        var client = try await realm.allocateFile(for: user, now: ThingEntries.now)
        client.clientVersion = UInt64(clients.count) + 3
        client.filters = "[\(clients.count)]"
        clients.append(client)
      }
      if versions > 0 {
        head = try await realm.fill(head, to: versions)
        let touch = Touch(
          object: ObjectIdentity(className: "Thing", key: .value(.string("k"))),
          existence: .stayed, fields: [Touch.Field(name: "count", before: .int(4))])
        let refusal = PrivateChange.Refusal(clientVersion: 2, sent: [4, 4])
        let batch = Batch(
          entries: [ThingEntries.entry(versions + 1, touches: [touch])], files: clients,
          reciprocals: [
            ReciprocalChange(file: clients[0].ident, version: versions, changeset: [1, 2]),
            ReciprocalChange(file: clients[1].ident, version: versions - 1, changeset: []),
          ],
          privates: [
            PrivateChange(
              file: clients[2].ident, version: versions, timestamp: ThingEntries.now,
              changeset: [9], refusal: refusal)
          ], trimsThrough: versions / 2)
        let stored = try await realm.append(batch, after: versions, epoch: head.epoch)
        head = try #require(stored)
      } else {
        _ = try await realm.append(Batch(files: clients), after: 0, epoch: head.epoch)
      }
      (self.head, self.clients) = (head, clients)
    }

    func export() throws -> RealmExport { try RealmExport(head.realm, in: files) }

    /// Compares a realm with the file.
    func compare(with other: any RealmStore, _ comment: Comment? = nil) async throws {
      let snapshot = try await other.snapshot(atLeast: head.version)
      expectEqual(snapshot.head.latest, head.latest, comment)
      expectEqual(snapshot.head.base, head.base, comment)
      expectEqual(snapshot.head.totalByteCount, head.totalByteCount, comment)
      let objects = try await realm.snapshot(atLeast: 0)
      try expectEqual(ThingEntries.keys(in: snapshot), ThingEntries.keys(in: objects), comment)
      for layout in ServerTables.kept {
        #expect(try layout.find(in: snapshot.objects) == nil, comment)
      }
      let range = head.base + 1..<head.version + 1
      try await expectEqual(other.entries(in: range), realm.entries(in: range), comment)
      try await expectEqual(other.files(), realm.files(), comment)
      for client in clients {
        try await expectEqual(
          other.reciprocals(of: client.ident, after: 0),
          realm.reciprocals(of: client.ident, after: 0), comment)
        try await expectEqual(
          other.privates(of: client.ident, after: 0),
          realm.privates(of: client.ident, after: 0), comment)
      }
    }
  }

  @Test(arguments: StoreKind.shared)
  func aRealmIsThereAsItWas(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let source = try await Source(bench.name)
    let store = try #require(try bench.store() as? PostgresStore)
    try expectEqual(store.take(source.export()), .moved)
    try expectEqual(store.take(source.export()), .wasThere)
    try await source.compare(with: try await store.open(bench.name))
    // A server without a replica begins with the checkpoint.
    let other = try await bench.otherServer().open(bench.name)
    try await source.compare(with: other)
    // It goes on: with versions, and with identifiers that were never given.
    let head = try await other.own()
    _ = try await other.fill(head, to: head.version + 2)
    let client = try await other.allocateFile(for: "c", now: ThingEntries.now)
    #expect(!source.clients.contains { $0.ident == client.ident })
  }

  @Test(arguments: StoreKind.shared)
  func aRealmWithoutVersionsHasItsClients(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let source = try await Source(bench.name, versions: 0)
    let store = try #require(try bench.store() as? PostgresStore)
    try expectEqual(store.take(source.export()), .moved)
    try expectEqual(store.take(source.export()), .wasThere)
    try await expectEqual(store.open(bench.name).files(), source.realm.files())
  }

  @Test(arguments: StoreKind.shared)
  func anotherRealmOfTheNameIsKept(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let store = try #require(try bench.store() as? PostgresStore)
    let known = try await store.open(bench.name)
    _ = try await known.append(
      Batch(entries: [ThingEntries.entry(1, salt: 5)]), after: 0, epoch: known.own().epoch)
    let source = try await Source(bench.name)
    #expect(throws: StoreError.ambiguousName(bench.name)) { try store.take(source.export()) }
    try await expectEqual(known.snapshot(atLeast: 0).head.version, 1)
  }

  /// A move is no success before the objects are there: the history alone does not make them.
  @Test func aMoveWhoseCheckpointIsRemovedIsMadeAgain() async throws {
    let bench = try StoreBench(.simulated)
    let source = try await Source(bench.name)
    let store = try #require(try bench.store() as? PostgresStore)
    let other = try #require(try bench.otherServer() as? PostgresStore)
    let realm = try other.opened(bench.name)
    let connector = try #require(bench.connector)
    connector.onAnswer(to: Statements.addPart) {
      // Another server makes a checkpoint at the same time.
      _ = try? realm.database.once([Statements.removeOtherCheckpoints(realm.key, .int(0))])
    }
    #expect(throws: StoreError.self) { try store.take(source.export()) }
    try expectEqual(store.take(source.export()), .moved)
    try await source.compare(with: try await bench.otherServer().open(bench.name))
  }

  /// `PostgresStore+Moving` 1: whatever breaks, the move can be made again.
  @Test func aMoveThatBreaksBeginsAgain() async throws {
    for point in FaultyConnector.Point.allCases {
      var number = 1
      while true {
        let bench = try StoreBench(.simulated, patience: 0)
        let source = try await Source(bench.name, versions: 6)
        let store = try #require(try bench.store() as? PostgresStore)
        let connector = try #require(bench.connector)
        connector.fail(at: number, point)
        _ = try? store.take(source.export())
        let wasReached = connector.count >= number
        connector.fail(at: nil)
        _ = try store.take(source.export())
        try await source.compare(
          with: try await bench.otherServer().open(bench.name), "statement \(number) \(point)")
        guard wasReached else { break }
        number += 1
      }
      expectTrue(number > 20)
    }
  }
}
#endif
