// SPDX-License-Identifier: Apache-2.0

// Sessions of one app in memory, whose requests a test makes by hand.

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import Testing

@testable import RealmServerEngine

/// An app and the sessions that a test opens.
struct SessionBench {
  var app: ServerApp
  let mode: SyncMode
  private let errors: Locked<[StoreError]>

  init(
    _ mode: SyncMode, limits: SessionLimits = SessionLimits(), realms: RealmLimits = RealmLimits(),
    access: (any SessionAccess)? = nil, schema: SchemaKeeper? = nil,
    measure: @escaping @Sendable (SessionWork, Duration) -> Void = { _, _ in }
  ) {
    self.mode = mode
    let errors = Locked<[StoreError]>([])
    self.errors = errors
    let salts = SaltSource(SeededGenerator(seed: 1))
    var settings = ServerRealm.Settings(recordsTouches: mode == .flexible)
    settings.schema = schema
    let realms = RealmDirectory(
      EmbeddedStore(SimulatedFiles(), salts: salts), settings: settings, limits: realms,
      clock: ServerClock { OriginTimestamp(milliseconds: 1_000_000) }, salts: salts)
    let app = ServerApp(
      named: "test", realms: realms,
      authenticator: SessionAuthenticator { (bind) throws(SessionRefusal) in
        guard bind.token != "bad" else { throw SessionRefusal(.permissionDenied, "no") }
        return bind.token
      }, limits: limits,
      reports: ServerApp.Reports(
        failure: { error in errors.withLock { $0.append(error) } }, measure: measure))
    app.access = access
    self.app = app
  }

  var reported: [StoreError] { errors.withLock { $0 } }

  func store(
    connection: UInt64 = 1, version: Int = ProtocolVersion.newest,
    onEviction: @escaping @Sendable () -> Void = {}
  ) -> ServerSession {
    ServerSession(
      app: app, version: ProtocolVersion(mode: mode, number: version), connection: connection,
      link: ServerSessionLink { if $0 == .evicted { onEviction() } })
  }

  func bind(
    _ partition: String = "\"home\"", user: String = "u", needsIdent: Bool
  )
    -> ServerStoreRequest
  {
    let target: ClientMessage.Bind.Target =
      mode == .partition ? .partition(partition) : .flexible(ClientMessage.FlexibleTarget())
    return .bind(
      ClientMessage.Bind(session: 1, target: target, token: user, needsIdent: needsIdent))
  }

  static func query(_ version: UInt64, _ queries: [String: String] = [:]) -> VersionedQuery {
    VersionedQuery(version: version, document: QueryDocument(queries: queries))
  }

  /// The IDENT of a file that has nothing yet, or something.
  func ident(
    _ file: (ident: FileIdentifier, salt: UInt64), after cursor: DownloadCursor = DownloadCursor(),
    query: VersionedQuery? = nil
  ) -> ClientMessage.Ident {
    ClientMessage.Ident(
      session: 1, file: file.ident, salt: file.salt, download: cursor, latest: SaltedVersion(),
      query: mode == .flexible ? query ?? Self.query(0) : nil)
  }

  /// A session with a new file.
  func running(
    connection: UInt64 = 1, version: Int = ProtocolVersion.newest
  ) async throws -> (store: ServerSession, file: (ident: FileIdentifier, salt: UInt64)) {
    let store = store(connection: connection, version: version)
    guard case .bound(let ident, let salt) = await store.perform(bind(needsIdent: true)) else {
      throw SessionRefusal(.other, "not bound")
    }
    _ = await store.perform(.claim(self.ident((ident, salt))))
    return (store, (ident, salt))
  }

  /// Uploads changesets of consecutive versions.
  func upload(
    _ changesets: [[UInt8]], from version: UInt64 = 1, base: UInt64 = 0,
    by store: ServerSession
  ) async -> ServerStoreReply {
    let entries = changesets.enumerated().map {
      UploadEntry(
        clientVersion: version + UInt64($0.offset), serverVersion: base,
        timestamp: OriginTimestamp(milliseconds: 100), changeset: $0.element)
    }
    let progress = UploadCursor(
      clientVersion: version + UInt64(changesets.count) - 1, serverVersion: base)
    return await store.perform(
      .integrate(progress, lockedServerVersion: 0, entries: entries))
  }

  /// The next DOWNLOAD.
  func download(
    after cursor: DownloadCursor, of store: ServerSession
  ) async throws -> ServerMessage.Download {
    let reply = await store.perform(.nextDownload(after: cursor))
    guard case .download(let download) = reply else { throw SessionRefusal(.other, "\(reply)") }
    return download
  }
}

extension ServerMessage.Download {
  var batchState: ServerMessage.BatchState? {
    if case .flexible(_, let batch, _) = progress { batch } else { nil }
  }

  var queryVersion: UInt64? {
    if case .flexible(let version, _, _) = progress { version } else { nil }
  }

  /// The instructions of all entries.
  func lines() throws -> [String] {
    try body.downloadEntries().flatMap { entry in
      let changeset = try ChangesetParser.parse(entry.changeset)
      return changeset.instructions.map { changeset.line($0) }
    }
  }
}
