// SPDX-License-Identifier: Apache-2.0

// A session of a `ClientMachine`: its requests to the file, the order in which it sends (P1 D.1),
// and the rules that a server must keep (P1 C.4). `ClientSession+Binding` has how it gets and loses
// its number on a connection.

/// Decides what a session sends, requests from its file, and reports to the app.
///
/// Invariants:
/// 1. One request to the file is under way at a time. Messages that arrive meanwhile wait.
/// 2. The cursors of DOWNLOAD messages that are accepted never go back.
/// 3. Each wait is finished exactly once.
/// 4. After UNBIND, or an error that the client reported, nothing else is sent on the session's
///    number.
struct ClientSession: Hashable, Sendable {
  /// How far the session is. What exists only in a phase is in its case.
  enum Phase: Hashable, Sendable {
    case resting(SessionRest)
    /// A number on an open connection is awaited.
    case unbound
    case bound(Binding)
    /// The session is over, except for a request that is under way.
    case ended
  }

  struct Request: Hashable, Sendable {
    var number: UInt64
    var request: StoreRequest
  }

  struct Wait: Hashable, Sendable {
    enum Goal: Hashable, Sendable {
      /// A version of the file is at the server.
      case upload(version: UInt64)
      /// The server has answered a MARK; nil before its number is known.
      case download(mark: UInt64?)
    }

    var id: UInt64
    var goal: Goal
  }

  /// What a session wants of its connection, in order.
  enum Output: Hashable, Sendable {
    case message(ClientMessage, after: StoredState?)
    case effect(ClientEffect)
    /// The session's number is used up, and the session rests.
    case rested(SessionRest)
    /// The server broke the protocol so that the connection is of no more use.
    case violation(ConnectionErrorCode, message: String)
  }

  let name: UInt64
  var settings: SessionSettings
  private(set) var phase = Phase.unbound
  /// Messages on the session's number; empty unless it has one.
  private(set) var inbox = ClientInbox()
  /// The state of the last answer, and the newest version that is known.
  var file = SessionFile()
  /// The version of the last answer, which has the subscription sets.
  private(set) var readVersion: UInt64 = 0
  private(set) var request: Request?
  private var lastRequest: UInt64 = 0
  /// The number of the last MARK that is sent or to be sent.
  var lastMark: UInt64 = 0
  var waits: [Wait] = []
  var retries = RetrySchedule()
  /// When the session lost its last connection.
  var lostAt: Milliseconds?
  var outputs: [Output] = []

  init(name: UInt64, settings: SessionSettings) {
    self.name = name
    self.settings = settings
  }

  /// The session's number on the connection.
  var number: UInt64? { if case .bound(let binding) = phase { binding.number } else { nil } }

  /// Why the session rests; nil if it does not.
  var rest: SessionRest? { if case .resting(let rest) = phase { rest } else { nil } }

  /// What exists between IDENT and the end of the binding. It can be set in a binding alone.
  var exchange: Binding.Exchange? {
    get {
      if case .bound(let binding) = phase, case .running(let exchange) = binding.step {
        exchange
      } else {
        nil
      }
    }
    set {
      guard case .bound(var binding) = phase, let newValue else { return }
      binding.step = .running(newValue)
      enter(.bound(binding))
    }
  }

  /// Whether subscription sets are to be read of a newer version.
  var isFileNewer: Bool { readVersion < file.version }

  // MARK: Progress

  /// Adds a message, which is taken when the file has answered.
  mutating func receive(_ message: ServerMessage, byteCount: Int, jitter: UInt32) {
    guard case .bound = phase else { return }
    inbox.append(.init(message: message, byteCount: byteCount, jitter: jitter))
  }

  /// Goes over to another phase. Messages of a binding end with it.
  mutating func enter(_ phase: Phase) {
    if case .bound = phase {} else { inbox = ClientInbox() }
    self.phase = phase
  }

  /// Does what can be done: messages first, then what is to be sent.
  ///
  /// - Parameter mayUpload: Whether the socket takes what is sent.
  mutating func proceed(mayUpload: Bool, now: Milliseconds) {
    while request == nil {
      if let message = inbox.next() {
        receive(message, now: now)
      } else if !sendNext(mayUpload: mayUpload) {
        break
      }
    }
    finishWaits()
  }

  mutating func send(_ message: ClientMessage, after stored: StoredState? = nil) {
    outputs.append(.message(message, after: stored))
  }

  mutating func report(_ event: SyncSessionEvent) {
    outputs.append(.effect(.sessionReport(session: name, event)))
  }

  // MARK: The file

  /// Notes a new version of the file.
  mutating func noteVersion(_ version: UInt64) { file.version = max(file.version, version) }

  mutating func store(_ request: StoreRequest) {
    assert(self.request == nil, "ClientSession 1")
    assert(phase != .ended, "a request of a session that is over")
    lastRequest += 1
    self.request = Request(number: lastRequest, request: request)
    outputs.append(.effect(.store(session: name, request: lastRequest, request)))
  }

  /// Takes the answer to a request.
  mutating func stored(_ number: UInt64, _ reply: StoreReply) {
    guard let request, request.number == number else { return }
    self.request = nil
    guard phase != .ended else { return }
    switch reply {
    case .done(let state), .uploads(_, let state):
      readVersion = state.version
      // A version that was announced may be newer.
      let newest = max(state.version, file.version)
      file = state
      file.version = newest
    case .failed: break
    }
    stored(request.request, reply)
  }

  private mutating func stored(_ request: StoreRequest, _ reply: StoreReply) {
    if case .failed(let failure) = reply { return fail(failure) }
    switch request {
    case .begin: bind()
    case .adoptIdent: sendIdent()
    case .scanUploads: if case .uploads(let batch, _) = reply { upload(batch) }
    case .integrate(let download):
      retries.reset()
      skipUploaded()
      release(through: download.download)
      report(.downloadProgress(file.cursors, download.download.progress))
    case .integrateBootstrap(let download, _):
      report(.downloadProgress(download.download.cursors, download.download.progress))
      endBootstrap()
    case .keepBootstrapPart(let download, let queryVersion, let isLast):
      report(.downloadProgress(download.download.cursors, download.download.progress))
      if isLast, exchange != nil { store(.processBootstrap(queryVersion: queryVersion)) }
    case .processBootstrap: endBootstrap()
    case .read, .markComplete, .rejectQuery: break
    }
  }

  private mutating func endBootstrap() {
    retries.reset()
    skipUploaded()
    guard var exchange else { return }
    exchange.bootstrap = nil
    self.exchange = exchange
    // A bootstrap that the server began is complete with a MARK, too.
    if lastMark == exchange.markReceived { lastMark += 1 }
  }

  private mutating func skipUploaded() {
    guard var exchange else { return }
    exchange.skip(file.cursors.upload)
    self.exchange = exchange
  }

  /// Reports compensating writes whose changes a DOWNLOAD of the steady state has brought.
  private mutating func release(through download: ServerMessage.Download) {
    guard !download.body.isEmpty, let held = exchange?.heldReports else { return }
    let version = download.cursors.download.serverVersion
    for held in held where held.report.serverVersion <= version {
      report(.compensatingWrite(held.report, held.document))
    }
    exchange?.heldReports = held.filter { $0.report.serverVersion > version }
  }

  // MARK: Sending

  /// Sends the message that is due, or asks the file for what it needs. Returns whether another
  /// one may be due.
  private mutating func sendNext(mayUpload: Bool) -> Bool {
    guard case .bound(let binding) = phase else { return false }
    switch binding.step {
    case .preparing: store(.begin)
    case .identifying, .reportedError: break
    case .running(var exchange):
      if lastMark > exchange.markSent {
        exchange.markSent += 1
        self.exchange = exchange
        send(.mark(session: binding.number, request: exchange.markSent))
        return true
      }
      guard binding.skipsFirstMark || exchange.markReceived >= exchange.firstMark else {
        return false
      }
      if binding.version.mode == .flexible {
        return sendQueryOrUploads(binding, exchange, mayUpload)
      }
      scan(exchange, through: file.version, mayUpload)
    }
    return false
  }

  /// Sends a set that waits, after the changes before it and before those after it.
  private mutating func sendQueryOrUploads(
    _ binding: Binding, _ exchange: Binding.Exchange, _ mayUpload: Bool
  ) -> Bool {
    if isFileNewer {
      // A scan reads the subscription sets, too.
      if !scan(exchange, through: file.version, mayUpload) { store(.read) }
      return false
    }
    var exchange = exchange
    guard let next = file.nextSet(after: exchange.lastQuerySent) else {
      scan(exchange, through: file.version, mayUpload)
      return false
    }
    let isFresh = settings.purpose == .freshCopy
    if isFresh || exchange.scannedThrough >= next.snapshotVersion {
      exchange.lastQuerySent = next.version
      self.exchange = exchange
      lastMark += 1
      send(
        .query(
          .init(
            session: binding.number,
            query: VersionedQuery(version: next.version, text: next.text))),
        after: stored(version: next.snapshotVersion))
      return true
    }
    let goal = min(next.snapshotVersion, file.version)
    if exchange.scannedThrough < goal {
      scan(exchange, through: goal, mayUpload)
      return false
    }
    // The snapshot is of a version without uploads that the file does not count.
    exchange.scannedThrough = next.snapshotVersion
    self.exchange = exchange
    return true
  }

  /// Asks the file for uploads, if there may be some up to a version. Returns whether it did.
  @discardableResult
  private mutating func scan(
    _ exchange: Binding.Exchange, through goal: UInt64, _ mayUpload: Bool
  ) -> Bool {
    guard mayUpload, settings.purpose != .freshCopy, exchange.scannedThrough < goal else {
      return false
    }
    store(
      .scanUploads(after: exchange.scanned.clientVersion, pastQuery: exchange.lastQuerySent))
    return true
  }

  /// What the file must have before a message is sent.
  func stored(version: UInt64 = 0, serverVersion: UInt64 = 0) -> StoredState {
    StoredState(
      session: name, file: file.ident, version: version, serverVersion: serverVersion)
  }

  /// Sends what a scan found.
  private mutating func upload(_ batch: UploadBatch) {
    if let excess = batch.excess, batch.lastVersion == nil { return refuseUpload(excess) }
    guard let number, var exchange else { return }
    defer { self.exchange = exchange }
    let progress = batch.progress
    let limit = file.nextSet(after: exchange.lastQuerySent)?.snapshotVersion
    // A scan that does not get on would be repeated permanently.
    let isComplete = batch.isComplete || progress.clientVersion <= exchange.scanned.clientVersion
    exchange.scannedThrough = max(
      exchange.scannedThrough, progress.clientVersion,
      isComplete ? min(limit ?? .max, readVersion) : 0)
    // Nothing to upload is said only to acknowledge a server version.
    let isNews = limit == nil && progress.serverVersion > exchange.scanned.serverVersion
    guard batch.lastVersion != nil || isNews else {
      exchange.scanned.clientVersion = max(
        exchange.scanned.clientVersion, progress.clientVersion)
      return
    }
    exchange.scanned = progress
    exchange.lastEntrySent = batch.lastVersion ?? exchange.lastEntrySent
    send(
      .upload(
        .init(
          session: number, progress: progress, lockedServerVersion: batch.lockedServerVersion,
          body: batch.body)),
      after: stored(
        version: progress.clientVersion,
        serverVersion: max(progress.serverVersion, batch.lockedServerVersion)))
  }

  /// Acts on a changeset that no server takes, as on a server that says so: only a file without it
  /// can go on.
  private mutating func refuseUpload(_ excess: String) {
    rest(for: .error)
    report(
      .needsReset(
        mayRecover: true, code: ErrorCode(ConnectionErrorCode.badChangesetSize),
        document: ErrorDocument(message: excess, action: .clientReset)))
  }

  // MARK: Receiving

  private mutating func receive(_ waiting: ClientInbox.Message, now: Milliseconds) {
    guard case .bound(let binding) = phase else { return }
    let isRefused = binding.step == .reportedError
    switch waiting.message {
    case .ident(_, let ident, let salt):
      guard binding.step == .identifying, file.ident == .own else { return drop("IDENT") }
      guard ident != .own, salt > 0 else { return reportError(.badProgress("Bad IDENT")) }
      store(.adoptIdent(ident, salt: salt))
    case .download(_, let download):
      guard !isRefused else { return }
      guard let exchange else { return drop("DOWNLOAD") }
      receive(download, binding, exchange)
    case .mark(_, let number):
      guard !isRefused else { return }
      guard var exchange, number > exchange.markReceived, number <= exchange.markSent,
        exchange.bootstrap == nil
      else { return drop("MARK") }
      exchange.markReceived = number
      noteFirstMark()
      self.exchange = exchange
      if let set = file.sets.last(where: { $0.state == .awaitingMark }) {
        store(.markComplete(queryVersion: set.version))
      }
    case .unbound: drop("UNBOUND")
    case .pong: break
    case .error(_, let code, let document):
      receive(code, document, jitter: waiting.jitter, now: now)
    case .plainError(let error):
      // Old servers say nothing but whether to try again.
      let usual = error.code.session?.usualAction ?? .applicationBug
      let document = ErrorDocument(
        message: error.message, action: error.tryAgain ? .transient : usual)
      receive(error.code, document, jitter: waiting.jitter, now: now)
    case .queryError(let error):
      guard let exchange,
        file.sets.contains(where: {
          $0.version == error.queryVersion && $0.state != .complete
            && $0.version <= exchange.lastQuerySent
        })
      else { return drop("QUERY_ERROR") }
      report(.queryRejected(version: error.queryVersion, message: error.message))
      store(.rejectQuery(version: error.queryVersion, message: error.message))
    case .log(let log): report(.log(log))
    case .testCommand: break
    }
  }

  /// Notes that the server has answered the first MARK: the session is one as any other.
  private mutating func noteFirstMark() {
    if settings.purpose == .afterReset { settings.purpose = .sync }
  }

  private mutating func receive(
    _ download: ServerMessage.Download, _ binding: Binding,
    _ exchange: Binding.Exchange
  ) {
    var exchange = exchange
    if let failure = defect(of: download.cursors, after: exchange.received) {
      return reportError(failure)
    }
    let entries = ReceivedDownload(
      download: download, receiver: file.ident,
      previousVersion: file.cursors.download.serverVersion,
      reports: exchange.heldReports.map(\.document).filter { document in
        let version = document.compensatingWrite?.serverVersion ?? .max
        return version <= download.cursors.download.serverVersion
      })
    guard case .flexible(let queryVersion, let batch, _) = download.progress,
      isBootstrap(queryVersion, batch, binding.version, exchange)
    else {
      guard exchange.bootstrap == nil else { return drop("steady-state DOWNLOAD") }
      self.exchange?.received = download.cursors
      return store(.integrate(entries))
    }
    guard mayBootstrap(queryVersion, exchange) else {
      return drop("DOWNLOAD of another query version")
    }
    guard batch == .last || !download.body.isEmpty else {
      return drop("DOWNLOAD without changesets")
    }
    if let bootstrap = exchange.bootstrap, bootstrap.queryVersion == queryVersion,
      bootstrap.cursors != download.cursors
    {
      return reportError(.badProgress("The progress changed inside of a bootstrap"))
    }
    exchange.received = download.cursors
    if batch == .last, exchange.bootstrap == nil {
      self.exchange = exchange
      return store(.integrateBootstrap(entries, queryVersion: queryVersion))
    }
    exchange.bootstrap = .init(cursors: download.cursors, queryVersion: queryVersion)
    self.exchange = exchange
    store(
      .keepBootstrapPart(entries, queryVersion: queryVersion, isLast: batch == .last))
  }

  /// Rules 1 and 2: cursors do not go back, and fit each other.
  private func defect(of cursors: SyncCursors, after received: SyncCursors) -> StoreFailure? {
    if cursors.goesBack(from: received) { return .badProgress("Cursors went back") }
    guard cursors.upload.clientVersion <= file.version,
      cursors.download.serverVersion <= cursors.latest.version,
      cursors.download.clientVersion <= cursors.upload.clientVersion,
      cursors.download.serverVersion >= cursors.upload.serverVersion
    else { return .badProgress("Bad cursors in a DOWNLOAD") }
    return nil
  }

  private func isBootstrap(
    _ queryVersion: UInt64, _ batch: ServerMessage.BatchState, _ version: ProtocolVersion,
    _ exchange: Binding.Exchange
  ) -> Bool {
    switch batch {
    case .moreToCome: true
    case .steady: false
    case .last:
      // Versions without steady state say "last" for it.
      version.hasServerBootstraps || exchange.bootstrap != nil
        || file.sets.last { $0.isActive }?.version != queryVersion
    }
  }

  /// Rule 8: a bootstrap is of a set that the file has and the server was sent.
  private func mayBootstrap(_ queryVersion: UInt64, _ exchange: Binding.Exchange) -> Bool {
    guard let set = file.sets.first(where: { $0.version == queryVersion }) else { return false }
    let active = file.activeSet?.version ?? 0
    return set.state != .error && queryVersion >= active
      && (queryVersion == active || queryVersion <= exchange.lastQuerySent)
  }
}

extension SessionFile {
  /// The first set after a version that the server is to be sent; nil if there is none.
  package func nextSet(after version: UInt64) -> QuerySet? {
    sets.first { $0.isPending && $0.version > version }
  }

  /// The newest set whose objects are there, or else the first one.
  var activeSet: QuerySet? { sets.last { $0.isActive } ?? sets.first }
}

extension ReceivedDownload {
  /// The entries, which keep the rules of P1 C.4.
  package func entries() throws(StoreFailure) -> [DownloadEntry] {
    let entries: [DownloadEntry]
    do {
      entries = try download.body.downloadEntries()
    } catch {
      let code: ErrorCode =
        error == .badChangesetSize ? ErrorCode(.badChangesetSize) : ErrorCode(.badChangeset)
      throw StoreFailure(code: code, message: "Bad body of a DOWNLOAD: \(error)")
    }
    let limit = download.cursors.download
    var (server, client) = (previousVersion, 0 as UInt64)
    for entry in entries {
      // The entries of a bootstrap share a version, which may be that of the cursor.
      let isNewer =
        switch download.progress {
        case .partition: entry.serverVersion > server
        case .flexible: entry.serverVersion >= server
        }
      guard entry.serverVersion > 0, isNewer, entry.serverVersion <= limit.serverVersion,
        entry.clientVersion >= client, entry.clientVersion <= limit.clientVersion
      else { throw .badProgress("Bad versions of a changeset: \(entry.serverVersion)") }
      guard entry.file != .own, entry.file != receiver else {
        throw .badProgress("Bad origin file of a changeset: \(entry.file.rawValue)")
      }
      (server, client) = (entry.serverVersion, entry.clientVersion)
    }
    return entries
  }
}
