// SPDX-License-Identifier: Apache-2.0

// The DOWNLOADs of a session.

import RealmSyncProtocol

extension ServerSession {
  /// The next message for the client (P4 B).
  func nextDownload(
    after cursor: DownloadCursor, _ bound: Bound, _ claim: inout Claim
  ) async throws(SessionRefusal) -> ServerMessage.Download {
    let realm = bound.realm
    guard var view = claim.view else {
      let download = try await storing(
        await realm.download(
          for: claim.file, after: cursor, byteLimit: app.limits.downloadByteCount))
      return ServerMessage.Download(
        cursors: download.cursors,
        progress: .partition(byteCountLeft: UInt64(download.remaining)),
        body: MessageBody(downloads: download.entries))
    }
    var made: ServerMessage.Download?
    if !view.hasParts { made = try await next(after: cursor, &view, bound, claim.file) }
    if made == nil, let (bootstrap, byteLimit) = view.unwritten {
      let (entries, rest) = try await storing(
        await realm.entries(of: bootstrap, byteLimit: byteLimit))
      view.add(entries, rest: rest)
    }
    guard let download = made ?? view.takePart() else { throw Self.outOfOrder }
    claim.view = view
    return download
  }

  /// The next message of a session, or the parts of several.
  private func next(
    after cursor: DownloadCursor, _ view: inout SessionView, _ bound: Bound,
    _ file: FileIdentifier
  ) async throws(SessionRefusal) -> ServerMessage.Download? {
    let (realm, active, target) = (bound.realm, view.active, view.target)
    guard let scratch = bound.opened.scratch else { throw Self.outOfOrder }
    var (start, entries) = (cursor, [DownloadEntry]())
    if active == nil, let target {
      // What a client has missed that has nothing is not read, and may be trimmed.
      let schema = try await storing(await realm.schemaBootstrap(for: file))
      guard target.version > 0 else {
        view.add(parts([], schema, schema.cursors, of: target))
        return nil
      }
      start = schema.cursors.download
      entries = try await storing(
        await realm.entries(of: schema, byteLimit: .max)
      ).entries
    }
    let answer = try await storing(
      await realm.view(
        for: file, of: bound.subject.user, after: start,
        query: active?.effective ?? EffectiveQuery(),
        next: target?.effective, filters: bound.subject.rights.permissions?.filters,
        scratch: scratch))
    var made = try answer.get()
    if let target, let bootstrap = made.bootstrap {
      // A client without any query has not bound its schema: it gets all in the bootstrap.
      let isWhole = active == nil || view.changesFilters
      if isWhole {
        entries += made.round.entries
        made.round.entries = []
      }
      view.add(parts(entries, bootstrap, bootstrap.cursors, of: target))
      if isWhole { return nil }
    }
    let isNews = !made.round.entries.isEmpty || made.round.cursors.download != cursor
    guard let active, target == nil || isNews else { return nil }
    guard version.hasServerBootstraps, made.round.entries.byteCount > app.limits.roundByteCount
    else {
      return ServerMessage.Download(
        cursors: made.round.cursors,
        progress: .flexible(queryVersion: active.version, batch: .steady, done: .estimate(1)),
        body: MessageBody(downloads: made.round.entries))
    }
    // A client that stopped in the middle of messages of steady state would hold states of a
    // version that its cursor has not reached (P4 B.4).
    view.add(round: parts(made.round.entries, nil, made.round.cursors, of: active))
    return nil
  }

  private func parts(
    _ entries: [DownloadEntry], _ rest: Bootstrap?, _ cursors: SyncCursors, of query: SessionQuery
  ) -> SessionView.Parts {
    SessionView.Parts(
      entries, rest, cursors, of: query, byteCountMax: app.limits.bootstrapByteCount)
  }
}
