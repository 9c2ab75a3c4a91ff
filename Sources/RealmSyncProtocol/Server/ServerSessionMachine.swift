// SPDX-License-Identifier: Apache-2.0

// The server's side of a session, without any input or output of its own.

/// Decides what a server's session sends and asks its realm for.
///
/// Invariants:
/// 1. One request to the realm is under way at a time. Messages that arrive meanwhile wait.
/// 2. The cursors of DOWNLOAD messages never go back.
/// 3. A MARK is answered after everything that the realm had at its receipt, and a bootstrap that
///    was asked for before it, was sent.
/// 4. After an error of the session nothing is sent for it, and what arrives is dropped until
///    UNBIND.
/// 5. A bootstrap that was begun is sent to its end before another query becomes active.
/// 6. An upload cursor is sent only after the realm has said that the upload is on the disk.
package struct ServerSessionMachine: Hashable, Sendable {
  /// The most versions that the client's cursor may lag without anything for it.
  private static let cursorDistanceMax = 1_000

  private enum Phase: Hashable, Sendable {
    /// BIND is awaited, or its answer from the realm.
    case unbound
    /// IDENT is awaited, or its answers.
    case bound
    case running
    /// An error was sent.
    case failed
    case ended
  }

  private struct WaitingMessage: Hashable, Sendable {
    var message: ClientMessage
    var byteCount: Int
  }

  private struct Mark: Hashable, Sendable {
    var request: UInt64
    /// The realm's version at receipt.
    var version: UInt64
  }

  package let version: ProtocolVersion
  package let session: UInt64
  private var phase = Phase.unbound
  private var effects: [ServerSessionEffect] = []
  private var underWay: ServerStoreRequest?
  private var lastRequest: UInt64 = 0
  private var inbox: [WaitingMessage] = []
  private var waitingByteCount = 0
  /// The size of the UPLOAD that the realm is integrating.
  private var underWayByteCount = 0
  private var isOutputBlocked = false

  private var needsIdent = false
  private var head = SaltedVersion()
  private var sent = SyncCursors()
  /// The last version that was scanned; DOWNLOADs without news are not sent.
  private var scanned = DownloadCursor()
  private var threshold: UploadThreshold?
  /// Whether a DOWNLOAD must be sent even if the realm has no newer version.
  private var owesDownload = false
  /// Whether a bootstrap was asked for, or begun, and is not sent completely.
  private var isBootstrapping = false
  /// Whether a part of a bootstrap was sent last.
  private var isInsideBootstrap = false
  private var marks: [Mark] = []
  private var lastMark: UInt64 = 0
  private var lastQueryVersion: UInt64 = 0
  /// The query whose bootstrap was asked for last. Those of the active query, which the server
  /// begins, may come before it.
  private var askedQueryVersion: UInt64 = 0

  package init(version: ProtocolVersion, session: UInt64) {
    self.version = version
    self.session = session
  }

  /// The sizes of the messages that wait, and of the UPLOAD that is being integrated.
  package var heldByteCount: Int { waitingByteCount + underWayByteCount }

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
      if phase != .failed { stored(request, reply) }
    case .head(let head): if head.version > self.head.version { self.head = head }
    case .viewChanged: if phase == .running { isBootstrapping = true }
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
    // The answer to UNBIND is left out after an error.
    if phase == .bound || phase == .running || phase == .unbound && underWay != nil {
      effects.append(.send(.unbound(session: session)))
    } else if phase == .unbound {
      effects.append(.failConnection(.badMessageOrder, message: "UNBIND before BIND"))
    }
    forget()
    phase = .ended
    effects.append(.ended)
  }

  private mutating func forget() {
    inbox = []
    waitingByteCount = 0
    marks = []
  }

  private mutating func refuse(_ refusal: SessionRefusal) {
    effects.append(
      .send(
        .error(session: session, code: ErrorCode(refusal.code), document: refusal.document)))
    forget()
    phase = .failed
  }

  private mutating func failConnection(_ code: ConnectionErrorCode, _ message: String) {
    effects.append(.failConnection(code, message: message))
    forget()
    phase = .ended
    effects.append(.ended)
  }

  private mutating func store(_ request: ServerStoreRequest) {
    assert(underWay == nil, "ServerSessionMachine 1")
    lastRequest += 1
    underWay = request
    effects.append(.store(request: lastRequest, request))
  }

  // MARK: Progress

  private mutating func proceed() {
    while underWay == nil, phase != .failed, phase != .ended {
      if let next = inbox.first, !mustWait(next.message) {
        inbox.removeFirst()
        waitingByteCount -= next.byteCount
        receive(next.message)
        if case .integrate = underWay { underWayByteCount = next.byteCount }
      } else if phase == .running, !isOutputBlocked,
        owesDownload || isBootstrapping || head.version > scanned.serverVersion
      {
        store(.nextDownload(after: scanned))
      } else {
        break
      }
      answerMarks()
    }
    answerMarks()
  }

  /// Whether a message is left until a bootstrap is sent completely: a client must not get the
  /// beginning of a bootstrap, another one, and the first again, nor changes after a beginning.
  private func mustWait(_ message: ClientMessage) -> Bool {
    if case .query = message { isInsideBootstrap } else { false }
  }

  private mutating func answerMarks() {
    guard phase == .running, !owesDownload, !isBootstrapping else { return }
    while let mark = marks.first, scanned.serverVersion >= mark.version {
      marks.removeFirst()
      effects.append(.send(.mark(session: session, request: mark.request)))
    }
  }

  // MARK: Messages

  private mutating func receive(_ message: ClientMessage) {
    switch (message, phase) {
    case (.bind(let bind), .unbound):
      needsIdent = bind.needsIdent
      store(.bind(bind))
    case (.ident(let ident), .bound):
      guard (ident.query != nil) == (version.mode == .flexible) else {
        return outOfOrder("IDENT")
      }
      store(.lookUp(ident))
    case (.query(let query), .running):
      guard version.mode == .flexible, query.query.version > lastQueryVersion else {
        return outOfOrder("QUERY")
      }
      lastQueryVersion = query.query.version
      store(.setQuery(query.query))
    case (.upload(let upload), .running): receive(upload)
    case (.mark(_, let request), .running):
      guard request > lastMark else { return outOfOrder("MARK") }
      lastMark = request
      // The news of a version may be late; what the realm itself says is not.
      store(.currentHead)
    case (.error(let error), .bound), (.error(let error), .running):
      refuse(
        SessionRefusal(
          error.code.session ?? .badChangeset,
          "The client could not integrate a changeset: \(error.message)", action: .clientReset))
    case (.testCommand(let command), .bound), (.testCommand(let command), .running):
      effects.append(
        .send(
          .testCommand(TestCommand(session: session, request: command.request, body: "{}"))))
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
      return failConnection(error.code, "Bad body of an UPLOAD")
    }
    do throws(SessionRefusal) {
      guard let news = try threshold?.check(upload, entries) else { return }
      store(
        .integrate(
          news.progress, lockedServerVersion: upload.lockedServerVersion, entries: news.entries))
    } catch {
      refuse(error)
    }
  }

  // MARK: The realm's answers

  private mutating func stored(_ request: ServerStoreRequest, _ reply: ServerStoreReply) {
    switch (request, reply) {
    case (_, .refused(let refusal)): refuse(refusal)
    case (.bind, .bound(let ident, let salt)):
      phase = .bound
      guard needsIdent else { return }
      effects.append(.send(.ident(session: session, file: ident, salt: salt)))
    case (.bind, .done): phase = .bound
    case (.lookUp(let ident), .file(let lookup)): check(ident, lookup)
    case (.claim(let ident), .claimed(let file, let rejected)):
      phase = .running
      sent = SyncCursors(
        download: ident.download,
        upload: UploadCursor(
          clientVersion: file.clientVersion, serverVersion: file.reciprocalBase),
        latest: ident.latest)
      scanned = ident.download
      threshold = UploadThreshold(file: file, download: ident.download)
      owesDownload = true
      lastQueryVersion = ident.query?.version ?? 0
      for report in rejected { send(report) }
    case (.currentHead, .head(let head)):
      if head.version > self.head.version { self.head = head }
      marks.append(Mark(request: lastMark, version: head.version))
    case (.nextDownload, .download(let download)): send(download)
    case (.integrate(let progress, _, _), .integrated(let head, let rejected)):
      threshold?.didStore(progress)
      if head.version > self.head.version { self.head = head }
      owesDownload = true
      for report in rejected { send(report) }
    case (.setQuery(let query), .done):
      askedQueryVersion = query.version
      isBootstrapping = true
    case (.setQuery(let query), .queryRefused(let message)):
      effects.append(
        .send(
          .queryError(
            .init(
              session: session, code: ErrorCode(.badQuery), queryVersion: query.version,
              message: message))))
    case (.claim, .queryRefused(let message)): refuse(SessionRefusal(.badQuery, message))
    default:
      assertionFailure("an answer to another request")
      refuse(SessionRefusal(.sessionClosed, "Internal error"))
    }
  }

  private mutating func check(_ ident: ClientMessage.Ident, _ lookup: ServerFileLookup) {
    do throws(IdentDefect) {
      _ = try lookup.check(ident)
      if lookup.head.version > head.version { head = lookup.head }
      store(.claim(ident))
    } catch {
      switch error {
      case .refusal(let refusal): refuse(refusal)
      case .boundInOtherSession:
        failConnection(.boundInOtherSession, "The file is bound in another session")
      }
    }
  }

  private mutating func send(_ download: ServerDownload) {
    // The server version of the upload cursor may be unknown after a restart.
    guard !download.cursors.goesBack(from: sent) else {
      assertionFailure("ServerSessionMachine 2")
      return refuse(SessionRefusal(.sessionClosed, "Internal error"))
    }
    let stored = threshold?.stored ?? UploadCursor()
    assert(
      download.cursors.upload.clientVersion <= stored.clientVersion, "ServerSessionMachine 6")
    scanned = download.cursors.download
    if download.cursors.latest.version > head.version { head = download.cursors.latest }
    guard owesDownload || !isWithoutNews(download) else { return }
    sent = download.cursors
    // All parts of a bootstrap have the upload cursor of the first.
    owesDownload = sent.upload.clientVersion < stored.clientVersion
    if download.batch == .last {
      isBootstrapping = download.queryVersion ?? 0 < askedQueryVersion
    }
    isInsideBootstrap = download.batch == .moreToCome
    if isInsideBootstrap { isBootstrapping = true }
    threshold?.didSend(serverVersion: sent.download.serverVersion)
    effects.append(
      .send(
        .download(
          .init(
            session: session, cursors: download.cursors, progress: download.progress,
            body: download.body))))
  }

  /// Whether a DOWNLOAD would only move the client's cursor by a little.
  private func isWithoutNews(_ download: ServerDownload) -> Bool {
    guard download.body.isEmpty, !isBootstrapping,
      download.cursors.upload == sent.upload
    else { return false }
    let distance = download.cursors.download.serverVersion - sent.download.serverVersion
    return distance < Self.cursorDistanceMax
  }

  private mutating func send(_ report: CompensatingWriteReport) {
    var document = ErrorDocument(.compensatingWrite, message: "Writes were undone by the server")
    document.compensatingWrite = report
    effects.append(
      .send(
        .error(
          session: session, code: ErrorCode(SessionErrorCode.compensatingWrite),
          document: document)))
  }
}
