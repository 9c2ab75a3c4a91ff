// SPDX-License-Identifier: Apache-2.0

// How a session gets a number on a connection, says which file it is, and loses the number again:
// by the app, by an error, or with the connection.

extension ClientSession {
  /// A number of a session, and what belongs to it.
  struct Binding: Hashable, Sendable {
    /// How far the session is on its number.
    enum Step: Hashable, Sendable {
      /// The file is prepared before BIND is sent.
      case preparing
      /// BIND is sent, and IDENT is awaited from the server, or its storing.
      case identifying
      /// IDENT is sent.
      case running(Exchange)
      /// An error was reported to the server, and its answer is awaited.
      case reportedError
    }

    struct PartialBootstrap: Hashable, Sendable {
      var cursors: SyncCursors
      var queryVersion: UInt64
    }

    struct HeldReport: Hashable, Sendable {
      var report: CompensatingWriteReport
      var document: ErrorDocument
    }

    /// What exists from IDENT on.
    struct Exchange: Hashable, Sendable {
      /// The cursors of the last DOWNLOAD that was accepted.
      var received: SyncCursors
      /// The bootstrap that is not integrated yet.
      var bootstrap: PartialBootstrap?
      let firstMark: UInt64
      var markSent: UInt64
      var markReceived: UInt64
      /// The highest version of a subscription set that IDENT or QUERY has named.
      var lastQuerySent: UInt64
      /// What has been uploaded or passed.
      var scanned: UploadCursor
      /// The client version up to which scans have found everything.
      var scannedThrough: UInt64
      var lastEntrySent: UInt64 = 0
      /// Errors of compensating writes whose changes have not come yet.
      var heldReports: [HeldReport] = []

      /// - Parameter mark: The number of the first MARK.
      init(_ file: SessionFile, queryVersion: UInt64, mark: UInt64) {
        received = file.cursors
        scanned = file.cursors.upload
        scannedThrough = scanned.clientVersion
        lastQuerySent = queryVersion
        firstMark = mark
        markSent = mark - 1
        markReceived = mark - 1
      }

      /// Leaves out of later scans what an earlier binding has uploaded.
      mutating func skip(_ uploaded: UploadCursor) {
        guard uploaded.clientVersion > scanned.clientVersion else { return }
        scanned = uploaded
        scannedThrough = max(scannedThrough, uploaded.clientVersion)
      }
    }

    let number: UInt64
    let version: ProtocolVersion
    /// Whether uploads need not wait for the first download.
    let skipsFirstMark: Bool
    var step = Step.preparing
  }

  // MARK: Phases

  /// Takes a number on an open connection.
  mutating func connect(_ number: UInt64, _ version: ProtocolVersion, now: Milliseconds) {
    guard phase == .unbound else { return }
    let isShortLoss = lostAt.map { now &- $0 < settings.timeouts.fastReconnect } ?? false
    enter(
      .bound(
        Binding(
          number: number, version: version,
          skipsFirstMark: isShortLoss || settings.purpose == .afterReset)))
  }

  /// Notes that the connection is gone.
  mutating func disconnect(now: Milliseconds) {
    guard case .bound = phase else { return }
    lostAt = now
    enter(.unbound)
  }

  /// Gives up the session's number, until `resume()`.
  mutating func rest(for rest: SessionRest) {
    guard phase != .ended else { return }
    unbind()
    enter(.resting(rest))
    outputs.append(.rested(rest))
  }

  /// Ends a rest.
  mutating func resume() { if rest != nil { enter(.unbound) } }

  /// Notes that the file was reset: the server has no changes that uploads would have to wait for.
  mutating func noteReset() { settings.purpose = .afterReset }

  mutating func end() {
    unbind()
    enter(.ended)
    for wait in waits { finish(wait.id, .terminated) }
  }

  private mutating func unbind() {
    guard case .bound(let binding) = phase else { return }
    enter(.unbound)
    if binding.step != .preparing { send(.unbind(session: binding.number)) }
  }

  /// Begins a binding on a file that is prepared.
  mutating func bind() {
    guard case .bound(var binding) = phase, binding.step == .preparing else { return }
    binding.step = .identifying
    enter(.bound(binding))
    let needsIdent = file.ident == .own
    send(
      .bind(.init(session: binding.number, target: settings.target, needsIdent: needsIdent)),
      after: needsIdent ? nil : stored())
    if !needsIdent { sendIdent() }
  }

  /// Says which file it is, if that is what is due.
  mutating func sendIdent() {
    guard case .bound(var binding) = phase, binding.step == .identifying else { return }
    let query: VersionedQuery? =
      binding.version.mode == .flexible
      ? VersionedQuery(
        version: file.activeSet?.version ?? 0, text: file.activeSet?.text ?? "{}") : nil
    lastMark += 1
    // Marks of waits that were under way are asked for again.
    awaitFirstMark(lastMark)
    binding.step = .running(.init(file, queryVersion: query?.version ?? 0, mark: lastMark))
    enter(.bound(binding))
    let download = file.cursors.download
    send(
      .ident(
        .init(
          session: binding.number, file: file.ident, salt: file.salt, download: download,
          latest: file.cursors.latest, query: query)),
      after: stored(version: download.clientVersion, serverVersion: download.serverVersion))
  }

  // MARK: Errors

  /// Acts on an error of the session (P1 C.6).
  mutating func receive(
    _ code: ErrorCode, _ document: ErrorDocument, jitter: UInt32, now: Milliseconds
  ) {
    guard code.isOfSession else { return drop("JSON_ERROR of a connection") }
    if code.session == .compensatingWrite, document.refusedWrites != nil {
      return drop("JSON_ERROR of a compensating write")
    }
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
    case .warning where !document.tryAgain:
      rest(for: .error)
      report(.error(code, document))
      failWaits(.error(code, document))
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

  /// Ends a connection on which a message came that was not legal.
  mutating func drop(_ name: String) {
    outputs.append(
      .violation(.badMessageOrder, message: "Received \(name) message when it was not legal"))
    enter(.unbound)
  }

  /// Acts on the failure of a request to the file.
  mutating func fail(_ failure: StoreFailure) {
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
  mutating func reportError(_ failure: StoreFailure) {
    guard case .bound(var binding) = phase, let code = failure.code else { return }
    send(.error(.init(session: binding.number, code: code, message: failure.message)))
    binding.step = .reportedError
    enter(.bound(binding))
  }
}
