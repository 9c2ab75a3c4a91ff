// SPDX-License-Identifier: Apache-2.0

// The server's side of a session, without any input or output of its own.

/// Decides what a server's session sends and asks its realm for.
///
/// Invariants:
/// 1. One request to the realm is under way at a time. Messages that arrive meanwhile wait.
/// 2. The cursors of DOWNLOAD messages never go back. A session whose realm goes back ends.
/// 3. A MARK is answered after everything that the realm had at its receipt, and a bootstrap that
///    was asked for before it, was sent.
/// 4. After an error of the session nothing is sent for it, and what arrives is dropped until
///    UNBIND.
/// 5. A bootstrap that was begun is sent to its end before another query becomes active.
/// 6. A message that says something of the client's file names it (`StoredProgress`), and is sent
///    only after the realm has said that it is on the disk.
/// 7. A message that waits comes before a DOWNLOAD that is due, but for an UPLOAD while a bootstrap
///    is due of which nothing was sent: what the client has written may be what its new query
///    selects and the old one does not.
/// 8. An UPLOAD that unpacks to much is unpacked once there is room for that. It waits in its place
///    among the messages, and nothing is asked for meanwhile: a session that has room depends on
///    no client. The room is kept until the realm has integrated the UPLOAD.
package struct ServerSessionMachine: Hashable, Sendable {
  /// How far the session is. What exists only in a phase is in its case.
  private enum Phase: Hashable, Sendable {
    /// BIND is awaited.
    case unbound
    /// The realm answers BIND.
    case binding(needsIdent: Bool)
    /// IDENT is awaited, or its answers.
    case bound
    case running(ServerExchange)
    /// An error was sent.
    case failed
    case ended
  }

  /// The room for an UPLOAD that unpacks to much.
  private enum Room: Hashable, Sendable {
    case none
    case asked
    case found
  }

  private struct WaitingMessage: Hashable, Sendable {
    var message: ClientMessage
    var byteCount: Int

    var isUpload: Bool { if case .upload = message { true } else { false } }

    /// The bytes that it has unpacked.
    var unpackedByteCount: Int {
      if case .upload(let upload) = message { upload.body.uncompressedByteCount } else { byteCount }
    }
  }

  /// The line for the operator about a loss of the store (`ServerSessionMachine` 2).
  package static let lossNotice =
    "A realm is behind the state that a session has sent: its store has lost something"

  package let version: ProtocolVersion
  package let session: UInt64
  private let plainByteCountMax: Int
  private var phase = Phase.unbound
  private var effects: [ServerSessionEffect] = []
  private var underWay: ServerStoreRequest?
  private var lastRequest: UInt64 = 0
  private var inbox: [WaitingMessage] = []
  private var waitingByteCount = 0
  /// The size of the UPLOAD that the realm is integrating.
  private var underWayByteCount = 0
  private var room = Room.none
  private var isOutputBlocked = false
  /// The newest version of the realm that is known.
  private var head = SaltedVersion()

  /// - Parameter plainByteCountMax: The bytes that an UPLOAD may have unpacked without room for it.
  package init(version: ProtocolVersion, session: UInt64, plainByteCountMax: Int = 64 << 10) {
    self.plainByteCountMax = plainByteCountMax
    self.version = version
    self.session = session
  }

  /// The sizes of the messages that wait, of the UPLOAD that is being integrated, of the MARKs
  /// without an answer, and of the reports that were not sent.
  package var heldByteCount: Int {
    waitingByteCount + underWayByteCount + (exchange?.markByteCount ?? 0)
      + (exchange?.reportByteCount ?? 0)
  }

  /// Whether a part of a bootstrap was sent, and not the last.
  var isInsideBootstrap: Bool { exchange?.isInsideBootstrap ?? false }

  /// What exists between the answer to IDENT and the session's end. It can be set then alone.
  private var exchange: ServerExchange? {
    get { if case .running(let exchange) = phase { exchange } else { nil } }
    set { if case .running = phase, let newValue { phase = .running(newValue) } }
  }

  /// The effects of an input.
  package mutating func handle(
    _ input: ServerSessionInput, now: Milliseconds
  ) -> [ServerSessionEffect] {
    effects = []
    guard phase != .ended else { return [] }
    switch input {
    case .message(let message, let byteCount):
      if phase == .failed || message == .unbind(session: session) {
        drop(message)
      } else {
        inbox.append(WaitingMessage(message: message, byteCount: byteCount))
        waitingByteCount += byteCount
      }
    case .stored(let number, let reply):
      guard number == lastRequest, let request = underWay else { return [] }
      underWay = nil
      underWayByteCount = 0
      giveRoomBack()
      if phase != .failed { stored(request, reply) }
    case .head(let head): note(head)
    case .hasRoom: if room == .asked { room = .found }
    case .outputBlocked: isOutputBlocked = true
    case .outputDrained: isOutputBlocked = false
    case .refuse(let refusal): if phase != .failed { refuse(refusal) }
    }
    proceed()
    return effects
  }

  /// Takes UNBIND, and anything after an error.
  private mutating func drop(_ message: ClientMessage) {
    guard message == .unbind(session: session) else { return }
    switch phase {
    case .binding, .bound, .running: send(.unbound(session: session))
    case .unbound: failConnection(.badMessageOrder, "UNBIND before BIND")
    // The answer to UNBIND is left out after an error.
    case .failed, .ended: break
    }
    end()
  }

  private mutating func end() {
    guard phase != .ended else { return }
    forget()
    phase = .ended
    room = .none
    effects.append(.ended)
  }

  private mutating func forget() {
    inbox = []
    waitingByteCount = 0
    if phase != .ended, underWay == nil { giveRoomBack() }
  }

  private mutating func giveRoomBack() {
    guard room != .none else { return }
    room = .none
    effects.append(.giveRoomBack)
  }

  private mutating func refuse(_ refusal: SessionRefusal) {
    var document = refusal.document
    document.message = refusal.code.deployedText(document.message)
    send(.error(session: session, code: ErrorCode(refusal.code), document: document))
    forget()
    phase = .failed
  }

  /// Refuses the request of a message, with a line for the operator: clients seldom show why.
  private mutating func refuse(_ name: String, _ refusal: SessionRefusal) {
    note(name, refusal.code.rawValue, refusal.document.message)
    refuse(refusal)
  }

  private mutating func note(_ name: String, _ code: Int, _ message: String) {
    effects.append(.notice("A message was refused: \(name), \(code): \(message)"))
  }

  private mutating func failConnection(_ code: ConnectionErrorCode, _ message: String) {
    effects.append(.failConnection(code, message: message))
    end()
  }

  private mutating func send(_ message: ServerMessage, after stored: StoredProgress? = nil) {
    effects.append(.send(message, after: stored))
  }

  private mutating func note(_ head: SaltedVersion) {
    if head.version > self.head.version { self.head = head }
  }

  private mutating func store(_ request: ServerStoreRequest) {
    assert(underWay == nil, "ServerSessionMachine 1")
    lastRequest += 1
    underWay = request
    effects.append(.store(request: lastRequest, request))
  }

  // MARK: Progress

  private mutating func proceed() {
    while underWay == nil, room != .asked, phase != .failed, phase != .ended {
      // Before the next message: one that is refused ends the session.
      answerMarks()
      if let next = inbox.first, !mustWait(next.message) {
        take(next)
      } else if let exchange, !isOutputBlocked, exchange.needsDownload(head: head.version) {
        store(.nextDownload(after: exchange.scanned))
      } else {
        break
      }
    }
    answerMarks()
  }

  /// Takes the first message that waits, or asks for room for it.
  private mutating func take(_ next: WaitingMessage) {
    if room == .none, next.isUpload, next.unpackedByteCount > plainByteCountMax, exchange != nil,
      next.unpackedByteCount <= MessageBody.uploadByteCountMax
    {
      room = .asked
      return effects.append(.takeRoom(byteCount: next.unpackedByteCount))
    }
    inbox.removeFirst()
    waitingByteCount -= next.byteCount
    receive(next.message)
    if case .integrate = underWay {
      // What has room is counted there.
      underWayByteCount =
        room == .found ? next.byteCount : max(next.byteCount, next.unpackedByteCount)
    } else if phase != .ended {
      giveRoomBack()
    }
  }

  /// Whether a message is left until a bootstrap is begun, or sent completely: a client must not
  /// get the beginning of a bootstrap, another one, and the first again, nor changes after a
  /// beginning.
  private func mustWait(_ message: ClientMessage) -> Bool {
    switch message {
    case .query: exchange?.isInsideBootstrap ?? false
    case .upload: exchange?.owesBootstrap ?? false
    default: false
    }
  }

  /// Whether an UPLOAD waits for the beginning of a bootstrap.
  var holdsUpload: Bool { exchange?.owesBootstrap ?? false && inbox.contains { $0.isUpload } }

  private mutating func answerMarks() {
    for request in exchange?.takeMarks() ?? [] { send(.mark(session: session, request: request)) }
  }

  // MARK: Messages

  private mutating func receive(_ message: ClientMessage) {
    switch (message, phase) {
    case (.bind(let bind), .unbound):
      phase = .binding(needsIdent: bind.needsIdent)
      store(.bind(bind))
    case (.ident(let ident), .bound):
      guard (ident.query != nil) == (version.mode == .flexible) else {
        return outOfOrder("IDENT")
      }
      store(.lookUp(ident))
    case (.query(let query), .running):
      guard version.mode == .flexible,
        exchange?.acceptsQuery(query.query.version) ?? false
      else { return outOfOrder("QUERY") }
      store(.setQuery(query.query))
    case (.upload(let upload), .running): receive(upload)
    case (.mark(_, let request), .running):
      guard exchange?.acceptsMark(request) ?? false else { return outOfOrder("MARK") }
      // The news of a version may be late; what the realm itself says is not.
      store(.currentHead)
    case (.error(let error), .bound), (.error(let error), .running):
      refuse("ERROR", SessionRefusal(error))
    case (.testCommand(let command), .bound), (.testCommand(let command), .running):
      send(.testCommand(TestCommand(session: session, request: command.request, body: "{}")))
    case (.ping, _), (.bind, _), (.ident, _), (.query, _), (.upload, _), (.mark, _), (.unbind, _),
      (.error, _), (.testCommand, _):
      outOfOrder("a message")
    }
  }

  private mutating func outOfOrder(_ name: String) {
    failConnection(.badMessageOrder, "Received \(name) when it was not legal")
  }

  private mutating func receive(_ upload: ClientMessage.Upload) {
    let entries: [UploadEntry]
    do {
      entries = try upload.body.uploadEntries()
    } catch {
      guard error == .badChangesetSize else {
        return failConnection(error.code, "Bad body of an UPLOAD")
      }
      // By the code 112 deployed clients would send it again for ever. By this one they reset.
      effects.append(
        .closeConnection(
          .messageTooBig, reason: "The body of an UPLOAD has more than 16 MiB"))
      return end()
    }
    do throws(SessionRefusal) {
      guard let news = try exchange?.check(upload, entries) else { return }
      store(
        .integrate(
          news.progress, lockedServerVersion: upload.lockedServerVersion, entries: news.entries))
    } catch {
      refuse("UPLOAD", error)
    }
  }

  // MARK: The realm's answers

  private mutating func stored(_ request: ServerStoreRequest, _ reply: ServerStoreReply) {
    switch (request, reply) {
    case (_, .refused(let refusal)):
      if let name = request.messageName, refusal.document.effectiveAction != .transient {
        note(name, refusal.code.rawValue, refusal.document.message)
      }
      refuse(refusal)
    case (.bind, .bound(let ident, let salt)):
      guard case .binding(let needsIdent) = phase else { return }
      phase = .bound
      guard needsIdent else { return }
      send(.ident(session: session, file: ident, salt: salt), after: StoredProgress(file: ident))
    case (.bind, .done): phase = .bound
    case (.lookUp(let ident), .file(let lookup)): check(ident, lookup)
    case (.claim(let ident), .claimed(let file, let rejected, let isViewChanged)):
      phase = .running(ServerExchange(ident, file))
      if isViewChanged { exchange?.didChangeView() }
      exchange?.add(rejected)
    case (.currentHead, .head(let head)):
      note(head)
      exchange?.didFindHead(head.version)
    case (.nextDownload, .download(let download)): send(download)
    case (.integrate(let progress, _, _), .integrated(let head, let rejected)):
      exchange?.didStore(progress)
      note(head)
      exchange?.add(rejected)
    case (.setQuery(let query), .done): exchange?.didSetQuery(query.version)
    case (.setQuery(let query), .queryRefused(let message)):
      note("QUERY", SessionErrorCode.badQuery.rawValue, message)
      send(
        .queryError(
          .init(
            session: session, code: ErrorCode(.badQuery), queryVersion: query.version,
            message: message)))
    case (.claim, .queryRefused(let message)):
      refuse("IDENT", SessionRefusal(.badQuery, message))
    default:
      assertionFailure("an answer to another request")
      refuse(SessionRefusal(.sessionClosed, "Internal error"))
    }
  }

  private mutating func check(_ ident: ClientMessage.Ident, _ lookup: ServerFileLookup) {
    do throws(IdentDefect) {
      _ = try lookup.check(ident)
      note(lookup.head)
      store(.claim(ident))
    } catch {
      switch error {
      case .refusal(let refusal): refuse("IDENT", refusal)
      case .boundInOtherSession:
        failConnection(.boundInOtherSession, "The file is bound in another session")
      }
    }
  }

  private mutating func send(_ download: ServerMessage.Download) {
    guard var exchange else { return }
    // The server version of the upload cursor may be unknown after a restart.
    guard !download.cursors.goesBack(from: exchange.sent) else {
      effects.append(.notice(Self.lossNotice))
      return refuse(SessionRefusal(.sessionClosed, "The realm is not available"))
    }
    var download = download
    do throws(MessageError) {
      for report in try exchange.takeReports(for: &download) { send(report) }
    } catch {
      assertionFailure("the realm's own entries cannot be read: \(error)")
      return refuse(SessionRefusal(.sessionClosed, "Internal error"))
    }
    let isSent = exchange.take(download)
    let release = exchange.takeRelease(after: download)
    let refused = isSent ? exchange.takeRefused() : nil
    phase = .running(exchange)
    note(download.cursors.latest)
    guard isSent else { return }
    let said = StoredProgress(
      file: exchange.file, clientVersion: download.cursors.upload.clientVersion,
      version: download.cursors.latest.version)
    send(.download(session: session, download), after: said)
    if let release { send(.download(session: session, release), after: said) }
    if let refused { refuse(refused) }
  }

  /// Ends the session for refused writes of asymmetric classes, as the former service did: a client
  /// begins another one when its program wants that.
  private mutating func refuse(_ report: RefusedWriteReport) {
    var refusal = SessionRefusal(
      .writeNotAllowed,
      "Client attempted a write that is outside of permissions or query filters",
      action: .warning)
    refusal.document.tryAgain = false
    refusal.document.refusedWrites = report
    refuse("UPLOAD", refusal)
  }

  private mutating func send(_ report: CompensatingWriteReport) {
    var document = ErrorDocument(.compensatingWrite, message: "Writes were undone by the server")
    document.compensatingWrite = report
    send(
      .error(
        session: session, code: ErrorCode(SessionErrorCode.compensatingWrite),
        document: document))
  }
}
