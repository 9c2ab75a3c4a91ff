// SPDX-License-Identifier: Apache-2.0

// The messages of a connection, and the limits of what waits.

extension ClientMachine {
  // MARK: Sending

  /// Sends a message on the socket that is open.
  mutating func send(_ message: ClientMessage, after stored: StoredState? = nil, on link: Link) {
    let bytes = MessageEncoder(version: link.version).bytes(message)
    self.link?.outputByteCount += bytes.count
    effects.append(.send(bytes, after: stored))
  }

  /// Applies the limits to what an input has changed.
  mutating func balance() {
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
    let waiting = sessions.values.reduce(0) { max($0, $1.waitingByteCount) }
    if !link.isReadingPaused, waiting > limits.waitingByteCount {
      self.link?.isReadingPaused = true
      effects.append(.pauseReading)
    } else if link.isReadingPaused, waiting <= limits.waitingByteCount / 2 {
      self.link?.isReadingPaused = false
      effects.append(.resumeReading)
    }
  }

  // MARK: Receiving

  mutating func receive(_ bytes: [UInt8], on link: Link, _ jitter: UInt32) {
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

  mutating func violated(_ code: ConnectionErrorCode, _ message: String, _ jitter: UInt32) {
    lose(.violation(code, message: message), closing: .protocolError, isFatal: false, jitter)
  }

  /// A message of ours was larger than the server takes. Only a file without it can go on.
  mutating func resetSessions(_ jitter: UInt32) {
    let document = ErrorDocument(
      message: "The server does not take messages of this size", action: .clientReset)
    for name in sessions.keys.sorted() {
      guard let number = sessions[name]?.number else { continue }
      let error = ServerMessage.error(
        session: number, code: ErrorCode(SessionErrorCode.other), document: document)
      update(name, jitter) { $0.receive(error, byteCount: 0, jitter: jitter) }
    }
  }
}
