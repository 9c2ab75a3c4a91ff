// SPDX-License-Identifier: Apache-2.0

// The requests of a `ServerSessionMachine` to its realm, as a `ServerRealm` carries them out.
//
// Invariants:
// 1. One request is carried out at a time.
// 2. A session that another one has evicted changes nothing in its realm any more.

import RealmStorage
package import RealmSyncProtocol
import Synchronization

/// The realm of one session, and all that the server keeps for the session alone.
package actor ServerSession: ServerRequestHandler {
  /// The number of the session's connection.
  package nonisolated let connection: UInt64
  private let version: ProtocolVersion
  private let isFromOther: Bool
  private let app: ServerApp
  private let onEviction: @Sendable () -> Void
  private let onRefusal: @Sendable (SessionRefusal) -> Void
  private let link: ServerSessionLink?
  private nonisolated let isEnded = Locked(false)
  private nonisolated let held = Atomic(0)
  nonisolated let progress: SessionProgress
  /// The news of the realm, while the session gets them.
  private var news: HeadNews.Subscription?

  private var realm: RealmDirectory.OpenRealm?
  private var name: RealmName?
  private var user = ""
  private var rights = SessionRights(mayWrite: false)
  /// The version through which compensating writes were given to the machine, to be reported.
  private var reportedVersion: UInt64 = 0
  /// The number of the BIND among those of all sessions.
  private var binding: UInt64 = 0
  /// The file claimed by the session.
  private var file: FileIdentifier?
  private var view: SessionView?

  /// The owner of the realm, where it is another server; BIND was refused then.
  private(set) var owner: String?

  private var isBusy = false
  private var isEvicted = false
  /// Sessions waiting for the end of the request.
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - onEviction: Is called when a newer session has claimed the file. The connection is to be
  ///     closed then.
  ///   - onRefusal: Is called when the session is to end.
  package init(
    app: ServerApp, version: ProtocolVersion, connection: UInt64,
    onEviction: @escaping @Sendable () -> Void = {},
    onRefusal: @escaping @Sendable (SessionRefusal) -> Void = { _ in }
  ) {
    isFromOther = false
    self.app = app
    self.version = version
    self.connection = connection
    progress = SessionProgress(connection: connection)
    self.onEviction = onEviction
    self.onRefusal = onRefusal
    link = nil
  }

  /// The realm of a connection's session, which it tells of new versions and of its eviction.
  ///
  /// - Parameter isForwarded: Whether another server has the connection.
  package init(
    app: ServerApp, version: ProtocolVersion, connection: UInt64, link: ServerSessionLink,
    isForwarded: Bool = false
  ) {
    isFromOther = isForwarded
    self.app = app
    self.version = version
    self.connection = connection
    progress = SessionProgress(connection: connection)
    self.link = link
    onEviction = { link.evict() }
    onRefusal = { link.refuse($0) }
  }

  /// The realm, once BIND was carried out.
  package var realmID: RealmID? { realm?.realm.id }

  /// The session's file; nil before it claimed one and after it lost it.
  package var claimedFile: FileIdentifier? { file }

  /// Carries out a request.
  package func perform(_ request: ServerStoreRequest) async -> ServerStoreReply {
    precondition(!isBusy, "ServerSession 1")
    isBusy = true
    defer {
      isBusy = false
      held.store(view?.heldByteCount ?? 0, ordering: .relaxed)
      for waiter in waiters { waiter.resume() }
      waiters = []
    }
    do throws(SessionRefusal) {
      guard !isEvicted else { throw Self.eviction }
      let start = ContinuousClock.now
      let reply = try await reply(to: request)
      note(reply, after: ContinuousClock.now - start)
      return reply
    } catch {
      return .refused(error)
    }
  }

  /// Notes what was done, for the operator.
  private func note(_ reply: ServerStoreReply, after time: Duration) {
    switch reply {
    case .integrated: app.measure(.upload, time)
    case .download(let download):
      progress.add(download)
      app.measure(.download, time)
    default: break
    }
  }

  /// The bytes of written messages without a request for them.
  package nonisolated var heldByteCount: Int { held.load(ordering: .relaxed) }

  /// Lets a session that begins before `close()` was called have the file.
  package nonisolated func end() { isEnded.withLock { $0 = true } }

  /// Gives the file back when the session has ended or its connection is lost. No request follows.
  package func close() {
    app.rules.remove(self)
    progress.end()
    guard let realm else { return }
    if let news { app.news?.cancel(news) }
    news = nil
    self.realm = nil
    view = nil
    held.store(0, ordering: .relaxed)
    guard let file else { return }
    app.registry.release(file, in: realm.realm.id, by: self)
    self.file = nil
  }

  // MARK: Eviction

  private static let eviction = SessionRefusal(
    .sessionClosed, "The file is bound by a newer session")

  /// Ends the session for another one. What it does at the moment is complete on return.
  func evict() async {
    isEvicted = true
    file = nil
    onEviction()
    guard isBusy else { return }
    await withCheckedContinuation { waiters.append($0) }
  }

  // MARK: Rights

  /// Ends the session if its user has other rights now; the client begins another one at once.
  ///
  /// - Parameter users: The users in question; nil for all.
  /// - Returns: Whether it ends.
  func endIfRightsChanged(of users: Set<String>? = nil) async -> Bool {
    // A session without a name asks still, for the newest rules.
    guard let name, users?.contains(user) ?? true else { return false }
    let access = app.rules.snapshot.access
    let current = try? await access?.rights(of: user, in: name.partition) ?? .all
    guard current != rights else { return false }
    onRefusal(SessionRefusal(.sessionClosed, "The rights of the user have changed"))
    return true
  }

  // MARK: Requests

  private func reply(
    to request: ServerStoreRequest
  ) async throws(SessionRefusal) -> ServerStoreReply {
    switch request {
    case .bind(let bind): return try await self.bind(bind)
    case .lookUp(let ident): return .file(try await lookUp(ident))
    case .claim(let ident): return try await claim(ident)
    case .nextDownload(let cursor): return .download(try await nextDownload(after: cursor))
    case .integrate(let progress, let lockedServerVersion, let entries):
      return try await integrate(progress, lockedServerVersion, entries)
    case .currentHead:
      let head = await (try boundRealm().realm).head
      return .head(head.latest)
    case .setQuery(let query): return try await setQuery(query)
    }
  }

  private func bind(
    _ bind: ClientMessage.Bind
  ) async throws(SessionRefusal) -> ServerStoreReply {
    binding = app.registry.makeBinding()
    user = try await app.authenticator.user(of: bind)
    let opened = try await open(bind.target)
    realm = opened
    opened.whenClosed { [onRefusal] _ in onRefusal(HeadNews.moved) }
    if let link, news == nil {
      let epoch = await opened.realm.head.epoch
      news = app.news?.subscribe(link, to: opened.realm.id, epoch: epoch)
    }
    guard bind.needsIdent else { return .done }
    guard await app.realms.mayMakeFile(user) else {
      var refusal = SessionRefusal(.sessionClosed, "The user has made too many files in an hour")
      refusal.document.retry = RetryHint(intervalSeconds: 60)
      throw refusal
    }
    let file = try await storing(await opened.realm.allocateFile(for: user))
    return .bound(ident: file.ident, salt: file.salt)
  }

  private func open(
    _ target: ClientMessage.Bind.Target
  ) async throws(SessionRefusal) -> RealmDirectory.OpenRealm {
    var name = RealmName(app: app.name)
    if case .partition(let text) = target {
      guard let partition = PartitionText.canonical(text) else {
        throw SessionRefusal(.illegalRealmPath, "Bad value of a partition")
      }
      name.partition = partition
    }
    app.rules.add(self)
    var rules: CurrentRules.Snapshot
    repeat {
      rules = app.rules.snapshot
      rights = try await rules.access?.rights(of: user, in: name.partition) ?? .all
    } while rules.number != app.rules.snapshot.number
    self.name = name
    let opened = try await storing(
      await app.realms.open(name, for: user, isForwarded: isFromOther))
    if version.mode == .flexible { try await storing(await opened.realm.beginHistory()) }
    return opened
  }

  private func lookUp(
    _ ident: ClientMessage.Ident
  ) async throws(SessionRefusal) -> ServerFileLookup {
    let realm = try boundRealm().realm
    var lookup = try await storing(
      await realm.lookUp(ident.file, of: user, latest: ident.latest.version))
    noteNewerClient(ident, lookup.head.version, realm.id)
    let holder = app.registry.session(of: ident.file, in: realm.id)
    lookup.isBoundOnConnection =
      holder.map { holder in
        holder !== self && holder.connection == connection && !holder.isEnded.withLock { $0 }
      } ?? false
    return lookup
  }

  /// Reports a client that knows more of the realm than the server does.
  private func noteNewerClient(
    _ ident: ClientMessage.Ident, _ head: UInt64, _ realm: RealmID
  ) {
    let version = max(ident.download.serverVersion, ident.latest.version)
    guard version > head else { return }
    app.notice(
      """
      A device has a newer version of the realm \(realm.rawValue) than this folder, which was \
      restored from an older backup, or is another server's: devices reset the realm, and what was \
      written after the backup is lost
      """)
  }

  private func claim(
    _ ident: ClientMessage.Ident
  ) async throws(SessionRefusal) -> ServerStoreReply {
    let realm = try boundRealm().realm
    guard
      case .claimed(let older) = app.registry.claim(
        ident.file, in: realm.id, for: self, binding: binding)
    else { throw Self.eviction }
    self.file = ident.file
    await older?.evict()
    guard !isEvicted else { throw Self.eviction }
    let file = try await storing(await realm.seenFile(ident.file))
    var isViewChanged = false
    if let query = ident.query {
      let named: SessionQuery
      do throws(SessionRefusal) {
        named = try await checked(query, in: realm, isHeld: true)
      } catch {
        guard error.code == .badQuery else { throw error }
        return .queryRefused(message: error.document.message)
      }
      let isNew = ident.download.serverVersion == 0
      let held = named.filtered(
        by: try await storing(await realm.confirmedFilters(of: ident)))
      isViewChanged = !isNew && held.effective != named.effective
      if isViewChanged {
        guard version.hasServerBootstraps else {
          throw SessionRefusal(.permissionsChanged, "The rights of the user have changed")
        }
        view = SessionView(held, next: named)
      } else {
        if !isNew, held.filters != named.filters {
          try await storing(
            await realm.noteFilters(
              FilteredView(file: ident.file, filters: named.filters),
              from: ident.download.serverVersion))
        }
        view = SessionView(named, isNew: isNew)
      }
    }
    reportedVersion = ident.download.serverVersion
    progress.begin(
      ident.file, of: user, in: realm, name, at: reportedVersion, now: await realm.now)
    return .claimed(
      file.record(for: user), rejected: try await newReports(in: realm, of: file.ident),
      isViewChanged: isViewChanged)
  }

  private func integrate(
    _ progress: UploadCursor, _ lockedServerVersion: UInt64, _ entries: [UploadEntry]
  ) async throws(SessionRefusal) -> ServerStoreReply {
    let (realm, file) = (try boundRealm().realm, try requiredFile())
    var upload = Upload(
      file: file, entries: entries, progress: progress,
      lockedServerVersion: lockedServerVersion, query: view?.active?.effective)
    if !rights.mayWrite {
      upload.right =
        version.hasCompensatingWrites
        ? try await storing(await realm.readersRight(file)) : .refused
    }
    upload.rules = rights.permissions.map {
      WriteRules(
        permissions: $0, subscriptions: view?.subscriptions ?? [],
        isCompensated: version.hasCompensatingWrites)
    }
    switch await realm.integrate(upload) {
    case .integrated(let record, let head):
      // Without rules nothing is refused but what was hidden when it was written.
      let isUnruled = rights.mayWrite && rights.permissions == nil && record.filters.isEmpty
      return .integrated(
        head: head.latest,
        rejected: isUnruled ? [] : try await newReports(in: realm, of: file))
    case .refused(let refusal): throw refusal
    case .failed(let error):
      await note(error)
      throw SessionRefusal(error)
    }
  }

  /// The compensating writes not yet reported in this session.
  private func newReports(
    in realm: ServerRealm, of file: FileIdentifier
  ) async throws(SessionRefusal) -> [CompensatingWriteReport] {
    let reports = try await storing(await realm.compensations(of: file, after: reportedVersion))
    if let last = reports.last { reportedVersion = last.serverVersion }
    return reports
  }

  // MARK: Downloads

  private func nextDownload(
    after cursor: DownloadCursor
  ) async throws(SessionRefusal) -> ServerMessage.Download {
    let (opened, file) = (try boundRealm(), try requiredFile())
    guard version.mode == .flexible else {
      let download = try await storing(
        await opened.realm.download(
          for: file, after: cursor, byteLimit: app.limits.downloadByteCount))
      return ServerMessage.Download(
        cursors: download.cursors,
        progress: .partition(byteCountLeft: UInt64(download.remaining)),
        body: MessageBody(downloads: download.entries))
    }
    guard var view else { throw Self.missingIdent }
    if !view.hasParts,
      let steady = try await next(after: cursor, &view, opened, file)
    {
      self.view = view
      return steady
    }
    if let (bootstrap, byteLimit) = view.unwritten {
      let (entries, rest) = try await storing(
        await opened.realm.entries(of: bootstrap, byteLimit: byteLimit))
      view.add(entries, rest: rest)
    }
    guard let part = view.takePart() else { throw Self.missingIdent }
    self.view = view
    return part
  }

  /// The next message of a session, or the parts of several.
  private func next(
    after cursor: DownloadCursor, _ view: inout SessionView, _ opened: RealmDirectory.OpenRealm,
    _ file: FileIdentifier
  ) async throws(SessionRefusal) -> ServerMessage.Download? {
    guard let scratch = opened.scratch else { throw Self.missingIdent }
    let (active, target) = (view.active, view.target)
    var (start, entries) = (cursor, [DownloadEntry]())
    if active == nil, let target {
      // What a client has missed that has nothing is not read, and may be trimmed.
      let schema = try await storing(await opened.realm.schemaBootstrap(for: file))
      guard target.version > 0 else {
        view.add(parts([], schema, schema.cursors, of: target))
        return nil
      }
      start = schema.cursors.download
      entries = try await storing(
        await opened.realm.entries(of: schema, byteLimit: .max)
      ).entries
    }
    let answer = try await storing(
      await opened.realm.view(
        for: file, after: start, query: active?.effective ?? EffectiveQuery(),
        next: target?.effective, filters: rights.permissions?.filters, scratch: scratch))
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

  // MARK: Queries

  private func setQuery(
    _ query: VersionedQuery
  ) async throws(SessionRefusal) -> ServerStoreReply {
    let realm = try boundRealm().realm
    do throws(SessionRefusal) {
      let next = try await checked(query, in: realm)
      view?.aim(at: next)
      return .done
    } catch {
      guard error.code == .badQuery else { throw error }
      return .queryRefused(message: error.document.message)
    }
  }

  private func checked(
    _ query: VersionedQuery, in realm: ServerRealm, isHeld: Bool = false
  ) async throws(SessionRefusal) -> SessionQuery {
    let query = try SessionQuery(query, rights.permissions?.filters)
    let refusal = try await storing(await realm.check(query.effective, isHeld: isHeld))
    if let refusal { throw refusal }
    return query
  }

  // MARK: State

  /// A request that the order of messages does not allow, which a machine never makes.
  private static let missingIdent = SessionRefusal(.sessionClosed, "Internal error")

  private func boundRealm() throws(SessionRefusal) -> RealmDirectory.OpenRealm {
    guard let realm else { throw Self.missingIdent }
    return realm
  }

  private func requiredFile() throws(SessionRefusal) -> FileIdentifier {
    guard let file else { throw isEvicted ? Self.eviction : Self.missingIdent }
    return file
  }

  /// What a call of the realm gives, with its error as the client gets it.
  private func storing<R>(
    _ call: @autoclosure () async throws(StoreError) -> R
  ) async throws(SessionRefusal) -> R {
    do throws(StoreError) {
      return try await call()
    } catch {
      await note(error)
      throw SessionRefusal(error)
    }
  }

  /// Reports an error, and lets the realm be opened again if it needs that.
  private func note(_ error: StoreError) async {
    if case .owned(let node) = error, app.links != nil {
      owner = node
      return
    }
    if case .draining = error { return }
    app.report(error)
    guard error.needsReopening, let name, let realm else { return }
    await app.realms.retire(name, realm.realm)
    app.news?.endSessions(of: realm.realm.id, through: await realm.realm.head.epoch)
  }
}
