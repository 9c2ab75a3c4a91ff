// SPDX-License-Identifier: Apache-2.0

// Downloads in partition mode (P4 A.6).

import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct DownloadScanTests {
  private typealias Text = ChangesetText

  /// Versions 1 and 2 of the first file, 3 of the second, an empty 4 of the second, 5 of the first.
  private func makeServer() async throws -> (TestServer, ClientFile, ClientFile) {
    let server = try await TestServer()
    let first = try await server.realm.allocateFile(for: "a")
    let second = try await server.realm.allocateFile(for: "b")
    for upload in [
      Upload(first, [Text.schema(), Text.create("x", count: 1)], from: 1),
      Upload(second, [Text.create("y")], from: 1, base: 2),
      Upload(second, [Text.erase("none")], from: 2, base: 2),
      Upload(first, [Text.create("z")], from: 3, base: 2),
    ] {
      await expectEqual(server.realm.integrate(upload).code, nil)
    }
    return (server, first, second)
  }

  @Test func ownAndEmptyEntriesArePassedOver() async throws {
    let (server, first, second) = try await makeServer()
    let download = try await server.realm.download(for: second.ident, after: DownloadCursor())
    expectEqual(download.entries.map(\.serverVersion), [1, 2, 5])
    expectEqual(download.entries.map(\.clientVersion), [0, 0, 2])
    #expect(download.entries.allSatisfy { $0.file == first.ident })
    expectEqual(download.cursors.download, DownloadCursor(serverVersion: 5, clientVersion: 2))
    expectEqual(download.cursors.latest.version, 5)
    expectEqual(download.remaining, 0)
    expectEqual(download.cursors.upload, UploadCursor(clientVersion: 2, serverVersion: 2))
    let own = try await server.realm.download(for: first.ident, after: DownloadCursor())
    expectTrue(own.entries.map(\.serverVersion).contains(3))
    expectEqual(own.cursors.download, DownloadCursor(serverVersion: 5, clientVersion: 3))
  }

  @Test func aLimitCutsBehindOneEntryAtLeast() async throws {
    let (server, _, second) = try await makeServer()
    var cursor = DownloadCursor()
    var versions: [UInt64] = []
    var steps = 0
    while cursor.serverVersion < 5 {
      let download = try await server.realm.download(
        for: second.ident, after: cursor, byteLimit: 1)
      expectTrue(download.entries.count == 1 || download.cursors.download.serverVersion == 5)
      expectEqual((download.remaining > 0), (download.cursors.download.serverVersion < 5))
      versions += download.entries.map(\.serverVersion)
      cursor = download.cursors.download
      steps += 1
    }
    expectEqual(versions, [1, 2, 5])
    expectEqual(steps, 3)
  }

  @Test func aClientThatHasEverythingGetsAnEmptyDownload() async throws {
    let (server, first, _) = try await makeServer()
    let cursor = DownloadCursor(serverVersion: 5, clientVersion: 3)
    let download = try await server.realm.download(for: first.ident, after: cursor)
    expectEqual(download.entries, [])
    expectEqual(download.cursors.download, cursor)
  }
}
