// SPDX-License-Identifier: Apache-2.0

// Flexible mode: what clients see of a realm.

import RealmReplication
import RealmStorage
package import RealmSyncProtocol
import RealmTables

extension ServerRealm {
  /// The schema for a client that has nothing yet: the bootstrap of query version 0.
  ///
  /// Its version precedes what the client uploaded before, so that the rounds after it erase what
  /// the client does not see of that.
  package func schemaBootstrap(
    for ident: FileIdentifier
  ) async throws(StoreError) -> Download {
    let snapshot = try await store.snapshot(of: id, atLeast: 0)
    let file = try await knownFile(ident)
    var version = snapshot.head.version
    if file.clientVersion > 0, snapshot.head.base < version {
      let history = try await store.entries(of: id, in: snapshot.head.base + 1..<version + 1)
      if let own = history.first(where: { $0.file == ident }) { version = own.version - 1 }
    }
    let bootstrap = try Bootstrap.schema(snapshot, version: version, timestamp: now)
    return Download(
      entries: bootstrap.entries, cursor: bootstrap.cursor, head: snapshot.head, file: file)
  }

  /// What a client has missed, and the bootstrap if its query changes.
  ///
  /// What it drops is on the disk when this returns: uploads that it made before it knew are merged
  /// with that.
  ///
  /// - Parameters:
  ///   - query: What the client sees at its cursor.
  ///   - next: What it asks to see; nil for the same.
  ///   - isBootstrapLost: Whether the last bootstrap that was computed did not arrive: the client's
  ///     query is older than that.
  package func view(
    for ident: FileIdentifier, after cursor: DownloadCursor, query: EffectiveQuery,
    next: EffectiveQuery? = nil, isBootstrapLost: Bool = false, scratch: ViewScratch
  ) async throws(StoreError) -> Result<FlexibleDownload, SessionRefusal> {
    let snapshot = try await store.snapshot(of: id, atLeast: cursor.serverVersion)
    let (old, new): (View, View?)
    switch try View.bind(query, to: snapshot.objects) {
    case .success(let view): old = view
    case .failure(let refusal): return .failure(refusal)
    }
    switch try next.map({ (next) throws(StoreError) in try View.bind(next, to: snapshot.objects) })
    {
    case .success(let view)?: new = view
    case .failure(let refusal)?: return .failure(refusal)
    case nil: new = nil
    }
    let history = try await store.entries(
      of: id, in: cursor.serverVersion + 1..<snapshot.head.version + 1)
    // All that the server makes for a version has one time, which is that of the version.
    let timestamp = try await time(of: snapshot.head.version, history) ?? now
    // A bootstrap has the version of the round before it, which may have arrived alone.
    let unconfirmed = try await dropped(
      by: ident, after: isBootstrapLost ? max(cursor.serverVersion, 1) - 1 : cursor.serverVersion)
    let round = try Round(
      history, after: cursor, to: snapshot, timestamp: timestamp, view: old, file: ident,
      unconfirmed: unconfirmed, scratch: scratch)
    var erased = round.erased
    var bootstrap: Bootstrap?
    if let new {
      let change = try Bootstrap.change(
        from: old, to: new, snapshot, clientVersion: round.cursor.clientVersion,
        timestamp: timestamp)
      erased += change.erased
      bootstrap = change
    }
    try await record(erased, at: snapshot.head.version, timestamp, for: ident)
    let file = try await knownFile(ident)
    return .success(
      FlexibleDownload(
        round: Download(
          entries: round.entries, cursor: round.cursor, head: snapshot.head, file: file),
        bootstrap: bootstrap.map {
          Download(entries: $0.entries, cursor: $0.cursor, head: snapshot.head, file: file)
        }))
  }

  /// The refusal of a query that clients cannot have; nil for one that they can.
  package func check(_ query: EffectiveQuery) async throws(StoreError) -> SessionRefusal? {
    let snapshot = try await store.snapshot(of: id, atLeast: 0)
    switch try View.bind(query, to: snapshot.objects) {
    case .success: return nil
    case .failure(let refusal): return refusal
    }
  }

  /// Notes the query whose bootstrap is made next. A client that comes back with an older one has
  /// not got that bootstrap.
  package func noteBootstrap(
    of query: String, version: Int64, for ident: FileIdentifier
  ) async throws(StoreError) {
    var file = try await knownFile(ident)
    guard file.queryVersion != version || file.query != query else { return }
    (file.query, file.queryVersion) = (query, version)
    try await store(file)
  }

  private func knownFile(_ ident: FileIdentifier) async throws(StoreError) -> ClientFile {
    guard let file = try await store.file(ident, in: id) else { throw .unknownFile(ident) }
    return file
  }

  private func time(
    of version: UInt64, _ history: [StoredEntry]
  ) async throws(StoreError) -> OriginTimestamp? {
    if let last = history.last { return last.committed }
    guard version > 0 else { return nil }
    return try await store.entries(of: id, in: version..<version + 1).last?.committed
  }

  /// The objects whose erasure a client was sent after a version.
  private func dropped(
    by ident: FileIdentifier, after version: UInt64
  ) async throws(StoreError) -> [ObjectIdentity] {
    var objects: [ObjectIdentity] = []
    var seen: Set<ObjectIdentity> = []
    let privates = try await store.privates(of: ident, in: id, after: version)
    for change in privates {
      let changeset = try parsePrivate(change.changeset, at: change.version)
      for instruction in changeset.instructions {
        guard let object = instruction.object.map(changeset.identity(of:)),
          seen.insert(object).inserted
        else { continue }
        objects.append(object)
      }
    }
    return objects
  }

  private func parsePrivate(
    _ bytes: [UInt8], at version: UInt64
  ) throws(StoreError) -> Changeset {
    do throws(ChangesetError) {
      return try ChangesetParser.parse(bytes)
    } catch {
      throw .damaged("the private change of version \(version): \(error)")
    }
  }

  /// Stores what a client drops at a version.
  private func record(
    _ erased: [ObjectIdentity], at version: UInt64, _ timestamp: OriginTimestamp,
    for ident: FileIdentifier
  ) async throws(StoreError) {
    guard !erased.isEmpty, version > 0 else { return }
    let known = try await store.privates(of: ident, in: id, after: version - 1)
    var changeset = try parsePrivate(
      known.first { $0.version == version }?.changeset ?? [], at: version)
    for object in erased { changeset.append(.eraseObject(changeset.reference(to: object))) }
    try await store([
      PrivateChange(
        file: ident, version: version, timestamp: timestamp,
        changeset: ChangesetEncoder.encode(changeset))
    ])
  }
}
