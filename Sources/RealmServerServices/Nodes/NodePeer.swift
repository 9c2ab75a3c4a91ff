// SPDX-License-Identifier: Apache-2.0

// The owner's side of a connection: the sessions of another server's clients.
//
// Invariants:
// 1. A session has one request under way at most, and is closed when it is over and its request is
//    carried out. With the connection all of its sessions end.
// 2. The sessions of one connection at the edge have one connection number here, which no other
//    connection has.
// 3. While requests of many bytes are under way, nothing is read.
// 4. What has come and is not carried out is noted in the memory that clients share. While that is
//    tight, few bytes are many.

#if Server
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

/// Carries out what another server forwards.
final class NodePeer: NodeReceiver {
  /// A connection at the edge.
  private struct Connection: Hashable {
    let app: String
    let number: UInt64
  }

  private struct Session {
    /// Nil if there is no such app.
    let handler: (any ServerRequestHandler)?
    let turns: DownloadTurns?
    let connection: Connection
    var isBusy = false
    var isClosing = false
  }

  private struct State {
    var sessions: [UInt64: Session] = [:]
    /// The numbers of connections here, with their sessions.
    var connections: [Connection: (number: UInt64, count: Int)] = [:]
    var requestByteCount = 0
    /// The bytes of messages whose last part has not come.
    var partByteCount = 0
    /// Those of the message that waits until others are carried out.
    var waitingByteCount = 0
    var isMemoryTight = false
    var reader: CheckedContinuation<Void, Never>?
    var isEnded = false
  }

  private static let unknownApp = SessionRefusal(
    .sessionClosed, "The app is not served by the owner of the realm")

  private let socket: NodeSocket
  private let server: NodeServer
  private let memory: any ConnectionMemory
  private let state = Locked(State())

  init(_ socket: NodeSocket, of server: NodeServer, memory: any ConnectionMemory) {
    self.socket = socket
    self.server = server
    self.memory = memory
  }

  var sessionCount: Int { state.withLock { $0.sessions.count } }

  func check(at now: Milliseconds) -> Bool { false }

  // MARK: Messages

  func receive(_ message: NodeMessage, byteCount: Int) async throws(PackedBytesError) {
    switch message {
    case .begin(let number, let session): try begin(session, number)
    case .request(let number, let request):
      await begin(byteCount)
      try perform(request, of: number, byteCount)
    case .end(let number): state.withLock { $0.sessions[number] }?.handler?.end()
    case .close(let number): close(number)
    case .call(let number, let call):
      await begin(byteCount)
      Task {
        let answer = await server.answer(to: call)
        finish(byteCount)
        if !socket.send(.answer(number: number, answer)) {
          socket.send(.answer(number: number, .failure(.tooLarge("the result is too large"))))
        }
      }
    case .ping: break
    case .reply, .event, .answer: throw PackedBytesError("nothing was asked for")
    }
  }

  private func begin(_ session: NodeSession, _ number: UInt64) throws(PackedBytesError) {
    let connection = Connection(app: session.app, number: session.connection)
    let app = server.app(session.app)
    let link = ServerSessionLink { [weak self] in self?.send($0, of: number) }
    let mayBegin = state.withLock { state in
      state.sessions[number] == nil && state.sessions.count < socket.limits.sessionCount
    }
    guard mayBegin else { throw PackedBytesError("a session more than there may be") }
    let known = state.withLock { $0.connections[connection]?.number }
    let own = known ?? app?.host.makeConnectionNumber() ?? 0
    let made = Session(
      handler: server.session(session, connection: own, events: link),
      turns: app?.host.downloadTurns, connection: connection)
    state.withLock { state in
      state.sessions[number] = made
      state.connections[connection, default: (own, 0)].count += 1
    }
  }

  private func send(_ event: ServerSessionEvent, of number: UInt64) {
    if case .head(let head) = event {
      socket.send(head, of: number)
    } else {
      socket.send(.event(session: number, event))
    }
  }

  // MARK: Requests

  private func perform(
    _ request: ServerStoreRequest, of number: UInt64, _ byteCount: Int
  ) throws(PackedBytesError) {
    let session = state.withLock { state -> Session? in
      guard let session = state.sessions[number], !session.isBusy, !session.isClosing else {
        return nil
      }
      state.sessions[number]?.isBusy = true
      return session
    }
    guard let session else { throw PackedBytesError("a request without a session for it") }
    Task {
      let reply = await self.reply(to: request, of: session)
      finish(byteCount)
      // The next request may follow the reply at once.
      let isClosing = didPerform(number)
      if !socket.send(.reply(session: number, reply)) {
        socket.send(.reply(session: number, .refused(NodeClient.broken)))
      }
      if isClosing { close(number) }
    }
  }

  private func reply(
    to request: ServerStoreRequest, of session: Session
  ) async -> ServerStoreReply {
    guard let handler = session.handler, let turns = session.turns else {
      return .refused(Self.unknownApp)
    }
    guard case .nextDownload = request else { return await handler.perform(request) }
    await socket.waitForRoom()
    await turns.begin()
    defer { turns.end() }
    return await handler.perform(request)
  }

  /// Notes the end of a request. Returns whether the session is to be closed.
  private func didPerform(_ number: UInt64) -> Bool {
    state.withLock { state in
      state.sessions[number]?.isBusy = false
      return state.sessions[number]?.isClosing ?? false
    }
  }

  /// Waits until the requests under way have few bytes, and adds some.
  private func begin(_ byteCount: Int) async {
    let mayBegin = state.withLock { state in
      guard isFull(state) else {
        hold(byteCount, in: &state)
        return true
      }
      return false
    }
    if mayBegin { return }
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        guard isFull(state) else { return true }
        state.reader = continuation
        state.waitingByteCount = byteCount
        hold(0, in: &state)
        return false
      }
      if isReady { continuation.resume() }
    }
    state.withLock { state in
      state.waitingByteCount = 0
      hold(byteCount, in: &state)
    }
  }

  private func isFull(_ state: State) -> Bool {
    let limits = socket.limits
    let max = state.isMemoryTight ? limits.frameByteCount : limits.requestByteCount
    return state.requestByteCount > max && !state.isEnded
  }

  /// Adds to the bytes of requests under way. The caller has the lock, as the memory takes what is
  /// held at the time.
  private func hold(_ change: Int, in state: inout State) {
    state.requestByteCount += change
    state.isMemoryTight = memory.hold(
      state.requestByteCount + state.partByteCount + state.waitingByteCount)
  }

  func holdParts(byteCount: Int) {
    state.withLock { state in
      state.partByteCount = byteCount
      hold(0, in: &state)
    }
  }

  private func finish(_ byteCount: Int) {
    let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
      hold(-byteCount, in: &state)
      return isFull(state) ? nil : state.reader.take()
    }
    reader?.resume()
  }

  // MARK: Ends

  /// Closes a session, once its request is carried out.
  private func close(_ number: UInt64) {
    let session = state.withLock { state -> Session? in
      guard let session = state.sessions[number] else { return nil }
      guard !session.isBusy else {
        state.sessions[number]?.isClosing = true
        return nil
      }
      state.sessions[number] = nil
      if let known = state.connections[session.connection] {
        state.connections[session.connection] =
          known.count > 1 ? (known.number, known.count - 1) : nil
      }
      return session
    }
    guard let handler = session?.handler else { return }
    Task { await handler.close() }
  }

  /// Ends all sessions, as the connection has ended.
  func end() {
    let sessions = state.withLock { state in
      state.isEnded = true
      state.partByteCount = 0
      hold(0, in: &state)
      return state.sessions
    }
    for (number, session) in sessions.sorted(by: { $0.key < $1.key }) {
      session.handler?.end()
      close(number)
    }
  }

  /// Ends the sessions of an app; their devices come back.
  func endSessions(of app: String?, _ reason: String) {
    let sessions = state.withLock { state in
      state.sessions.filter { app ?? $0.value.connection.app == $0.value.connection.app }
    }
    for number in sessions.keys.sorted() {
      send(.refused(SessionRefusal(.sessionClosed, reason)), of: number)
    }
  }

  /// Ends all sessions and the connection.
  func close() async {
    await socket.close(.goingAway, reason: "The server shuts down")
  }
}
#endif
