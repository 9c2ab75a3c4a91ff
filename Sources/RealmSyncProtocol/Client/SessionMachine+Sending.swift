// SPDX-License-Identifier: Apache-2.0

// The order in which a session sends (P1 D.1).

extension SessionMachine {
  /// Whether uploads and queries need not wait for the first download any more.
  private var isCaughtUp: Bool { skipsFirstMark || markReceived >= firstMark }

  private var nextSet: QuerySet? {
    file.sets.first { $0.isPending && $0.version > lastQuerySent }
  }

  /// Sends the message that is due, or asks the file for what it needs. Returns whether another
  /// one may be due.
  mutating func sendNext() -> Bool {
    guard let session else { return false }
    switch phase {
    case .preparing:
      store(.begin)
      return false
    case .running: break
    case .inactive, .unbound, .bound, .reportedError, .suspended, .terminated: return false
    }
    if markRequested > markSent {
      markSent += 1
      effects.append(.send(.mark(session: session, request: markSent)))
      return true
    }
    guard isCaughtUp else { return false }
    let next = version.mode == .flexible ? nextSet : nil
    if let next, scannedThrough >= next.snapshotVersion || settings.purpose == .freshCopy {
      lastQuerySent = next.version
      markRequested += 1
      effects.append(
        .send(
          .query(
            .init(
              session: session, query: VersionedQuery(version: next.version, text: next.text)))))
      return true
    }
    guard settings.purpose != .freshCopy else { return false }
    let limit = next.map { min($0.snapshotVersion, file.version) } ?? file.version
    if scannedThrough < limit {
      scanGoal = limit
      store(.scanUploads(after: scanned.clientVersion, through: next?.snapshotVersion))
    } else if let next, scannedThrough < next.snapshotVersion {
      // The snapshot is of a version without uploads that the file does not count.
      scannedThrough = next.snapshotVersion
      return true
    }
    return false
  }

  /// Begins a binding on a file that is prepared.
  mutating func bind() {
    guard let session else { return }
    received = file.cursors
    scanned = file.cursors.upload
    scannedThrough = scanned.clientVersion
    lastEntrySent = 0
    lastQuerySent = 0
    markSent = max(markSent, markRequested)
    markReceived = markSent
    markRequested += 1
    firstMark = markRequested
    // Marks of waits that were under way are asked for again.
    for index in waits.indices where waits[index].kind == .download {
      waits[index].goal = firstMark
    }
    phase = .bound
    let needsIdent = file.ident == .own
    effects.append(
      .send(.bind(.init(session: session, target: settings.target, needsIdent: needsIdent))))
    if !needsIdent { sendIdent() }
  }

  mutating func sendIdent() {
    guard let session else { return }
    let query: VersionedQuery? =
      version.mode == .flexible
      ? VersionedQuery(
        version: file.activeSet?.version ?? 0, text: file.activeSet?.text ?? "{}") : nil
    lastQuerySent = query?.version ?? 0
    phase = .running
    effects.append(
      .send(
        .ident(
          .init(
            session: session, file: file.ident, salt: file.salt, download: file.cursors.download,
            latest: file.cursors.latest, query: query))))
  }

  /// Sends what a scan found.
  mutating func upload(_ batch: UploadContents, through limit: UInt64?) {
    // A scan that does not get on would be repeated permanently.
    let isComplete = batch.isComplete || batch.progress.clientVersion <= scanned.clientVersion
    scannedThrough = max(
      scannedThrough, batch.progress.clientVersion, isComplete ? scanGoal : 0)
    // Nothing to upload is said only to acknowledge a server version.
    let isNews = limit == nil && batch.progress.serverVersion > scanned.serverVersion
    guard let session, phase == .running, batch.lastVersion != nil || isNews else {
      scanned.clientVersion = max(scanned.clientVersion, batch.progress.clientVersion)
      return
    }
    scanned = batch.progress
    lastEntrySent = batch.lastVersion ?? lastEntrySent
    effects.append(
      .send(
        .upload(
          .init(
            session: session, progress: batch.progress,
            lockedServerVersion: batch.lockedServerVersion,
            body: batch.body))))
  }
}
