// SPDX-License-Identifier: Apache-2.0

// Flexible mode: the clients' views of a realm.

import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// What takes a client in flexible mode to a version of the realm.
package struct ViewDownload: Sendable {
  /// The steady state, with the query that the client has.
  package var round: DownloadBatch
  /// What takes it to another query there, after the round; nil if the query stays.
  package var bootstrap: Bootstrap?
}

extension ServerRealm {
  /// Computes the schema for a new client: the bootstrap of query version 0.
  ///
  /// Its version precedes the client's uploads, so the rounds after it erase their objects outside
  /// of the view.
  package func schemaBootstrap(for ident: FileIdentifier) async throws(StoreError) -> Bootstrap {
    let snapshot = try await store.snapshot(atLeast: 0)
    let file = try await knownFile(ident)
    var version = snapshot.head.version
    if file.clientVersion > 0, snapshot.head.base < version {
      let history = try await entries(in: snapshot.head.base + 1..<version + 1)
      if let own = history.first(where: { $0.file == ident }) { version = own.version - 1 }
    }
    var bootstrap = try StoreError.storing(
      Bootstrap.schema(snapshot, version: version, timestamp: now))
    bootstrap.didStore(snapshot.head, file)
    return bootstrap
  }

  /// Writes entries of a bootstrap, as many as have a number of bytes; the rest is left.
  package func entries(
    of bootstrap: Bootstrap, byteLimit: Int
  ) throws(StoreError) -> (entries: [DownloadEntry], rest: Bootstrap) {
    var rest = bootstrap
    return (try StoreError.storing(rest.takeEntries(byteLimit: byteLimit)), rest)
  }

  /// Computes the changes between a client's cursor and the head, and a bootstrap if the query
  /// changes.
  ///
  /// Erasures and states by the server are on the disk when this returns: earlier uploads of the
  /// client are merged with them.
  ///
  /// - Parameters:
  ///   - query: The client's view at its cursor.
  ///   - next: The requested view; nil for the same.
  ///   - filters: What the user may read from now on; nil for everything. Nothing else is sent,
  ///     whatever the client's view was made with.
  package func view(
    for ident: FileIdentifier, after cursor: DownloadCursor, query: EffectiveQuery,
    next: EffectiveQuery? = nil, filters: ReadFilters? = nil, scratch: ViewScratch
  ) async throws(StoreError) -> Result<ViewDownload, SessionRefusal> {
    if next == nil,
      let known = try await knownRound(
        of: ident, after: cursor, query, scratch)
    {
      return .success(known)
    }
    // What takes a client to another query makes a version: of several computed at once all but
    // one would be in vain.
    return try await appending(takesTurn: next != nil) { hasTurn throws(StoreError) in
      try await tryView(
        for: ident, after: cursor, query: query, next: next, filters: filters, scratch,
        hasTurn: hasTurn)
    }
  }

  /// Computes a view of the newest version; nil if the realm has got others meanwhile.
  private func tryView(
    for ident: FileIdentifier, after cursor: DownloadCursor, query: EffectiveQuery,
    next: EffectiveQuery?, filters: ReadFilters?, _ scratch: ViewScratch, hasTurn: Bool
  ) async throws(StoreError) -> Result<ViewDownload, SessionRefusal>? {
    let snapshot = try await store.snapshot(atLeast: max(cursor.serverVersion, head.version))
    let limited = query.limited(by: filters)
    let views: [View]
    switch try bind([query, limited] + (next.map { [$0] } ?? []), to: snapshot, scratch) {
    case .success(let bound): views = bound
    case .failure(let refusal): return .failure(refusal)
    }
    let allowed = limited == query ? nil : views[1]
    let unconfirmed = try await store.privates(of: ident, after: cursor.serverVersion)
    let (round, timestamp) = try await round(
      of: ident, after: cursor, query, views[0], allowed, due: next == nil ? nil : views[2],
      to: snapshot, unconfirmed, scratch)
    var bootstrap: Bootstrap?
    if next != nil {
      bootstrap = try StoreError.storing(
        Bootstrap.change(
          from: views[0], to: views[2], absent: allowed == nil ? [] : round.absent, snapshot,
          at: round.cursor.serverVersion,
          clientVersion: round.cursor.clientVersion, timestamp: timestamp,
          entryByteCountMax: settings.bootstrapEntryByteCount))
    }
    let download = try await record(
      round, bootstrap, unconfirmed, timestamp, after: snapshot.head, for: ident, filters,
      hasTurn: hasTurn)
    return download.map { .success($0) }
  }

  /// The round of a client to a snapshot, and the time of its version.
  private func round(
    of ident: FileIdentifier, after cursor: DownloadCursor, _ query: EffectiveQuery, _ view: View,
    _ allowed: View?, due: View?, to snapshot: RealmSnapshot, _ unconfirmed: [PrivateChange],
    _ scratch: ViewScratch
  ) async throws(StoreError) -> (Round, OriginTimestamp) {
    let head = snapshot.head
    let start = try await quietEnd(after: cursor.serverVersion, to: head)
    if start == head.version, unconfirmed.isEmpty {
      let timestamp = try await time(of: head.version, []) ?? now
      return (Round(ofNothingAfter: cursor, to: head, file: ident), timestamp)
    }
    let missed = try await missedChanges(after: start, to: head, scratch)
    // All private changes of a version have its time.
    let timestamp = try await time(of: head.version, missed.history) ?? now
    let round = try Round(
      missed, after: cursor, to: snapshot, timestamp: timestamp, view: view, next: allowed,
      due: due, file: ident, unconfirmed: objects(of: unconfirmed), scratch: scratch)
    if unconfirmed.isEmpty, allowed == nil, due == nil {
      let key = RoundCache.Key(from: start, to: head.version, realm: id, query: query)
      scratch.rounds.withLock {
        $0.keep(round, key, for: ident, missed, timestamp: timestamp)
      }
    }
    return (round, timestamp)
  }

  /// The last version, up to a head, after which clients have missed what those at a version have.
  private func quietEnd(
    after version: UInt64, to head: RealmHead
  ) async throws(StoreError) -> UInt64 {
    let known = changed.start
    if version < known, known - version <= ChangedVersions.distanceMax {
      let entries = try await store.entries(in: version + 1..<known + 1)
      changed.prepend(entries, after: version, through: known)
    }
    return changed.quietEnd(after: version, to: head.version)
  }

  /// What clients at a version have missed until a head.
  private func missedChanges(
    after version: UInt64, to head: RealmHead, _ scratch: ViewScratch
  ) async throws(StoreError) -> MissedChanges {
    if let known = scratch.missed.withLock({ $0.changes(after: version, to: head) }) {
      return known
    }
    let missed = try MissedChanges(await store.entries(in: version + 1..<head.version + 1))
    scratch.missed.withLock { $0.keep(missed, after: version, to: head) }
    return missed
  }

  /// The views of queries in a version.
  private func bind(
    _ queries: [EffectiveQuery], to snapshot: RealmSnapshot, _ scratch: ViewScratch?
  ) throws(StoreError) -> Result<[View], SessionRefusal> {
    let schemas = try StoreError.storing(snapshot.objects.classSchemas())
    var views: [View] = []
    for query in queries {
      if let known = scratch?.views.withLock({ $0.view(query, schemas) }) {
        views.append(known)
        continue
      }
      switch try StoreError.storing(View.bind(query, to: snapshot.objects)) {
      case .success(let view):
        scratch?.views.withLock { $0.keep(view, of: query, schemas) }
        views.append(view)
      case .failure(let refusal): return .failure(refusal)
      }
    }
    return .success(views)
  }

  /// The refusal of a query; nil for a legal one.
  ///
  /// - Parameter isHeld: Whether the client has the query already: a condition on a property hidden
  ///   since selects nothing then.
  /// - Throws: `StoreError.fenced` if it would be refused, and another server has become the owner.
  package func check(
    _ query: EffectiveQuery, isHeld: Bool = false
  ) async throws(StoreError) -> SessionRefusal? {
    let snapshot = try await store.snapshot(atLeast: 0)
    switch try bind([query], to: snapshot, scratch) {
    case .success(let views): return isHeld ? nil : views[0].hiddenUse
    case .failure(let refusal):
      // Another owner may have got the property (`ServerRealm+LookUp` 1).
      _ = try await confirmedHead()
      return refusal
    }
  }

  /// The cached round of another client; nil if it has to be computed.
  private func knownRound(
    of ident: FileIdentifier, after cursor: DownloadCursor, _ query: EffectiveQuery,
    _ scratch: ViewScratch
  ) async throws(StoreError) -> ViewDownload? {
    let head = head
    let start = changed.quietEnd(after: cursor.serverVersion, to: head.version)
    let key = RoundCache.Key(from: start, to: head.version, realm: id, query: query)
    guard
      let known = scratch.rounds.withLock({
        $0.round(key, for: ident, clientVersion: cursor.clientVersion)
      }),
      try await store.privates(of: ident, after: cursor.serverVersion).isEmpty
    else { return nil }
    return try await record(
      known.round, nil, [], known.timestamp, after: head, for: ident, nil, hasTurn: false)
  }

  /// Stores the private changes of a client, with their versions; nil if the realm has got other
  /// versions meanwhile.
  private func record(
    _ round: Round, _ bootstrap: Bootstrap?, _ unconfirmed: [PrivateChange],
    _ timestamp: OriginTimestamp, after head: RealmHead, for ident: FileIdentifier,
    _ filters: ReadFilters?, hasTurn: Bool
  ) async throws(StoreError) -> ViewDownload? {
    var privates = PrivateChanges(timestamp, for: ident)
    privates.append(round.parts, through: round.cursor.serverVersion)
    if let bootstrap {
      privates.append(bootstrap.parts, through: bootstrap.partsVersion)
    }
    privates.replace(unconfirmed)
    let version = (bootstrap?.cursors.download ?? round.cursor).serverVersion
    var filtered: FilteredView?
    if bootstrap != nil { filtered = FilteredView(file: ident, filters: filters) }
    guard
      let head = try await appendVersions(
        through: version, after: head, privates: privates.changes, filtered: filtered,
        hasTurn: hasTurn)
    else { return nil }
    let file = try await knownFile(ident)
    var bootstrap = bootstrap
    bootstrap?.didStore(head, file)
    return ViewDownload(
      round: DownloadBatch(
        entries: round.entries, cursors: SyncCursors(round.cursor, head, file)),
      bootstrap: bootstrap)
  }

  private func knownFile(_ ident: FileIdentifier) async throws(StoreError) -> ClientFile {
    guard let file = try await store.file(ident) else { throw .unknownFile(ident) }
    return file
  }

  private func time(
    of version: UInt64, _ history: [StoredEntry]
  ) async throws(StoreError) -> OriginTimestamp? {
    if let last = history.last { return last.committed }
    guard version > 0 else { return nil }
    return try await store.entries(in: version..<version + 1).last?.committed
  }

  private func objects(of privates: [PrivateChange]) throws(StoreError) -> [ObjectIdentity] {
    var objects: [ObjectIdentity] = []
    var seen: Set<ObjectIdentity> = []
    for change in privates {
      for object in change.objects where seen.insert(object).inserted { objects.append(object) }
      let changeset: Changeset
      do throws(ChangesetError) {
        changeset = try ChangesetParser.parse(change.changeset)
      } catch {
        throw .damaged("the private change of version \(change.version): \(error)")
      }
      for instruction in changeset.instructions {
        guard let object = instruction.object.map(changeset.identity(of:)),
          seen.insert(object).inserted
        else { continue }
        objects.append(object)
      }
    }
    return objects
  }
}
