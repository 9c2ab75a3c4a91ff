// SPDX-License-Identifier: Apache-2.0

// Versions that many clients ask for at once.

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

@Suite(.timeLimit(.minutes(10))) struct ViewTurnTests {
  private typealias Text = ChangesetText

  /// A server with three objects, the client that wrote them, and others that have nothing yet. In
  /// partition mode their first versions are trimmed.
  private func makeServer(
    recordsTouches: Bool, _ observer: @escaping ObservedStore.Observer
  ) async throws -> (TestServer, writer: ClientFile, readers: [ClientFile]) {
    let server = try await TestServer(recordsTouches: recordsTouches, observer: observer)
    let writer = try await server.realm.allocateFile(for: "writer")
    let changes = [Text.schema()] + (0..<3).map { Text.create("\($0)", count: Int64($0)) }
    await expectEqual(server.realm.integrate(Upload(writer, changes, from: 1)).code, nil)
    server.advance(Trimming.offlineMillisecondsMax + 1)
    let last = Upload(writer, [Text.set("0", count: 9)], from: 5, base: 4)
    await expectEqual(server.realm.integrate(last).code, nil)
    if !recordsTouches { try await server.realm.trim() }
    var readers: [ClientFile] = []
    for number in 0..<8 { readers.append(try await server.realm.allocateFile(for: "\(number)")) }
    return (server, writer, readers)
  }

  /// Such a server, whose clients all go on while one of them appends, and the snapshots that it
  /// takes.
  private func makeServer(
    recordsTouches: Bool
  ) async throws -> (TestServer, [ClientFile], Locked<Int>) {
    let snapshots = Locked(0)
    let (server, _, readers) = try await makeServer(recordsTouches: recordsTouches) { call in
      switch call {
      case .snapshot: snapshots.withLock { $0 += 1 }
      case .append: for _ in 0..<100 { await Task.yield() }
      default: break
      }
    }
    snapshots.withLock { $0 = 0 }
    return (server, readers, snapshots)
  }

  /// Each new query makes a version, for which those of the others come too late.
  @Test func newQueriesOfManyClientsAreComputedOnceEach() async throws {
    let (server, files, snapshots) = try await makeServer(recordsTouches: true)
    let scratch = try ViewScratch()
    let realm = server.realm
    let versions = try await withThrowingTaskGroup(of: UInt64.self) { group in
      for file in files {
        group.addTask {
          let view = try await realm.view(
            for: file.ident, after: DownloadCursor(), query: EffectiveQuery([:]),
            next: EffectiveQuery(["Thing": "count > \(file.ident.rawValue % 3)"]), scratch: scratch)
          return try #require(view.get().bootstrap?.cursors.download.serverVersion)
        }
      }
      return try await group.reduce(into: Set<UInt64>()) { $0.insert($1) }
    }
    expectEqual(versions.count, 8)
    // One to search in, and one at most in the turn, where nothing is searched for again.
    #expect((8...16).contains(snapshots.withLock { $0 }))
  }

  /// `ServerRealm` 4: waiting for the version to become the head would have no end.
  @Test(arguments: [false, true]) func aVersionMayBeThereWithoutTheStoresSayingSo(
    recordsTouches: Bool
  ) async throws {
    let isFailing = Locked(false)
    let (server, writer, readers) = try await makeServer(recordsTouches: recordsTouches) {
      (call) throws(StoreError) in
      if call == .appended, isFailing.withLock({ $0 }) { throw .unavailable("no answer") }
    }
    isFailing.withLock { $0 = true }
    let lost = await server.realm.integrate(Upload(writer, [Text.create("x")], from: 6, base: 5))
    expectEqual(lost.error, .unavailable("no answer"))
    isFailing.withLock { $0 = false }
    let head = await server.realm.head.version
    if recordsTouches {
      let view = try await server.realm.view(
        for: readers[0].ident, after: DownloadCursor(), query: EffectiveQuery([:]),
        next: EffectiveQuery(["Thing": "count > 1"]), scratch: ViewScratch())
      try expectEqual(view.get().bootstrap?.cursors.download.serverVersion, head + 2)
    } else {
      let download = try await server.realm.download(
        for: readers[0].ident, after: DownloadCursor())
      expectEqual(download.cursors.latest.version, head + 2)
    }
    #expect(try await server.entries().map(\.clientVersion).contains(6))
  }

  /// The first of the attempts of a client may be in vain, the second is not.
  @Test func firstDownloadsOfManyClientsAreComputedTwiceAtMost() async throws {
    let (server, files, snapshots) = try await makeServer(recordsTouches: false)
    let realm = server.realm
    try await withThrowingTaskGroup(of: Void.self) { group in
      for file in files {
        group.addTask {
          let download = try await realm.download(for: file.ident, after: DownloadCursor())
          expectFalse(download.entries.isEmpty)
        }
      }
      try await group.waitForAll()
    }
    #expect((8...16).contains(snapshots.withLock { $0 }))
  }
}
