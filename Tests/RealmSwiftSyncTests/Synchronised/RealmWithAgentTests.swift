// SPDX-License-Identifier: Apache-2.0

// Realms of a file that an agent of this process synchronises.

#if Sync
import Foundation
import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import Synchronization
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

struct RealmWithAgentTests {
  /// What another device recorded, as downloads.
  private struct Other {
    private let device: SynchronisedRealm
    private let realm: Realm
    private var scanned: UInt64 = 0
    private var serverVersion: UInt64 = 0

    init() throws {
      device = try SynchronisedRealm()
      realm = try device.open()
    }

    /// Writes on the other device; what the server sends then.
    mutating func download(_ body: (Realm) -> Void) throws -> DownloadBatch {
      try realm.write { body(realm) }
      let bytes = try device.recorded(after: scanned).map { ChangesetEncoder.encode($0) }
      scanned = try device.file().snapshot().version
      let entries = bytes.map { bytes in
        serverVersion += 1
        return DownloadEntry(
          serverVersion: serverVersion, clientVersion: 0,
          timestamp: OriginTimestamp(milliseconds: 500 + serverVersion), file: FileIdentifier(9),
          originalByteCount: UInt64(bytes.count), changeset: bytes)
      }
      return DownloadBatch(
        entries: entries,
        cursors: SyncCursors(
          download: DownloadCursor(serverVersion: serverVersion, clientVersion: 0),
          latest: SaltedVersion(version: serverVersion, salt: 4711)))
    }
  }

  @Test @MainActor func observersAndObjectsFollowDownloads() async throws {
    let synced = try SynchronisedRealm()
    let realm = try await Realm.open(configuration: synced.configuration)
    try realm.write { realm.add(SharedTask(value: ["_id": 1, "title": "mine"])) }
    let agent = try SyncAgent(realm.databaseFile)
    _ = try await agent.activate()
    _ = try await agent.adoptIdent(FileIdentifier(5), salt: 6)
    await realm.asyncRefresh()

    let mine = try #require(realm.object(ofType: SharedTask.self, forPrimaryKey: 1))
    var insertions: [[Int]] = []
    var changedProperties: [String] = []
    let (moved, signal) = AsyncStream.makeStream(of: Void.self)
    let results = realm.objects(SharedTask.self)
    let token = results.observe { change in
      if case .update(_, _, let inserted, _) = change { insertions.append(inserted) }
      signal.yield()
    }
    let objectToken = mine.observe { change in
      if case .change(_, let properties) = change {
        changedProperties += properties.map(\.name)
      }
    }
    defer {
      token.invalidate()
      objectToken.invalidate()
    }
    var steps = moved.makeAsyncIterator()
    await steps.next()

    var other = try Other()
    let first = try other.download { realm in
      realm.add(SharedTask(value: ["_id": 2, "title": "theirs"]))
    }
    _ = try await agent.integrate(first)
    await steps.next()
    expectEqual(insertions, [[1]])
    expectEqual(results.map(\.title), ["mine", "theirs"])

    // Own writes and downloads alternate, and nothing that was downloaded is recorded.
    try realm.write { results[1].title = "mine, too" }
    let second = try other.download { realm in
      realm.create(SharedTask.self, value: ["_id": 1], update: .modified).isDone = true
    }
    let version = try synced.file().snapshot().version
    _ = try await agent.integrate(second)
    #expect(try synced.recorded(after: version).isEmpty)
    for _ in 0..<200 where !mine.isDone { await steps.next() }
    expectTrue(mine.isDone)
    expectTrue(changedProperties.contains("isDone"))
    expectEqual(mine.title, "mine")
    await agent.close()
  }

  private func downloads(_ count: Int) throws -> [DownloadBatch] {
    var other = try Other()
    return try (0..<count).map { id in
      try other.download { realm in
        realm.add(SharedTask(value: ["_id": 1000 + id, "title": "theirs"]))
      }
    }
  }

  /// The agent waits for a local writer, and a local writer for the agent.
  @Test func writersWaitForEachOther() async throws {
    let synced = try SynchronisedRealm()
    let count = 20
    let downloads = try downloads(count)
    try await withThrowingTaskGroup(of: Void.self) { group in
      let file = try await Realm.read(from: synced.configuration) { $0.databaseFile }
      let agent = try SyncAgent(file)
      _ = try await agent.activate()
      _ = try await agent.adoptIdent(FileIdentifier(5), salt: 6)
      group.addTask {
        for download in downloads { _ = try await agent.integrate(download) }
        await agent.close()
      }
      group.addTask {
        for id in 0..<count {
          try await Realm.write(to: synced.configuration) { realm in
            realm.add(SharedTask(value: ["_id": id, "title": "mine"]))
          }
        }
      }
      try await group.waitForAll()
    }
    let realm = try synced.open()
    expectEqual(realm.objects(SharedTask.self).count, 2 * count)
    try expectEqual(synced.lines().filter { $0.hasPrefix("CreateObject") }.count, count)
  }
}
#endif
