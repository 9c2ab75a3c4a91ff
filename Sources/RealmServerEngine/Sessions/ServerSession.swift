// SPDX-License-Identifier: Apache-2.0

// A session of the server with its realm: the requests of a `ServerSessionMachine`, carried out.
//
// Invariants:
// 1. One request is carried out at a time.
// 2. An evicted session changes nothing in its realm any more.
// 3. The part of a realm held by a session is given back once, at any kind of end.

import RealmStorage
package import RealmSyncProtocol
import Synchronization

/// The server's state of one session, beside its messages.
package actor ServerSession: ServerRequestHandler {
  /// The number of the session's connection.
  package nonisolated let connection: UInt64
  let version: ProtocolVersion
  private let isFromOther: Bool
  let app: ServerApp
  private let link: ServerSessionLink
  private nonisolated let isEnded = Atomic(false)
  private nonisolated let held = Atomic(0)
  nonisolated let progress: SessionProgress
  private var phase = Phase.unbound
  /// The waiters for the end of the request; nil while there is none.
  private var waiters: [CheckedContinuation<Void, Never>]?

  /// - Parameters:
  ///   - link: Takes new versions of the realm, the session's eviction and its end.
  ///   - isForwarded: Whether another server has the connection.
  package init(
    app: ServerApp, version: ProtocolVersion, connection: UInt64,
    link: ServerSessionLink = ServerSessionLink { _ in }, isForwarded: Bool = false
  ) {
    isFromOther = isForwarded
    self.app = app
    self.version = version
    self.connection = connection
    self.link = link
    progress = SessionProgress(connection: connection)
  }

  /// The realm, once BIND was carried out.
  package var realmID: RealmID? { bound?.realm.id }

  /// The session's file; nil before it claimed one and after it lost it.
  package var claimedFile: FileIdentifier? { file }

  /// The owner of the realm, where it is another server; BIND was refused then.
  var owner: String? { if case .elsewhere(let owner) = phase { owner } else { nil } }

  /// Carries out a request.
  package func perform(_ request: ServerStoreRequest) async -> ServerStoreReply {
    precondition(waiters == nil, "`ServerSession` 1")
    waiters = []
    defer {
      for waiter in waiters ?? [] { waiter.resume() }
      waiters = nil
    }
    do throws(SessionRefusal) {
      let start = ContinuousClock.now
      let reply = try await reply(to: request)
      note(reply, after: ContinuousClock.now - start)
      return reply
    } catch {
      return .refused(error)
    }
  }

  /// Notes a finished request, for the operator.
  private func note(_ reply: ServerStoreReply, after time: Duration) {
    switch reply {
    case .integrated: app.reports.measure(.upload, time)
    case .download(let download):
      progress.add(download)
      app.reports.measure(.download, time)
    default: break
    }
  }

  /// The bytes of written messages without a request for them.
  package nonisolated var heldByteCount: Int { held.load(ordering: .relaxed) }

  /// Lets a session begun before the call of `close()` have the file.
  package nonisolated func end() { isEnded.store(true, ordering: .relaxed) }

  /// Gives the file back when the session has ended or its connection is lost. No request follows.
  package func close() {
    app.rules.remove(self)
    progress.end()
    leave(for: .closed)
  }

  // MARK: Phases

  private var bound: Bound? {
    switch phase {
    case .bound(let bound), .claiming(let bound, _), .claimed(let bound, _): bound
    case .unbound, .opening, .elsewhere, .evicted, .closed: nil
    }
  }

  private var file: FileIdentifier? {
    switch phase {
    case .claiming(_, let file): file
    case .claimed(_, let claim): claim.file
    case .unbound, .opening, .bound, .elsewhere, .evicted, .closed: nil
    }
  }

  /// Gives back the held part of the realm (`ServerSession` 3).
  private func leave(for next: Phase) {
    let (bound, file) = (bound, file)
    phase = next
    held.store(0, ordering: .relaxed)
    guard let bound else { return }
    if let news = bound.news { app.news?.cancel(news) }
    if let file { app.registry.release(file, in: bound.realm.id, by: self) }
  }

  /// Keeps the changes of a request, if the session has its file still (`ServerSession` 2).
  private func keep(_ claim: Claim) {
    guard case .claimed(let bound, _) = phase else { return }
    phase = .claimed(bound, claim)
    held.store(claim.view?.heldByteCount ?? 0, ordering: .relaxed)
  }

  private static let eviction = SessionRefusal(
    .sessionClosed, "The file is bound by a newer session")

  /// Ends the session for another one. The request under way is complete on return.
  func evict() async {
    leave(for: .evicted)
    link.evict()
    guard waiters != nil else { return }
    await withCheckedContinuation { caller in
      // The request may have ended before the continuation was made.
      if waiters == nil { caller.resume() } else { waiters?.append(caller) }
    }
  }

  // MARK: Rights

  /// Ends the session if its user has other rights now; the client begins another one at once.
  ///
  /// - Parameter users: The users in question; nil for all.
  /// - Returns: Whether it ends.
  func endIfRightsChanged(of users: Set<String>? = nil) async -> Bool {
    // Before it opens its realm a session asks still, for the newest rules.
    guard let subject, users?.contains(subject.user) ?? true else { return false }
    let access = app.rules.snapshot.access
    let current = try? await access?.rights(of: subject.user, in: subject.name.partition) ?? .all
    guard current != subject.rights else { return false }
    link.refuse(SessionRefusal(.sessionClosed, "The rights of the user have changed"))
    return true
  }

  private var subject: Subject? {
    if case .opening(let subject) = phase { subject } else { bound?.subject }
  }

  // MARK: Requests

  /// A request out of order. No machine makes it; another server could.
  static let outOfOrder = SessionRefusal(.sessionClosed, "Internal error")

  private func reply(
    to request: ServerStoreRequest
  ) async throws(SessionRefusal) -> ServerStoreReply {
    switch (request, phase) {
    case (.bind(let bind), .unbound): return try await self.bind(bind)
    case (.lookUp(let ident), .bound(let bound)): return .file(try await lookUp(ident, bound))
    case (.claim(let ident), .bound(let bound)): return try await claim(ident, bound)
    case (.nextDownload(let cursor), .claimed(let bound, var claim)):
      let download = try await nextDownload(after: cursor, bound, &claim)
      keep(claim)
      return .download(download)
    case (.integrate(let progress, let locked, let entries), .claimed(let bound, var claim)):
      let reply = try await integrate(progress, locked, entries, bound, &claim)
      keep(claim)
      return reply
    case (.currentHead, .claimed(let bound, _)): return .head(await bound.realm.head.latest)
    case (.setQuery(let query), .claimed(let bound, var claim)):
      let reply = try await setQuery(query, bound, &claim)
      keep(claim)
      return reply
    case (_, .evicted): throw Self.eviction
    default: throw Self.outOfOrder
    }
  }

  private func bind(
    _ bind: ClientMessage.Bind
  ) async throws(SessionRefusal) -> ServerStoreReply {
    let binding = app.registry.makeBinding()
    let user = try await app.authenticator.user(of: bind)
    let bound = try await open(bind.target, for: user, binding)
    let realm = bound.realm
    if version.mode == .flexible { try await storing(await realm.beginHistory()) }
    guard bind.needsIdent else { return .done }
    guard await app.realms.mayMakeFile(user) else {
      var refusal = SessionRefusal(.sessionClosed, "The user has made too many files in an hour")
      refusal.document.retry = RetryHint(intervalSeconds: 60)
      throw refusal
    }
    try await storing(await realm.declareClasses())
    let file = try await storing(await realm.allocateFile(for: user))
    return .bound(ident: file.ident, salt: file.salt)
  }

  private func open(
    _ target: ClientMessage.Bind.Target, for user: String, _ binding: UInt64
  ) async throws(SessionRefusal) -> Bound {
    var name = RealmName(app: app.name)
    if case .partition(let text) = target {
      guard let partition = PartitionText.canonical(text) else {
        throw SessionRefusal(.illegalRealmPath, "Bad value of a partition")
      }
      name.partition = partition
    }
    app.rules.add(self)
    var rules: CurrentRules.Snapshot
    var rights: SessionRights
    repeat {
      rules = app.rules.snapshot
      rights = try await rules.access?.rights(of: user, in: name.partition) ?? .all
    } while rules.number != app.rules.snapshot.number
    let subject = Subject(user: user, name: name, rights: rights, binding: binding)
    phase = .opening(subject)
    let opened = try await storing(
      await app.realms.open(name, for: user, isForwarded: isFromOther))
    opened.whenClosed { [link] _ in link.refuse(HeadNews.moved) }
    var subscription: HeadNews.Subscription?
    if let news = app.news {
      let epoch = await opened.realm.head.epoch
      subscription = news.subscribe(link, to: opened.realm.id, epoch: epoch)
    }
    let bound = Bound(subject: subject, opened: opened, news: subscription)
    phase = .bound(bound)
    return bound
  }

  private func lookUp(
    _ ident: ClientMessage.Ident, _ bound: Bound
  ) async throws(SessionRefusal) -> ServerFileLookup {
    let realm = bound.realm
    var lookup = try await storing(
      await realm.lookUp(ident.file, of: bound.subject.user, latest: ident.latest.version))
    noteNewerClient(ident, lookup.head.version, realm.id)
    let holder = app.registry.session(of: ident.file, in: realm.id)
    lookup.isBoundOnConnection =
      holder.map { holder in
        holder !== self && holder.connection == connection
          && !holder.isEnded.load(ordering: .relaxed)
      } ?? false
    return lookup
  }

  /// Reports a client with a newer state of the realm than the server's.
  private func noteNewerClient(
    _ ident: ClientMessage.Ident, _ head: UInt64, _ realm: RealmID
  ) {
    let version = max(ident.download.serverVersion, ident.latest.version)
    guard version > head else { return }
    app.reports.notice(
      """
      A device has a newer version of the realm \(realm.rawValue) than this folder, which was \
      restored from an older backup, or is another server's: devices reset the realm, and what was \
      written after the backup is lost
      """)
  }

  private func claim(
    _ ident: ClientMessage.Ident, _ bound: Bound
  ) async throws(SessionRefusal) -> ServerStoreReply {
    let (realm, subject) = (bound.realm, bound.subject)
    guard
      case .claimed(let older) = app.registry.claim(
        ident.file, in: realm.id, for: self, binding: subject.binding)
    else { throw Self.eviction }
    phase = .claiming(bound, ident.file)
    await older?.evict()
    guard case .claiming = phase else { throw Self.eviction }
    let file = try await storing(await realm.seenFile(ident.file))
    var claim = Claim(file: ident.file, reportedVersion: ident.download.serverVersion)
    var isViewChanged = false
    if let query = ident.query {
      let view: SessionView
      do throws(SessionRefusal) {
        (view, isViewChanged) = try await self.view(of: ident, query, bound)
      } catch {
        guard error.code == .badQuery else { throw error }
        return .queryRefused(message: error.document.message)
      }
      claim.view = view
    }
    let reports = try await newReports(in: realm, &claim)
    let now = await realm.now
    guard case .claiming = phase else { throw Self.eviction }
    phase = .claimed(bound, claim)
    progress.begin(
      ident.file, of: subject.user, in: realm, subject.name, at: ident.download.serverVersion,
      now: now)
    return .claimed(file.record(for: subject.user), rejected: reports, isViewChanged: isViewChanged)
  }

  /// The view of the client of an IDENT, and whether other rights have changed it.
  private func view(
    of ident: ClientMessage.Ident, _ query: VersionedQuery, _ bound: Bound
  ) async throws(SessionRefusal) -> (SessionView, isChanged: Bool) {
    let realm = bound.realm
    let isNew = ident.download.serverVersion == 0
    let named = try await checked(query, bound, isHeld: true, countsElements: isNew)
    let held = named.filtered(by: try await storing(await realm.confirmedFilters(of: ident)))
    if !isNew, held.effective != named.effective {
      guard version.hasServerBootstraps else {
        throw SessionRefusal(.permissionsChanged, "The rights of the user have changed")
      }
      return (SessionView(held, next: named), true)
    }
    if !isNew, held.filters != named.filters {
      try await storing(
        await realm.noteFilters(
          FilteredView(file: ident.file, filters: named.filters), from: ident.download.serverVersion
        ))
    }
    return (SessionView(named, isNew: isNew), false)
  }

  private func integrate(
    _ progress: UploadCursor, _ lockedServerVersion: UInt64, _ entries: [UploadEntry],
    _ bound: Bound, _ claim: inout Claim
  ) async throws(SessionRefusal) -> ServerStoreReply {
    let (realm, rights) = (bound.realm, bound.subject.rights)
    var upload = Upload(
      file: claim.file, entries: entries, progress: progress,
      lockedServerVersion: lockedServerVersion, query: claim.view?.active?.effective)
    if !rights.mayWrite {
      upload.right =
        version.hasCompensatingWrites
        ? try await storing(await realm.readersRight(claim.file)) : .refused
    }
    upload.rules = rights.permissions.map {
      WriteRules(
        permissions: $0, subscriptions: claim.view?.subscriptions ?? [],
        isCompensated: version.hasCompensatingWrites)
    }
    switch await realm.integrate(upload) {
    case .integrated(let record, let head):
      // Without rules nothing is refused but writes to properties hidden at their time.
      let isUnruled = rights.mayWrite && rights.permissions == nil && record.filters.isEmpty
      return .integrated(
        head: head.latest, rejected: isUnruled ? [] : try await newReports(in: realm, &claim))
    case .refused(let refusal): throw refusal
    case .failed(let error):
      await note(error)
      throw SessionRefusal(error)
    }
  }

  /// The compensating writes not yet reported in this session.
  private func newReports(
    in realm: ServerRealm, _ claim: inout Claim
  ) async throws(SessionRefusal) -> [CompensatingWriteReport] {
    let reports = try await storing(
      await realm.compensations(of: claim.file, after: claim.reportedVersion))
    if let last = reports.last { claim.reportedVersion = last.serverVersion }
    return reports
  }

  // MARK: Queries

  private func setQuery(
    _ query: VersionedQuery, _ bound: Bound, _ claim: inout Claim
  ) async throws(SessionRefusal) -> ServerStoreReply {
    do throws(SessionRefusal) {
      claim.view?.aim(at: try await checked(query, bound))
      return .done
    } catch {
      guard error.code == .badQuery else { throw error }
      return .queryRefused(message: error.document.message)
    }
  }

  private func checked(
    _ query: VersionedQuery, _ bound: Bound, isHeld: Bool = false, countsElements: Bool = true
  ) async throws(SessionRefusal) -> SessionQuery {
    let query = try SessionQuery(query, bound.subject.rights.permissions?.filters)
    let refusal = try await storing(
      await bound.realm.check(
        query.effective, isHeld: isHeld, countsElements: countsElements, of: bound.subject.user))
    if let refusal { throw refusal }
    return query
  }

  // MARK: Errors

  /// The result of a call of the realm, with its error for the client.
  func storing<R>(
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
      // `ForwardableSession` gives the BIND to the owner.
      if file == nil { leave(for: .elsewhere(owner: node)) }
      return
    }
    if case .draining = error { return }
    app.reports.failure(error)
    guard error.needsReopening, let bound else { return }
    await app.realms.retire(bound.subject.name, bound.realm)
    app.news?.endSessions(of: bound.realm.id, through: await bound.realm.head.epoch)
  }
}
