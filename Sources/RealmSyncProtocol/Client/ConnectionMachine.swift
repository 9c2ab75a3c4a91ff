// SPDX-License-Identifier: Apache-2.0

// The client's side of a connection, without any input or output of its own (P1 B, P1 D.5).

/// Decides when a connection is opened and closed, and brings the messages of its sessions.
///
/// Sessions have a name, which does not change, and a number on the connection, which is another
/// one for each binding. Each input gives effects, which are to be carried out in their order.
/// Equal inputs give equal effects.
///
/// Invariants:
/// 1. A number names at most one session, and is not used again on the same connection.
/// 2. A session has a number only while the connection is open.
/// 3. While the connection is closed and sessions need it, a timer, a token or a location is
///    awaited, unless an error was fatal.
/// 4. The socket is read unless a session has too many messages that wait.
package struct ConnectionMachine: Hashable, Sendable {
  enum Phase: Hashable, Sendable {
    case closed
    /// The delay before the next attempt is running.
    case waiting
    case waitingForToken
    case waitingForLocation
    case opening
    case open
    /// Only the app can cause another attempt.
    case failed
  }

  struct Session: Hashable, Sendable {
    var machine: SessionMachine
    var number: UInt64?
    /// Whether a delay, the app or an error keeps it from binding.
    var isSuspended = false
    var retryAt: Milliseconds?
    var awaitsToken = false
    var awaitsLocation = false
    var pausesReading = false
  }

  let mode: SyncMode
  let timeouts: SyncTimeouts
  var phase = Phase.closed
  var now: Milliseconds = 0
  var effects: [ConnectionEffect] = []
  var sessions: [UInt64: Session] = [:]
  /// The names of the sessions that have numbers.
  var names: [UInt64: UInt64] = [:]
  var lastNumber: UInt64 = 0
  private var codec: (parser: MessageParser, encoder: MessageEncoder) {
    (MessageParser(version: version), MessageEncoder(version: version))
  }
  private(set) var version: ProtocolVersion
  private var retries = RetrySchedule()
  private var deadlines: [ConnectionTimer: Milliseconds] = [:]
  private var roundTrip: UInt64 = 0
  /// The time of the PING that is not answered.
  private var pingSent: UInt64?
  /// Whether a connection to the present location ever worked.
  private var isVerified = false
  private var isReadingPaused = false
  /// What the end of the last connection asked for, until a connection works: what did not help
  /// is not done again without a delay.
  private var lastReason: CloseCode.Reaction?
  private var shownState = ConnectionState.disconnected

  package init(mode: SyncMode, timeouts: SyncTimeouts = SyncTimeouts()) {
    self.mode = mode
    self.timeouts = timeouts
    version = ProtocolVersion(mode: mode)
  }

  /// The effects of an input.
  package mutating func handle(
    _ input: ConnectionInput, now: Milliseconds
  ) -> [ConnectionEffect] {
    self.now = now
    effects = []
    switch input {
    case .add(let name, let settings): add(name, settings)
    case .remove(let name): remove(name)
    case .session(let name, let input): pass(input, to: name)
    case .opened(let name, let jitter): opened(name, jitter)
    case .closed(let code, let message, let jitter): closed(code, message, jitter)
    case .message(let bytes, let jitter): if phase == .open { receive(bytes, jitter) }
    case .timer(let timer, let jitter): fire(timer, jitter)
    case .tokenRefreshed: tokenRefreshed()
    case .tokenUnavailable(let jitter): if phase == .waitingForToken { delay(jitter) }
    case .locationRefreshed: locationRefreshed()
    case .locationUnavailable(let jitter): if phase == .waitingForLocation { delay(jitter) }
    case .reconnect: reconnect()
    }
    show()
    return effects
  }

  // MARK: Opening

  /// Opens the connection if a session needs it.
  mutating func connectIfNeeded() {
    guard phase == .closed, sessions.values.contains(where: { !$0.isSuspended }) else { return }
    open()
  }

  private mutating func open() {
    guard !sessions.isEmpty else { return become(.closed) }
    become(.opening)
    effects.append(.open)
    set(.connect, after: timeouts.connect)
  }

  private mutating func opened(_ name: String, _ jitter: UInt32) {
    guard phase == .opening else { return }
    cancel(.connect)
    guard let version = ProtocolVersion(answer: name, mode: mode) else {
      return lose(
        .violation(.wrongProtocolVersion, message: "The server chose the protocol '\(name)'"),
        closing: .protocolError, isFatal: true, jitter)
    }
    self.version = version
    become(.open)
    isVerified = true
    lastNumber = 0
    roundTrip = 0
    pingSent = nil
    // The first PING comes early by up to the whole period, so that clients do not all send theirs
    // at one time.
    set(.ping, after: timeouts.pingPeriod - share(timeouts.pingPeriod, jitter))
    for name in sessions.keys.sorted() { begin(name) }
    lingerIfUnused()
  }

  /// Gives a session a number on the open connection.
  mutating func begin(_ name: UInt64) {
    guard phase == .open, let session = sessions[name], !session.isSuspended,
      session.number == nil
    else { return }
    lastNumber += 1
    sessions[name]?.number = lastNumber
    names[lastNumber] = name
    cancel(.linger)
    pass(.connectionReady(version, session: lastNumber), to: name)
  }

  mutating func lingerIfUnused() {
    if phase == .open, sessions.isEmpty { set(.linger, after: timeouts.linger) }
    if sessions.isEmpty, phase != .open, phase != .closed {
      if phase == .opening { effects.append(.close(.normal)) }
      become(.closed)
    }
  }

  // MARK: Closing

  private mutating func closed(_ code: CloseCode, _ message: String, _ jitter: UInt32) {
    guard phase == .opening || phase == .open else { return }
    let failure = ConnectionFailure.closed(code, message: message)
    let reaction = code.reaction
    let (isRepeated, wasVerified) = (reaction == lastReason, isVerified)
    lastReason = reaction
    if reaction == .clientReset { resetSessions(jitter) }
    forgetBindings()
    switch reaction {
    case .none, .retry, .clientReset: retry(code.rawValue, jitter)
    case .reportAndRetry:
      effects.append(.report(failure, isFatal: false))
      retry(code.rawValue, jitter)
    case .refreshToken:
      // A new token is tried at once, but not again and again.
      if isRepeated { return retry(code.rawValue, jitter) }
      awaitToken()
    case .refreshLocation: awaitLocation()
    case .retryOrRefreshLocation:
      if wasVerified || isRepeated { retry(code.rawValue, jitter) } else { awaitLocation() }
    case .logOut:
      become(.failed)
      effects.append(.report(failure, isFatal: true))
      effects.append(.needsLogOut)
    case .fatalOrRefreshLocation:
      if !wasVerified, !isRepeated { return awaitLocation() }
      become(.failed)
      effects.append(.report(failure, isFatal: true))
    }
  }

  /// A message of ours was larger than the server takes. Only a file without it can go on.
  private mutating func resetSessions(_ jitter: UInt32) {
    let document = ErrorDocument(
      message: "The server does not take messages of this size", action: .clientReset)
    for name in names.values.sorted() {
      guard let number = sessions[name]?.number else { continue }
      pass(
        .message(
          .error(session: number, code: ErrorCode(SessionErrorCode.other), document: document),
          byteCount: 0, jitter: jitter), to: name)
    }
  }

  /// Ends the connection for a reason of ours, or one that the server reported.
  mutating func lose(
    _ failure: ConnectionFailure, closing code: CloseCode, isFatal: Bool, hint: RetryHint? = nil,
    _ jitter: UInt32
  ) {
    guard phase == .opening || phase == .open else { return }
    effects.append(.close(code))
    forgetBindings()
    effects.append(.report(failure, isFatal: isFatal))
    lastReason = nil
    if isFatal {
      become(.failed)
    } else {
      retry(failure.reason, hint: hint, jitter)
    }
  }

  private mutating func forgetBindings() {
    for timer in [ConnectionTimer.connect, .ping, .pong, .linger] { cancel(timer) }
    names = [:]
    isReadingPaused = false
    for name in sessions.keys.sorted() {
      sessions[name]?.number = nil
      sessions[name]?.pausesReading = false
      pass(.connectionLost, to: name)
    }
  }

  private mutating func retry(_ reason: Int, hint: RetryHint? = nil, _ jitter: UInt32) {
    guard !sessions.isEmpty else { return become(.closed) }
    become(.waiting)
    set(.retry, after: retries.next(reason: reason, hint: hint, jitter: jitter))
  }

  /// Tries again by the schedule although nothing new is known.
  private mutating func delay(_ jitter: UInt32) {
    lastReason = .retry
    retry(CloseCode.retry.rawValue, jitter)
  }

  private mutating func awaitToken() {
    become(.waitingForToken)
    effects.append(.needsToken)
  }

  private mutating func awaitLocation() {
    become(.waitingForLocation)
    effects.append(.needsLocation)
  }

  private mutating func tokenRefreshed() {
    for name in sessions.keys.sorted() where sessions[name]?.awaitsToken == true {
      sessions[name]?.awaitsToken = false
      sessions[name]?.isSuspended = false
      pass(.tokenRefreshed, to: name)
    }
    if phase == .waitingForToken { open() }
    connectIfNeeded()
  }

  private mutating func locationRefreshed() {
    isVerified = false
    for name in sessions.keys.sorted() where sessions[name]?.awaitsLocation == true {
      sessions[name]?.awaitsLocation = false
      sessions[name]?.isSuspended = false
      pass(.retry, to: name)
    }
    switch phase {
    case .waitingForLocation: open()
    case .open:
      // The location is another one perhaps: what is open is left.
      effects.append(.close(.normal))
      forgetBindings()
      open()
    case .closed, .waiting, .waitingForToken, .opening, .failed: connectIfNeeded()
    }
  }

  private mutating func reconnect() {
    retries.reset()
    lastReason = nil
    for name in sessions.keys.sorted() where sessions[name]?.retryAt != nil { retrySession(name) }
    switch phase {
    case .waiting, .failed, .waitingForToken, .waitingForLocation:
      cancel(.retry)
      open()
    case .closed: connectIfNeeded()
    case .opening, .open: break
    }
  }

  // MARK: Timers

  private mutating func fire(_ timer: ConnectionTimer, _ jitter: UInt32) {
    guard let deadline = deadlines[timer], deadline <= now else { return }
    deadlines[timer] = nil
    switch timer {
    case .connect: lose(.connectTimeout, closing: .goingAway, isFatal: false, jitter)
    case .linger:
      guard phase == .open, sessions.isEmpty else { return }
      effects.append(.close(.normal))
      forgetBindings()
      become(.closed)
    case .ping:
      guard phase == .open else { return }
      send(.ping(timestamp: now, roundTrip: roundTrip))
      pingSent = now
      set(.pong, after: timeouts.pong)
      set(.ping, after: timeouts.pingPeriod - share(timeouts.pingPeriod / 10, jitter))
    case .pong: lose(.pongTimeout, closing: .goingAway, isFatal: false, jitter)
    case .retry:
      guard phase == .waiting else { return }
      switch lastReason {
      case .refreshToken: awaitToken()
      case .refreshLocation: awaitLocation()
      default: open()
      }
    case .session(let name): retrySession(name)
    }
  }

  mutating func retrySession(_ name: UInt64) {
    guard sessions[name]?.retryAt != nil else { return }
    sessions[name]?.retryAt = nil
    sessions[name]?.isSuspended = false
    cancel(.session(name))
    pass(.retry, to: name)
    connectIfNeeded()
  }

  mutating func set(_ timer: ConnectionTimer, after delay: Milliseconds) {
    deadlines[timer] = now &+ delay
    effects.append(.setTimer(timer, at: now &+ delay))
  }

  mutating func cancel(_ timer: ConnectionTimer) {
    if deadlines.removeValue(forKey: timer) != nil { effects.append(.cancelTimer(timer)) }
  }

  /// A random share of a time.
  private func share(_ time: Milliseconds, _ jitter: UInt32) -> Milliseconds {
    time * Milliseconds(jitter) / Milliseconds(UInt32.max)
  }

  // MARK: Messages

  mutating func send(_ message: ClientMessage) {
    effects.append(.send(codec.encoder.bytes(message)))
  }

  private mutating func receive(_ bytes: [UInt8], _ jitter: UInt32) {
    let message: ServerMessage
    do throws(MessageError) {
      message = try codec.parser.serverMessage(bytes)
    } catch {
      return violated(error.code, "A message of the server cannot be read: \(error)", jitter)
    }
    switch message {
    case .pong(let timestamp):
      guard timestamp == pingSent else {
        return violated(.badMessageOrder, "PONG without its PING", jitter)
      }
      roundTrip = now &- timestamp
      pingSent = nil
      cancel(.pong)
    case .error(0, let code, let document): receive(code, document, jitter)
    case .plainError(let error) where error.session == 0:
      let action: ErrorAction = error.tryAgain ? .transient : .applicationBug
      receive(error.code, ErrorDocument(message: error.message, action: action), jitter)
    case .log(let log) where log.session == 0: effects.append(.log(log))
    case .error(_, let code, _) where !code.isOfSession:
      violated(.badMessageOrder, "Error \(code.rawValue) for a session", jitter)
    default: receive(message, bytes.count, jitter)
    }
  }

  private mutating func receive(
    _ code: ErrorCode, _ document: ErrorDocument, _ jitter: UInt32
  ) {
    guard !code.isOfSession else {
      return violated(.badMessageOrder, "Error \(code.rawValue) without a session", jitter)
    }
    lose(
      .error(code, document), closing: .normal, isFatal: !document.tryAgain,
      hint: document.retry, jitter)
  }

  private mutating func receive(_ message: ServerMessage, _ byteCount: Int, _ jitter: UInt32) {
    let number = message.session ?? 0
    guard number > 0, number <= lastNumber else {
      return violated(.badSessionIdent, "A message for session \(number)", jitter)
    }
    // Messages for a session that is over have no effect.
    guard let name = names[number] else { return }
    if case .download = message {
      retries.reset()
      lastReason = nil
    }
    pass(.message(message, byteCount: byteCount, jitter: jitter), to: name, jitter)
  }

  mutating func violated(_ code: ConnectionErrorCode, _ message: String, _ jitter: UInt32) {
    lose(.violation(code, message: message), closing: .protocolError, isFatal: false, jitter)
  }

  // MARK: States

  private mutating func become(_ next: Phase) {
    phase = next
    if next != .waiting { cancel(.retry) }
  }

  /// Tells of a new state, and of the need to stop or go on reading.
  private mutating func show() {
    let state: ConnectionState =
      switch phase {
      case .opening: .connecting
      case .open: .connected
      case .closed, .waiting, .waitingForToken, .waitingForLocation, .failed: .disconnected
      }
    if state != shownState {
      shownState = state
      effects.append(.changed(state))
    }
    let pauses = phase == .open && sessions.values.contains { $0.pausesReading }
    if pauses != isReadingPaused {
      isReadingPaused = pauses
      effects.append(pauses ? .pauseReading : .resumeReading)
    }
  }
}

extension ConnectionFailure {
  /// The number of the reason in the retry schedule.
  fileprivate var reason: Int {
    switch self {
    case .closed(let code, _): code.rawValue
    case .error(let code, _): code.rawValue
    case .violation(let code, _): 10_000 + code.rawValue
    case .connectTimeout: CloseCode.connectFailed.rawValue
    case .pongTimeout: CloseCode.readFailed.rawValue
    }
  }
}
