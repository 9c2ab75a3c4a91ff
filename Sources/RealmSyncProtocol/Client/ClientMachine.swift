// SPDX-License-Identifier: Apache-2.0

// The client's side of a connection with its sessions, without any input or output of its own
// (P1 B, P1 D.5).

/// Decides when a connection is opened and closed, and what its sessions send and store.
///
/// The rules for who drives it:
/// 1. Hand each input in once, with the time, in the order in which things happened.
/// 2. Carry effects out in their order; what takes time is begun in that order, and its end is an
///    input.
/// 3. A `store` is answered once, by `stored`, when what it asked for is on the disk.
/// 4. A `send` names what the disk has by then, if it says something of the file.
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
  private var lastSocket: UInt64 = 0
  private var retries = RetrySchedule()
  private var deadlines: [ClientTimer: Milliseconds] = [:]
  /// Whether a connection to the present location ever worked.
  private var isVerified = false
  /// What the end of the last connection asked for, until a connection works: what did not help
  /// is not done again without a delay.
  private var lastReason: CloseCode.Reaction?
  private var isRefreshingToken = false
  private var isRefreshingLocation = false

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
  private var socket: UInt64? {
    switch phase {
    case .opening(let socket): socket
    case .open(let link): link.socket
    case .closed, .waiting, .waitingForToken, .waitingForLocation, .failed: nil
    }
  }

  // MARK: Opening

  /// Opens the connection if a session needs it.
  mutating func connectIfNeeded() {
    guard phase == .closed,
      sessions.values.contains(where: { $0.rest == nil && $0.phase != .ended })
    else { return }
    open()
  }

  private mutating func open() {
    guard hasSessions else { return become(.closed) }
    lastSocket += 1
    become(.opening(socket: lastSocket))
    effects.append(.open(socket: lastSocket))
    set(.connect, after: timeouts.connect)
  }

  private mutating func opened(_ socket: UInt64, _ name: String, _ jitter: UInt32) {
    cancel(.connect)
    guard let version = ProtocolVersion(answer: name, mode: mode) else {
      return lose(
        .violation(.wrongProtocolVersion, message: "The server chose the protocol '\(name)'"),
        closing: .protocolError, isFatal: true, jitter)
    }
    become(.open(Link(socket: socket, version: version)))
    isVerified = true
    // The first PING comes early by up to the whole period, so that clients do not all send theirs
    // at one time.
    set(.ping, after: timeouts.pingPeriod - share(timeouts.pingPeriod, jitter))
    for name in sessions.keys.sorted() { connect(name) }
    lingerIfUnused()
  }

  mutating func lingerIfUnused() {
    guard !hasSessions else { return }
    switch phase {
    case .open: set(.linger, after: timeouts.linger)
    case .closed: break
    case .opening:
      effects.append(.close(.normal))
      cancel(.connect)
      become(.closed)
    case .waiting, .waitingForToken, .waitingForLocation, .failed: become(.closed)
    }
  }

  // MARK: Closing

  private mutating func closed(_ code: CloseCode, _ message: String, _ jitter: UInt32) {
    effects.append(.report(.interrupted(code, message: message)))
    let failure = ConnectionFailure.closed(code, message: message)
    let reaction = code.reaction
    let (isRepeated, wasVerified) = (reaction == lastReason, isVerified)
    lastReason = reaction
    if reaction == .clientReset { resetSessions(jitter) }
    forgetBindings()
    switch reaction {
    case .none, .retry, .clientReset: retry(code.rawValue, jitter)
    case .reportAndRetry:
      effects.append(.report(.failed(failure, isFatal: false)))
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
      effects.append(.report(.failed(failure, isFatal: true)))
      effects.append(.needsLogOut)
    case .fatalOrRefreshLocation:
      if !wasVerified, !isRepeated { return awaitLocation() }
      become(.failed)
      effects.append(.report(.failed(failure, isFatal: true)))
    }
  }

  /// Ends the connection for a reason of ours, or one that the server reported.
  mutating func lose(
    _ failure: ConnectionFailure, closing code: CloseCode, isFatal: Bool, hint: RetryHint? = nil,
    _ jitter: UInt32
  ) {
    guard socket != nil else { return }
    effects.append(.close(code))
    forgetBindings()
    effects.append(.report(.failed(failure, isFatal: isFatal)))
    lastReason = nil
    if isFatal {
      become(.failed)
    } else {
      retry(failure.reason, hint: hint, jitter)
    }
  }

  private mutating func forgetBindings() {
    for timer in [ClientTimer.connect, .ping, .pong, .linger] { cancel(timer) }
    // What sessions say of their own end has no socket any more.
    become(.closed)
    for name in sessions.keys.sorted() { update(name) { [now] in $0.disconnect(now: now) } }
  }

  private mutating func retry(_ reason: Int, hint: RetryHint? = nil, _ jitter: UInt32) {
    guard hasSessions else { return become(.closed) }
    become(.waiting)
    set(.retry, after: retries.next(reason: reason, hint: hint, jitter: jitter))
  }

  /// Tries again by the schedule although nothing new is known.
  private mutating func delay(_ jitter: UInt32) {
    lastReason = .retry
    retry(CloseCode.retry.rawValue, jitter)
  }

  /// A connection works: the next delay is short.
  mutating func noteSuccess() {
    retries.reset()
    lastReason = nil
  }

  // MARK: The user

  private mutating func awaitToken() {
    become(.waitingForToken)
    askForToken()
  }

  private mutating func awaitLocation() {
    become(.waitingForLocation)
    askForLocation()
  }

  mutating func askForToken() {
    guard !isRefreshingToken else { return }
    isRefreshingToken = true
    effects.append(.needsToken)
  }

  mutating func askForLocation() {
    guard !isRefreshingLocation else { return }
    isRefreshingLocation = true
    effects.append(.needsLocation)
  }

  private mutating func tokenRefreshed() {
    isRefreshingToken = false
    if phase == .waitingForToken { open() }
    resumeAll { $0 == .token }
  }

  private mutating func locationRefreshed() {
    isRefreshingLocation = false
    isVerified = false
    switch phase {
    case .waitingForLocation: open()
    case .open:
      // The location is another one perhaps: what is open is left.
      effects.append(.close(.normal))
      forgetBindings()
      open()
    case .opening:
      effects.append(.close(.normal))
      cancel(.connect)
      open()
    case .closed, .waiting, .waitingForToken, .failed: break
    }
    resumeAll { $0 == .location }
  }

  private mutating func reconnect() {
    noteSuccess()
    switch phase {
    case .waiting, .failed, .waitingForToken, .waitingForLocation: open()
    case .closed, .opening, .open: break
    }
    resumeAll { if case .delay = $0 { true } else { false } }
  }

  // MARK: Timers

  private mutating func fire(_ timer: ClientTimer, _ jitter: UInt32) {
    guard let deadline = deadlines[timer], deadline <= now else { return }
    deadlines[timer] = nil
    switch timer {
    case .connect: lose(.connectTimeout, closing: .goingAway, isFatal: false, jitter)
    case .linger:
      guard link != nil, !hasSessions else { return }
      effects.append(.close(.normal))
      forgetBindings()
    case .ping:
      guard var link else { return }
      set(.ping, after: timeouts.pingPeriod - share(timeouts.pingPeriod / 10, jitter))
      // A PONG answers one PING, so that no other is sent before it.
      guard link.pingSent == nil else { return }
      link.pingSent = now
      self.link = link
      send(.ping(timestamp: now, roundTrip: link.roundTrip), on: link)
      set(.pong, after: timeouts.pong)
    case .pong: lose(.pongTimeout, closing: .goingAway, isFatal: false, jitter)
    case .retry:
      guard phase == .waiting else { return }
      switch lastReason {
      case .refreshToken: awaitToken()
      case .refreshLocation: awaitLocation()
      default: open()
      }
    case .session(let name): resume(name)
    }
  }

  mutating func set(_ timer: ClientTimer, after delay: Milliseconds) {
    deadlines[timer] = now &+ delay
    effects.append(.setTimer(timer, at: now &+ delay))
  }

  mutating func cancel(_ timer: ClientTimer) {
    if deadlines.removeValue(forKey: timer) != nil { effects.append(.cancelTimer(timer)) }
  }

  /// A random share of a time.
  private func share(_ time: Milliseconds, _ jitter: UInt32) -> Milliseconds {
    time * Milliseconds(jitter) / Milliseconds(UInt32.max)
  }

  private mutating func become(_ next: Phase) {
    phase = next
    if next != .waiting { cancel(.retry) }
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
