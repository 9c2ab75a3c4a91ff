// SPDX-License-Identifier: Apache-2.0

// Sessions as an operator sees them.

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct SessionStatusTests {
  private typealias Text = ChangesetText

  @Test(arguments: [SyncMode.partition, .flexible])
  func aSessionIsBehindUntilItWasSentTheNewestVersion(_ mode: SyncMode) async throws {
    let bench = SessionBench(mode)
    expectTrue(bench.app.rules.sessions.isEmpty)
    let (writer, first) = try await bench.running()
    let (reader, second) = try await bench.running(connection: 2)
    func status(_ file: FileIdentifier) throws -> SessionStatus {
      try #require(bench.app.rules.sessions.first { $0.file == file })
    }
    expectEqual(bench.app.rules.sessions.count, 2)
    let begin = try status(second.ident)
    expectEqual(begin.user, "u")
    expectEqual(begin.connection, 2)
    expectEqual(begin.partition, (mode == .partition ? "\"home\"" : nil))
    await expectEqual(bench.upload([Text.schema(), Text.create("a")], by: writer).code, nil)
    #expect(try status(second.ident).behindCount >= 2)
    var cursor = DownloadCursor()
    for _ in 0..<10 where try status(second.ident).behindCount > 0 {
      cursor = try await bench.download(after: cursor, of: reader).cursors.download
    }
    try expectEqual(status(second.ident).behindCount, 0)
    try expectEqual(status(second.ident).version, status(first.ident).head)
    await reader.close()
    expectEqual(bench.app.rules.sessions.map(\.file), [first.ident])
    await writer.close()
    expectTrue(bench.app.rules.sessions.isEmpty)
  }

  @Test func workIsMeasured() async throws {
    let work = Locked<[SessionWork]>([])
    let bench = SessionBench(
      .partition, measure: { kind, _ in work.withLock { $0.append(kind) } })
    let (writer, _) = try await bench.running()
    await expectEqual(bench.upload([Text.schema()], by: writer).code, nil)
    _ = try await bench.download(after: DownloadCursor(), of: writer)
    // A refused one is none.
    #expect(await bench.upload([[250]], from: 2, by: writer).code != nil)
    expectEqual(work.withLock { $0 }, [.upload, .download])
  }
}
