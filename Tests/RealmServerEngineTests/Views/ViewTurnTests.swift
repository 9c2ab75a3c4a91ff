// SPDX-License-Identifier: Apache-2.0

// Versions that many clients ask for at once.

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import Testing

@testable import RealmServerEngine

@Suite(.timeLimit(.minutes(10))) struct ViewTurnTests {
  private typealias Text = ChangesetText

  /// A server with three objects and clients, and the snapshots that it takes. All clients go on
  /// while one of them appends.
  private func makeServer(
    recordsTouches: Bool
  ) async throws -> (TestServer, [ClientFile], Locked<Int>) {
    let snapshots = Locked(0)
    let server = try await TestServer(recordsTouches: recordsTouches) { call in
      switch call {
      case .snapshot: snapshots.withLock { $0 += 1 }
      case .append: for _ in 0..<100 { await Task.yield() }
      default: break
      }
    }
    let writer = try await server.realm.allocateFile(for: "writer")
    let changes = [Text.schema()] + (0..<3).map { Text.create("\($0)", count: Int64($0)) }
    #expect(await server.realm.integrate(Upload(writer, changes, from: 1)).code == nil)
    server.advance(Trimming.offlineMillisecondsMax + 1)
    let last = Upload(writer, [Text.set("0", count: 9)], from: 5, base: 4)
    #expect(await server.realm.integrate(last).code == nil)
    if !recordsTouches { try await server.realm.trim() }
    var files: [ClientFile] = []
    for number in 0..<8 { files.append(try await server.realm.allocateFile(for: "\(number)")) }
    snapshots.withLock { $0 = 0 }
    return (server, files, snapshots)
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
    #expect(versions.count == 8)
    #expect(snapshots.withLock { $0 } == 8)
  }

  /// The first of the attempts of a client may be in vain, the second is not.
  @Test func firstDownloadsOfManyClientsAreComputedTwiceAtMost() async throws {
    let (server, files, snapshots) = try await makeServer(recordsTouches: false)
    let realm = server.realm
    try await withThrowingTaskGroup(of: Void.self) { group in
      for file in files {
        group.addTask {
          let download = try await realm.download(for: file.ident, after: DownloadCursor())
          #expect(!download.entries.isEmpty)
        }
      }
      try await group.waitForAll()
    }
    #expect((8...16).contains(snapshots.withLock { $0 }))
  }
}
