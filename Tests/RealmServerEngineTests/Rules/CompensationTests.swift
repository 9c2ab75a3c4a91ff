// SPDX-License-Identifier: Apache-2.0

// What readers of a partition write is taken back on their devices, object by object.

import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct CompensationTests {
  private typealias Text = ChangesetText

  private static func bench() throws -> SessionBench {
    let permissions = PartitionPermissions(
      read: .constant(true),
      write: .comparison(.expansion(.userID), .equal(.value(.string("ann")))))
    return SessionBench(
      .partition,
      access: PartitionAccess(permissions) { (id) throws(SessionRefusal) in RuleUser(id: id) })
  }

  /// A session of a user, with a new file or one that it has.
  private static func session(
    _ bench: SessionBench, _ user: String, connection: UInt64,
    version: Int = ProtocolVersion.newest,
    file: (ident: FileIdentifier, salt: UInt64)? = nil, after cursor: DownloadCursor = .init()
  ) async throws -> (
    store: ServerSession, file: (ident: FileIdentifier, salt: UInt64),
    rejected: [CompensatingWriteReport]
  ) {
    let store = bench.store(connection: connection, version: version)
    let reply = await store.perform(bench.bind(user: user, needsIdent: file == nil))
    var known = file
    if case .bound(let ident, let salt) = reply { known = (ident, salt) }
    let found = try #require(known, "\(reply)")
    let claim = await store.perform(.claim(bench.ident(found, after: cursor)))
    guard case .claimed(_, let rejected, _) = claim else {
      throw SessionRefusal(.other, "\(claim)")
    }
    return (store, found, rejected)
  }

  private static func reports(_ reply: ServerStoreReply) throws -> [CompensatingWriteReport] {
    guard case .integrated(_, let rejected) = reply else {
      throw SessionRefusal(.other, "\(reply)")
    }
    return rejected
  }

  /// The instructions of the entry of a version.
  private static func lines(
    _ download: ServerMessage.Download, version: UInt64
  ) throws -> [String] {
    let entry = try #require(
      try download.body.downloadEntries().first { $0.serverVersion == version })
    expectEqual(entry.file, .server)
    let changeset = try ChangesetParser.parse(entry.changeset)
    return changeset.instructions.map { changeset.line($0) }
  }

  /// P4 C.3, `Compensation` 1: a version of its own for each upload, and the report before it.
  @Test func whatIsRefusedIsUndoneObjectByObject() async throws {
    let bench = try Self.bench()
    let writer = try await Self.session(bench, "ann", connection: 1).store
    let reader = try await Self.session(bench, "bob", connection: 2)
    _ = await bench.upload(
      [Text.schema(), Text.create("a", count: 1), Text.create("b", count: 2)], by: writer)
    _ = await bench.upload([Text.schema()], by: reader.store)
    expectTrue(reader.rejected.isEmpty)
    let reply = await bench.upload(
      [Text.set("a", count: 9), Text.create("new"), Text.erase("b"), Text.set("a", count: 8)],
      from: 2, base: 4, by: reader.store)
    let reports = try Self.reports(reply)
    let report = try #require(reports.first)
    // Four versions of the client before it, and those of the first uploads.
    expectEqual(reports.count, 1)
    expectEqual(report.serverVersion, 9)
    expectEqual(report.rejectedClientVersion, 5)
    expectEqual(
      report.updates.map(\.reason),
      [
        "write to \"a\" in table \"Thing\" not allowed",
        "write to \"new\" in table \"Thing\" not allowed",
        "write to \"b\" in table \"Thing\" not allowed",
      ])
    expectEqual(report.updates.map(\.key), [.string("a"), .string("new"), .string("b")])
    let download = try await bench.download(
      after: DownloadCursor(serverVersion: 4, clientVersion: 1), of: reader.store)
    expectEqual(download.cursors.download, DownloadCursor(serverVersion: 9, clientVersion: 5))
    expectEqual(download.cursors.upload.clientVersion, 5)
    let lines = try Self.lines(download, version: 9)
    expectEqual(lines.count { $0.hasPrefix("EraseObject") }, 3, "\(lines)")
    expectEqual(lines.count { $0.hasPrefix("CreateObject") }, 2, "\(lines)")
    // Others get nothing of it.
    let others = try await bench.download(
      after: DownloadCursor(serverVersion: 3, clientVersion: 3), of: writer)
    #expect(try others.lines().isEmpty)
    expectEqual(others.cursors.download.serverVersion, 9)
  }

  /// The state that is sent is that before the version, with changes of the same transaction
  /// (`Compensation` 1).
  @Test func laterChangesAreSentAfterIt() async throws {
    let bench = try Self.bench()
    let writer = try await Self.session(bench, "ann", connection: 1).store
    let reader = try await Self.session(bench, "bob", connection: 2)
    _ = await bench.upload([Text.schema(), Text.create("a", count: 1)], by: writer)
    let refused = try Self.reports(
      await bench.upload([Text.set("a", count: 9)], base: 2, by: reader.store))
    _ = await bench.upload([Text.set("a", count: 3)], from: 3, base: 2, by: writer)
    let download = try await bench.download(
      after: DownloadCursor(serverVersion: 2, clientVersion: 0), of: reader.store)
    let version = try #require(refused.first?.serverVersion)
    let lines = try Self.lines(download, version: version)
    #expect(lines.contains { $0.contains("1") && $0.contains("count") }, "\(lines)")
    #expect(!lines.contains { $0.contains("3") || $0.contains("9") }, "\(lines)")
    try expectEqual(
      download.body.downloadEntries().map(\.serverVersion), [version, version + 1])
  }

  /// P4 C.3: reported in each session until the client has the version, and then forgotten.
  @Test func itIsReportedAndSentAgainUntilItIsAcknowledged() async throws {
    let bench = try Self.bench()
    let first = try await Self.session(bench, "bob", connection: 1)
    let reported = try Self.reports(
      await bench.upload([Text.schema(), Text.create("a")], by: first.store))
    let version = try #require(reported.first?.serverVersion)
    let again = try Self.reports(
      await bench.upload([Text.create("b")], from: 3, by: first.store))
    expectEqual(again.count, 1)
    expectTrue(again.first?.serverVersion ?? 0 > version)
    await first.store.close()
    for connection in [2, 3] as [UInt64] {
      let next = try await Self.session(bench, "bob", connection: connection, file: first.file)
      expectEqual(next.rejected, reported + again)
      let download = try await bench.download(after: DownloadCursor(), of: next.store)
      try expectEqual(
        Self.lines(download, version: version).count, 1, "the erasure of what is not there")
      await next.store.close()
    }
    let cursor = DownloadCursor(serverVersion: version, clientVersion: 2)
    let later = try await Self.session(
      bench, "bob", connection: 4, file: first.file, after: cursor)
    expectEqual(later.rejected, again)
    // An empty upload moves the cursor.
    let head = try #require(again.first?.serverVersion)
    let reply = await later.store.perform(
      .integrate(
        UploadCursor(clientVersion: 3, serverVersion: head), lockedServerVersion: 0, entries: []))
    #expect(try Self.reports(reply).isEmpty)
    await later.store.close()
    let last = try await Self.session(bench, "bob", connection: 5, file: first.file)
    expectTrue(last.rejected.isEmpty)
  }

  /// Clients below protocol 5 know no compensating writes (P1 C.1).
  @Test(arguments: [(4, SessionErrorCode.writeNotAllowed), (5, nil)])
  func olderClientsAreReset(_ version: Int, _ code: SessionErrorCode?) async throws {
    let bench = try Self.bench()
    let reader = try await Self.session(bench, "bob", connection: 1, version: version)
    let reply = await bench.upload([Text.schema(), Text.create("a")], by: reader.store)
    expectEqual(reply.code, code)
    guard case .refused(let refusal) = reply else { return }
    expectEqual(refusal.document.action, .clientResetNoRecovery)
    expectEqual(
      refusal.document.message,
      "Write not allowed: the user may read the partition and not change it")
    // Nothing of it was stored, and declarations alone are no writes.
    await expectEqual(bench.upload([Text.schema()], by: reader.store).code, nil)
  }

  /// The report is one message, and an upload is undone in one version.
  @Test func whatIsTooMuchForOneReportIsRefused() async throws {
    let bench = try Self.bench()
    let reader = try await Self.session(bench, "bob", connection: 1)
    _ = await bench.upload([Text.schema()], by: reader.store)
    let key = String(repeating: "k", count: 1 << 20)
    await expectEqual(
      bench.upload([Text.create(key)], from: 2, by: reader.store).code, .writeNotAllowed)
    let creations = (0...10_000).map { Text.create("\($0)") }
    await expectEqual(
      bench.upload(creations, from: 2, by: reader.store).code, .writeNotAllowed)
    let fewer = Array(creations.dropLast())
    let reports = try Self.reports(await bench.upload(fewer, from: 2, by: reader.store))
    expectEqual(reports.map(\.updates.count), [10_000])
  }

  /// A property of bytes, and its value in objects.
  private static func blobs(_ keys: [String], _ bytes: [UInt8]) -> [UInt8] {
    var encoder = ChangesetEncoder()
    let (thing, blob) = (encoder.intern("Thing"), encoder.intern("blob"))
    if keys.isEmpty {
      encoder.append(
        .addColumn(
          .init(table: thing, field: blob, type: .binary, isNullable: false, collection: .single)))
    }
    for key in keys {
      let path = InstructionPath(table: thing, key: .string(encoder.intern(key)), field: blob)
      encoder.append(.update(.init(path: path, value: .binary(encoder.addBytes(bytes)))))
    }
    return encoder.bytes
  }

  /// What undoes an upload is one message: a reader may touch large objects with small changes.
  @Test func statesThatAreTooLargeForOneMessageAreRefused() async throws {
    let bench = try Self.bench()
    let writer = try await Self.session(bench, "ann", connection: 1).store
    let reader = try await Self.session(bench, "bob", connection: 2)
    let keys = (0..<9).map { "k\($0)" }
    let bytes = [UInt8](repeating: 7, count: 1 << 20)
    let written = await bench.upload(
      [Text.schema(), Self.blobs([], [])] + keys.map { Text.create($0) }
        + keys.map { Self.blobs([$0], bytes) }, by: writer)
    expectEqual(written.code, nil)
    let changes = keys.map { Text.set($0, count: 1) }
    let refused = await bench.upload(changes, base: 20, by: reader.store)
    expectEqual(refused.code, .writeNotAllowed)
    let reply = await bench.upload(Array(changes.prefix(7)), base: 20, by: reader.store)
    try expectEqual(Self.reports(reply).map(\.updates.count), [7])
  }

  /// 32 MiB of states wait at most, whatever their number is.
  @Test func statesThatAreNotAcknowledgedAreBounded() async throws {
    let bench = try Self.bench()
    let writer = try await Self.session(bench, "ann", connection: 1).store
    let reader = try await Self.session(bench, "bob", connection: 2)
    _ = await bench.upload(
      [
        Text.schema(), Self.blobs([], []), Text.create("k"),
        Self.blobs(["k"], [UInt8](repeating: 7, count: 7 << 20)),
      ], by: writer)
    for (version, code) in [
      (1, nil), (2, nil), (3, nil), (4, nil), (5, nil), (6, .writeNotAllowed),
    ]
      as [(UInt64, SessionErrorCode?)]
    {
      let reply = await bench.upload(
        [Text.set("k", count: 1)], from: version, base: 4, by: reader.store)
      expectEqual(reply.code, code, "\(version)")
    }
  }

  /// A client that acknowledges nothing cannot make the server keep states without end.
  @Test func whatIsNotAcknowledgedIsBounded() async throws {
    let bench = try Self.bench()
    let reader = try await Self.session(bench, "bob", connection: 1)
    _ = await bench.upload([Text.schema()], by: reader.store)
    for version in 2...101 as ClosedRange<UInt64> {
      let reply = await bench.upload([Text.create("a")], from: version, by: reader.store)
      expectEqual(reply.code, nil)
    }
    let reply = await bench.upload([Text.create("a")], from: 102, by: reader.store)
    expectEqual(reply.code, .writeNotAllowed)
  }

  /// A reader who becomes a writer goes on with the same file: what it changed before it knew of
  /// the refusal is dropped on both sides, the rest is merged.
  @Test func aReaderMayBecomeAWriter() async throws {
    let bench = try Self.bench()
    let writer = try await Self.session(bench, "ann", connection: 1)
    _ = await bench.upload([Text.schema(), Text.create("a", count: 1)], by: writer.store)
    let reader = try await Self.session(bench, "bob", connection: 2)
    let reported = try Self.reports(
      await bench.upload([Text.schema(), Text.set("a", count: 9)], base: 2, by: reader.store))
    let realm = try await bench.app.realms.open(
      RealmName(app: "test", partition: "\"home\""))
    let file = reader.file.ident
    var upload = Upload(
      file: file,
      entries: [
        UploadEntry(
          clientVersion: 3, serverVersion: 2, timestamp: OriginTimestamp(milliseconds: 200),
          changeset: Text.set("a", count: 7)),
        UploadEntry(
          clientVersion: 4, serverVersion: reported[0].serverVersion,
          timestamp: OriginTimestamp(milliseconds: 200), changeset: Text.create("b")),
      ],
      progress: UploadCursor(clientVersion: 4, serverVersion: reported[0].serverVersion))
    upload.right = .allowed
    guard case .integrated = await realm.realm.integrate(upload) else {
      Issue.record("not integrated")
      return
    }
    let download = try await bench.download(
      after: DownloadCursor(serverVersion: 2, clientVersion: 2), of: writer.store)
    let lines = try download.lines()
    #expect(lines.contains { $0.contains("\"b\"") || $0.contains("b") }, "\(lines)")
    #expect(!lines.contains { $0.contains("7") || $0.contains("9") }, "\(lines)")
  }
}
