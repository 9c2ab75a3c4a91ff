// SPDX-License-Identifier: Apache-2.0

// Realms that a server gives up while it goes on: without sessions, and before it ends.

#if Postgres
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices
@testable import RealmServerPostgres
@testable import RealmSyncTestSupport

@Suite(.heavy)
struct NodeHandoverTests {
  private typealias Text = ChangesetText

  /// Servers whose first one owns the realm, with a client that has declared the class `Item`.
  private func bench(
    _ mode: SyncMode, _ kind: NodeLinkKind = .sockets
  ) async throws -> (NodeBench, ProtocolClient) {
    let bench = try NodeBench(mode, kind)
    var client = try await bench.client(at: 0)
    try await client.upload([NodeBench.items()])
    try await client.acknowledgement(of: 1)
    #expect(try await bench.nodes[0].owns(bench.realm))
    return (bench, client)
  }

  private func eventually(
    _ isDone: () async throws -> Bool, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    for _ in 0..<1_200 {
      if try await isDone() { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("it does not come to be", sourceLocation: location)
  }

  private func closeIdle(_ node: BenchNode) async {
    await node.app.realms.closeIdle(since: OriginTimestamp(milliseconds: .max))
  }

  /// A stream without signs of life: versions alone wake it.
  private func watch(_ node: BenchNode) async throws -> DocumentWatch {
    let timer = SyncClock(
      now: { 0 },
      sleep: { (_) async throws(CancellationError) in
        do { try await Task.sleep(for: .seconds(36_000)) } catch { throw CancellationError() }
      })
    let documents = DocumentService(
      node.app, mode: .flexible, heads: node.store.heads(ofApp: node.app.name),
      clock: ServerClock { OriginTimestamp(milliseconds: 1_000_000) }, timer: timer)
    return try await documents.watch(
      [try ExtendedJSONReader.parse(#"{"database":"db","collection":"Item"}"#)], user: nil)
  }

  private func nextID(_ events: inout DocumentWatch.Events) async throws -> String? {
    while let next = try await events.next() {
      for event in next {
        if case .string(let id)? = event["fullDocument"]?["_id"] { return id }
      }
    }
    return nil
  }

  // MARK: Readers

  /// `RealmDirectory` 5
  @Test func readersKeepNoRealm() async throws {
    let (bench, client) = try await bench(.flexible)
    let (first, second) = (bench.nodes[0], bench.nodes[1])
    var events = try await watch(first).makeEvents()
    try await expectEqual(events.next(), [])
    await closeIdle(first)
    #expect(try await first.owns(bench.realm), "a session needs the realm")
    await client.socket.close(.normal)
    try await eventually {
      await closeIdle(first)
      return try await !first.owns(bench.realm)
    }
    // Another server is the owner at once, and the reader goes on.
    _ = try await second.call("insertOne", #""document":{"_id":"a"}"#)
    #expect(try await second.owns(bench.realm))
    try await expectEqual(nextID(&events), "a")
    await closeIdle(second)
    try await expectEqual(first.call("count", #""query":{}"#), .int64(1))
  }

  /// `RealmUsers` 1
  @Test func aStreamIsWokenWhenItsRealmIsClosed() async throws {
    let (bench, _) = try await bench(.flexible)
    let first = bench.nodes[0]
    let watch = try await watch(first)
    var events = watch.makeEvents()
    try await expectEqual(events.next(), [])
    let realm = watch.realm
    await first.app.realms.retire(bench.realm, realm)
    try await expectEqual(events.next(), [])
    expectTrue(watch.realm !== realm)
  }

  /// `UserDocuments` 1
  @Test func customDataFollowsARealmThatWasOpenedAgain() async throws {
    let (bench, _) = try await bench(.flexible)
    let (first, second) = (bench.nodes[0], bench.nodes[1])
    let source = CustomUserData(className: "Item", userField: "_id")
    let documents = UserDocuments(app: first.app.name, source, in: first.app.realms)
    let access = CountingAccess()
    first.app.rules.set(access)
    let following = CustomDataWatch(
      documents, first.app.rules, heads: first.store.heads(ofApp: first.app.name),
      report: { Issue.record("\($0)") })
    try await expectEqual(documents.data(of: "u", given: nil), nil)
    let realm = try await first.app.realms.openReader(bench.realm).realm
    await first.app.realms.retire(bench.realm, realm)
    // It is opened again without another read, and its news come.
    try await eventually { await first.app.realms.openCount == 1 }
    let client = try await bench.client(at: 0)
    let before = access.count.withLock { $0 }
    _ = try await second.call("insertOne", #""document":{"_id":"u","count":3}"#)
    try await eventually { access.count.withLock { $0 } > before }
    try await expectEqual(documents.data(of: "u", given: nil)?["count"], .int64(3))
    await client.socket.close(.normal)
    withExtendedLifetime(following) {}
  }

  // MARK: Before the end

  /// `RealmDirectory` 6
  @Test(arguments: NodeLinkKind.allCases)
  func realmsAreGivenUpAsSessionsLeave(_ kind: NodeLinkKind) async throws {
    let (bench, first) = try await bench(.flexible, kind)
    var forwarded = try await bench.client(at: 1)
    await bench.nodes[0].app.realms.drain()
    // The realm has a session here: it is served to others, too.
    #expect(try await bench.nodes[0].owns(bench.realm))
    let second = try await bench.client(at: 1)
    await second.socket.close(.normal)
    await first.socket.close(.normal)
    // The sessions that others have forwarded end, and come back to their own server.
    await #expect(throws: ProtocolClient.Unexpected.self) {
      while true { _ = try await forwarded.receive() }
    }
    try await eventually { try await !bench.nodes[0].owns(bench.realm) }
    var third = try await bench.client(at: 1)
    #expect(try await bench.nodes[1].owns(bench.realm))
    try await third.upload([NodeBench.items()])
    try await third.acknowledgement(of: 1)
  }

  /// `RealmDirectory` 6
  @Test func aServerThatDrainsTakesNoRealm() async throws {
    let (bench, client) = try await bench(.flexible)
    await client.socket.close(.normal)
    let (first, second) = (bench.nodes[0], bench.nodes[1])
    try await eventually {
      await closeIdle(first)
      return await first.app.realms.openCount == 0
    }
    await first.app.realms.drain()
    await #expect(throws: ProtocolClient.Unexpected.self) { _ = try await bench.client(at: 0) }
    #expect(try await !first.owns(bench.realm))
    // A write is carried out, and the realm is given up after it.
    _ = try await first.call("insertOne", #""document":{"_id":"a"}"#)
    try await eventually { try await !first.owns(bench.realm) }
    // What another server owns is forwarded to it.
    var other = try await bench.client(at: 1)
    #expect(try await second.owns(bench.realm))
    var edge = try await bench.client(at: 0)
    try await edge.upload([NodeBench.items()])
    try await edge.acknowledgement(of: 1)
    _ = try await other.receive()
  }
}

/// All rights, whose questions are counted.
private final class CountingAccess: SessionAccess {
  let count = Locked(0)

  func rights(
    of user: String, in partition: String?
  ) async throws(SessionRefusal) -> SessionRights {
    count.withLock { $0 += 1 }
    return .all
  }
}
#endif
