// SPDX-License-Identifier: Apache-2.0

// The client's side of a connection with its sessions, without any input or output of its own
// (P1 B, P1 D.5): its inputs, its sessions, and their messages. `ClientMachine+Connection` opens
// and loses the connection itself.

/// Decides when a connection is opened and closed, and what its sessions send and store.
///
/// The rules for who drives it:
/// - Hand each input in once, with the time, in the order in which things happened.
/// - Carry effects out in their order; what takes time is begun in that order, and its end is an
///   input.
/// - A `store` is answered once, by `stored`, when what it asked for is on the disk.
/// - A `send` names what the disk has by then, if it says something of the file.
///
/// Sessions have a name, which does not change, and a number on the connection, which is another
/// one for each binding. Equal inputs give equal effects.
///
/// Invariants:
/// 1. A number names at most one session, and is not used again on the same connection.
/// 2. A session has a number only while the connection is open.
/// 3. While the connection is closed and sessions need it, a timer, a token or a location is
///    awaited, unless an error was fatal.
/// 4. The socket is read unless a session has too many messages that wait.
/// 5. With too many bytes that the socket has not taken, files are not scanned for uploads.
package struct ClientMachine: Hashable, Sendable {
  /// The limits of what waits.
  package struct Limits: Hashable, Sendable {
    /// The bytes of a session's waiting messages with which the socket is no more read.
    package var waitingByteCount = 32 << 20
    /// The bytes that wait for the socket with which files are no more scanned.
    package var outputByteCount = 4 << 20

    package init() {}
  }

  /// What exists only while a socket is open.
  struct Link: Hashable, Sendable {
    let socket: UInt64
    let version: ProtocolVersion
    var lastNumber: UInt64 = 0
    var roundTrip: UInt64 = 0
    /// The time of the PING that is not answered.
    var pingSent: UInt64?
    var isReadingPaused = false
    var outputByteCount = 0
    var isOutputBlocked = false
  }

  enum Phase: Hashable, Sendable {
    case closed
    /// The delay before the next attempt is running.
    case waiting
    case waitingForToken
    case waitingForLocation
    case opening(socket: UInt64)
    case open(Link)
    /// Only the app can cause another attempt.
    case failed
  }

  let mode: SyncMode
  let timeouts: SyncTimeouts
  let limits: Limits
  var phase = Phase.closed
  var now: Milliseconds = 0
  var effects: [ClientEffect] = []
  var sessions: [UInt64: ClientSession] = [:]
  var lastSocket: UInt64 = 0
  var retries = RetrySchedule()
  var deadlines: [ClientTimer: Milliseconds] = [:]
  /// Whether a connection to the present location ever worked.
  var isVerified = false
  /// What the end of the last connection asked for, until a connection works: what did not help
  /// is not done again without a delay.
  var lastReason: CloseCode.Reaction?
  var isRefreshingToken = false
  var isRefreshingLocation = false

  package init(mode: SyncMode, timeouts: SyncTimeouts = SyncTimeouts(), limits: Limits = Limits()) {
    self.mode = mode
    self.timeouts = timeouts
    self.limits = limits
  }

  package var state: ConnectionState {
    switch phase {
    case .opening: .connecting
    case .open: .connected
    case .closed, .waiting, .waitingForToken, .waitingForLocation, .failed: .disconnected
    }
  }

  /// Why a session rests; nil if it does not, or is over.
  package func rest(of session: UInt64) -> SessionRest? { sessions[session]?.rest }

  /// Whether nothing is under way for a session that rests: its file is not used after its end.
  package func mayEndAtOnce(_ session: UInt64) -> Bool {
    sessions[session].map { $0.rest != nil && $0.request == nil } ?? false
  }

  /// The effects of an input.
  package mutating func handle(_ input: ClientInput, now: Milliseconds) -> [ClientEffect] {
    self.now = now
    effects = []
    let before = state
    take(input)
    balance()
    if state != before { effects.append(.report(.changed(state))) }
    defer { effects = [] }
    return effects
  }

  private mutating func take(_ input: ClientInput) {
    switch input {
    case .begin(let name, let settings): begin(name, settings)
    case .end(let name): end(name)
    case .suspend(let name): update(name) { $0.rest(for: .app) }
    case .resume(let name): resume(name)
    case .willReset(let name): willReset(name)
    case .didReset(let name): didReset(name)
    case .wait(let name, let kind, let id): wait(name, kind, id)
    case .cancelWait(let name, let id): update(name) { $0.cancelWait(id) }
    case .reconnect: reconnect()
    case .version(let name, let version): update(name) { $0.noteVersion(version) }
    case .stored(let name, let request, let reply): stored(name, request, reply)
    case .opened(let socket, let name, let jitter):
      if phase == .opening(socket: socket) { opened(socket, name, jitter) }
    case .closed(let socket, let code, let message, let jitter):
      if socket == self.socket { closed(code, message, jitter) }
    case .message(let socket, let bytes, let jitter):
      if let link, link.socket == socket { receive(bytes, on: link, jitter) }
    case .sent(let socket, let count): if link?.socket == socket { link?.outputByteCount -= count }
    case .timer(let timer, let jitter): fire(timer, jitter)
    case .tokenRefreshed: tokenRefreshed()
    case .tokenUnavailable(let jitter):
      isRefreshingToken = false
      if phase == .waitingForToken { delay(jitter) }
    case .locationRefreshed: locationRefreshed()
    case .locationUnavailable(let jitter):
      isRefreshingLocation = false
      if phase == .waitingForLocation { delay(jitter) }
    }
  }

  /// The socket that is open.
  var link: Link? {
    get { if case .open(let link) = phase { link } else { nil } }
    set { if let newValue, case .open = phase { phase = .open(newValue) } }
  }

  /// The socket that is open, or being opened.
  var socket: UInt64? {
    switch phase {
    case .opening(let socket): socket
    case .open(let link): link.socket
    case .closed, .waiting, .waitingForToken, .waitingForLocation, .failed: nil
    }
  }

  // MARK: Sessions

  /// Whether there are sessions, those that rest among them.
  var hasSessions: Bool { sessions.values.contains { $0.phase != .ended } }

  private mutating func begin(_ name: UInt64, _ settings: SessionSettings) {
    assert(sessions[name] == nil, "two sessions have one name")
    sessions[name] = ClientSession(name: name, settings: settings)
    connect(name)
    connectIfNeeded()
  }

  private mutating func end(_ name: UInt64) {
    update(name) { $0.end() }
    cancel(.session(name))
    removeIfOver(name)
    lingerIfUnused()
  }

  /// Forgets a session that is over, when its last request is.
  private mutating func removeIfOver(_ name: UInt64) {
    if let session = sessions[name], session.phase != .ended || session.request != nil { return }
    sessions[name] = nil
    effects.append(.ended(session: name))
  }

  private mutating func stored(_ name: UInt64, _ request: UInt64, _ reply: StoreReply) {
    update(name) { $0.stored(request, reply) }
    if sessions[name]?.phase == .ended { removeIfOver(name) }
  }

  private mutating func wait(_ name: UInt64, _ kind: SessionWait, _ id: UInt64) {
    guard sessions[name] != nil else {
      return effects.append(.finish(wait: id, .terminated))
    }
    update(name) { $0.wait(for: kind, id: id) }
  }

  /// Lets a session that rests go on.
  mutating func resume(_ name: UInt64) {
    guard sessions[name]?.rest != nil else { return }
    cancel(.session(name))
    update(name) { $0.resume() }
    connect(name)
    connectIfNeeded()
  }

  /// Lets a session rest whose file is about to be reset, unless the app has suspended it.
  private mutating func willReset(_ name: UInt64) {
    guard sessions[name]?.rest != .app else { return }
    update(name) { $0.rest(for: .error) }
  }

  /// Lets a session go on with a file that was reset, unless the app has suspended it.
  private mutating func didReset(_ name: UInt64) {
    update(name) { $0.noteReset() }
    if sessions[name]?.rest == .error { resume(name) }
  }

  /// Lets the sessions go on that rest for something.
  mutating func resumeAll(_ isOver: (SessionRest) -> Bool) {
    for name in sessions.keys.sorted() {
      if let rest = sessions[name]?.rest, isOver(rest) { resume(name) }
    }
    connectIfNeeded()
  }

  /// Gives a session a number on the open connection.
  mutating func connect(_ name: UInt64) {
    guard var link, sessions[name]?.phase == .unbound else { return }
    link.lastNumber += 1
    self.link = link
    cancel(.linger)
    update(name) { [now] in $0.connect(link.lastNumber, link.version, now: now) }
  }

  /// Changes a session, lets it do what it can do then, and carries out those of its outputs that
  /// are the connection's.
  mutating func update(
    _ name: UInt64, _ jitter: UInt32 = 0, _ change: (inout ClientSession) -> Void
  ) {
    guard let index = sessions.index(forKey: name) else { return }
    let mayUpload =
      link.map { !$0.isOutputBlocked && $0.outputByteCount <= limits.outputByteCount } ?? false
    change(&sessions.values[index])
    sessions.values[index].proceed(mayUpload: mayUpload, now: now)
    let outputs = sessions.values[index].outputs
    sessions.values[index].outputs = []
    for output in outputs { carryOut(output, of: name, jitter) }
  }

  private mutating func carryOut(
    _ output: ClientSession.Output, of name: UInt64, _ jitter: UInt32
  ) {
    switch output {
    case .message(let message, let stored):
      // A session that loses its connection may have said its last words on it.
      if let link { send(message, after: stored, on: link) }
    case .effect(let effect): effects.append(effect)
    case .rested(let rest):
      cancel(.session(name))
      switch rest {
      case .delay(let time): set(.session(name), after: time > now ? time - now : 0)
      case .token: askForToken()
      case .location: askForLocation()
      case .app, .error: break
      }
    case .violation(let code, let message): violated(code, message, jitter)
    }
  }

  // MARK: Sending

  /// Sends a message on the socket that is open.
  mutating func send(_ message: ClientMessage, after stored: StoredState? = nil, on link: Link) {
    let bytes = MessageEncoder(version: link.version).bytes(message)
    self.link?.outputByteCount += bytes.count
    effects.append(.send(bytes, after: stored))
  }

  /// Applies the limits to what an input has changed.
  private mutating func balance() {
    guard var link else { return }
    let wasBlocked = link.isOutputBlocked
    if link.outputByteCount > limits.outputByteCount {
      link.isOutputBlocked = true
    } else if link.outputByteCount <= limits.outputByteCount / 2 {
      link.isOutputBlocked = false
    }
    self.link = link
    if wasBlocked, !link.isOutputBlocked {
      for name in sessions.keys.sorted() { update(name) { _ in } }
    }
    let waiting = sessions.values.reduce(0) { max($0, $1.inbox.byteCount) }
    if !link.isReadingPaused, waiting > limits.waitingByteCount {
      self.link?.isReadingPaused = true
      effects.append(.pauseReading)
    } else if link.isReadingPaused, waiting <= limits.waitingByteCount / 2 {
      self.link?.isReadingPaused = false
      effects.append(.resumeReading)
    }
  }

  // MARK: Receiving

  private mutating func receive(_ bytes: [UInt8], on link: Link, _ jitter: UInt32) {
    let message: ServerMessage
    do throws(MessageError) {
      message = try MessageParser(version: link.version).serverMessage(bytes)
    } catch {
      return violated(error.code, "A message of the server cannot be read: \(error)", jitter)
    }
    switch message {
    case .pong(let timestamp):
      guard timestamp == link.pingSent else {
        return violated(.badMessageOrder, "PONG without its PING", jitter)
      }
      var link = link
      link.roundTrip = now &- timestamp
      link.pingSent = nil
      self.link = link
      cancel(.pong)
    case .error(0, let code, let document): receive(code, document, jitter)
    case .plainError(let error) where error.session == 0:
      let action: ErrorAction = error.tryAgain ? .transient : .applicationBug
      receive(error.code, ErrorDocument(message: error.message, action: action), jitter)
    case .log(let log) where log.session == 0: effects.append(.report(.log(log)))
    case .error(_, let code, _) where !code.isOfSession:
      violated(.badMessageOrder, "Error \(code.rawValue) for a session", jitter)
    default: receive(message, byteCount: bytes.count, on: link, jitter)
    }
  }

  private mutating func receive(_ code: ErrorCode, _ document: ErrorDocument, _ jitter: UInt32) {
    guard !code.isOfSession else {
      return violated(.badMessageOrder, "Error \(code.rawValue) without a session", jitter)
    }
    lose(
      .error(code, document), closing: .normal, isFatal: !document.tryAgain,
      hint: document.retry, jitter)
  }

  private mutating func receive(
    _ message: ServerMessage, byteCount: Int, on link: Link, _ jitter: UInt32
  ) {
    let number = message.session ?? 0
    guard number > 0, number <= link.lastNumber else {
      return violated(.badSessionIdent, "A message for session \(number)", jitter)
    }
    // Messages for a session that is over have no effect.
    guard let name = sessions.first(where: { $0.value.number == number })?.key else { return }
    if case .download = message { noteSuccess() }
    update(name, jitter) { $0.receive(message, byteCount: byteCount, jitter: jitter) }
  }

  private mutating func violated(_ code: ConnectionErrorCode, _ message: String, _ jitter: UInt32) {
    lose(.violation(code, message: message), closing: .protocolError, isFatal: false, jitter)
  }

  /// A connection works: the next delay is short.
  mutating func noteSuccess() {
    retries.reset()
    lastReason = nil
  }

  // MARK: Timers

  mutating func set(_ timer: ClientTimer, after delay: Milliseconds) {
    deadlines[timer] = now &+ delay
    effects.append(.setTimer(timer, at: now &+ delay))
  }

  mutating func cancel(_ timer: ClientTimer) {
    if deadlines.removeValue(forKey: timer) != nil { effects.append(.cancelTimer(timer)) }
  }
}
