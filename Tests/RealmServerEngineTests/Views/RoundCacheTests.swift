// SPDX-License-Identifier: Apache-2.0

// Rounds that are computed once for several clients.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine

struct RoundCacheTests {
  private typealias Text = ChangesetText
  private let scratch: ViewScratch
  private let high = EffectiveQuery(["Thing": "count > 10"])

  init() throws { scratch = try ViewScratch() }

  /// Versions 1 to 6, of which the last two move b out of the view and a into it.
  private func makeServer(_ clients: Int) async throws -> (TestServer, [ClientFile]) {
    let server = try await TestServer(recordsTouches: true)
    var files: [ClientFile] = []
    for number in 0..<clients {
      files.append(try await server.realm.allocateFile(for: "\(number)"))
    }
    let changes = [
      Text.schema(), Text.create("a", count: 5), Text.create("b", count: 15),
      Text.create("c", count: 25), Text.set("b", count: 1), Text.set("a", count: 50),
    ]
    await expectEqual(server.realm.integrate(Upload(files[0], changes, from: 1)).code, nil)
    return (server, files)
  }

  private func round(
    _ server: TestServer, _ file: ClientFile, _ query: EffectiveQuery, client: UInt64 = 0
  ) async throws -> DownloadBatch {
    let cursor = DownloadCursor(serverVersion: 4, clientVersion: client)
    return try await server.realm.view(
      for: file.ident, after: cursor, query: query, scratch: scratch
    ).get().round
  }

  /// `ViewScratch` 1
  @Test func clientsAtOneCursorShareARound() async throws {
    let (server, files) = try await makeServer(4)
    let first = try await round(server, files[1], high)
    expectEqual(scratch.rounds.withLock { $0.hitCount }, 0)
    var second = try await round(server, files[2], high, client: 3)
    expectEqual(scratch.rounds.withLock { $0.hitCount }, 1)
    #expect(second.entries.allSatisfy { $0.clientVersion == 3 })
    expectEqual(second.cursors.download, DownloadCursor(serverVersion: 6, clientVersion: 3))
    for index in second.entries.indices { second.entries[index].clientVersion = 0 }
    expectEqual(second.entries, first.entries)
    expectFalse(first.entries.isEmpty)
    // What each drops is noted for each.
    for file in files[1...2] {
      let privates = try await server.realm.store.privates(
        of: file.ident, after: 0)
      expectEqual(privates.map(\.version), [6])
    }
    // Another query is another round, and so is another version.
    _ = try await round(server, files[3], EffectiveQuery(["Thing": "count > 11"]))
    let change = Upload(files[0], [Text.set("c", count: 26)], from: 7)
    await expectEqual(server.realm.integrate(change).code, nil)
    _ = try await round(server, files[3], high)
    expectEqual(scratch.rounds.withLock { $0.hitCount }, 1)
  }

  /// New queries make versions without changes, and leave each client at another one: also after a
  /// restart, clients at these share a round.
  @Test(arguments: [false, true]) func clientsWithoutChangesBetweenThemShareARound(
    isRestarted: Bool
  ) async throws {
    let (server, files) = try await makeServer(5)
    var cursors: [DownloadCursor] = []
    for file in files[1...4] {
      let view = try await server.realm.view(
        for: file.ident, after: DownloadCursor(), query: EffectiveQuery([:]), next: high,
        scratch: scratch
      ).get()
      cursors.append(try #require(view.bootstrap).cursors.download)
    }
    expectEqual(Set(cursors.map(\.serverVersion)).count, 4)
    if isRestarted { try await server.restart() }
    let upload = Upload(files[0], [Text.set("b", count: 30)], from: 7)
    await expectEqual(server.realm.integrate(upload).code, nil)
    var rounds: [DownloadBatch] = []
    for (file, cursor) in zip(files[1...], cursors) {
      rounds.append(
        try await server.realm.view(
          for: file.ident, after: cursor, query: high, scratch: scratch
        ).get().round)
    }
    expectEqual(scratch.rounds.withLock { $0.hitCount }, 3)
    #expect(rounds.allSatisfy { $0.entries == rounds[0].entries && !$0.entries.isEmpty })
    expectEqual(Set(rounds.map(\.cursors.download)).count, 1)
  }

  /// `ViewScratch` 1: the same conditions are two rounds for users who see different properties.
  @Test func whoSeesOtherPropertiesHasAnotherRound() async throws {
    let (server, files) = try await makeServer(3)
    let all = try await round(server, files[1], high)
    let part = EffectiveQuery(
      ["Thing": "count > 10"],
      fields: ["Thing": FieldSelection(others: true, exceptions: ["name"])])
    _ = try await round(server, files[2], part)
    expectEqual(scratch.rounds.withLock { $0.hitCount }, 0)
    expectFalse(all.entries.isEmpty)
  }

  /// `ViewScratch` 1
  @Test func authorsAndUnconfirmedClientsHaveTheirOwn() async throws {
    let (server, files) = try await makeServer(2)
    _ = try await round(server, files[1], high)
    let own = try await round(server, files[0], high)
    expectEqual(scratch.rounds.withLock { $0.hitCount }, 0)
    expectEqual(own.cursors.download.clientVersion, 6)
    // The round was lost: what it erased is erased again, and comes again if it is seen.
    let again = try await round(server, files[1], high)
    let fresh = try await server.realm.view(
      for: files[1].ident, after: DownloadCursor(serverVersion: 4),
      query: EffectiveQuery(["Thing": "(count > 10)"]), scratch: ViewScratch()
    ).get().round
    expectEqual(again.entries, fresh.entries)
  }

  /// `ViewScratch` 2
  @Test func theOldestGoWhenThereIsNoRoom() async throws {
    let (server, files) = try await makeServer(2)
    let snapshot = try await server.snapshot()
    let view = try View.bind(high, to: snapshot.objects).get()
    let history = try await Array(server.entries().suffix(2))
    let missed = try MissedChanges(history)
    let round = try Round(
      missed, after: DownloadCursor(serverVersion: 4), to: snapshot,
      timestamp: OriginTimestamp(milliseconds: 1), view: view, file: files[1].ident,
      scratch: ViewScratch())
    var cache = RoundCache(byteCountMax: 4000)
    for version in 0..<20 as Range<UInt64> {
      let key = RoundCache.Key(from: version, to: 6, realm: RealmID("r"), query: high)
      cache.keep(
        round, key, for: files[1].ident, missed, timestamp: OriginTimestamp(milliseconds: 1))
      expectTrue(cache.byteCount <= 4000)
      expectTrue(cache.round(key, for: files[1].ident, clientVersion: 0) != nil)
      expectTrue(cache.round(key, for: files[0].ident, clientVersion: 0) == nil)
    }
    let first = RoundCache.Key(from: 0, to: 6, realm: RealmID("r"), query: high)
    expectTrue(cache.round(first, for: files[1].ident, clientVersion: 0) == nil)
  }

  /// `ViewScratch` 3
  @Test func missedChangesHaveALimit() throws {
    func missed(_ byteCount: Int) throws -> MissedChanges {
      try MissedChanges([
        StoredEntry(
          version: 1, salt: 1, file: FileIdentifier(2), clientVersion: 1,
          timestamp: OriginTimestamp(milliseconds: 1), committed: OriginTimestamp(milliseconds: 1),
          originalByteCount: 1, totalByteCount: 1,
          changeset: Text.create(String(repeating: "k", count: byteCount)))
      ])
    }
    var cache = MissedCache()
    let head = RealmHead(realm: RealmID("r"), version: 99, salt: 1)
    let item = try missed(300_000)
    expectTrue(item.byteCount >= 900_000)
    for cursor in 0..<30 as Range<UInt64> {
      cache.keep(item, after: cursor, to: head)
      expectTrue(cache.byteCount <= 8 << 20)
      expectTrue(cache.changes(after: cursor, to: head) != nil)
    }
    // One that is large by itself is not kept, and drives out no others.
    try cache.keep(missed(1 << 20), after: 50, to: head)
    expectTrue(cache.changes(after: 50, to: head) == nil)
    expectTrue(cache.changes(after: 29, to: head) != nil)
  }

  /// `ViewScratch` 5
  @Test func questionsAtOneTimeHaveDatabasesOfTheirOwn() throws {
    try scratch.withDatabase { (first) throws(StorageError) in
      let group = try WriteGroup(first.beginWrite())
      defer { group.rollback() }
      try scratch.withDatabase { (second) throws(StorageError) in
        expectTrue(first !== second)
        // One database would wait for itself.
        if first !== second { try WriteGroup(second.beginWrite()).rollback() }
      }
    }
    // They are used again.
    let count = Locked(Set<String>())
    for _ in 0..<4 {
      try scratch.withDatabase { (file) throws(StorageError) in
        count.withLock { _ = $0.insert(file.path) }
      }
    }
    expectEqual(count.withLock { $0.count }, 1)
  }

  /// What is made of long conditions takes many times as much as their texts.
  @Test func boundQueriesHaveALimitOfTexts() async throws {
    let (server, _) = try await makeServer(2)
    let snapshot = try await server.snapshot()
    let view = try View.bind(high, to: snapshot.objects).get()
    var cache = ViewCache()
    for number in 0..<40 {
      let text = String(repeating: "x", count: 100_000) + "\(number)"
      cache.keep(view, of: EffectiveQuery(["Todo": text]), [])
      expectTrue(cache.byteCount <= 2 << 20)
      expectTrue(cache.byteCount >= 100_000)
      expectTrue(cache.view(EffectiveQuery(["Todo": text]), []) != nil)
    }
    expectTrue(
      cache.view(EffectiveQuery(["Todo": String(repeating: "x", count: 100_000) + "0"]), []) == nil)
  }

  /// `ViewScratch` 4
  @Test func whatNoClientUsesIsForgotten() async throws {
    let (server, files) = try await makeServer(2)
    let snapshot = try await server.snapshot()
    let view = try View.bind(high, to: snapshot.objects).get()
    let missed = try MissedChanges(try await Array(server.entries().suffix(2)))
    let scratch = try ViewScratch()
    let round = try Round(
      missed, after: DownloadCursor(serverVersion: 4), to: snapshot,
      timestamp: OriginTimestamp(milliseconds: 1), view: view, file: files[1].ident,
      scratch: scratch)
    let keys = (0..<2).map {
      RoundCache.Key(from: UInt64($0), to: 6, realm: RealmID("r"), query: high)
    }
    let queries = (0..<2).map { EffectiveQuery(["Todo": "a > \($0)"]) }
    for (key, query) in zip(keys, queries) {
      scratch.rounds.withLock {
        $0.keep(
          round, key, for: files[1].ident, missed, timestamp: OriginTimestamp(milliseconds: 1))
      }
      scratch.views.withLock { $0.keep(view, of: query, []) }
    }
    scratch.missed.withLock { $0.keep(missed, after: 4, to: snapshot.head) }
    func isKept(_ index: Int) -> [Bool] {
      [
        scratch.rounds.withLock {
          $0.round(keys[index], for: files[1].ident, clientVersion: 0) != nil
        },
        scratch.views.withLock { $0.view(queries[index], []) != nil },
      ]
    }
    // What is new counts as used; then the first of each is used, and the second is not.
    scratch.forgetUnused()
    expectEqual(isKept(0), [true, true])
    expectTrue(scratch.missed.withLock { $0.changes(after: 4, to: snapshot.head) } != nil)
    scratch.forgetUnused()
    expectEqual(isKept(1), [false, false])
    expectEqual(isKept(0), [true, true])
    expectTrue(scratch.missed.withLock { $0.byteCount } > 0)
    for _ in 0..<2 { scratch.forgetUnused() }
    expectEqual(isKept(0), [false, false])
    expectEqual(scratch.rounds.withLock { $0.byteCount }, 0)
    expectEqual(scratch.views.withLock { $0.byteCount }, 0)
    expectEqual(scratch.missed.withLock { $0.byteCount }, 0)
  }
}
