// SPDX-License-Identifier: Apache-2.0

// Sessions and calls of several servers about one realm.

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

struct NodeTests {
  private typealias Text = ChangesetText

  /// A kind of app with a way between its servers.
  struct Case: Sendable, CustomStringConvertible {
    let mode: SyncMode
    let kind: NodeLinkKind

    var description: String { "\(mode) \(kind)" }

    static let all = [SyncMode.partition, .flexible].flatMap { mode in
      NodeLinkKind.allCases.map { Case(mode: mode, kind: $0) }
    }
  }

  /// Takes downloads until one has a text in its entries.
  private func receive(_ text: String, by client: inout ProtocolClient) async throws {
    while true {
      guard case .download(_, let download) = try await client.receive() else { continue }
      let all = try download.body.downloadEntries().map {
        String(decoding: $0.changeset, as: UTF8.self)
      }
      if all.contains(where: { $0.contains(text) }) { return }
    }
  }

  @Test(arguments: Case.all)
  func clientsOfTwoServersMeet(_ example: Case) async throws {
    let bench = try NodeBench(example.mode, example.kind)
    var first = try await bench.client(at: 0)
    var second = try await bench.client(at: 1)
    #expect(try await bench.nodes[0].owns(bench.realm))
    #expect(try await !bench.nodes[1].owns(bench.realm))
    if example.kind == .sockets { expectEqual(bench.nodes[0].server.sessionCount, 1) }
    try await first.upload([Text.schema(), Text.create("one")])
    try await first.acknowledgement(of: 2)
    try await receive("one", by: &second)
    try await second.upload([Text.create("two")])
    try await second.acknowledgement(of: 1)
    try await receive("two", by: &first)
    // A server reads what the other one has acknowledged.
    try await expectEqual(bench.keys(at: 0), ["one", "two"])
    try await expectEqual(bench.keys(at: 1), ["one", "two"])
  }

  /// A second connection of the edge is not made while there is one.
  @Test func sessionsShareAConnection() async throws {
    let bench = try NodeBench(.partition)
    _ = try await bench.client(at: 0)
    var clients: [ProtocolClient] = []
    for _ in 0..<5 { clients.append(try await bench.client(at: 1)) }
    expectEqual(bench.nodes[0].server.sessionCount, 5)
    expectEqual(bench.nodes[0].server.connectionCount, 1)
    expectEqual(bench.directory.connectionCount, 1)
    for client in clients { await client.socket.close(.normal) }
    for _ in 0..<600 where bench.nodes[0].server.sessionCount > 0 {
      try await Task.sleep(for: .milliseconds(50))
    }
    expectEqual(bench.nodes[0].server.sessionCount, 0)
  }

  /// `NodeServer` 1
  @Test func whatIsForwardedIsNotForwardedAgain() async throws {
    let bench = try NodeBench(.partition, count: 3)
    _ = try await bench.client(at: 0)
    let session = NodeSession(
      app: bench.bench.name.app, user: "u",
      version: ProtocolVersion(mode: .partition), connection: 1)
    let handler = try #require(
      bench.nodes[1].server.session(session, events: ServerSessionLink { _ in }))
    let bind = ClientMessage.Bind(
      session: 1, target: .partition("\"home\""), needsIdent: false)
    guard case .refused(let refusal) = await handler.perform(.bind(bind)) else {
      Issue.record("a session is forwarded twice")
      return
    }
    expectEqual(refusal.code, .sessionClosed)
    await handler.close()
    let call = NodeCall(
      app: bench.bench.name.app, name: "insertOne",
      arguments: Array(
        #"[{"database":"d","collection":"Thing","document":{"id":"a","_partition":"home"}}]"#.utf8),
      user: nil)
    let owner = bench.nodes[0].name
    await expectEqual(bench.nodes[1].server.answer(to: call), .failure(.store(.owned(by: owner))))
  }

  // MARK: Ends

  /// `ForwardedSession` 1, `NodeClient` 1, `NodeClient` 2
  @Test func aBrokenConnectionEndsItsSessions() async throws {
    let bench = try NodeBench(.partition)
    var first = try await bench.client(at: 0)
    try await first.upload([Text.schema()])
    try await first.acknowledgement(of: 1)
    var second = try await bench.client(at: 1)
    bench.directory.cut()
    await #expect(throws: ProtocolClient.Unexpected.self) {
      while true { _ = try await second.receive() }
    }
    // Its device comes back, over another connection.
    var third = try await bench.client(at: 1)
    try await third.upload([Text.create("a")])
    try await third.acknowledgement(of: 1)
    try await expectEqual(bench.keys(at: 0), ["a"])
    for _ in 0..<600 where bench.nodes[0].server.sessionCount > 1 {
      try await Task.sleep(for: .milliseconds(50))
    }
    expectEqual(bench.nodes[0].server.sessionCount, 1)
  }

  @Test(arguments: Case.all)
  func anotherServerTakesOverAfterTheLease(_ example: Case) async throws {
    let bench = try NodeBench(example.mode, example.kind, lease: 2_000)
    var first = try await bench.client(at: 0)
    try await first.upload([Text.schema(), Text.create("by the first")])
    try await first.acknowledgement(of: 2)
    var second = try await bench.client(at: 1)
    try await second.upload([Text.create("by the second")])
    try await second.acknowledgement(of: 1)
    // The owner hangs: it renews nothing, and nobody reaches it.
    bench.directory.isolate(bench.nodes[0].name)
    bench.bench.simulation?.advance(by: 100_000)
    var third: ProtocolClient?
    for _ in 0..<600 {
      third = try? await bench.client(at: 1)
      if third != nil { break }
      bench.bench.simulation?.advance(by: 100_000)
      try await Task.sleep(for: .milliseconds(20))
    }
    var client = try #require(third)
    #expect(try await bench.nodes[1].owns(bench.realm))
    try await client.upload([Text.create("by the third")])
    try await client.acknowledgement(of: 1)
    try await expectEqual(
      bench.keys(at: 1), ["by the first", "by the second", "by the third"])
    // The sessions of the owner before end, as another one has the realm.
    await #expect(throws: (any Error).self) {
      while true { _ = try await first.receive() }
    }
    try await expectEqual(bench.keys(at: 0), bench.keys(at: 1))
  }

  /// A device that comes back at another server has its file there.
  @Test(arguments: NodeLinkKind.allCases)
  func aFileThatIsBoundElsewhereIsTaken(_ kind: NodeLinkKind) async throws {
    let bench = try NodeBench(.partition, kind)
    for (from, to) in [(0, 1), (1, 0), (1, 1)] {
      let first = RawClient(await bench.nodes[from].connect(.partition))
      let (file, salt) = try await first.bindNew()
      try await first.identify(file, salt)
      let second = RawClient(await bench.nodes[to].connect(.partition))
      try await second.bind()
      try await second.identify(file, salt)
      try await expectEqual(first.end(), ConnectionErrorCode.connectionClosed.rawValue)
      await second.socket.close(.normal)
    }
  }

  /// `NodePeer` 2
  @Test func aFileIsBoundOnceOnAConnection() async throws {
    let bench = try NodeBench(.partition)
    _ = try await bench.client(at: 0)
    let client = RawClient(await bench.nodes[1].connect(.partition))
    let (file, salt) = try await client.bindNew()
    try await client.identify(file, salt)
    try await client.bind(session: 2)
    try await client.send(
      .ident(.init(session: 2, file: file, salt: salt, download: .init(), latest: .init())))
    try await expectEqual(client.end(), ConnectionErrorCode.boundInOtherSession.rawValue)
  }

  @Test(arguments: NodeLinkKind.allCases)
  func aSessionEndsWithItsRights(_ kind: NodeLinkKind) async throws {
    let access = ChangingAccess()
    let bench = try NodeBench(.partition, kind, access: access)
    _ = try await bench.client(at: 0)
    var client = try await bench.client(at: 1, user: "v")
    access.mayWrite.withLock { $0 = false }
    await expectEqual(bench.nodes[0].app.rules.recheck(users: ["v"]), 1)
    do {
      while true { _ = try await client.receive() }
    } catch let error as ProtocolClient.Unexpected {
      expectTrue(error.description.contains("rights"))
    }
  }

  @Test func sessionsOfAnAppEndWithIt() async throws {
    let bench = try NodeBench(.partition)
    _ = try await bench.client(at: 0)
    var client = try await bench.client(at: 1)
    bench.nodes[0].server.remove(bench.bench.name.app)
    do {
      while true { _ = try await client.receive() }
    } catch let error as ProtocolClient.Unexpected {
      expectTrue(error.description.contains("not served any more"))
    }
  }

  // MARK: Large messages

  @Test(.heavy) func aLargeUploadHoldsNoOtherUp() async throws {
    let bench = try NodeBench(.partition)
    var first = try await bench.client(at: 0)
    try await first.upload([Text.schema()])
    try await first.acknowledgement(of: 1)
    var large = try await bench.client(at: 1)
    var small = try await bench.client(at: 1)
    let key = String(repeating: "x", count: 10 << 20)
    try await large.upload([Text.create(key)])
    for number in 1...20 as ClosedRange<UInt64> {
      try await small.upload([Text.create("small \(number)")])
      try await small.acknowledgement(of: number)
    }
    try await large.acknowledgement(of: 1)
    try await expectEqual(bench.keys(at: 0).count, 21)
    try await expectEqual(bench.keys(at: 1).count, 21)
  }

  // MARK: Documents

  /// `DocumentService` 2
  @Test(arguments: NodeLinkKind.allCases)
  func documentsAreWrittenByTheOwnerAndReadAnywhere(_ kind: NodeLinkKind) async throws {
    let bench = try NodeBench(.flexible, kind)
    var client = try await bench.client(at: 0)
    try await client.upload([NodeBench.items()])
    try await client.acknowledgement(of: 1)
    let (owner, other) = (bench.nodes[0], bench.nodes[1])
    let watch = try await other.documents.watch(
      [try ExtendedJSONReader.parse(#"{"database":"db","collection":"Item"}"#)], user: nil)
    var events = watch.makeEvents()
    _ = try await other.call("insertOne", #""document":{"_id":"a","count":1}"#)
    try await expectEqual(owner.call("count", #""query":{}"#), .int64(1))
    try await expectEqual(other.call("count", #""query":{"_id":"a"}"#), .int64(1))
    _ = try await owner.call("insertOne", #""document":{"_id":"b","count":2}"#)
    try await expectEqual(other.call("count", #""query":{}"#), .int64(2))
    try await receive("b", by: &client)
    var names: [String] = []
    while names.count < 2, let next = try await events.next() {
      names += next.compactMap { event in
        if case .string(let id)? = event["fullDocument"]?["_id"] { id } else { nil }
      }
    }
    expectEqual(names, ["a", "b"])
    // What the owner refuses is refused.
    await #expect(throws: DocumentError.self) {
      _ = try await other.call("insertOne", #""document":{"_id":"a"}"#)
    }
  }

  @Test func rightsToWriteAreThoseOfTheOwner() async throws {
    let access = ChangingAccess()
    let bench = try NodeBench(.partition, .sockets, access: access)
    var client = try await bench.client(at: 0)
    try await client.upload([NodeBench.items()])
    try await client.acknowledgement(of: 1)
    access.mayWrite.withLock { $0 = false }
    let text = "write not permitted: the user may read the partition and not change it"
    await #expect(throws: DocumentError.notPermitted(text)) {
      _ = try await bench.nodes[1].call(
        "insertOne", #""document":{"_id":"a","_partition":"home"}"#)
    }
  }

  /// `DocumentService` 2
  @Test func aWriteWithoutAnOwnerMakesOne() async throws {
    let bench = try NodeBench(.flexible)
    var client = try await bench.client(at: 0)
    try await client.upload([NodeBench.items()])
    try await client.acknowledgement(of: 1)
    await client.socket.close(.normal)
    await bench.nodes[0].app.realms.closeAll()
    _ = try await bench.nodes[1].call("insertOne", #""document":{"_id":"a"}"#)
    #expect(try await bench.nodes[1].owns(bench.realm))
    try await expectEqual(bench.nodes[0].call("count", #""query":{}"#), .int64(1))
  }

  /// A session whose realm is closed would wait for news that do not come.
  @Test func sessionsEndWithTheirRealms() async throws {
    let bench = try NodeBench(.flexible)
    let clients = [try await bench.client(at: 0), try await bench.client(at: 1)]
    #expect(try await bench.nodes[0].owns(bench.realm))
    await bench.nodes[0].app.realms.closeAll()
    for var client in clients {
      await #expect(throws: ProtocolClient.Unexpected.self) { _ = try await client.receive() }
    }
  }

  /// A trigger's versions are known at the server that has asked for them.
  @Test func theDepthOfAWriteIsKnownWhereItBegan() async throws {
    let bench = try NodeBench(.flexible)
    var client = try await bench.client(at: 0)
    try await client.upload([NodeBench.items()])
    try await client.acknowledgement(of: 1)
    let (owner, other) = (bench.nodes[0], bench.nodes[1])
    _ = try await CallChain.$depth.withValue(3) {
      try await other.call("insertOne", #""document":{"_id":"a"}"#)
    }
    let head = try await owner.app.realms.openReader(bench.realm).realm.newestSnapshot().head
    for node in [owner, other] {
      await expectEqual(node.app.depths.settledDepth(of: head.version, in: head.realm), 3)
    }
  }
}

/// Rights that a test changes.
private final class ChangingAccess: SessionAccess {
  let mayWrite = Locked(true)

  func rights(
    of user: String, in partition: String?
  ) async throws(SessionRefusal) -> SessionRights {
    SessionRights(mayWrite: mayWrite.withLock { $0 })
  }
}

/// A client of partition mode whose messages a test sends.
private struct RawClient {
  let socket: MemorySocket
  private let encoder = MessageEncoder(version: ProtocolVersion(mode: .partition))
  private let parser = MessageParser(version: ProtocolVersion(mode: .partition))

  init(_ socket: MemorySocket) { self.socket = socket }

  func send(_ message: ClientMessage) async throws { try await socket.send(encoder.bytes(message)) }

  func bind(session: UInt64 = 1, needsIdent: Bool = false) async throws {
    try await send(
      .bind(.init(session: session, target: .partition("\"home\""), needsIdent: needsIdent)))
  }

  /// Makes a file.
  func bindNew() async throws -> (FileIdentifier, salt: UInt64) {
    try await bind(needsIdent: true)
    while true {
      let message = try parser.serverMessage(await socket.receive())
      if case .ident(_, let file, let salt) = message { return (file, salt) }
    }
  }

  /// Has a file from now on.
  func identify(_ file: FileIdentifier, _ salt: UInt64) async throws {
    try await send(
      .ident(.init(session: 1, file: file, salt: salt, download: .init(), latest: .init())))
    while true {
      if case .download = try parser.serverMessage(await socket.receive()) { return }
    }
  }

  /// The code of the error with which the connection ends.
  func end() async throws -> Int {
    while true {
      if case .error(_, let code, _) = try parser.serverMessage(await socket.receive()) {
        return code.rawValue
      }
    }
  }
}
#endif
