// SPDX-License-Identifier: Apache-2.0

// What servers that do not answer, and much that comes at once, may cost another server.

#if Server
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices
@testable import RealmSyncTestSupport

struct NodeLimitTests {
  private let timer = TestTimer()
  /// The heads that came to sessions.
  private let headCount = Locked(0)

  private func send(_ message: NodeMessage, to socket: MemorySocket) async throws {
    try await socket.send([NodeFrame.message.rawValue] + message.bytes)
  }

  private func message(from socket: MemorySocket) async throws -> NodeMessage {
    try NodeMessage(Array(await socket.receive().dropFirst()))
  }

  /// The next message that is no sign of life.
  private func work(from socket: MemorySocket) async throws -> NodeMessage {
    while true {
      let next = try await message(from: socket)
      if next != .ping { return next }
    }
  }

  private let session = NodeSession(
    app: "test", user: "u", version: ProtocolVersion(mode: .partition), connection: 1)

  private let bind = ServerStoreRequest.bind(
    ClientMessage.Bind(session: 1, target: .partition("\"p\""), needsIdent: true))

  private let call = NodeCall(app: "test", name: "insertOne", arguments: [], user: nil)

  // MARK: An owner that does not answer

  /// A pool with one connection, whose other end a test has.
  private func connect() -> (NodePool, owner: MemorySocket, dialed: Locked<Int>) {
    let (socket, owner) = MemorySocket.pair("node")
    let dialed = Locked(0)
    var limits = NodeLimits()
    (limits.answer, limits.reply) = (12_000, 22_000)
    let pool = NodePool(node: "edge", limits: limits, timer: timer.clock) { _ in
      dialed.withLock { $0 += 1 }
      return socket
    }
    return (pool, owner, dialed)
  }

  private func handler(of pool: NodePool) -> any ServerRequestHandler {
    pool.session(
      session, on: "owner",
      events: ServerSessionLink { [headCount] _ in headCount.withLock { $0 += 1 } })
  }

  /// The requests of a session and of a call, which are on their way to the owner on return.
  private func ask(
    _ pool: NodePool, _ owner: MemorySocket
  ) async throws -> (
    reply: Task<ServerStoreReply, Never>, answer: Task<Result<NodeAnswer, DocumentError>, Never>
  ) {
    let handler = handler(of: pool)
    let reply = Task { [bind] in await handler.perform(bind) }
    _ = try NodeHello(await owner.receive())
    try await owner.send(NodeHello(node: "owner").bytes)
    guard case .begin(1, session) = try await work(from: owner),
      case .request(1, .bind) = try await work(from: owner)
    else {
      Issue.record("no session begins")
      throw CancellationError()
    }
    let answer = Task { [call] in await pool.answer(to: call, on: "owner") }
    try await expectEqual(work(from: owner), .call(number: 2, call))
    return (reply, answer)
  }

  private func advance(to time: Milliseconds) async {
    await timer.waitForSleeper(at: time)
    timer.advance(to: time)
  }

  private func expectUnknownOutcome(_ answer: Result<NodeAnswer, DocumentError>) {
    guard case .failure(.store(.unavailable(let reason))) = answer else {
      Issue.record("\(answer)")
      return
    }
    expectTrue(reason.contains("may have been carried out"))
  }

  /// `NodeClient` 3
  @Test(.timeLimit(.minutes(10))) func anOwnerThatHangsIsNotWaitedFor() async throws {
    let (pool, owner, dialed) = connect()
    let (reply, answer) = try await ask(pool, owner)
    for time in stride(from: 5_000 as Milliseconds, through: 25_000, by: 5_000) {
      // A sign of life that is seen to arrive.
      let head = SaltedVersion(version: time, salt: 1)
      try await send(.event(session: 1, .head(head)), to: owner)
      while headCount.withLock({ $0 * 5_000 }) < time { await Task.yield() }
      await advance(to: time)
      if time == 15_000 { expectUnknownOutcome(await answer.value) }
    }
    await expectEqual(reply.value.code, .sessionClosed)
    try await expectEqual(work(from: owner), .end(session: 1))
    try await expectEqual(work(from: owner), .close(session: 1))
    // What comes too late is dropped, and the connection goes on.
    try await send(.reply(session: 1, .done), to: owner)
    try await send(.answer(number: 2, .failure(.busy)), to: owner)
    let next = handler(of: pool)
    let later = Task { [bind] in await next.perform(bind) }
    try await expectEqual(work(from: owner), .begin(session: 3, session))
    guard case .request(3, .bind) = try await work(from: owner) else {
      Issue.record("no request")
      return
    }
    try await send(.reply(session: 3, .done), to: owner)
    await expectEqual(later.value, .done)
    expectEqual(dialed.withLock { $0 }, 1)
    // It comes once.
    try await send(.reply(session: 1, .done), to: owner)
    await #expect(throws: SocketClosed.self) { while true { _ = try await owner.receive() } }
  }

  /// `NodeSocket` 2
  @Test(.timeLimit(.minutes(10))) func aFrozenOwnerIsNotWaitedFor() async throws {
    let (pool, owner, _) = connect()
    let (reply, answer) = try await ask(pool, owner)
    for time in stride(from: 5_000 as Milliseconds, through: 20_000, by: 5_000) {
      await advance(to: time)
    }
    await expectEqual(reply.value.code, .sessionClosed)
    expectUnknownOutcome(await answer.value)
    await #expect(throws: SocketClosed.self) { while true { _ = try await owner.receive() } }
  }

  // MARK: Memory

  /// A server whose sessions' requests wait for a signal.
  private func server(
    _ count: Locked<Int>, _ signal: TestSignal, limits: NodeLimits = NodeLimits()
  ) -> NodeServer {
    let store = EmbeddedStore(SimulatedFiles())
    let clock = ServerClock { OriginTimestamp(milliseconds: 1_000_000) }
    let app = ServerApp(
      named: "test", realms: RealmDirectory(store, clock: clock),
      authenticator: SessionAuthenticator { _ in "" })
    let server = NodeServer(node: "owner", limits: limits, timer: timer.clock)
    server.add(
      "test",
      ServerHost(
        app, store: store, served: .partition,
        wrap: { _ in WaitingHandler(count: count, signal: signal) }),
      DocumentService(app, mode: .partition, heads: store.heads(), clock: clock))
    return server
  }

  private func upload(byteCount: Int) -> ServerStoreRequest {
    .integrate(
      UploadCursor(), lockedServerVersion: 0,
      entries: [
        UploadEntry(
          clientVersion: 1, serverVersion: 0, timestamp: OriginTimestamp(milliseconds: 1),
          changeset: [UInt8](repeating: 1, count: byteCount))
      ])
  }

  /// `NodePeer` 3, and 4 where the memory is tight: few bytes are many then.
  @Test(.timeLimit(.minutes(10)), arguments: [true, false])
  func whatIsUnderWayCountsAsMemoryOfClients(_ isTight: Bool) async throws {
    let (memory, count, signal) = (TestMemory(), Locked(0), TestSignal())
    var limits = NodeLimits()
    if !isTight { limits.requestByteCount = limits.frameByteCount }
    let server = server(count, signal, limits: limits)
    let (socket, peer) = MemorySocket.pair("node")
    let serving = Task { await server.serve(peer, of: "edge", memory: memory) }
    try await socket.send(NodeHello(node: "edge").bytes)
    _ = try await socket.receive()
    // The first part of a message.
    try await socket.send(
      [NodeFrame.part.rawValue, 1] + [UInt8](repeating: 0, count: 50_000))
    while memory.held.last != 50_000 { await Task.yield() }
    memory.setTight(isTight)
    let size = 200_000
    for number in 1...3 as ClosedRange<UInt64> {
      try await send(.begin(session: number, session), to: socket)
      try await send(.request(session: number, upload(byteCount: size)), to: socket)
    }
    // The second one is one too many, and the third waits where it was read.
    while memory.held.last ?? 0 < 50_000 + 3 * size { await Task.yield() }
    for _ in 0..<200 { await Task.yield() }
    expectEqual(count.withLock { $0 }, 2)
    signal.give()
    for _ in 0..<3 { _ = try await work(from: socket) }
    expectEqual(count.withLock { $0 }, 3)
    expectEqual(memory.held.last, 50_000)
    await socket.close(.normal)
    _ = await serving.value
    expectEqual(memory.held.last, 0)
  }
}

/// A session whose requests are counted, and wait for a signal.
private struct WaitingHandler: ServerRequestHandler {
  let count: Locked<Int>
  let signal: TestSignal

  var heldByteCount: Int { 0 }

  func perform(_ request: ServerStoreRequest) async -> ServerStoreReply {
    count.withLock { $0 += 1 }
    await signal.wait()
    return .done
  }

  func end() {}
  func close() {}
}
#endif
