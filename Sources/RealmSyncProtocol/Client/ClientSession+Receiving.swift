// SPDX-License-Identifier: Apache-2.0

// What a session does with messages, and the rules that a server must keep (P1 C.4).

extension ClientSession {
  mutating func receive(_ waiting: Binding.WaitingMessage, now: Milliseconds) {
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

  /// Ends a connection on which a message came that was not legal.
  private mutating func drop(_ name: String) {
    outputs.append(
      .violation(.badMessageOrder, message: "Received \(name) message when it was not legal"))
    phase = .unbound
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

  // MARK: The file's answers

  mutating func stored(_ request: StoreRequest, _ reply: StoreReply) {
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
    case .keepBootstrapPart(let download, let queryVersion, let isLast):
      report(.downloadProgress(download.download.cursors, download.download.progress))
      if isLast, exchange != nil { store(.processBootstrap(queryVersion: queryVersion)) }
    case .processBootstrap:
      retries.reset()
      skipUploaded()
      guard var exchange else { return }
      exchange.bootstrap = nil
      self.exchange = exchange
      // A bootstrap that the server began is complete with a MARK, too.
      if lastMark == exchange.markReceived { lastMark += 1 }
    case .read, .markComplete, .rejectQuery: break
    }
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

  private mutating func fail(_ failure: StoreFailure) {
    if failure.code != nil, case .bound(let binding) = phase,
      binding.step != .preparing, binding.step != .reportedError
    {
      return reportError(failure)
    }
    report(.storageFailure(failure))
    failWaits(.storage(failure))
    rest(for: .error)
  }

  /// Tells the server that its message cannot be integrated; it answers with an error.
  private mutating func reportError(_ failure: StoreFailure) {
    guard case .bound(var binding) = phase, let code = failure.code else { return }
    send(.error(.init(session: binding.number, code: code, message: failure.message)))
    binding.step = .reportedError
    phase = .bound(binding)
  }

  // MARK: Errors

  /// Acts on an error of the session (P1 C.6).
  private mutating func receive(
    _ code: ErrorCode, _ document: ErrorDocument, jitter: UInt32, now: Milliseconds
  ) {
    guard code.isOfSession else { return drop("JSON_ERROR of a connection") }
    if code.session == .compensatingWrite, let report = document.compensatingWrite {
      if case .bound(let binding) = phase, binding.step == .reportedError { return }
      guard var exchange,
        exchange.heldReports.last.map({ $0.report.serverVersion < report.serverVersion }) ?? true
      else { return drop("JSON_ERROR of a compensating write") }
      exchange.heldReports.append(.init(report: report, document: document))
      return self.exchange = exchange
    }
    if code.session == .schemaVersionChanged { return report(.error(code, document)) }
    switch document.effectiveAction {
    case .transient, .warning:
      let delay =
        code.session == .sessionClosed && document.retry == nil
        ? settings.timeouts.sessionClosed
        : retries.next(reason: code.rawValue, hint: document.retry, jitter: jitter)
      rest(for: .delay(until: now + delay))
      report(document.action == .warning ? .error(code, document) : .delayed(code, document))
    case .refreshUser: rest(for: .token)
    case .refreshLocation: rest(for: .location)
    case .clientReset, .clientResetNoRecovery:
      rest(for: .error)
      let mayRecover = document.effectiveAction == .clientReset
      report(.needsReset(mayRecover: mayRecover, code: code, document: document))
    case .protocolViolation, .applicationBug, .deleteRealm, .migrateToFlexible,
      .revertToPartition, .logOutUser, .migrateSchema:
      rest(for: .error)
      report(.error(code, document))
      failWaits(.error(code, document))
    }
  }
}
