// SPDX-License-Identifier: Apache-2.0

// How a connection begins and ends: its sockets, the user's token and location, delays and timers.

extension ClientMachine {
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

  mutating func opened(_ socket: UInt64, _ name: String, _ jitter: UInt32) {
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

  mutating func closed(_ code: CloseCode, _ message: String, _ jitter: UInt32) {
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

  /// A message of ours was larger than the server takes. Only a file without it can go on.
  private mutating func resetSessions(_ jitter: UInt32) {
    let document = ErrorDocument(
      message: "The server does not take messages of this size", action: .clientReset)
    for name in sessions.keys.sorted() {
      guard let number = sessions[name]?.number else { continue }
      let error = ServerMessage.error(
        session: number, code: ErrorCode(SessionErrorCode.other), document: document)
      update(name, jitter) { $0.receive(error, byteCount: 0, jitter: jitter) }
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
  mutating func delay(_ jitter: UInt32) {
    lastReason = .retry
    retry(CloseCode.retry.rawValue, jitter)
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

  mutating func tokenRefreshed() {
    isRefreshingToken = false
    if phase == .waitingForToken { open() }
    resumeAll { $0 == .token }
  }

  mutating func locationRefreshed() {
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

  mutating func reconnect() {
    noteSuccess()
    switch phase {
    case .waiting, .failed, .waitingForToken, .waitingForLocation: open()
    case .closed, .opening, .open: break
    }
    resumeAll { if case .delay = $0 { true } else { false } }
  }

  // MARK: Timers

  mutating func fire(_ timer: ClientTimer, _ jitter: UInt32) {
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
