// SPDX-License-Identifier: Apache-2.0

// The server's side of a connection, without any input or output of its own (P1 B and P1 C).

/// Reads the messages of a connection and brings them to its sessions.
///
/// Sessions have the number that their client chose, which it may choose again for a later one, and
/// a name that does not come again. Each input gives effects, which are to be carried out in their
/// order. Equal inputs give equal effects.
///
/// Invariants:
/// 1. A number names one session from its BIND to its UNBIND, errors of the session included.
/// 2. After `close` there are no effects, and no session is left.
/// 3. The socket is not read while the sessions hold more bytes of messages than the limit, or more
///    bytes than the limit wait for the socket: a client that does not read cannot make the server
///    keep answers without end.
/// 4. No DOWNLOAD is asked for while more bytes than the limit wait for the socket, and no more
///    than a few are being made at a time.
/// 5. A connection whose client says nothing for the time limit is closed, and so is one whose
///    client takes nothing for longer than even a slow one needs.
/// 6. While the memory of the server is tight, the socket is not read while the sessions hold more
///    than little, and no DOWNLOAD is asked for while anything waits for the socket. What they hold
///    goes by itself, so a connection waits for no other one.
/// 7. While the limit of sessions is in the middle of bootstraps, no DOWNLOAD is asked for but
///    theirs; these go on, and end.
package struct ServerConnectionMachine: Hashable, Sendable {
  /// The limits of a connection.
  package struct Limits: Hashable, Sendable {
    package var messageByteCount = (16 << 20) + (64 << 10)
    package var sessionCount = 200
    /// The bytes of messages that sessions hold, with which the socket is no more read.
    package var heldByteCount = 8 << 20
    /// The same while memory is tight.
    package var tightHeldByteCount = 64 << 10
    /// The bytes that an UPLOAD may have unpacked without room for it.
    package var plainUploadByteCount = 64 << 10
    /// The bytes that wait for the socket, with which nothing more is made for it.
    package var outputByteCount = 2 << 20
    /// The DOWNLOADs that are made at a time.
    package var downloadCount = 4
    /// The sessions that may be in the middle of a bootstrap, for each of which the server keeps a
    /// version and the selection of its objects.
    package var bootstrapCount = 8
    /// The time without a message after which a client is gone.
    package var silence: Milliseconds = 180_000
    /// The bytes that the slowest client takes in a second, beyond that time.
    package var slowestByteRate = 4_096

    package init() {}
  }

  private struct Session: Hashable, Sendable {
    let name: UInt64
    var machine: ServerSessionMachine
    /// The number of the request, if it is for a DOWNLOAD.
    var download: UInt64?
  }

  /// A request for a DOWNLOAD that waits until others are made.
  private struct WaitingDownload: Hashable, Sendable {
    var number: UInt64
    var name: UInt64
    var request: UInt64
    var store: ServerStoreRequest
  }

  package let version: ProtocolVersion
  private let served: SyncMode
  private let limits: Limits
  private var isClosed = false
  private var effects: [ServerConnectionEffect] = []
  private var now: Milliseconds = 0
  /// By their numbers.
  private var sessions: [UInt64: Session] = [:]
  /// The numbers of sessions by their names.
  private var numbers: [UInt64: UInt64] = [:]
  private var lastName: UInt64 = 0
  /// The bytes of the messages that the sessions hold.
  package private(set) var heldByteCount = 0
  private var isHolding = false
  /// The bytes that wait for the socket.
  package private(set) var outputByteCount = 0
  /// Whether nothing more is made for the socket.
  private var isOutputBlocked = false
  /// Whether so much waits for the socket that it is not read.
  private var isOutputFull = false
  private var waitingDownloads: [WaitingDownload] = []
  private var downloadCount = 0
  private var lastMessage: Milliseconds
  /// The time since when the socket takes nothing of what waits for it.
  private var outputStart: Milliseconds = 0
  package private(set) var isMemoryTight = false

  /// - Parameter served: The mode of the app.
  package init(
    version: ProtocolVersion, served: SyncMode, limits: Limits = Limits(), now: Milliseconds
  ) {
    self.version = version
    self.served = served
    self.limits = limits
    lastMessage = now
  }

  /// Whether no message is to be taken from the socket.
  package var isReadingPaused: Bool { !isClosed && (isHolding || isOutputFull) }

  /// The effects of the beginning.
  package mutating func begin() -> [ServerConnectionEffect] {
    [.setTimer(at: lastMessage + limits.silence)]
  }

  /// The effects of an input.
  package mutating func handle(
    _ input: ServerConnectionInput, now: Milliseconds
  ) -> [ServerConnectionEffect] {
    guard !isClosed else { return [] }
    self.now = now
    effects = []
    switch input {
    case .message(let bytes):
      lastMessage = now
      receive(bytes)
    case .written(let count): didWrite(count)
    case .memory(let isTight): isMemoryTight = isTight
    case .closed: end()
    case .timer: checkSilence()
    case .session(let name, let input):
      if let number = numbers[name] { handle(input, at: number) }
    case .fail(let code, let message): fail(code, message)
    case .close(let code, let reason): close(code, reason)
    }
    balance()
    return effects
  }

  // MARK: Messages

  private mutating func receive(_ bytes: [UInt8]) {
    guard bytes.count <= limits.messageByteCount else {
      // Deployed clients compare the words: the number is that of the bytes that are too many.
      return refuse(.messageTooBig, "read limited at \(limits.messageByteCount + 1) bytes")
    }
    let message: ClientMessage
    do throws(MessageError) {
      message = try MessageParser(version: version).clientMessage(bytes)
    } catch {
      return refuse(error.code, "Bad message: \(error)")
    }
    switch message {
    case .ping(let timestamp, _): send(.pong(timestamp: timestamp))
    case .bind(let bind): begin(bind, byteCount: bytes.count)
    default:
      guard let number = message.session, sessions[number] != nil else {
        return refuse(.badSessionIdent, "No session has the number \(message.session ?? 0)")
      }
      handle(.message(message, byteCount: bytes.count), at: number)
    }
  }

  private mutating func begin(_ bind: ClientMessage.Bind, byteCount: Int) {
    guard version.mode == served else {
      return refuse(
        served == .flexible ? .switchToFlexible : .switchToPartition,
        "The app has another mode of sync")
    }
    let number = bind.session
    guard sessions[number] == nil else {
      return refuse(.reuseOfSessionIdent, "The number \(number) is that of another session")
    }
    // Sessions that are refused are kept until their UNBIND, so they are not without limit either.
    guard sessions.count < 2 * limits.sessionCount else {
      return refuse(.other, "There are too many sessions")
    }
    let isTooMany = sessions.count >= limits.sessionCount
    lastName += 1
    sessions[number] = Session(
      name: lastName,
      machine: ServerSessionMachine(
        version: version, session: number, plainByteCountMax: limits.plainUploadByteCount))
    numbers[lastName] = number
    effects.append(.began(session: lastName))
    if isOutputBlocked { handle(.outputBlocked, at: number) }
    guard !isTooMany else {
      var refusal = SessionRefusal(.sessionClosed, "The connection has too many sessions")
      refusal.document.retry = RetryHint(intervalSeconds: 60)
      return handle(.refuse(refusal), at: number)
    }
    handle(.message(.bind(bind), byteCount: byteCount), at: number)
  }

  // MARK: Sessions

  private mutating func handle(_ input: ServerSessionInput, at number: UInt64) {
    guard var session = sessions[number] else { return }
    if case .stored(let request, _) = input, session.download == request {
      session.download = nil
      downloadCount -= 1
    }
    heldByteCount -= session.machine.heldByteCount
    let sessionEffects = session.machine.handle(input, now: now)
    heldByteCount += session.machine.heldByteCount
    sessions[number] = session
    for effect in sessionEffects where !isClosed { carryOut(effect, of: number) }
  }

  private mutating func carryOut(_ effect: ServerSessionEffect, of number: UInt64) {
    guard let name = sessions[number]?.name else { return }
    switch effect {
    case .send(let message, let stored): send(message, after: stored)
    case .store(let request, let store):
      if case .nextDownload = store {
        waitingDownloads.append(
          WaitingDownload(number: number, name: name, request: request, store: store))
      } else {
        effects.append(.store(session: name, request: request, store))
      }
    case .takeRoom(let count): effects.append(.takeRoom(session: name, byteCount: count))
    case .giveRoomBack: effects.append(.giveRoomBack(session: name))
    case .failConnection(let code, let message): refuse(code, message)
    case .closeConnection(let code, let reason): refuse(code, reason)
    case .notice(let text): effects.append(.notice(text))
    case .ended: remove(number)
    }
  }

  private mutating func remove(_ number: UInt64) {
    guard let session = sessions.removeValue(forKey: number) else { return }
    heldByteCount -= session.machine.heldByteCount
    numbers[session.name] = nil
    if session.download != nil { downloadCount -= 1 }
    waitingDownloads.removeAll { $0.name == session.name }
    effects.append(.ended(session: session.name))
  }

  /// Whether a session holds an UPLOAD until a bootstrap is begun: the room for that is less than
  /// what then goes.
  package func holdsUpload(of name: UInt64) -> Bool {
    numbers[name].flatMap { sessions[$0] }?.machine.holdsUpload ?? false
  }

  // MARK: Output

  private mutating func send(_ message: ServerMessage, after stored: StoredProgress? = nil) {
    let bytes = MessageEncoder(version: version).bytes(message)
    if outputByteCount == 0 { outputStart = now }
    outputByteCount += bytes.count
    effects.append(.send(bytes, after: stored))
  }

  private mutating func didWrite(_ count: Int) {
    assert(count <= outputByteCount, "more is written than was sent")
    outputByteCount = max(0, outputByteCount - count)
    outputStart = now
  }

  /// Applies the limits of what waits to what the input has changed.
  private mutating func balance() {
    guard !isClosed else { return }
    let outputMax = isMemoryTight ? 0 : limits.outputByteCount
    if !isOutputBlocked, outputByteCount > outputMax {
      isOutputBlocked = true
      for number in sessions.keys.sorted() { handle(.outputBlocked, at: number) }
    } else if isOutputBlocked, outputByteCount <= outputMax / 2 {
      isOutputBlocked = false
      for number in sessions.keys.sorted() { handle(.outputDrained, at: number) }
    }
    while !isOutputBlocked, downloadCount < limits.downloadCount, let index = nextDownload {
      let next = waitingDownloads.remove(at: index)
      downloadCount += 1
      sessions[next.number]?.download = next.request
      effects.append(.store(session: next.name, request: next.request, next.store))
    }
    assert(downloadCount == sessions.values.count { $0.download != nil })
    let heldMax = isMemoryTight ? limits.tightHeldByteCount : limits.heldByteCount
    if heldByteCount > heldMax {
      isHolding = true
    } else if heldByteCount <= heldMax / 2 {
      isHolding = false
    }
    if outputByteCount > limits.outputByteCount {
      isOutputFull = true
    } else if outputByteCount <= limits.outputByteCount / 2 {
      isOutputFull = false
    }
  }

  /// The position of the next request for a DOWNLOAD; nil if none may be carried out.
  private var nextDownload: Int? {
    guard !waitingDownloads.isEmpty else { return nil }
    let bootstrapCount = sessions.values.count { $0.machine.isInsideBootstrap }
    if bootstrapCount < limits.bootstrapCount { return 0 }
    return waitingDownloads.firstIndex { download in
      sessions[download.number]?.machine.isInsideBootstrap ?? false
    }
  }

  // MARK: The end

  private mutating func checkSilence() {
    // What is not read does not count as silence, unless the client reads nothing itself.
    if isHolding { lastMessage = now }
    let end = lastMessage + limits.silence
    guard now < end else { return close(.goingAway, "The client is silent") }
    guard outputByteCount > 0 else { return effects.append(.setTimer(at: end)) }
    let patience = Milliseconds(outputByteCount) * 1_000 / Milliseconds(limits.slowestByteRate)
    let takenBy = outputStart + limits.silence + patience
    guard now < takenBy else { return close(.goingAway, "The client takes nothing") }
    effects.append(.setTimer(at: min(end, takenBy)))
  }

  /// Ends the connection for a message that breaks the protocol, and tells the operator.
  private mutating func refuse(_ code: ConnectionErrorCode, _ message: String) {
    effects.append(.notice("A message was refused: \(code.rawValue): \(message)"))
    fail(code, message)
  }

  private mutating func refuse(_ code: CloseCode, _ reason: String) {
    effects.append(.notice("A message was refused: \(code.rawValue): \(reason)"))
    close(code, reason)
  }

  private mutating func fail(_ code: ConnectionErrorCode, _ message: String) {
    let action: ErrorAction =
      switch code {
      case .connectionClosed: .transient
      // The app is configured for the other mode: no violation of the protocol.
      case .switchToFlexible, .switchToPartition: .applicationBug
      default: .protocolViolation
      }
    send(
      .error(
        session: 0, code: ErrorCode(code),
        document: ErrorDocument(message: message, action: action)))
    close(.normal, message)
  }

  private mutating func close(_ code: CloseCode, _ reason: String) {
    guard !isClosed else { return }
    end()
    effects.append(.close(code, reason: reason))
  }

  private mutating func end() {
    for number in sessions.keys.sorted() { remove(number) }
    outputByteCount = 0
    isClosed = true
  }
}
