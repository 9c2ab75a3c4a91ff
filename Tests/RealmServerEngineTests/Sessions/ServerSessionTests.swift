// SPDX-License-Identifier: Apache-2.0

// The requests of a server's session, carried out on a realm.

import Foundation
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct ServerSessionTests {
  private typealias Text = ChangesetText

  // MARK: Binding

  @Test func aNewFileGetsAnIdentifierOfItsPartition() async throws {
    let bench = SessionBench(.partition)
    let (first, file) = try await bench.running()
    expectTrue(file.ident > .server)
    expectTrue(file.salt != 0)
    let second = bench.store()
    let reply = await second.perform(bench.bind("\"work\"", needsIdent: true))
    guard case .bound(let ident, _) = reply, ident > .server else {
      Issue.record("\(reply)")
      return
    }
    #expect(await first.realmID != second.realmID)
  }

  @Test func theUserOfATokenIsThatOfTheFile() async throws {
    let bench = SessionBench(.partition)
    let (_, file) = try await bench.running()
    for (user, isOfUser) in [("u", true), ("other", false)] {
      let store = bench.store(connection: 2)
      await expectEqual(store.perform(bench.bind(user: user, needsIdent: false)), .done)
      guard case .file(let lookup) = await store.perform(.lookUp(bench.ident(file))) else {
        Issue.record("no answer")
        return
      }
      expectEqual(lookup.file?.isOfUser, isOfUser)
    }
    await expectEqual(
      bench.store().perform(bench.bind(user: "bad", needsIdent: false)).code,
      .permissionDenied)
  }

  /// One number has one partition, and what is no value has none.
  @Test func partitionsAreNamedByValues() {
    expectEqual(PartitionText.canonical("\"a\""), "\"a\"")
    expectEqual(PartitionText.canonical("null"), "null")
    expectEqual(
      PartitionText.canonical("{\"$numberInt\":\"5\"}"),
      PartitionText.canonical("{\"$numberLong\":\"5\"}"))
    for text in ["", "home", "[1]", "{}", "1.5", "true"] {
      expectEqual(PartitionText.canonical(text), nil, "\(text)")
    }
  }

  @Test func aPathWithoutAValueIsRefused() async {
    let bench = SessionBench(.partition)
    let reply = await bench.store().perform(bench.bind("/home", needsIdent: true))
    expectEqual(reply.code, .illegalRealmPath)
  }

  @Test func aFileThatIsMissingIsAnError() async throws {
    let bench = SessionBench(.partition)
    let store = bench.store()
    _ = await store.perform(bench.bind(needsIdent: false))
    let ident = bench.ident((FileIdentifier(77), 1))
    await expectEqual(store.perform(.claim(ident)).code, .badClientFileIdent)
    expectEqual(bench.reported, [.unknownFile(FileIdentifier(77))])
  }

  @Test func aFullDiskIsSaidToClientsAndNothingElseOfTheStore() {
    func refusal(_ code: Int32) -> SessionRefusal {
      SessionRefusal(
        StoreError.storage(.system(operation: "Growing", path: "/secret/place", code: code)))
    }
    expectTrue("\(refusal(ENOSPC))".contains("disk is full"))
    expectFalse("\(refusal(ENOSPC))".contains("secret"))
    expectTrue(!"\(refusal(EIO))".contains("disk is full"))
    expectFalse("\(refusal(EIO))".contains("secret"))
  }

  // MARK: Eviction

  /// `SessionRegistry` 1, `ServerSession` 2 and 3
  @Test func theNewerBindingOfAFileWins() async throws {
    let bench = SessionBench(.partition)
    let isEvicted = Locked(false)
    let (_, file) = try await bench.running()
    let older = bench.store(connection: 2) { isEvicted.withLock { $0 = true } }
    let newer = bench.store(connection: 3)
    for store in [older, newer] { _ = await store.perform(bench.bind(needsIdent: false)) }
    _ = await older.perform(.claim(bench.ident(file)))
    await expectEqual(bench.upload([Text.schema()], by: older).code, nil)
    #expect(!isEvicted.withLock { $0 })
    let reply = await newer.perform(.claim(bench.ident(file)))
    guard case .claimed(let record, _, _) = reply else {
      Issue.record("\(reply)")
      return
    }
    expectEqual(record.clientVersion, 1)
    #expect(isEvicted.withLock { $0 })
    await expectEqual(
      bench.upload([Text.create("a")], from: 2, by: older).code, .sessionClosed)
    await expectEqual(bench.upload([Text.create("a")], from: 2, by: newer).code, nil)
    // What the older session leaves behind does not concern the newer one.
    await older.close()
    #expect(
      bench.app.registry.session(of: file.ident, in: try #require(await newer.realmID)) === newer)
  }

  @Test func anOlderBindingThatIsLateDoesNotWin() async throws {
    let bench = SessionBench(.partition)
    let (_, file) = try await bench.running()
    let older = bench.store(connection: 2)
    let newer = bench.store(connection: 3)
    for store in [older, newer] { _ = await store.perform(bench.bind(needsIdent: false)) }
    _ = await newer.perform(.claim(bench.ident(file)))
    await expectEqual(older.perform(.claim(bench.ident(file))).code, .sessionClosed)
    await expectEqual(bench.upload([Text.schema()], by: newer).code, nil)
  }

  @Test func aSessionOfTheSameConnectionKeepsItsFile() async throws {
    let bench = SessionBench(.partition)
    let (first, file) = try await bench.running(connection: 5)
    let second = bench.store(connection: 5)
    _ = await second.perform(bench.bind(needsIdent: false))
    func isBound() async -> Bool? {
      guard case .file(let lookup) = await second.perform(.lookUp(bench.ident(file))) else {
        return nil
      }
      return lookup.isBoundOnConnection
    }
    await expectEqual(isBound(), true)
    // The client may bind the file again at once; what the session does is over a little later.
    first.end()
    await expectEqual(isBound(), false)
    await expectEqual(second.perform(.claim(bench.ident(file))).code, nil)
    await expectEqual(bench.upload([Text.schema()], by: first).code, .sessionClosed)
    await first.close()
    await expectEqual(bench.upload([Text.schema()], by: second).code, nil)
  }

  /// `ServerSession` 1
  @Test func aRequestBesideAnotherTraps() async {
    await #expect(processExitsWith: .failure) {
      let (hasBegun, mayEnd) = (TestSignal(), TestSignal())
      var bench = SessionBench(.partition)
      bench.app.authenticator = SessionAuthenticator { (_) async throws(SessionRefusal) in
        hasBegun.give()
        await mayEnd.wait()
        return "u"
      }
      let store = bench.store()
      let first = Task { [bench] in await store.perform(bench.bind(needsIdent: true)) }
      await hasBegun.wait()
      _ = await store.perform(.currentHead)
      mayEnd.give()
      _ = await first.value
    }
  }

  // MARK: Partition mode

  @Test func whatOneUploadsAnotherDownloads() async throws {
    let bench = SessionBench(.partition, limits: SessionLimits(downloadByteCount: 1))
    let (first, firstFile) = try await bench.running(connection: 1)
    let (second, _) = try await bench.running(connection: 2)
    guard
      case .integrated(let head, _) = await bench.upload(
        [Text.schema(), Text.create("a")], by: first)
    else {
      Issue.record("not integrated")
      return
    }
    expectEqual(head.version, 2)
    await expectEqual(second.perform(.currentHead), .head(head))
    let download = try await bench.download(after: DownloadCursor(), of: second)
    expectEqual(download.cursors.download, DownloadCursor(serverVersion: 1))
    expectEqual(download.cursors.latest, head)
    try expectEqual(download.body.downloadEntries().map(\.file), [firstFile.ident])
    guard case .partition(let count) = download.progress else {
      Issue.record("\(download.progress)")
      return
    }
    expectEqual(count, UInt64(Text.create("a").count))
    let own = try await bench.download(after: DownloadCursor(), of: first)
    expectTrue(own.body.isEmpty)
    expectEqual(own.cursors.upload, UploadCursor(clientVersion: 2))
  }

  @Test func anUploadThatCannotBeReadIsRefused() async throws {
    let bench = SessionBench(.partition)
    let (store, _) = try await bench.running()
    await expectEqual(bench.upload([[1, 2, 3]], by: store).code, .badChangeset)
  }

  // MARK: Flexible mode

  @Test func aNewFlexibleFileGetsTheSchemaFirst() async throws {
    let bench = SessionBench(.flexible)
    let (first, _) = try await bench.running(connection: 1)
    let empty = try await bench.download(after: DownloadCursor(), of: first)
    // Clients take no entries of version 0.
    expectEqual(empty.cursors.download.serverVersion, 1)
    expectEqual(empty.batchState, .last)
    expectEqual(empty.queryVersion, 0)
    try expectEqual(empty.body.downloadEntries().map(\.serverVersion), [1])
    _ = await bench.upload([Text.schema(), Text.create("a", count: 5)], base: 1, by: first)
    let (second, _) = try await bench.running(connection: 2)
    let schema = try await bench.download(after: DownloadCursor(), of: second)
    expectEqual(schema.batchState, .last)
    expectEqual(schema.cursors.download.serverVersion, 3)
    let lines = try schema.lines()
    expectEqual(lines.count, 3, "\(lines)")
    #expect(lines.allSatisfy { $0.hasPrefix("Add") }, "\(lines)")
  }

  /// The first query of a new client may come before the schema is sent. What it has missed is not
  /// read, as it has nothing; it may be trimmed.
  @Test(arguments: [false, true]) func aQueryMayComeBeforeTheSchema(isTrimmed: Bool) async throws {
    let bench = SessionBench(.flexible)
    let (writer, _) = try await bench.running(connection: 1)
    _ = try await bench.download(after: DownloadCursor(), of: writer)
    let changes = [Text.schema(), Text.create("a", count: 5), Text.create("b", count: 15)]
    _ = await bench.upload(changes, base: 1, by: writer)
    _ = await bench.upload([Text.set("a", count: 6)], from: 4, base: 4, by: writer)
    if isTrimmed {
      let realm = try await bench.app.realms.openReader(RealmName(app: "test")).realm
      try await expectEqual(realm.trim().versions, 3)
    }
    let (reader, _) = try await bench.running(connection: 2)
    let high = SessionBench.query(1, ["Thing": "count > 10"])
    await expectEqual(reader.perform(.setQuery(high)), .done)
    let download = try await bench.download(after: DownloadCursor(), of: reader)
    expectEqual(download.batchState, .last)
    expectEqual(download.queryVersion, 1)
    let lines = try download.lines()
    let kinds = lines.map { $0.prefix { $0 != " " } }
    let expected: [Substring] = [
      "AddTable", "AddColumn", "AddColumn", "EraseObject", "CreateObject", "Update",
    ]
    expectEqual(kinds, expected, "\(lines)")
    expectTrue(bench.reported.isEmpty)
  }

  /// A session whose client has the schema and the version after it, and one that writes.
  private func flexible(
    _ limits: SessionLimits = SessionLimits()
  ) async throws -> (bench: SessionBench, writer: ServerSession, reader: ServerSession) {
    let bench = SessionBench(.flexible, limits: limits)
    let (writer, _) = try await bench.running(connection: 1)
    _ = try await bench.download(after: DownloadCursor(), of: writer)
    _ = await bench.upload([Text.schema()], base: 1, by: writer)
    let (reader, _) = try await bench.running(connection: 2)
    _ = try await bench.download(after: DownloadCursor(), of: reader)
    return (bench, writer, reader)
  }

  /// `SessionView` 1
  @Test func changesComeBeforeTheBootstrapOfAnotherQuery() async throws {
    let (bench, writer, reader) = try await flexible()
    _ = await bench.upload(
      [Text.create("a", count: 5), Text.create("b", count: 15)], from: 2, base: 2, by: writer)
    let high = SessionBench.query(1, ["Thing": "count > 10"])
    await expectEqual(reader.perform(.setQuery(high)), .done)
    var cursor = DownloadCursor(serverVersion: 2)
    let round = try await bench.download(after: cursor, of: reader)
    expectEqual(round.batchState, .steady)
    expectEqual(round.queryVersion, 0)
    expectTrue(round.body.isEmpty)
    expectEqual(round.cursors.download.serverVersion, 4)
    cursor = round.cursors.download
    let bootstrap = try await bench.download(after: cursor, of: reader)
    expectEqual(bootstrap.batchState, .last)
    expectEqual(bootstrap.queryVersion, 1)
    // What it drops has a version of its own.
    expectEqual(bootstrap.cursors.download.serverVersion, 5)
    #expect(try bootstrap.lines().contains { $0.hasPrefix("CreateObject \"Thing\"[\"b\"]") })
    let steady = try await bench.download(after: bootstrap.cursors.download, of: reader)
    expectEqual(steady.batchState, .steady)
    expectEqual(steady.queryVersion, 1)
    expectTrue(steady.body.isEmpty)
  }

  @Test func aQueryReplacesOneWhoseBootstrapIsNotBegun() async throws {
    let (bench, writer, reader) = try await flexible()
    _ = await bench.upload([Text.create("a", count: 5)], from: 2, base: 2, by: writer)
    let low = SessionBench.query(1, ["Thing": "count < 10"])
    let none = SessionBench.query(2, ["Thing": "count > 10"])
    _ = await reader.perform(.setQuery(low))
    let round = try await bench.download(after: DownloadCursor(serverVersion: 2), of: reader)
    // The bootstrap is made, but nothing of it was sent.
    _ = await reader.perform(.setQuery(none))
    let next = try await bench.download(after: round.cursors.download, of: reader)
    let last =
      next.batchState == .last
      ? next : try await bench.download(after: next.cursors.download, of: reader)
    expectEqual(last.queryVersion, 2)
    expectEqual(last.batchState, .last)
    #expect(try !last.lines().contains { $0.hasPrefix("CreateObject") })
  }

  @Test func aLargeBootstrapComesInParts() async throws {
    let (bench, writer, reader) = try await flexible(
      SessionLimits(bootstrapByteCount: 1, roundByteCount: 1))
    _ = await bench.upload([Text.create("a", count: 5)], from: 2, base: 2, by: writer)
    _ = await reader.perform(.setQuery(SessionBench.query(1, ["Thing": "count < 10"])))
    var cursor = DownloadCursor(serverVersion: 2)
    cursor = try await bench.download(after: cursor, of: reader).cursors.download
    let first = try await bench.download(after: cursor, of: reader)
    let held = reader.heldByteCount
    let second = try await bench.download(after: cursor, of: reader)
    expectEqual([first.batchState, second.batchState], [.moreToCome, .last])
    // The second was written when it was asked for.
    expectEqual(held, 0)
    expectEqual(first.cursors, second.cursors)
    expectFalse(first.body.isEmpty)
    expectFalse(second.body.isEmpty)
    guard case .flexible(1, .moreToCome, .estimate(let share)) = first.progress else {
      Issue.record("\(first.progress)")
      return
    }
    expectTrue(share > 0)
    expectTrue(share < 1)
  }

  /// A session whose client has the things, of which the writer then makes larger rounds than
  /// `SessionLimits` has.
  private func subscribed(
    version: Int = ProtocolVersion.newest
  ) async throws -> (bench: SessionBench, writer: ServerSession, reader: ServerSession) {
    let bench = SessionBench(
      .flexible, limits: SessionLimits(bootstrapByteCount: 1, roundByteCount: 1))
    let (writer, _) = try await bench.running(connection: 1)
    _ = try await bench.download(after: DownloadCursor(), of: writer)
    _ = await bench.upload([Text.schema()], base: 1, by: writer)
    let (reader, _) = try await bench.running(connection: 2, version: version)
    _ = try await bench.download(after: DownloadCursor(), of: reader)
    _ = await reader.perform(.setQuery(SessionBench.query(1, ["Thing": "count < 10"])))
    let empty = try await bench.download(after: DownloadCursor(serverVersion: 2), of: reader)
    expectEqual(empty.batchState, .last)
    expectEqual(empty.queryVersion, 1)
    _ = await bench.upload(
      [Text.create("a", count: 5), Text.create("b", count: 15)], from: 2, base: 2, by: writer)
    _ = await bench.upload(
      [Text.create("c", count: 6)], from: 4, base: 2, by: writer)
    return (bench, writer, reader)
  }

  @Test func aLargeRoundIsABootstrapOfTheActiveQuery() async throws {
    let (bench, writer, reader) = try await subscribed()
    let cursor = DownloadCursor(serverVersion: 2)
    // The things are new: each comes in the entry of its version.
    let begin = try await bench.download(after: cursor, of: reader)
    // The parts of a round are made at once, and count.
    expectTrue(reader.heldByteCount > 0)
    let round = try await bench.download(after: cursor, of: reader)
    expectEqual(reader.heldByteCount, 0)
    expectEqual([begin.queryVersion, round.queryVersion], [1, 1])
    expectEqual([begin.batchState, round.batchState], [.moreToCome, .last])
    try expectEqual(
      (begin.lines() + round.lines()).filter { $0.hasPrefix("CreateObject") }.count, 2)
    // Changes of what is seen come in the entries of their versions.
    _ = await bench.upload(
      [Text.set("a", count: 7), Text.set("c", count: 8)], from: 5, base: 5, by: writer)
    let first = try await bench.download(after: round.cursors.download, of: reader)
    let second = try await bench.download(after: round.cursors.download, of: reader)
    expectEqual([first.batchState, second.batchState], [.moreToCome, .last])
    expectEqual(first.queryVersion, 1)
    expectEqual(second.queryVersion, 1)
    expectEqual(first.cursors, second.cursors)
    let versions = try [first, second].map { try $0.body.downloadEntries().map(\.serverVersion) }
    expectEqual(versions, [[6], [7]])
    let steady = try await bench.download(after: second.cursors.download, of: reader)
    expectEqual(steady.batchState, .steady)
    expectEqual(steady.queryVersion, 1)
    expectTrue(steady.body.isEmpty)
  }

  /// `SessionView` 2
  @Test func aLargeRoundComesBeforeTheBootstrapOfAnotherQuery() async throws {
    let (bench, _, reader) = try await subscribed()
    _ = await reader.perform(.setQuery(SessionBench.query(2, ["Thing": "count > 10"])))
    var cursor = DownloadCursor(serverVersion: 2)
    var found: [(UInt64?, ServerMessage.BatchState?)] = []
    for _ in 0..<5 {
      let next = try await bench.download(after: cursor, of: reader)
      cursor = next.cursors.download
      found.append((next.queryVersion, next.batchState))
    }
    expectEqual(found.map(\.0), [1, 1, 2, 2, 2])
    expectEqual(found.map(\.1), [.moreToCome, .last, .moreToCome, .last, .steady])
  }

  @Test func olderProtocolsGetALargeRoundInOneMessage() async throws {
    let (bench, _, reader) = try await subscribed(version: 13)
    let round = try await bench.download(after: DownloadCursor(serverVersion: 2), of: reader)
    expectEqual(round.batchState, .steady)
    expectEqual(round.queryVersion, 1)
  }

  @Test(arguments: [
    "[]", "{\"Thing\":\"count ==\"}", "{\"Thing\":\"other.count > 1\"}",
    // Of 256 KiB and a byte, and nested too deeply.
    "{\"Thing\":\"TRUEPREDICATE\(String(repeating: " ", count: (256 << 10) - 24))\"}",
    "{\"Thing\":\"\(String(repeating: "(", count: 50_000))TRUEPREDICATE\"}",
  ])
  func aBadQueryLeavesTheSessionAsItWas(_ text: String) async throws {
    let (bench, _, reader) = try await flexible()
    let reply = await reader.perform(.setQuery(VersionedQuery(version: 1, text: text)))
    guard case .queryRefused(let message) = reply else {
      Issue.record("\(reply)")
      return
    }
    expectTrue(message.hasPrefix("Invalid query: "))
    let next = try await bench.download(after: DownloadCursor(serverVersion: 2), of: reader)
    expectEqual(next.queryVersion, 0)
    expectEqual(next.batchState, .steady)
  }

  /// A client that has nothing and asks for more than the schema at once.
  @Test func aFirstQueryBringsSchemaAndObjectsInOneBootstrap() async throws {
    let (bench, writer, _) = try await flexible()
    _ = await bench.upload([Text.create("a", count: 5)], from: 2, base: 2, by: writer)
    let store = bench.store(connection: 3)
    guard case .bound(let ident, let salt) = await store.perform(bench.bind(needsIdent: true))
    else {
      Issue.record("not bound")
      return
    }
    let query = SessionBench.query(3, ["Thing": "TRUEPREDICATE"])
    _ = await store.perform(.claim(bench.ident((ident, salt), query: query)))
    let bootstrap = try await bench.download(after: DownloadCursor(), of: store)
    expectEqual(bootstrap.batchState, .last)
    expectEqual(bootstrap.queryVersion, 3)
    let lines = try bootstrap.lines()
    #expect(lines.contains { $0.hasPrefix("AddTable") })
    #expect(lines.contains { $0.hasPrefix("CreateObject \"Thing\"[\"a\"]") })
  }
}
