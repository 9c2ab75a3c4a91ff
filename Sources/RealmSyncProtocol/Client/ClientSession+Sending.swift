// SPDX-License-Identifier: Apache-2.0

// The order in which a session sends (P1 D.1).

extension ClientSession {
  private var nextSet: QuerySet? {
    let sent = exchange?.lastQuerySent ?? 0
    return file.sets.first { $0.isPending && $0.version > sent }
  }

  /// Sends the message that is due, or asks the file for what it needs. Returns whether another
  /// one may be due.
  mutating func sendNext(mayUpload: Bool) -> Bool {
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
      return binding.version.mode == .flexible
        ? sendQueryOrUploads(binding, exchange, mayUpload)
        : scan(exchange, through: nil, mayUpload)
    }
    return false
  }

  /// Sends a set that waits, after the changes before it and before those after it.
  private mutating func sendQueryOrUploads(
    _ binding: ClientBinding, _ exchange: ClientBinding.Exchange, _ mayUpload: Bool
  ) -> Bool {
    if isFileNewer {
      store(.read)
      return false
    }
    var exchange = exchange
    let isFresh = settings.purpose == .freshCopy
    guard let next = nextSet else {
      return isFresh ? false : scan(exchange, through: nil, mayUpload)
    }
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
    if exchange.scannedThrough < min(next.snapshotVersion, file.version) {
      return scan(exchange, through: next.snapshotVersion, mayUpload)
    }
    // The snapshot is of a version without uploads that the file does not count.
    exchange.scannedThrough = next.snapshotVersion
    self.exchange = exchange
    return true
  }

  private mutating func scan(
    _ exchange: ClientBinding.Exchange, through limit: UInt64?, _ mayUpload: Bool
  ) -> Bool {
    let goal = limit.map { min($0, file.version) } ?? file.version
    guard mayUpload, settings.purpose != .freshCopy, exchange.scannedThrough < goal else {
      return false
    }
    self.exchange?.scanGoal = goal
    store(.scanUploads(after: exchange.scanned.clientVersion, through: limit))
    return false
  }

  /// What the file must have before a message is sent.
  private func stored(version: UInt64 = 0, serverVersion: UInt64 = 0) -> StoredState {
    StoredState(
      session: name, file: file.ident, version: version, serverVersion: serverVersion)
  }

  /// Begins a binding on a file that is prepared.
  mutating func bind() {
    guard case .bound(var binding) = phase, binding.step == .preparing else { return }
    binding.step = .identifying
    phase = .bound(binding)
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
    phase = .bound(binding)
    let download = file.cursors.download
    send(
      .ident(
        .init(
          session: binding.number, file: file.ident, salt: file.salt, download: download,
          latest: file.cursors.latest, query: query)),
      after: stored(version: download.clientVersion, serverVersion: download.serverVersion))
  }

  /// Sends what a scan found.
  mutating func upload(_ contents: UploadContents, through limit: UInt64?) {
    guard let number, var exchange else { return }
    defer { self.exchange = exchange }
    let progress = contents.progress
    // A scan that does not get on would be repeated permanently.
    let isComplete =
      contents.isComplete || progress.clientVersion <= exchange.scanned.clientVersion
    exchange.scannedThrough = max(
      exchange.scannedThrough, progress.clientVersion, isComplete ? exchange.scanGoal : 0)
    // Nothing to upload is said only to acknowledge a server version.
    let isNews = limit == nil && progress.serverVersion > exchange.scanned.serverVersion
    guard contents.lastVersion != nil || isNews else {
      exchange.scanned.clientVersion = max(
        exchange.scanned.clientVersion, progress.clientVersion)
      return
    }
    exchange.scanned = progress
    exchange.lastEntrySent = contents.lastVersion ?? exchange.lastEntrySent
    send(
      .upload(
        .init(
          session: number, progress: progress,
          lockedServerVersion: contents.lockedServerVersion, body: contents.body)),
      after: stored(
        version: progress.clientVersion,
        serverVersion: max(progress.serverVersion, contents.lockedServerVersion)))
  }
}
