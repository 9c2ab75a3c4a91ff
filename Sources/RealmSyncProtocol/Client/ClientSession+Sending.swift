// SPDX-License-Identifier: Apache-2.0

// The order in which a session sends (P1 D.1).

extension ClientSession {
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
  mutating func upload(_ batch: UploadBatch) {
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
}
