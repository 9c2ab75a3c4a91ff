// SPDX-License-Identifier: Apache-2.0

// A connection with its socket, its time and the realms of its sessions.
//
// Invariants:
// 1. Messages are sent in the order of the machine's effects, one at a time.
// 2. No message is read while the machine pauses reading.
// 3. All that the connection holds is noted in the memory that connections share. Where that has no
//    room, a DOWNLOAD is not begun; one that is written already can be sent, and makes room, and so
//    does one that an UPLOAD waits for.
// 4. A query is given to a session once there is room for it. It is noted with the one that it
//    takes the place of, which may be needed still.
// 5. A session's handler has one request at a time, and is closed when the session has ended and
//    its last request is carried out. The room for an UPLOAD that it has is given back then.

package import RealmSyncProtocol

/// Carries out the effects of a `ServerConnectionMachine`.
package actor ServerConnection {
  /// Makes the handler of a new session.
  package typealias HandlerSource = @Sendable (ServerSessionLink) -> any ServerRequestHandler

  private let socket: any MessageSocket
  private let timer: SyncClock
  private let handlerSource: HandlerSource
  private let turns: DownloadTurns
  private let memory: any ConnectionMemory
  private let notice: @Sendable (String) -> Void
  private var machine: ServerConnectionMachine
  private var handlers: [UInt64: any ServerRequestHandler] = [:]
  /// The bytes of each session's last two queries.
  private var queries: [UInt64: (last: Int, before: Int)] = [:]
  /// The sessions whose requests are under way.
  private var busySessions: Set<UInt64> = []

  /// The room for a DOWNLOAD, about.
  private let downloadByteCount: Int

  private var output: [[UInt8]] = []
  private var isWriting = false
  private var closing: (code: CloseCode, reason: String)?
  private var isReadingPaused = false
  private var readers: [CheckedContinuation<Void, Never>] = []
  private let alarms: ConnectionAlarms
  private var isWaitingForAlarm = false
  /// What the memory knows.
  private var heldByteCount = 0
  private var isMemoryTight = false

  /// - Parameters:
  ///   - version: The version agreed on in the handshake.
  ///   - served: The mode of the app.
  ///   - downloadByteCount: The room needed to make a DOWNLOAD.
  ///   - turns: Those of all connections together.
  ///   - memory: The connection's part of what all of them share.
  ///   - alarms: Those of all connections together; nil for some of its own.
  ///   - notice: Takes a line for the operator for each message that is refused.
  package init(
    _ socket: any MessageSocket, version: ProtocolVersion, served: SyncMode,
    limits: ServerConnectionMachine.Limits = ServerConnectionMachine.Limits(),
    downloadByteCount: Int = 1 << 20, timer: SyncClock,
    turns: DownloadTurns = DownloadTurns(), memory: (any ConnectionMemory)? = nil,
    alarms: ConnectionAlarms? = nil, notice: @escaping @Sendable (String) -> Void = { _ in },
    handlerSource: @escaping HandlerSource
  ) {
    self.downloadByteCount = downloadByteCount
    self.memory = memory ?? UnlimitedMemory()
    self.notice = notice
    self.socket = socket
    self.timer = timer
    self.handlerSource = handlerSource
    self.turns = turns
    self.alarms = alarms ?? ConnectionAlarms(timer: timer)
    machine = ServerConnectionMachine(
      version: version, served: served, limits: limits, now: timer.now())
  }

  /// Begins to watch the client. Comes before everything else.
  package func start() { carryOut(machine.begin()) }

  /// Takes the client's messages until the socket is closed. Returns the reason.
  package func serve() async -> SocketClosed {
    while true {
      do throws(SocketClosed) {
        await receive(try await socket.receive())
      } catch {
        socketDidClose()
        return error
      }
    }
  }

  /// Takes a message of the client, and returns when the next one may be read.
  package func receive(_ message: [UInt8]) async {
    handle(.message(message))
    while closing == nil, isReadingPaused {
      await withCheckedContinuation { readers.append($0) }
    }
  }

  /// Notes the end of the socket, by either side or by an error.
  package func socketDidClose() {
    handle(.closed)
    output = []
    noteMemory()
    memory.end()
    stop()
  }

  /// Ends the connection.
  package func close(_ code: CloseCode, reason: String) { handle(.close(code, reason: reason)) }

  /// Ends the connection, as the server shuts down or for another reason of its own: clients come
  /// back after a short time.
  package func shutDown(_ reason: String = "The server shuts down") {
    for name in handlers.keys.sorted() {
      handle(.session(name, .refuse(SessionRefusal(.sessionClosed, reason))))
    }
    close(.goingAway, reason: reason)
  }

  func handle(_ input: ServerConnectionInput) {
    carryOut(machine.handle(input, now: timer.now()))
    noteMemory()
  }

  /// Tells the memory what the connection holds, and the machine whether that is much.
  private func noteMemory() {
    let own = machine.heldByteCount + machine.outputByteCount
    let asked = queries.values.reduce(own) { $0 + $1.last + $1.before }
    let count = handlers.values.reduce(asked) { $0 + $1.heldByteCount }
    guard count != heldByteCount else { return }
    heldByteCount = count
    let isTight = memory.hold(count)
    guard isTight != isMemoryTight else { return }
    isMemoryTight = isTight
    carryOut(machine.handle(.memory(isTight: isTight), now: timer.now()))
  }

  // MARK: Effects

  private func carryOut(_ effects: [ServerConnectionEffect]) {
    for effect in effects {
      switch effect {
      // The machine gives it after the answer of the realm that has made it durable.
      case .send(let bytes, _):
        output.append(bytes)
        startWriting()
      case .close(let code, let reason):
        closing = (code, reason)
        stop()
        startWriting()
      case .setTimer(let time):
        isWaitingForAlarm = true
        alarms.set(self, at: time)
      case .pauseReading: isReadingPaused = true
      case .resumeReading: resumeReading()
      case .began(let name):
        assert(handlers[name] == nil, "`ServerConnection` 5: a session has one handler")
        handlers[name] = handlerSource(ServerSessionLink(session: name, of: self))
      case .store(let name, let request, let store): perform(store, number: request, of: name)
      case .takeRoom(let name, let count): findRoom(count, for: name)
      case .giveRoomBack(let name): memory.giveUploadRoomBack(of: name)
      case .ended(let name): end(name)
      case .notice(let text): notice(text.withoutControls)
      }
    }
  }

  private func stop() {
    isWaitingForAlarm = false
    resumeReading()
  }

  private func resumeReading() {
    isReadingPaused = false
    for reader in readers { reader.resume() }
    readers = []
  }

  /// Notes the time of an alarm.
  func wake() {
    guard isWaitingForAlarm else { return }
    isWaitingForAlarm = false
    handle(.timer)
  }

  // MARK: Requests

  private func perform(_ request: ServerStoreRequest, number: UInt64, of name: UInt64) {
    guard let handler = handlers[name] else { return }
    assert(!busySessions.contains(name), "`ServerConnection` 5")
    busySessions.insert(name)
    let isRefused = !hold(request.query, of: name)
    Task {
      if isRefused {
        return await finish(name, handler, number, .refused(Self.noRoomForQuery))
      }
      guard case .nextDownload = request else {
        return await finish(name, handler, number, await handler.perform(request))
      }
      let room = await beginDownload(of: name, handler)
      // The turns here are for what this server makes: another one has its own.
      let isForwarded = handler.isForwarded
      if isForwarded { turns.end() }
      let reply = await handler.perform(request)
      if !isForwarded { turns.end() }
      await finish(name, handler, number, reply)
      if room > 0 { memory.release(room) }
    }
  }

  /// Tells a session when there is room for what its UPLOAD unpacks to.
  private func findRoom(_ byteCount: Int, for name: UInt64) {
    memory.takeUploadRoom(byteCount, for: name) { [weak self] in
      guard let self else { return }
      Task { await self.handle(.session(name, .hasRoom)) }
    }
  }

  private static let noRoomForQuery = SessionRefusal(
    .sessionClosed, "The queries of the user's sessions are too large together; try again later")

  /// Notes the query of a request. Returns false if there is no room for it (`ServerConnection` 4).
  private func hold(_ query: VersionedQuery?, of name: UInt64) -> Bool {
    guard let query else { return true }
    // The text is kept as the client has sent it, and as conditions.
    let count = 2 * query.text.utf8.count
    guard memory.reserve(count) else { return false }
    queries[name] = (count, queries[name]?.last ?? 0)
    noteMemory()
    memory.release(count)
    return true
  }

  private func finish(
    _ name: UInt64, _ handler: any ServerRequestHandler, _ request: UInt64,
    _ reply: ServerStoreReply
  ) async {
    assert(
      busySessions.contains(name), "`ServerConnection` 5: a request ends that is not under way")
    busySessions.remove(name)
    if handlers[name] == nil {
      memory.giveUploadRoomBack(of: name)
      await handler.close()
    } else {
      handle(.session(name, .stored(request: request, reply)))
    }
  }

  /// Waits for a turn, and for room for a DOWNLOAD. Returns how much is reserved.
  private func beginDownload(
    of name: UInt64, _ handler: any ServerRequestHandler
  ) async -> Int {
    while true {
      await turns.begin()
      if handlers[name] == nil || handler.heldByteCount > 0 { return 0 }
      // It gives more back than it takes, and connections wait for no other one.
      if machine.holdsUpload(of: name) { return 0 }
      if memory.reserve(downloadByteCount) { return downloadByteCount }
      turns.end()
      await memory.waitForRoom(downloadByteCount)
    }
  }

  private func end(_ name: UInt64) {
    queries[name] = nil
    guard let handler = handlers.removeValue(forKey: name) else { return }
    handler.end()
    guard !busySessions.contains(name) else { return }
    memory.giveUploadRoomBack(of: name)
    Task { await handler.close() }
  }

  // MARK: Output

  private func startWriting() {
    guard !isWriting else { return }
    isWriting = true
    Task { await write() }
  }

  private func write() async {
    assert(isWriting, "`ServerConnection` 1: one task writes at a time")
    while !output.isEmpty {
      var messages = output
      output = []
      for index in messages.indices {
        let count = messages[index].count
        // Nothing keeps a message that the socket has. What happens to the socket is seen by the
        // task that reads it.
        try? await socket.send(Self.take(&messages[index]))
        handle(.written(byteCount: count))
      }
    }
    isWriting = false
    guard let closing else { return }
    await socket.close(closing.code, reason: closing.reason)
  }

  private static func take(_ message: inout [UInt8]) -> [UInt8] {
    defer { message = [] }
    return message
  }
}

extension String {
  /// The text with a mark in the place of what would end its line or change how it is shown: texts
  /// about messages have words of their senders.
  fileprivate var withoutControls: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
          default: scalar
          }
        }))
  }
}

/// One session of a connection, for senders of news. It keeps neither alive, and news after the
/// session's end are ignored.
package struct ServerSessionLink: Sendable {
  private let deliver: @Sendable (ServerSessionEvent) -> Void

  /// - Parameter deliver: Takes the news.
  package init(_ deliver: @escaping @Sendable (ServerSessionEvent) -> Void) {
    self.deliver = deliver
  }

  /// - Parameter session: The name of the session, unique in its connection.
  init(session: UInt64, of connection: ServerConnection) {
    self.init { [weak connection] event in
      guard let connection else { return }
      Task { await connection.handle(Self.input(event, of: session)) }
    }
  }

  private static func input(
    _ event: ServerSessionEvent, of session: UInt64
  ) -> ServerConnectionInput {
    switch event {
    case .head(let head): .session(session, .head(head))
    case .refused(let refusal): .session(session, .refuse(refusal))
    case .evicted:
      .fail(.connectionClosed, message: "The file is bound by a newer connection")
    }
  }

  package func send(_ event: ServerSessionEvent) { deliver(event) }

  /// The realm has a new version.
  package func headDidChange(_ head: SaltedVersion) { deliver(.head(head)) }

  /// Ends the session.
  package func refuse(_ refusal: SessionRefusal) { deliver(.refused(refusal)) }

  /// Ends the connection: another one has the session's file (P4 A.3).
  package func evict() { deliver(.evicted) }
}

/// What a session gets of its realm without having asked.
package enum ServerSessionEvent: Hashable, Sendable {
  /// The realm has a new version.
  case head(SaltedVersion)
  /// The session is to end.
  case refused(SessionRefusal)
  /// Another session has the file, so the connection ends.
  case evicted
}

/// Carries out the requests of one session.
package protocol ServerRequestHandler: Sendable {
  /// Carries out a request. Only one is under way at a time.
  func perform(_ request: ServerStoreRequest) async -> ServerStoreReply
  /// The bytes of written messages without a request for them.
  var heldByteCount: Int { get }
  /// Whether another server carries the requests out.
  var isForwarded: Bool { get }
  /// Notes that the session has ended. The client may begin another one for the same file at once,
  /// before `close()` is called: that waits for the request that is under way.
  func end()
  /// Gives back everything of the session. No request is under way, and none follows.
  func close() async
}

extension ServerRequestHandler {
  package var isForwarded: Bool { false }
}

extension ServerStoreRequest {
  /// The query that a session keeps from the request on.
  fileprivate var query: VersionedQuery? {
    switch self {
    case .claim(let ident): ident.query
    case .setQuery(let query): query
    default: nil
    }
  }
}
