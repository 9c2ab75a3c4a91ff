// SPDX-License-Identifier: Apache-2.0

// Expiry of clients and trimming of the history (P4 E).

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct TrimmingTests {
  private typealias Text = ChangesetText

  private func file(_ base: UInt64, seen: UInt64) -> ClientFile {
    var file = ClientFile(
      ident: FileIdentifier(2 + base), salt: 1, user: "u",
      lastSeen: OriginTimestamp(milliseconds: seen))
    file.reciprocalBase = base
    return file
  }

  @Test func clientsExpireAfterTheirTime() {
    let now = OriginTimestamp(milliseconds: 1000)
    let files = [file(1, seen: 899), file(2, seen: 900), file(3, seen: 0)]
    let expired = Trimming.expired(files, now: now, offlineMillisecondsMax: 100)
    expectEqual(expired.map(\.reciprocalBase), [1])
    expectEqual(expired.map(\.isExpired), [true])
  }

  @Test func theEntryAtAClientsPositionStays() {
    let head = RealmHead(realm: RealmID("r"), version: 20)
    expectEqual(Trimming.horizon([file(7, seen: 1), file(9, seen: 1)], head: head), 6)
    expectEqual(Trimming.horizon([file(7, seen: 0), file(9, seen: 1)], head: head), 8)
    expectEqual(Trimming.horizon([file(0, seen: 1)], head: head), 0)
    expectEqual(Trimming.horizon([], head: head), 19)
  }

  /// A realm with versions 1 to 5 of one client that has acknowledged 4, trimmed to 3.
  private func makeTrimmed() async throws -> (TestServer, ClientFile, away: ClientFile) {
    let server = try await TestServer()
    let away = try await server.realm.allocateFile(for: "a")
    let first = try await server.realm.allocateFile(for: "b")
    let changes = [Text.schema(), Text.create("a"), Text.create("b"), Text.create("c")]
    await expectEqual(server.realm.integrate(Upload(first, changes, from: 1)).code, nil)
    server.advance(Trimming.offlineMillisecondsMax + 1)
    await expectEqual(
      server.realm.integrate(Upload(first, [Text.create("d")], from: 5, base: 4)).code,
      nil)
    try await server.realm.trim()
    return (server, first, away)
  }

  @Test func whatNobodyNeedsGoes() async throws {
    let (server, first, away) = try await makeTrimmed()
    await expectEqual(server.realm.head.base, 3)
    try await expectEqual(server.entries().map(\.version), [4, 5])
    try await expectEqual(server.realm.file(away.ident)?.isExpired, true)
    let expired = SessionRefusal(.clientFileExpired, "The client was offline for too long")
    await #expect(throws: IdentDefect.refusal(expired)) {
      _ = try await server.identify(away, download: DownloadCursor(), latest: SaltedVersion())
    }
    let late = await server.realm.integrate(Upload(away, [Text.create("x")], from: 1))
    expectEqual(late.code, .clientFileExpired)
    let salt = try await server.entries()[0].salt
    let known = try await server.identify(
      first, download: DownloadCursor(serverVersion: 4, clientVersion: 4),
      latest: SaltedVersion(version: 4, salt: salt))
    expectEqual(known.ident, first.ident)
  }

  /// An earlier owner is fenced, and does not repeat its attempts on the next owner's versions.
  @Test(.timeLimit(.minutes(10))) func anEarlierOwnerMakesNoFirstDownload() async throws {
    let (server, first, _) = try await makeTrimmed()
    let new = try await server.realm.allocateFile(for: "c")
    let next = try await ServerRealm.open(
      TestServer.name, of: EmbeddedStore(server.files),
      clock: ServerClock { OriginTimestamp(milliseconds: 2_000_000) })
    await expectEqual(next.integrate(Upload(first, [Text.create("e")], from: 6, base: 5)).code, nil)
    await #expect(throws: StoreError.fenced) {
      _ = try await server.realm.download(for: new.ident, after: DownloadCursor())
    }
  }

  /// `FirstDownload` 1 and 2
  @Test func aNewClientGetsTheState() async throws {
    let (server, _, _) = try await makeTrimmed()
    let new = try await server.realm.allocateFile(for: "c")
    let client = try ModelClient(new, clock: 9_000_000_000)
    // It has made an object that the server has, and one of its own.
    try client.write { group in
      try RandomChanges.makeSchema(in: group)
    }
    let download = try await server.realm.download(for: new.ident, after: DownloadCursor())
    expectEqual(download.cursors.download.serverVersion, 6)
    expectEqual(download.cursors.latest.version, 6)
    let entry = try #require(download.entries.first)
    expectEqual(entry.file, .server)
    expectEqual(entry.serverVersion, 6)
    let lines = try ChangesetParser.parse(entry.changeset).description
    expectTrue(lines.contains("AddTable \"Thing\""))
    expectTrue(lines.contains("EraseObject \"Thing\"[\"a\"]"))
    expectTrue(lines.contains("CreateObject \"Thing\"[\"d\"]"))
    // What it changed before of these objects is dropped on both sides.
    let early = Upload(new, [Text.set("a", count: 7)], from: 1, base: 0, time: 9_999)
    let late = Upload(new, [Text.set("a", count: 8)], from: 2, base: 6, time: 9_999)
    for upload in [early, late] {
      await expectEqual(server.realm.integrate(upload).code, nil)
    }
    try await expectEqual(server.entries().suffix(2).map(\.changeset.isEmpty), [true, false])
    let losses = server.problems.withLock { $0 }
    expectEqual(losses.count, 1)
    expectEqual(losses.first?.hasPrefix("1 instructions of file \(new.ident.rawValue) "), true)
    let next = try await server.realm.download(for: new.ident, after: download.cursors.download)
    expectTrue(next.entries.isEmpty)
    expectEqual(next.cursors.download.serverVersion, 8)
  }

  @Test func aFirstDownloadThatWasInterruptedBeginsAgain() async throws {
    let (server, first, _) = try await makeTrimmed()
    let new = try await server.realm.allocateFile(for: "c")
    let snapshot = try await server.snapshot()
    var parts = try FirstDownload(
      of: snapshot, gone: [], clientVersion: 0, timestamp: OriginTimestamp(milliseconds: 1),
      partByteCount: 1)
    expectEqual(parts.lastVersion, 9)
    for version in 6...9 as ClosedRange<UInt64> {
      let entries = try parts.takeEntries(byteLimit: 1)
      expectEqual(entries.map(\.serverVersion), [version])
      expectEqual(parts.cursor.serverVersion, version)
    }
    expectTrue(parts.isComplete)
    _ = try await server.realm.download(for: new.ident, after: DownloadCursor())
    // An object goes before the client comes back with a part of the state.
    let erasure = Upload(first, [Text.erase("d")], from: 6, base: 5)
    await expectEqual(server.realm.integrate(erasure).code, nil)
    var file = try #require(try await server.realm.file(new.ident))
    expectEqual(file.firstDownloadVersion, 6)
    file.firstDownloadVersion = 7
    try await server.realm.store(file)
    let again = try await server.realm.download(
      for: new.ident, after: DownloadCursor(serverVersion: 6))
    expectEqual(again.entries.map(\.serverVersion), [8, 9])
    let lines = try again.entries.map { try ChangesetParser.parse($0.changeset).description }
    expectEqual(lines.first?.hasSuffix("\nEraseObject \"Thing\"[\"d\"]"), true)
    expectFalse(lines[1].contains("\"d\""))
    expectTrue(lines[1].contains("CreateObject \"Thing\"[\"c\"]"))
  }

  /// A new client has no classes: what it is to erase comes after them.
  @Test func classesComeBeforeErasures() async throws {
    let (server, first, _) = try await makeTrimmed()
    let erasure = Upload(first, [Text.erase("d")], from: 6, base: 5)
    await expectEqual(server.realm.integrate(erasure).code, nil)
    let new = try await server.realm.allocateFile(for: "c")
    let download = try await server.realm.download(for: new.ident, after: DownloadCursor())
    expectEqual(download.entries.count, 2)
    let client = try ModelClient(new, clock: 9_000_000_000)
    try client.integrate(download)
    try await expectEqual(client.digest(), server.digest())
  }

  @Test func aNewClientUploadsAfterTheTrim() async throws {
    let (server, _, _) = try await makeTrimmed()
    let new = try await server.realm.allocateFile(for: "c")
    let upload = Upload(new, [Text.schema(), Text.create("new")], from: 1)
    await expectEqual(server.realm.integrate(upload).code, nil)
    try await server.restart()
    let more = Upload(new, [Text.set("new", count: 4)], from: 3)
    await expectEqual(server.realm.integrate(more).code, nil)
  }
}
