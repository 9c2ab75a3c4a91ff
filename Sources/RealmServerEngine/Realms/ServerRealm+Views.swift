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
      Bootstrap.schema(
        Bootstrap.Basis(
          snapshot, at: DownloadCursor(serverVersion: version), timestamp: now)))
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

  /// The most searches for a request beside the uploads. Each but the first is about the writes
  /// during the one before it.
  private static let searchCountMax = 6
  /// The most comparisons for a request in the turn to append.
  private static let turnComparisonCountMax = 1 << 18

  /// Computes the changes between a client's cursor and the head, and a bootstrap if the query
  /// changes.
  ///
  /// Erasures and states by the server are on the disk when this returns: earlier uploads of the
  /// client are merged with them.
  ///
  /// A search that may take long is beside the uploads, in a version. In the turn to append the
  /// later writes alone are looked at.
  ///
  /// - Parameters:
  ///   - user: Whose searches take turns with those of others.
  ///   - query: The client's view at its cursor.
  ///   - next: The requested view; nil for the same.
  ///   - filters: What the user may read from now on; nil for everything. Nothing else is sent,
  ///     whatever the client's view was made with.
  package func view(
    for ident: FileIdentifier, of user: String = "", after cursor: DownloadCursor,
    query: EffectiveQuery, next: EffectiveQuery? = nil, filters: ReadFilters? = nil,
    scratch: ViewScratch
  ) async throws(StoreError) -> Result<ViewDownload, SessionRefusal> {
    if next == nil,
      let known = try await knownRound(
        of: ident, after: cursor, query, scratch)
    {
      return .success(known)
    }
    let request = ViewRequest(
      file: ident, user: user, cursor: cursor, query: query, next: next, filters: filters)
    do throws(StoreError) {
      return try await search(request, scratch)
    } catch {
      guard case .unreadableEntry(let version, let reason) = error else { throw error }
      throw try await giveUp(through: version, because: reason)
    }
  }

  private func search(
    _ request: ViewRequest, _ scratch: ViewScratch
  ) async throws(StoreError) -> Result<ViewDownload, SessionRefusal> {
    var earlier: ViewFinding?
    for number in 1...Self.searchCountMax {
      let search = try await search(for: request, since: earlier, scratch)
      let found: ViewFinding
      switch try await find(search, from: earlier) {
      case .success(let finding): found = finding
      case .failure(let refusal): return .failure(refusal)
      }
      keep(found, of: request, scratch)
      if let download = try await record(found, for: request, hasTurn: false) {
        return .success(download)
      }
      let isLast = number == Self.searchCountMax
      if let end = try await finish(request, found, scratch, isLast: isLast) { return end }
      earlier = found
    }
    var refusal = SessionRefusal(
      .sessionClosed, "Too much is written to find what a costly subscription selects")
    refusal.document.retry = RetryHint(intervalSeconds: 60)
    return .failure(refusal)
  }

  /// Searches on a thread beside the uploads, or at once if that is short.
  private func find(
    _ search: ViewSearch, from earlier: ViewFinding?
  ) async throws(StoreError) -> Result<ViewFinding, SessionRefusal> {
    if let found = try await search.runIfShort(from: earlier) { return found }
    return try await searchers.searcher(of: search.request.user).find(search, from: earlier)
  }

  /// Brings a finding up to date in the turn to append, and records it; nil if that would take
  /// long.
  private func finish(
    _ request: ViewRequest, _ found: ViewFinding, _ scratch: ViewScratch, isLast: Bool
  ) async throws(StoreError) -> Result<ViewDownload, SessionRefusal>? {
    await beginAppending()
    defer { endAppending() }
    try await settleHead()
    let search = try await search(for: request, since: found, scratch)
    let limit = Self.turnComparisonCountMax
    guard
      let cost = try StoreError.storing(
        found.cost(of: search.input, countsObjects: !isLast, limit: limit + 1)),
      cost <= limit
    else { return nil }
    switch try await search.run(from: found, nil) {
    case .success(let finding):
      keep(finding, of: request, scratch)
      return try await record(finding, for: request, hasTurn: true).map { .success($0) }
    case .failure(let refusal): return .failure(refusal)
    }
  }

  /// The search for a request in the newest version.
  ///
  /// - Parameter earlier: The finding of an earlier version.
  private func search(
    for request: ViewRequest, since earlier: ViewFinding?, _ scratch: ViewScratch
  ) async throws(StoreError) -> ViewSearch {
    let snapshot = try await store.snapshot(
      atLeast: max(request.cursor.serverVersion, head.version))
    let unconfirmed = try await store.privates(
      of: request.file, after: request.cursor.serverVersion)
    let newest = snapshot.head
    let start = try await quietEnd(after: request.cursor.serverVersion, to: newest)
    var missed: MissedChanges?
    if start < newest.version || !unconfirmed.isEmpty {
      missed = try await missedChanges(after: start, to: newest, scratch)
    }
    // All private changes of a version have its time.
    let timestamp = try await time(of: newest.version, missed?.history ?? []) ?? now
    let input = ViewInput(
      snapshot: snapshot, unconfirmed: unconfirmed,
      unconfirmedObjects: try objects(of: unconfirmed), start: start, missed: missed,
      timestamp: timestamp, touched: try await touched(since: earlier, to: snapshot))
    return ViewSearch(
      request: request, input: input, scratch: scratch,
      entryByteCountMax: settings.bootstrapEntryByteCount)
  }

  /// The objects touched since a finding; nil without one, and where they are unknown.
  private func touched(
    since earlier: ViewFinding?, to snapshot: RealmSnapshot
  ) async throws(StoreError) -> [ObjectIdentity]? {
    let newest = snapshot.head
    guard let earlier, earlier.input.snapshot.head.version >= newest.base else { return nil }
    let version = earlier.input.snapshot.head.version
    // Of other classes other conditions are bound.
    let schemas = try StoreError.storing(snapshot.objects.classSchemas())
    guard schemas.elementsEqual(earlier.schemas, by: { $0 === $1 }) else { return nil }
    guard changed.quietEnd(after: version, to: newest.version) < newest.version else { return [] }
    return TouchLog(try await store.entries(in: version + 1..<newest.version + 1)).objects
  }

  /// Keeps the round of a client for others at its cursor.
  private func keep(_ found: ViewFinding, of request: ViewRequest, _ scratch: ViewScratch) {
    guard let missed = found.input.missed, found.input.unconfirmed.isEmpty, request.next == nil,
      request.query.limited(by: request.filters) == request.query
    else { return }
    let key = RoundCache.Key(
      from: found.input.start, to: found.input.snapshot.head.version, realm: id,
      query: request.query)
    scratch.rounds.withLock {
      $0.keep(
        found.round, key, for: request.file, missed, timestamp: found.input.timestamp)
    }
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

  /// The refusal of a query; nil for a legal one.
  ///
  /// - Parameters:
  ///   - isHeld: Whether the client has the query already: a condition on a property hidden since
  ///     selects nothing then.
  ///   - countsElements: Whether each object of the classes is asked for the elements that the
  ///     conditions look into: for clients that come back that was done when they subscribed, and
  ///     very many come back at once.
  ///   - user: Whose searches take turns with those of others.
  /// - Throws: `StoreError.fenced` if it would be refused, and another server has become the owner.
  package func check(
    _ query: EffectiveQuery, isHeld: Bool = false, countsElements: Bool = true,
    of user: String = ""
  ) async throws(StoreError) -> SessionRefusal? {
    let snapshot = try await store.snapshot(atLeast: 0)
    let searcher = searchers.searcher(of: user)
    switch try await searcher.check(
      query, countsElements: countsElements, of: user, in: snapshot, scratch)
    {
    case .success(let view): return isHeld ? nil : view.hiddenUse
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
    var privates = PrivateChanges(known.timestamp, for: ident)
    privates.append(known.round.parts, through: known.round.cursor.serverVersion)
    return try await append(
      privates, known.round, after: head, filtered: nil, hasTurn: false)
  }

  /// Stores the private changes of a finding, with their versions; nil if the realm has got
  /// other versions meanwhile.
  private func record(
    _ found: ViewFinding, for request: ViewRequest, hasTurn: Bool
  ) async throws(StoreError) -> ViewDownload? {
    let ident = request.file
    var privates = PrivateChanges(found.input.timestamp, for: ident)
    privates.append(found.round.parts, through: found.round.cursor.serverVersion)
    var filtered: FilteredView?
    if let bootstrap = found.bootstrap {
      privates.append(bootstrap.parts, through: bootstrap.partsVersion)
      filtered = FilteredView(file: ident, filters: request.filters)
    }
    privates.replace(found.input.unconfirmed)
    return try await append(
      privates, found.round, found.bootstrap, after: found.input.snapshot.head, filtered: filtered,
      hasTurn: hasTurn)
  }

  /// Appends the private changes of a client; nil if the realm has got other versions meanwhile.
  private func append(
    _ privates: PrivateChanges, _ round: Round, _ bootstrap: Bootstrap? = nil,
    after head: RealmHead, filtered: FilteredView?, hasTurn: Bool
  ) async throws(StoreError) -> ViewDownload? {
    let version = (bootstrap?.cursors.download ?? round.cursor).serverVersion
    guard
      let head = try await appendVersions(
        through: version, after: head, privates: privates.changes, filtered: filtered,
        hasTurn: hasTurn)
    else { return nil }
    let file = try await knownFile(privates.file)
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
