// SPDX-License-Identifier: Apache-2.0

// What a session does with messages, and the rules that a server must keep (P1 C.4).

extension SessionMachine {
  mutating func receive(_ waiting: WaitingMessage) {
    switch waiting.message {
    case .ident(_, let ident, let salt):
      guard phase == .bound, file.ident == .own else { return drop("IDENT") }
      guard ident != .own, salt > 0 else { return reportError(.badProgress("Bad IDENT")) }
      store(.adoptIdent(ident, salt: salt))
    case .download(let download):
      guard phase != .reportedError else { return }
      guard phase == .running else { return drop("DOWNLOAD") }
      receive(download)
    case .mark(_, let number):
      guard phase != .reportedError else { return }
      guard phase == .running, number > markReceived, number <= markSent, bootstrap == nil else {
        return drop("MARK")
      }
      markReceived = number
      if let set = file.sets.last(where: { $0.state == .awaitingMark }) {
        store(.markComplete(queryVersion: set.version))
      }
    case .unbound: drop("UNBOUND")
    case .pong: break
    case .error(_, let code, let document): receive(code, document, jitter: waiting.jitter)
    case .plainError(let error):
      // Old servers say nothing but whether to try again.
      let usual = error.code.session?.usualAction ?? .applicationBug
      let document = ErrorDocument(
        message: error.message, action: error.tryAgain ? .transient : usual)
      receive(error.code, document, jitter: waiting.jitter)
    case .queryError(let error):
      guard phase == .running,
        file.sets.contains(where: {
          $0.version == error.queryVersion && $0.state != .complete && $0.version <= lastQuerySent
        })
      else { return drop("QUERY_ERROR") }
      effects.append(
        .report(.queryRejected(version: error.queryVersion, message: error.message)))
      store(.rejectQuery(version: error.queryVersion, message: error.message))
    case .log(let log): effects.append(.report(.log(log)))
    case .testCommand: break
    }
  }

  /// Ends a connection on which a message came that was not legal.
  private mutating func drop(_ name: String) {
    effects.append(
      .dropConnection(
        .badMessageOrder, message: "Received \(name) message when it was not legal"))
    forgetBinding()
    phase = .unbound
  }

  private mutating func receive(_ download: ServerMessage.Download) {
    if let failure = defect(of: download.cursors) { return reportError(failure) }
    let entries = ReceivedDownload(
      download: download, receiver: file.ident,
      previousVersion: file.cursors.download.serverVersion)
    guard case .flexible(let queryVersion, let batch, _) = download.progress,
      isBootstrap(queryVersion, batch)
    else {
      guard bootstrap == nil else { return drop("steady-state DOWNLOAD") }
      received = download.cursors
      return store(.integrate(entries))
    }
    guard mayBootstrap(queryVersion) else { return drop("DOWNLOAD of another query version") }
    guard batch == .last || !download.body.isEmpty else {
      return drop("DOWNLOAD without changesets")
    }
    if let bootstrap, bootstrap.queryVersion == queryVersion,
      bootstrap.cursors != download.cursors
    {
      return reportError(.badProgress("The progress changed inside of a bootstrap"))
    }
    received = download.cursors
    bootstrap = PartialBootstrap(cursors: download.cursors, queryVersion: queryVersion)
    store(
      .keepBootstrapPart(entries, queryVersion: queryVersion, isLast: batch == .last))
  }

  /// Rules 1 and 2: cursors do not go back, and fit each other.
  private func defect(of cursors: SyncCursors) -> StoreFailure? {
    if cursors.goesBack(from: received) { return .badProgress("Cursors went back") }
    guard cursors.upload.clientVersion <= file.version,
      cursors.download.serverVersion <= cursors.latest.version,
      cursors.download.clientVersion <= cursors.upload.clientVersion,
      cursors.download.serverVersion >= cursors.upload.serverVersion
    else { return .badProgress("Bad cursors in a DOWNLOAD") }
    return nil
  }

  private func isBootstrap(_ queryVersion: UInt64, _ batch: ServerMessage.BatchState) -> Bool {
    switch batch {
    case .moreToCome: true
    case .steady: false
    case .last:
      // Versions without steady state say "last" for it.
      version.hasServerBootstraps || bootstrap != nil
        || file.sets.last { $0.isActive }?.version != queryVersion
    }
  }

  /// Rule 8: a bootstrap is of a set that the file has and the server was sent.
  private func mayBootstrap(_ queryVersion: UInt64) -> Bool {
    guard let set = file.sets.first(where: { $0.version == queryVersion }) else { return false }
    let active = file.activeSet?.version ?? 0
    return set.state != .error && queryVersion >= active
      && (queryVersion == active || queryVersion <= lastQuerySent)
  }

  // MARK: The file's answers

  mutating func stored(_ request: StoreRequest, _ reply: StoreReply) {
    switch reply {
    case .failed(let failure): return fail(request, failure)
    case .uploads(let batch):
      if case .scanUploads(_, let limit) = request, phase == .running {
        upload(batch, through: limit)
      }
      return
    case .done(let state):
      // A version that was announced may be newer than the state.
      let (newest, sets) = (max(state.version, file.version), file.sets)
      file = state
      file.version = newest
      file.sets = sets
      takeSets(state.sets, of: state.version)
    }
    switch request {
    case .begin: if phase == .preparing { bind() }
    case .adoptIdent:
      received = file.cursors
      scanned = file.cursors.upload
      scannedThrough = scanned.clientVersion
      if phase == .bound { sendIdent() }
    case .integrate(let download):
      retries.reset()
      skipUploaded()
      release(through: download.download)
      effects.append(.report(.downloadProgress(file.cursors, download.download.progress)))
    case .keepBootstrapPart(let download, let queryVersion, let isLast):
      effects.append(
        .report(.downloadProgress(download.download.cursors, download.download.progress)))
      if isLast, session != nil { store(.processBootstrap(queryVersion: queryVersion)) }
    case .processBootstrap:
      retries.reset()
      skipUploaded()
      bootstrap = nil
      // A bootstrap that the server began is complete with a MARK, too.
      if phase == .running, markRequested == markReceived { markRequested += 1 }
    case .scanUploads, .read, .markComplete, .rejectQuery: break
    }
  }

  /// Leaves out of later scans what an earlier binding has uploaded.
  private mutating func skipUploaded() {
    let uploaded = file.cursors.upload
    guard uploaded.clientVersion > scanned.clientVersion else { return }
    scanned = uploaded
    scannedThrough = max(scannedThrough, uploaded.clientVersion)
  }

  /// Reports compensating writes whose changes a DOWNLOAD of the steady state has brought.
  private mutating func release(through download: ServerMessage.Download) {
    guard !download.body.isEmpty else { return }
    let version = download.cursors.download.serverVersion
    for held in heldReports where held.report.serverVersion <= version {
      effects.append(.report(.compensatingWrite(held.report, held.document)))
    }
    heldReports.removeAll { $0.report.serverVersion <= version }
  }

  private mutating func fail(_ request: StoreRequest, _ failure: StoreFailure) {
    if failure.code != nil, phase == .running || phase == .bound { return reportError(failure) }
    effects.append(.report(.storageFailure(failure)))
    failWaits(.storage(failure))
    unbind()
    phase = .suspended
    effects.append(.suspended(until: nil))
  }

  /// Tells the server that its message cannot be integrated; it answers with an error.
  mutating func reportError(_ failure: StoreFailure) {
    guard let session, let code = failure.code else { return }
    effects.append(
      .send(.error(.init(session: session, code: code, message: failure.message))))
    phase = .reportedError
  }

  // MARK: Errors

  /// Acts on an error of the session (P1 C.6).
  private mutating func receive(_ code: ErrorCode, _ document: ErrorDocument, jitter: UInt32) {
    guard code.isOfSession else { return drop("JSON_ERROR of a connection") }
    if code.session == .compensatingWrite, let report = document.compensatingWrite {
      if let last = heldReports.last, last.report.serverVersion >= report.serverVersion {
        return drop("JSON_ERROR of a compensating write")
      }
      heldReports.append(HeldReport(report: report, document: document))
      return
    }
    if code.session == .schemaVersionChanged {
      return effects.append(.report(.error(code, document)))
    }
    unbind()
    phase = .suspended
    switch document.effectiveAction {
    case .transient, .warning:
      effects.append(
        .report(
          document.action == .warning ? .error(code, document) : .delayed(code, document)))
      let delay =
        code.session == .sessionClosed && document.retry == nil
        ? settings.timeouts.sessionClosed
        : retries.next(reason: code.rawValue, hint: document.retry, jitter: jitter)
      effects.append(.suspended(until: now + delay))
    case .refreshUser: effects += [.suspended(until: nil), .needsToken]
    case .refreshLocation: effects += [.suspended(until: nil), .needsLocation]
    case .clientReset, .clientResetNoRecovery:
      let mayRecover = document.effectiveAction == .clientReset
      effects += [
        .suspended(until: nil),
        .needsReset(mayRecover: mayRecover, code: code, document: document),
      ]
    case .protocolViolation, .applicationBug, .deleteRealm, .migrateToFlexible,
      .revertToPartition, .logOutUser, .migrateSchema:
      effects += [.suspended(until: nil), .report(.error(code, document))]
      failWaits(.error(code, document))
    }
  }
}
