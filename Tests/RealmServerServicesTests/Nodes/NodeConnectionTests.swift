// SPDX-License-Identifier: Apache-2.0

// Connections between servers: how they begin, are watched, and end.

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

struct NodeConnectionTests {
  private let timer = TestTimer()
  private let store = EmbeddedStore(SimulatedFiles())
  private let turns = Locked(CountedSocket.Turns())

  /// A server with an app in partition mode.
  private func server(
    _ name: String = "owner", limits: NodeLimits = NodeLimits(),
    wrap: @escaping @Sendable (any ServerRequestHandler) -> any ServerRequestHandler = { $0 }
  ) -> NodeServer {
    let clock = ServerClock { OriginTimestamp(milliseconds: 1_000_000) }
    let app = ServerApp(
      named: "test", realms: RealmDirectory(store, clock: clock),
      authenticator: SessionAuthenticator { _ in "" })
    let server = NodeServer(node: name, limits: limits, timer: timer.clock)
    server.add(
      "test", ServerHost(app, store: store, served: .partition, wrap: wrap),
      DocumentService(app, mode: .partition, heads: store.heads(), clock: clock))
    return server
  }

  /// A connection whose messages a test sends, after the first ones.
  private func connect(
    _ server: NodeServer
  ) async throws -> (MemorySocket, Task<SocketClosed, Never>) {
    let (socket, peer) = MemorySocket.pair("node")
    let serving = Task { await server.serve(peer, of: "edge") }
    try await socket.send(NodeHello(node: "edge").bytes)
    try expectEqual(NodeHello(await socket.receive()).node, server.node)
    return (socket, serving)
  }

  private func send(_ message: NodeMessage, to socket: MemorySocket) async throws {
    try await socket.send([NodeFrame.message.rawValue] + message.bytes)
  }

  private func message(from socket: MemorySocket) async throws -> NodeMessage {
    try NodeMessage(Array(await socket.receive().dropFirst()))
  }

  private var session: NodeSession {
    NodeSession(
      app: "test", user: "u", version: ProtocolVersion(mode: .partition), connection: 1)
  }

  private var bind: ServerStoreRequest {
    .bind(ClientMessage.Bind(session: 1, target: .partition("\"p\""), needsIdent: true))
  }

  @Test func aSessionIsCarriedOut() async throws {
    let server = server()
    let (socket, serving) = try await connect(server)
    try await send(.begin(session: 4, session), to: socket)
    try await send(.request(session: 4, bind), to: socket)
    guard case .reply(4, .bound) = try await message(from: socket) else {
      Issue.record("no file is made")
      return
    }
    expectEqual(server.sessionCount, 1)
    try await send(.end(session: 4), to: socket)
    try await send(.close(session: 4), to: socket)
    while server.sessionCount > 0 { await Task.yield() }
    // Nor is an unknown app a reason to end the connection.
    var other = session
    other.app = "other"
    try await send(.begin(session: 5, other), to: socket)
    try await send(.request(session: 5, bind), to: socket)
    guard case .reply(5, .refused(let refusal)) = try await message(from: socket) else {
      Issue.record("an app that is not there is served")
      return
    }
    expectEqual(refusal.code, .sessionClosed)
    await socket.close(.normal)
    await expectEqual(serving.value.code, .normal)
    expectEqual(server.connectionCount, 0)
  }

  /// `NodePeer` 1
  @Test(arguments: 0..<7)
  func whatBreaksTheRulesEndsTheConnection(_ number: Int) async throws {
    let signal = TestSignal()
    let (socket, serving) = try await connect(server { StuckHandler(base: $0, signal: signal) })
    switch number {
    case 0: try await socket.send([1, 99])
    case 1: try await send(.request(session: 1, .currentHead), to: socket)
    case 2:
      try await send(.begin(session: 1, session), to: socket)
      try await send(.begin(session: 1, session), to: socket)
    case 3:
      try await send(.begin(session: 1, session), to: socket)
      for _ in 0..<2 { try await send(.request(session: 1, bind), to: socket) }
    case 4: try await send(.reply(session: 1, .done), to: socket)
    case 5: try await socket.send([])
    default: try await socket.send([2, 1] + [UInt8](repeating: 0, count: 300 << 10))
    }
    await expectEqual(serving.value.code, .protocolError)
    signal.give()
  }

  @Test func anotherProtocolIsRefused() async throws {
    let server = server()
    for bytes in [Array("hello".utf8), NodeHello(node: "someone").bytes] {
      let (socket, peer) = MemorySocket.pair("node")
      let serving = Task { await server.serve(peer, of: "edge") }
      try await socket.send(bytes)
      let end = await serving.value
      expectTrue([CloseCode.protocolError, .policyViolation].contains(end.code))
    }
  }

  /// `NodeSocket` 2
  @Test func aSilentServerIsGone() async throws {
    let (socket, serving) = try await connect(server())
    for time in [5_000, 10_000, 15_000] as [Milliseconds] {
      await timer.waitForSleeper(at: time)
      timer.advance(to: time)
      try await expectEqual(message(from: socket), .ping)
    }
    try await send(.ping, to: socket)
    try await send(.begin(session: 1, session), to: socket)
    try await send(.request(session: 1, bind), to: socket)
    _ = try await message(from: socket)
    for time in [20_000, 25_000, 30_000] as [Milliseconds] {
      await timer.waitForSleeper(at: time)
      timer.advance(to: time)
      try await expectEqual(message(from: socket), .ping)
    }
    await timer.waitForSleeper(at: 35_000)
    timer.advance(to: 35_000)
    let end = await serving.value
    expectEqual(end.code, .goingAway)
    expectTrue(end.message.contains("silent"))
  }

  @Test func aServerThatSaysNothingIsNotWaitedFor() async throws {
    let (server, pair) = (server(), MemorySocket.pair("node"))
    let serving = Task { await server.serve(pair.server) }
    await timer.waitForSleeper(at: 10_000)
    timer.advance(to: 10_000)
    await expectEqual(serving.value.code, .policyViolation)
  }

  @Test func sessionsHaveALimit() async throws {
    var limits = NodeLimits()
    limits.sessionCount = 2
    let (socket, serving) = try await connect(server(limits: limits))
    for number in 1...3 as ClosedRange<UInt64> {
      try await send(.begin(session: number, session), to: socket)
    }
    await expectEqual(serving.value.code, .protocolError)
  }

  /// A connection whose socket takes the first message, and then none until a signal.
  private func connectStalled(
    _ server: NodeServer, _ signal: TestSignal
  ) async throws -> (MemorySocket, Task<SocketClosed, Never>) {
    let (socket, peer) = MemorySocket.pair("node")
    let stalled = StalledSocket(base: peer, signal: signal)
    let serving = Task { await server.serve(stalled, of: "edge") }
    try await socket.send(NodeHello(node: "edge").bytes)
    _ = try await socket.receive()
    return (socket, serving)
  }

  /// What is made for a server that takes nothing is little, however many sessions it has.
  @Test func aPeerThatTakesNothingGetsNoDownloads() async throws {
    var limits = NodeLimits()
    limits.outgoingByteCount = 10
    let (count, signal) = (Locked(0), TestSignal())
    let server = server(limits: limits) { _ in DownloadHandler(count: count) }
    let (socket, serving) = try await connectStalled(server, signal)
    for number in 1...6 as ClosedRange<UInt64> {
      try await send(.begin(session: number, session), to: socket)
      try await send(
        .request(session: number, .nextDownload(after: DownloadCursor())), to: socket)
      while number <= 2, count.withLock({ $0 }) < number { await Task.yield() }
    }
    for _ in 0..<200 { await Task.yield() }
    // One is with the socket, and those of the limit wait.
    #expect(count.withLock { $0 } <= 3)
    signal.give()
    for _ in 0..<6 { _ = try await socket.receive() }
    expectEqual(count.withLock { $0 }, 6)
    await socket.close(.normal)
    _ = await serving.value
  }

  /// `NodeSocket` 2
  @Test func aServerThatTakesNothingIsGone() async throws {
    let signal = TestSignal()
    let (socket, serving) = try await connectStalled(server(), signal)
    for time in stride(from: 5_000 as Milliseconds, through: 70_000, by: 5_000) {
      await timer.waitForSleeper(at: time)
      try await send(.begin(session: time, session), to: socket)
      try await send(.close(session: time), to: socket)
      for _ in 0..<50 { await Task.yield() }
      timer.advance(to: time)
    }
    let end = await serving.value
    expectEqual(end.code, .goingAway, "\(end)")
    expectTrue(end.message.contains("takes nothing"), "\(end)")
    signal.give()
  }

  // MARK: The edge

  /// A pool whose connections lead to servers in memory; nil refuses them.
  private func pool(
    _ dialed: Locked<Int>, _ server: @escaping @Sendable () -> NodeServer?
  ) -> NodePool {
    NodePool(node: "edge", timer: timer.clock) { (_) async throws(SocketClosed) in
      dialed.withLock { $0 += 1 }
      guard let server = server() else { throw SocketClosed(.connectFailed, "gone") }
      let (socket, peer) = MemorySocket.pair("node")
      Task { await server.serve(CountedSocket(base: peer, turns: turns)) }
      return CountedSocket(base: socket, turns: turns)
    }
  }

  /// `NodePool` 1, `NodeSocket` 1
  @Test func aServerGetsOneConnection() async throws {
    let (dialed, server) = (Locked(0), server())
    let pool = pool(dialed) { server }
    let replies = await withTaskGroup(of: ServerStoreReply.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let events = ServerSessionLink { _ in }
          return await pool.session(session, on: "owner", events: events).perform(bind)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    expectEqual(replies.count, 8)
    for reply in replies {
      guard case .bound = reply else {
        Issue.record("\(reply)")
        return
      }
    }
    expectEqual(dialed.withLock { $0 }, 1)
    // Each side sends and receives one message at a time, for all of the sessions.
    let turns = turns.withLock { $0 }
    expectEqual(turns.overlapCount, 0)
    expectTrue(turns.count > 4 * 8, "\(turns)")
    await pool.close()
    let events = ServerSessionLink { _ in }
    let late = await pool.session(session, on: "owner", events: events).perform(bind)
    expectEqual(late.code, .sessionClosed)
    expectEqual(dialed.withLock { $0 }, 1)
  }

  /// `NodePool` 2
  @Test func aServerThatIsGoneIsTriedLessAndLessOften() async throws {
    let dialed = Locked(0)
    let pool = pool(dialed) { nil }
    var times: [Milliseconds] = []
    for time in stride(from: 0 as Milliseconds, to: 4_000, by: 50) {
      timer.advance(to: time)
      let before = dialed.withLock { $0 }
      let call = NodeCall(app: "test", name: "find", arguments: [], user: nil)
      guard case .failure(.store(.unavailable)) = await pool.answer(to: call, on: "owner") else {
        Issue.record("an answer of nobody")
        return
      }
      if dialed.withLock({ $0 }) > before { times.append(time) }
    }
    expectEqual(times, [0, 250, 750, 1_750, 3_750])
  }

  @Test func anAddressOfAnotherServerIsRefused() async throws {
    let (dialed, server) = (Locked(0), server("another"))
    let pool = pool(dialed) { server }
    let events = ServerSessionLink { _ in }
    let reply = await pool.session(session, on: "owner", events: events).perform(bind)
    expectEqual(reply.code, .sessionClosed)
    while server.connectionCount > 0 { await Task.yield() }
  }

  /// A session that ends while its BIND is on the way is over at the owner, too.
  @Test func anEndedSessionIsClosedAtTheOwner() async throws {
    let (dialed, server) = (Locked(0), server())
    let pool = pool(dialed) { server }
    let handler = pool.session(session, on: "owner", events: ServerSessionLink { _ in })
    let reply = Task { await handler.perform(bind) }
    handler.end()
    _ = await reply.value
    expectEqual(server.sessionCount, 1)
    await handler.close()
    while server.sessionCount > 0 { await Task.yield() }
  }

  @Test func aConnectionThatIsNotUsedIsClosed() async throws {
    let (dialed, server) = (Locked(0), server())
    let pool = pool(dialed) { server }
    let handler = pool.session(session, on: "owner", events: ServerSessionLink { _ in })
    _ = await handler.perform(bind)
    await handler.close()
    while server.sessionCount > 0 { await Task.yield() }
    var time: Milliseconds = 0
    while server.connectionCount > 0 {
      time += 5_000
      expectTrue(time <= 120_000)
      await timer.waitForSleeper(at: time)
      // Both sides sleep until then.
      for _ in 0..<20 { await Task.yield() }
      timer.advance(to: time)
      for _ in 0..<200 where server.connectionCount > 0 { await Task.yield() }
    }
    // The next session makes another one.
    let next = pool.session(session, on: "owner", events: ServerSessionLink { _ in })
    guard case .bound = await next.perform(bind) else {
      Issue.record("the realm is not reached again")
      return
    }
    expectEqual(dialed.withLock { $0 }, 2)
  }
}

/// A session whose requests wait for a signal.
private struct StuckHandler: ServerRequestHandler {
  let base: any ServerRequestHandler
  let signal: TestSignal

  var heldByteCount: Int { 0 }

  func perform(_ request: ServerStoreRequest) async -> ServerStoreReply {
    await signal.wait()
    return await base.perform(request)
  }

  func end() { base.end() }
  func close() async { await base.close() }
}

/// A session with a download at each time.
private struct DownloadHandler: ServerRequestHandler {
  let count: Locked<Int>

  var heldByteCount: Int { 0 }

  func perform(_ request: ServerStoreRequest) -> ServerStoreReply {
    count.withLock { $0 += 1 }
    return .download(
      ServerMessage.Download(
        cursors: SyncCursors(), progress: .partition(byteCountLeft: 0),
        body: MessageBody(plain: [UInt8](repeating: 1, count: 500))))
  }

  func end() {}
  func close() {}
}

/// A socket that takes one message, and others after a signal.
private final class StalledSocket: MessageSocket {
  private let base: MemorySocket
  private let signal: TestSignal
  private let isFirst = Locked(true)

  init(base: MemorySocket, signal: TestSignal) {
    self.base = base
    self.signal = signal
  }

  var protocolName: String { base.protocolName }

  func receive() async throws(SocketClosed) -> [UInt8] { try await base.receive() }

  func send(_ message: consuming [UInt8]) async throws(SocketClosed) {
    let isFirst = isFirst.withLock { isFirst in
      defer { isFirst = false }
      return isFirst
    }
    if !isFirst { await signal.wait() }
    try await base.send(message)
  }

  func close(_ code: CloseCode, reason: String) async { await base.close(code, reason: reason) }
}

/// A socket that takes its time, and counts the calls that come meanwhile.
private final class CountedSocket: MessageSocket {
  /// The calls of all sockets of a test.
  struct Turns {
    var count = 0
    /// Those that came before an earlier one of the same kind and socket was over.
    var overlapCount = 0
  }

  private let base: MemorySocket
  private let turns: Locked<Turns>
  private let sending = Locked(0)
  private let receiving = Locked(0)

  init(base: MemorySocket, turns: Locked<Turns>) {
    self.base = base
    self.turns = turns
  }

  var protocolName: String { base.protocolName }

  private func begin(_ count: Locked<Int>) {
    let isAlone = count.withLock { count in
      count += 1
      return count == 1
    }
    turns.withLock { turns in
      turns.count += 1
      if !isAlone { turns.overlapCount += 1 }
    }
  }

  func receive() async throws(SocketClosed) -> [UInt8] {
    begin(receiving)
    defer { receiving.withLock { $0 -= 1 } }
    return try await base.receive()
  }

  func send(_ message: consuming [UInt8]) async throws(SocketClosed) {
    begin(sending)
    defer { sending.withLock { $0 -= 1 } }
    for _ in 0..<3 { await Task.yield() }
    try await base.send(message)
  }

  func close(_ code: CloseCode, reason: String) async { await base.close(code, reason: reason) }
}
#endif
