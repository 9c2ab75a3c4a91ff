// SPDX-License-Identifier: Apache-2.0

// Bootstraps (P4 B.3, P5 5), and rounds step by step (P4 B.4).

import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine

struct BootstrapTests {
  private typealias Text = ChangesetText
  private let high = EffectiveQuery(["Thing": "count > 10"])
  private let everything = EffectiveQuery(["Thing": "TRUEPREDICATE"])

  /// Versions 1 to 4: the class, a with 5, b with 15, c with 25.
  private func makeServer(
    entryByteCount: Int = Bootstrap.entryByteCountMax
  ) async throws -> (TestServer, ClientFile, ClientFile) {
    let server = try await TestServer(
      recordsTouches: true, bootstrapEntryByteCount: entryByteCount)
    let first = try await server.realm.allocateFile(for: "a")
    let second = try await server.realm.allocateFile(for: "b")
    let changes = [
      Text.schema(), Text.create("a", count: 5), Text.create("b", count: 15),
      Text.create("c", count: 25),
    ]
    await expectEqual(server.realm.integrate(Upload(first, changes, from: 1)).code, nil)
    return (server, first, second)
  }

  private func lines(_ download: DownloadBatch) throws -> [String] {
    try download.entries.flatMap { entry in
      let changeset = try ChangesetParser.parse(entry.changeset)
      return changeset.instructions.map { "\(entry.serverVersion) \(changeset.line($0))" }
    }
  }

  private func view(
    _ server: TestServer, _ file: ClientFile, after version: UInt64, _ query: EffectiveQuery,
    next: EffectiveQuery? = nil
  ) async throws -> ViewDownload {
    try await server.realm.view(
      for: file.ident, after: DownloadCursor(serverVersion: version), query: query, next: next,
      scratch: ViewScratch()
    ).get()
  }

  @Test func queryVersionZeroBringsTheSchemaAlone() async throws {
    let (server, _, second) = try await makeServer()
    let bootstrap = try await server.realm.schemaBootstrap(for: second.ident)
    let lines = try lines(bootstrap.batch())
    expectEqual(lines.count, 3)
    #expect(lines.allSatisfy { $0.hasPrefix("4 Add") })
    expectEqual(bootstrap.cursors.download, DownloadCursor(serverVersion: 4, clientVersion: 0))
  }

  @Test func aNewQueryBringsWhatItSeesAndErasesTheRest() async throws {
    let (server, _, second) = try await makeServer()
    let first = try await view(server, second, after: 4, EffectiveQuery(), next: high)
    let text = try lines(#require(first.bootstrap).batch()).joined(separator: "\n")
    expectTrue(text.contains("CreateObject \"Thing\"[\"b\"]"), "\(text)")
    expectTrue(text.contains("CreateObject \"Thing\"[\"c\"]"))
    expectFalse(text.contains("\"a\""))
    let low = EffectiveQuery(["Thing": "count < 20"])
    let next = try await view(server, second, after: 4, high, next: low)
    let change = try lines(#require(next.bootstrap).batch()).joined(separator: "\n")
    expectTrue(change.contains("EraseObject \"Thing\"[\"c\"]"))
    expectTrue(change.contains("CreateObject \"Thing\"[\"a\"]"))
    expectFalse(change.contains("\"b\""))
    // The client's uploads from before are merged with what it drops.
    let privates = try await server.realm.store.privates(
      of: second.ident, after: 0)
    expectEqual(privates.map(\.version), [5, 6])
  }

  /// What a client wrote between a round and the bootstrap that follows has the version of the
  /// round as its base, and the client drops it.
  @Test func whatABootstrapErasesHasAVersionOfItsOwn() async throws {
    let (server, _, second) = try await makeServer()
    let first = try await view(server, second, after: 4, EffectiveQuery(), next: high)
    expectEqual(first.round.cursors.download.serverVersion, 4)
    expectEqual(first.round.cursors.latest.version, 5)
    expectEqual(first.bootstrap?.cursors.download.serverVersion, 5)
    let between = Upload(second, [Text.set("b", count: 77)], from: 1, base: 4, time: 9999)
    let after = Upload(second, [Text.set("b", count: 78)], from: 2, base: 5, time: 9999)
    for upload in [between, after] {
      await expectEqual(server.realm.integrate(upload).code, nil)
    }
    let entries = try await server.entries().suffix(3)
    expectEqual(entries.map(\.changeset.isEmpty), [true, true, false])
    expectEqual(entries.first?.file, .server)
    expectTrue(entries.first?.salt != 0)
  }

  @Test func whatIsErasedAgainAtTheClientsVersionHasAVersionOfItsOwn() async throws {
    let (server, _, second) = try await makeServer()
    _ = try await view(server, second, after: 4, high, next: everything)
    // The bootstrap, which had version 5, was lost, and so is the round after it.
    for _ in 0..<2 {
      let round = try await view(server, second, after: 4, high).round
      expectEqual(round.cursors.download.serverVersion, 5)
      try expectEqual(lines(round).first, "5 EraseObject \"Thing\"[\"a\"]")
    }
    // The same erasures take no more room.
    await expectEqual(server.realm.head.version, 5)
    // A client that got them has no need of them.
    let next = try await view(server, second, after: 5, high).round
    expectTrue(next.entries.isEmpty)
    expectEqual(next.cursors.download.serverVersion, 5)
  }

  @Test func erasuresThatAreSentAgainReplaceTheOlderOnes() async throws {
    let (server, _, second) = try await makeServer()
    for _ in 0..<3 { _ = try await view(server, second, after: 4, high, next: everything) }
    let privates = try await server.realm.store.privates(
      of: second.ident, after: 0)
    expectEqual(privates.count, 1)
  }

  @Test func manyErasuresAreDividedAmongVersions() {
    let name = String(repeating: "k", count: 100)
    let objects = (0..<1000).map {
      ObjectIdentity(className: "Thing", key: .value(.string("\(name)\($0)")))
    }
    let parts = PrivatePart.parts(erasing: objects, byteCountMax: 10_000)
    expectEqual(parts.flatMap(\.objects), objects)
    expectTrue(parts.count > 10)
    #expect(parts.allSatisfy { $0.changeset.count < 10_200 })
    expectEqual(Round.lastVersion(of: 3, after: 4, head: 4), 7)
    expectEqual(Round.lastVersion(of: 3, after: 3, head: 4), 6)
    expectEqual(Round.lastVersion(of: 0, after: 3, head: 4), 4)
    var privates = PrivateChanges(OriginTimestamp(milliseconds: 1), for: .own)
    privates.append(PrivatePart.parts(erasing: objects), through: 9)
    expectEqual(privates.changes.map(\.version), [9])
    expectEqual(privates.changes.flatMap(\.objects), objects)
  }

  @Test func aBootstrapHasAnEntryInAnyCase() async throws {
    let (server, _, second) = try await makeServer()
    let same = try await view(server, second, after: 4, high, next: high)
    let entries = try #require(same.bootstrap).allEntries()
    expectEqual(entries.map(\.changeset), [[]])
    expectEqual(entries.map(\.file), [.server])
  }

  @Test func entriesOfABootstrapHaveALimit() async throws {
    let (server, first, second) = try await makeServer(entryByteCount: 2_000)
    let name = String(repeating: "n", count: 600)
    let changes = (0..<20).map { Text.create("\(name)\($0)", count: 1) }
    await expectEqual(server.realm.integrate(Upload(first, changes, from: 5, base: 4)).code, nil)
    let all = try await view(server, second, after: 24, EffectiveQuery(), next: everything)
    let sizes = try #require(all.bootstrap).allEntries().map(\.changeset.count)
    // The erasures of all, and four of the new objects in each entry.
    expectEqual(sizes.count, 6, "\(sizes)")
    #expect(sizes.dropFirst().allSatisfy { $0 < 2_700 }, "\(sizes)")
  }

  /// `Bootstrap` 1 and 2
  @Test func aBootstrapIsWrittenAsItIsTaken() async throws {
    let (server, first, second) = try await makeServer(entryByteCount: 1)
    let download = try await view(server, second, after: 4, EffectiveQuery(), next: everything)
    var bootstrap = try #require(download.bootstrap)
    expectTrue(bootstrap.parts.isEmpty)
    var versions: Set<UInt64> = []
    var progress: [Double] = []
    var lines: [String] = []
    while !bootstrap.isComplete {
      // What happens meanwhile changes nothing of it.
      let change = Upload(
        first, [Text.set("c", count: 99), Text.erase("a")], from: 5, base: 4)
      _ = await server.realm.integrate(change)
      let (entries, rest) = try await server.realm.entries(of: bootstrap, byteLimit: 1)
      expectEqual(entries.count, 1)
      for entry in entries {
        versions.insert(entry.serverVersion)
        let changeset = try ChangesetParser.parse(entry.changeset)
        lines += changeset.instructions.map { changeset.line($0) }
      }
      bootstrap = rest
      progress.append(bootstrap.progress)
    }
    expectEqual(progress.count, 4)
    expectEqual(progress, progress.sorted())
    expectEqual(progress.last, 1)
    expectEqual(versions, [bootstrap.cursors.download.serverVersion])
    let text = lines.joined(separator: "\n")
    expectTrue(text.contains("CreateObject \"Thing\"[\"a\"]"), "\(text)")
    expectFalse(text.contains("99"), "\(text)")
  }

  // MARK: Rounds

  @Test func objectsPassEnterLeaveOrStayUnseen() async throws {
    let (server, first, second) = try await makeServer()
    let changes = [
      Text.set("a", count: 50), Text.set("b", count: 1), Text.set("c", count: 26),
      Text.create("d", count: 2), Text.create("e", count: 99), Text.erase("e"),
    ]
    await expectEqual(
      server.realm.integrate(Upload(first, changes, from: 5, base: 4)).code, nil)
    let round = try await view(server, second, after: 4, high).round
    let lines = try lines(round)
    #expect(lines.contains { $0.hasPrefix("7 Update \"Thing\"[\"c\"]") }, "\(lines)")
    expectTrue(lines.contains("10 EraseObject \"Thing\"[\"b\"]"))
    expectTrue(lines.contains("10 CreateObject \"Thing\"[\"a\"]"))
    expectFalse(lines.joined().contains("\"d\""))
    expectFalse(lines.joined().contains("\"e\""))
    expectEqual(round.cursors.download.serverVersion, 10)
    // What was sent of another author's entry has its version, author and time; the rest is ours.
    expectEqual(round.entries.first?.file, first.ident)
    expectEqual(round.entries.last?.file, .server)
  }

  @Test func whatAClientMadeAndDoesNotSeeIsErasedThere() async throws {
    let (server, first, _) = try await makeServer()
    let round = try await server.realm.view(
      for: first.ident, after: DownloadCursor(), query: high, scratch: ViewScratch()
    ).get().round
    try expectEqual(lines(round), ["4 EraseObject \"Thing\"[\"a\"]"])
    expectEqual(round.cursors.download, DownloadCursor(serverVersion: 4, clientVersion: 4))
  }

  @Test func changesOfWhatAClientDroppedAreDroppedByTheServerToo() async throws {
    let (server, first, second) = try await makeServer()
    let away = Upload(first, [Text.set("b", count: 1)], from: 5, base: 4)
    await expectEqual(server.realm.integrate(away).code, nil)
    // The second client sees b leave, with an own change of it that it has not sent.
    _ = try await view(server, second, after: 4, high)
    let late = Upload(second, [Text.set("b", count: 77)], from: 1, base: 4, time: 9999)
    try await server.restart()
    await expectEqual(server.realm.integrate(late).code, nil)
    try await expectEqual(server.entries().last?.changeset, [])
  }

  @Test func whatALostMessageErasedComesAgain() async throws {
    let (server, first, second) = try await makeServer()
    let away = Upload(first, [Text.set("b", count: 1)], from: 5, base: 4)
    await expectEqual(server.realm.integrate(away).code, nil)
    // The first round never arrives, and the server has dropped what the client changes meanwhile.
    _ = try await view(server, second, after: 4, high)
    let late = Upload(second, [Text.set("b", count: 77)], from: 1, base: 4, time: 9999)
    await expectEqual(server.realm.integrate(late).code, nil)
    let back = Upload(first, [Text.set("b", count: 50)], from: 6, base: 4)
    await expectEqual(server.realm.integrate(back).code, nil)
    let round = try await server.realm.view(
      for: second.ident, after: DownloadCursor(serverVersion: 4), query: high,
      scratch: ViewScratch()
    ).get().round
    let lines = try lines(round)
    expectEqual(
      lines.prefix(2), ["7 EraseObject \"Thing\"[\"b\"]", "7 CreateObject \"Thing\"[\"b\"]"])
  }

  @Test func aQueryThatCannotBeIsRefused() async throws {
    let (server, _, second) = try await makeServer()
    let answer = try await server.realm.view(
      for: second.ident, after: DownloadCursor(serverVersion: 4), query: high,
      next: EffectiveQuery(["Thing": "missing == 1"]), scratch: ViewScratch())
    guard case .failure(let refusal) = answer else {
      Issue.record("accepted")
      return
    }
    expectEqual(refusal.code, .badQuery)
  }
}
