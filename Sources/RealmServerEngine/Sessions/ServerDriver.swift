// SPDX-License-Identifier: Apache-2.0

// The driver of a connection and its sessions.
//
// Invariants:
// 1. Effects are carried out in the machine's order, one at a time.
// 2. No message is read while the machine pauses reading.
// 3. All that the connection holds is noted in the memory that connections share.
// 4. A query is given to a session once there is room for it. It is noted with the one that it
//    takes the place of, which may be needed still.
// 5. A session's handler has one request at a time, and is closed when the session has ended and
//    its last request is carried out. The room for an UPLOAD that it has is given back then.

package import RealmSyncProtocol

/// Joins a `ServerConnectionMachine` with the realms of its sessions and a socket.
package actor ServerDriver {
  private struct Session {
    enum Work {
      case none, underWay
      /// The session is over, and its request is not.
      case last
    }

    let handler: any ServerRequestHandler
    var work = Work.none
    /// The bytes of the last two queries.
    var queries = (last: 0, before: 0)

    var heldByteCount: Int {
      work == .last ? 0 : queries.last + queries.before + handler.heldByteCount
    }
  }

  private let environment: any ServerEnvironment
  private var machine: ServerConnectionMachine
  private var sessions: [UInt64: Session] = [:]
  /// Those who wait for the end of a pause of reading.
  private var readers: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - version: The version agreed on in the handshake.
  ///   - served: The mode of the app.
  package init(
    version: ProtocolVersion, served: SyncMode,
    limits: ServerConnectionMachine.Limits = ServerConnectionMachine.Limits(),
    environment: any ServerEnvironment
  ) {
    self.environment = environment
    machine = ServerConnectionMachine(
      version: version, served: served, limits: limits, now: environment.now)
  }

  /// Whether no message is to be read.
  package var isReadingPaused: Bool { machine.isReadingPaused }

  /// Begins to watch the client. Comes before everything else.
  package func start() { carryOut(machine.begin()) }

  /// Hands an input to the machine, and carries out what it causes.
  package func deliver(_ input: ServerConnectionInput) {
    carryOut(machine.handle(input, now: environment.now))
    noteMemory()
    guard !machine.isReadingPaused else { return }
    for reader in readers { reader.resume() }
    readers = []
  }

  /// Takes a message of the client, and returns when the next one may be read.
  package func receive(_ message: [UInt8]) async {
    deliver(.message(message))
    while machine.isReadingPaused {
      await withCheckedContinuation { reader in
        // The machine may read again before the continuation is made.
        if machine.isReadingPaused { readers.append(reader) } else { reader.resume() }
      }
    }
  }

  /// Notes the end of the socket, by either side or by an error.
  package func socketDidClose() {
    deliver(.closed)
    environment.stop()
  }

  /// Ends the connection.
  package func close(_ code: CloseCode, reason: String) { deliver(.close(code, reason: reason)) }

  /// Ends the connection, as the server shuts down or for another reason of its own: clients come
  /// back after a short time.
  package func shutDown(_ reason: String = "The server shuts down") {
    for name in sessions.keys.sorted() {
      deliver(.session(name, .refuse(SessionRefusal(.sessionClosed, reason))))
    }
    close(.goingAway, reason: reason)
  }

  /// Tells the memory what the connection holds, and the machine whether that is much
  /// (`ServerDriver` 3).
  private func noteMemory() {
    let own = machine.heldByteCount + machine.outputByteCount
    let isTight = environment.hold(sessions.values.reduce(own) { $0 + $1.heldByteCount })
    guard isTight != machine.isMemoryTight else { return }
    carryOut(machine.handle(.memory(isTight: isTight), now: environment.now))
  }

  // MARK: Effects

  private func carryOut(_ effects: [ServerConnectionEffect]) {
    for effect in effects {
      switch effect {
      case .send(let bytes, let stored): environment.send(bytes, after: stored, for: self)
      case .close(let code, let reason): environment.close(code, reason: reason, for: self)
      case .setTimer(let time): environment.setTimer(at: time, for: self)
      case .began(let name):
        assert(sessions[name] == nil, "`ServerDriver` 5: a session has one handler")
        sessions[name] = Session(handler: environment.begin(name, for: self))
      case .store(let name, let number, let request): perform(request, number: number, of: name)
      case .takeRoom(let name, let count): environment.takeRoom(count, for: name, of: self)
      case .giveRoomBack(let name): environment.giveRoomBack(of: name)
      case .ended(let name): end(name)
      case .notice(let text): environment.notice(text.withoutControls)
      }
    }
  }

  // MARK: Sessions

  private static let noRoomForQuery = SessionRefusal(
    .sessionClosed, "The queries of the user's sessions are too large together; try again later")

  private func perform(_ request: ServerStoreRequest, number: UInt64, of name: UInt64) {
    guard let session = sessions[name] else { return }
    assert(session.work == .none, "`ServerDriver` 5")
    sessions[name]?.work = .underWay
    if hold(request.query, of: name) {
      environment.perform(request, number: number, of: name, by: session.handler, for: self)
    } else {
      environment.refuse(number, of: name, Self.noRoomForQuery, for: self)
    }
  }

  /// Notes the query of a request. Returns false if there is no room for it (`ServerDriver` 4).
  private func hold(_ query: VersionedQuery?, of name: UInt64) -> Bool {
    guard let query else { return true }
    // The text is kept as the client has sent it, and as conditions.
    let count = 2 * query.text.utf8.count
    guard environment.reserve(count) else { return false }
    let last = sessions[name]?.queries.last ?? 0
    sessions[name]?.queries = (count, last)
    noteMemory()
    environment.release(count)
    return true
  }

  /// Whether room is needed for the DOWNLOAD of a session: not for one that is written already, nor
  /// for one that an UPLOAD waits for, which gives more back than it takes.
  package func needsRoom(forDownloadOf name: UInt64) -> Bool {
    guard let session = sessions[name], session.work == .underWay else { return false }
    return session.handler.heldByteCount == 0 && !machine.holdsUpload(of: name)
  }

  /// Takes the answer to a request.
  package func didPerform(_ number: UInt64, of name: UInt64, _ reply: ServerStoreReply) {
    let work = sessions[name]?.work
    assert(work == .underWay || work == .last, "`ServerDriver` 5: no such request is under way")
    guard work == .underWay else { return close(name) }
    sessions[name]?.work = .none
    deliver(.session(name, .stored(request: number, reply)))
  }

  private func end(_ name: UInt64) {
    guard let session = sessions[name] else { return }
    session.handler.end()
    if session.work == .none { close(name) } else { sessions[name]?.work = .last }
  }

  private func close(_ name: UInt64) {
    environment.giveRoomBack(of: name)
    guard let session = sessions.removeValue(forKey: name) else { return }
    environment.close(session.handler, of: name)
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
