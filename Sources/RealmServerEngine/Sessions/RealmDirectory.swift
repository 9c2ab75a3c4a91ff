// SPDX-License-Identifier: Apache-2.0

// The open realms of a server.
//
// Invariants:
// 1. A realm is opened once, by whoever uses it first: a second opening would fence the first.
// 2. No more realms are open than the limit, realms on their way to be closed apart.
// 3. A realm in use is not closed for another one: a use begins in the actor, where closing is
//    decided.
// 4. A realm becomes this server's with the first use that needs that. Once it is another's, it is
//    opened again for such a use; what is read goes on in any case.
// 5. Where other servers may own realms, readers keep none this server's: without another use for
//    a while it is closed, and its readers open it again.
// 6. A server that drains takes no realm for a session, and gives each up with the last use by its
//    own clients. Sessions that others have forwarded end with that.

package import RealmStorage
package import RealmSyncProtocol
import Synchronization

/// Opens realms for sessions, each once, and closes unused ones.
package actor RealmDirectory {
  /// A realm and the table in which conditions about its past are evaluated.
  package struct OpenRealm: Sendable {
    package let realm: ServerRealm
    /// Nil in realms without views.
    package let scratch: ViewScratch?
    /// Keeps the realm open.
    fileprivate var use: RealmUse?

    /// Makes a call once the realm is closed all the same, if this is kept still: a session ends
    /// then, and a reader opens the realm again unless that was the end.
    package func whenClosed(_ call: @escaping @Sendable (_ isEnd: Bool) -> Void) {
      use?.whenClosed(call)
    }
  }

  private typealias Opening = Task<Result<OpenRealm, StoreError>, Never>

  private struct Entry {
    let opening: Opening
    let users: RealmUsers
  }

  private let store: any ServerStore
  private let surroundings: ServerRealm.Surroundings
  private let limits: RealmLimits
  private let threads: [ThreadExecutor]
  /// Whether other servers may own realms of the store.
  private let isShared: Bool
  private nonisolated let isDraining = Atomic(false)
  private var nextThread = 0
  private var entries: [RealmName: Entry] = [:]
  /// The realms on their way to be closed; they are opened again afterwards.
  private var closings: [RealmName: Task<Void, Never>] = [:]
  private var newRealms: RateLimit
  private var newFiles: RateLimit

  /// - Parameters:
  ///   - isShared: Whether other servers may own realms of the store.
  ///   - threads: At least one, over which the realms are distributed.
  ///   - searchers: The threads of searches, over which the users are distributed.
  package init(
    _ store: any ServerStore, settings: ServerRealm.Settings = ServerRealm.Settings(),
    limits: RealmLimits = RealmLimits(), clock: ServerClock, salts: SaltSource = SaltSource(),
    isShared: Bool = false, threads: [ThreadExecutor] = [ThreadExecutor()],
    searchers: ViewSearchers = ViewSearchers()
  ) {
    precondition(!threads.isEmpty, "realms need a thread")
    precondition(limits.openMax > 0, "sessions need a realm")
    self.store = store
    surroundings = ServerRealm.Surroundings(
      settings: settings, clock: clock, salts: salts, searchers: searchers)
    self.limits = limits
    self.isShared = isShared
    self.threads = threads
    newRealms = RateLimit(limits.newPerHour, period: 3_600_000)
    newFiles = RateLimit(limits.newFilesPerHour, period: 3_600_000)
  }

  private nonisolated var clock: ServerClock { surroundings.clock }

  /// The number of open realms.
  package var openCount: Int { entries.count }

  // MARK: Opening

  /// A realm of this server, which is opened if it is not open, and stays so as long as the result
  /// is kept.
  ///
  /// - Parameter user: Who makes the realm if it is new; nil for the server itself.
  /// - Throws: `StoreError.owned` if the realm is another server's.
  package func open(
    _ name: RealmName, for user: String? = nil
  ) async throws(StoreError) -> OpenRealm {
    try await own(name, for: user, as: .owner)
  }

  /// A realm of this server for a session.
  ///
  /// - Parameter isForwarded: Whether another server has the session's connection.
  /// - Throws: `StoreError.owned` if the realm is another server's; `StoreError.draining` if this
  ///   server takes no realm any more.
  package func open(
    _ name: RealmName, for user: String?, isForwarded: Bool
  ) async throws(StoreError) -> OpenRealm {
    let hasClients = entries[name].map { $0.users.idleSince(.owner) == nil } ?? false
    if isDraining.load(ordering: .relaxed), !hasClients {
      let owner = try await openReader(name, for: user).realm.otherOwner()
      throw owner.map { .owned(by: $0) } ?? .draining
    }
    return try await own(name, for: user, as: isForwarded ? .forwarded : .owner)
  }

  private func own(
    _ name: RealmName, for user: String?, as kind: RealmUsers.Kind
  ) async throws(StoreError) -> OpenRealm {
    let opened = try await use(name, for: user, as: kind)
    do throws(StoreError) {
      try await opened.realm.own()
      return opened
    } catch {
      guard error.needsReopening else { throw error }
    }
    await retire(name, opened.realm)
    let again = try await use(name, for: user, as: kind)
    try await again.realm.own()
    return again
  }

  /// A realm of any server for reading, which stays open as long as the result is kept.
  ///
  /// - Parameter user: Who makes the realm if it is new; nil for the server itself.
  package func openReader(
    _ name: RealmName, for user: String? = nil
  ) async throws(StoreError) -> OpenRealm {
    try await use(name, for: user, as: .reader)
  }

  private func use(
    _ name: RealmName, for user: String?, as kind: RealmUsers.Kind
  ) async throws(StoreError) -> OpenRealm {
    let entry: Entry
    if let known = entries[name] { entry = known } else { entry = try begin(name, for: user) }
    let use = entry.users.begin(kind)
    let result = await entry.opening.value
    // The next session tries again.
    if case .failure = result, entries[name]?.opening == entry.opening { entries[name] = nil }
    var opened = try result.get()
    opened.use = use
    return opened
  }

  private func begin(_ name: RealmName, for user: String?) throws(StoreError) -> Entry {
    var before = [closings[name]].compactMap { $0 }
    while entries.count >= limits.openMax { before.append(try closeOne()) }
    let thread = threads[nextThread % threads.count]
    nextThread += 1
    let opening = Task { [before] in
      for closing in before { await closing.value }
      return await self.open(name, for: user, on: thread)
    }
    let users = RealmUsers(clock) { [weak self] in
      guard let self, isDraining.load(ordering: .relaxed) else { return }
      Task { await self.giveUp(name) { $0.idleSince(.owner) != nil } }
    }
    let entry = Entry(opening: opening, users: users)
    entries[name] = entry
    return entry
  }

  private nonisolated func open(
    _ name: RealmName, for user: String?, on thread: ThreadExecutor
  ) async -> Result<OpenRealm, StoreError> {
    do throws(StoreError) {
      if let user, name.partition != nil,
        try await !ServerRealm.exists(name, of: store, on: thread), await !mayMake(user)
      {
        throw .tooManyNewRealms
      }
      let realm = try await ServerRealm.open(
        name, of: store, in: surroundings, on: thread, owning: false)
      return .success(OpenRealm(realm: realm, scratch: realm.scratch))
    } catch {
      return .failure(error)
    }
  }

  private func mayMake(_ user: String) -> Bool {
    newRealms.begin(user, now: Milliseconds(clock.now().milliseconds))
  }

  /// Counts a new client file of a user. Returns false if it is one too many.
  func mayMakeFile(_ user: String) -> Bool {
    newFiles.begin(user, now: Milliseconds(clock.now().milliseconds))
  }

  // MARK: Upkeep

  /// Whether triggers ask for what versions did to objects.
  package nonisolated var touches: TouchDemand { surroundings.settings.touches }

  /// The realms of an app, whether they are open or not.
  package func realms(ofApp app: String) async throws(StoreError) -> [RealmID] {
    try await ServerRealm.realms(ofApp: app, of: store, on: threads[0])
  }

  /// The content of a realm, open or not.
  package func peek(_ realm: RealmID) async throws(StoreError) -> RealmOutline {
    nextThread += 1
    let thread = threads[nextThread % threads.count]
    return try await ServerRealm.peek(realm, of: store, on: thread)
  }

  // MARK: Closing

  /// Begins to close the realm with the oldest last use.
  private func closeOne() throws(StoreError) -> Task<Void, Never> {
    let idle = entries.compactMap { name, entry in
      entry.users.idleSince(.reader).map { (name, $0) }
    }
    guard let first = idle.min(by: { $0.1 < $1.1 }) else { throw .tooManyOpenRealms }
    return close(first.0)
  }

  /// - Parameter isEnd: Whether no use is to open it again.
  @discardableResult
  private func close(_ name: RealmName, isEnd: Bool = false) -> Task<Void, Never> {
    guard let entry = entries.removeValue(forKey: name) else { return Task {} }
    let earlier = closings[name]
    let closing = Task {
      await earlier?.value
      if case .success(let opened) = await entry.opening.value { await opened.realm.close() }
    }
    closings[name] = closing
    Task {
      await closing.value
      if closings[name] == closing { closings[name] = nil }
      entry.users.close(isEnd: isEnd)
    }
    return closing
  }

  /// Closes the realms without use since a time, and gives up those read alone;
  /// returns when they are closed.
  package func closeIdle(since time: OriginTimestamp) async {
    let now = clock.now()
    let isIdle = { @Sendable (users: RealmUsers, kind: RealmUsers.Kind) in
      // Later times are from a clock set back since.
      users.idleSince(kind).map { $0 <= time || $0 > now } ?? false
    }
    let idle = entries.filter { isIdle($0.value.users, .reader) }.keys
    let closings = idle.map { close($0) }
    for closing in closings { await closing.value }
    guard isShared else { return }
    for name in Array(entries.keys) { await giveUp(name) { isIdle($0, .forwarded) } }
  }

  /// Lets the open realms forget what they keep for the next client and no client has used since
  /// the last call.
  package func forgetUnused() async {
    for opening in entries.values.map(\.opening) {
      if case .success(let opened) = await opening.value { await opened.realm.forgetUnused() }
    }
  }

  /// Takes no realm for sessions from now on, and gives up those without a client of this server's,
  /// at once or when the last one leaves. Other servers take them over.
  package func drain() async {
    isDraining.store(true, ordering: .relaxed)
    for name in Array(entries.keys) { await giveUp(name) { $0.idleSince(.owner) != nil } }
  }

  /// Closes a realm of this server's if its uses allow that. Returns when it is closed.
  private func giveUp(_ name: RealmName, if mayClose: (RealmUsers) -> Bool) async {
    guard let entry = entries[name], mayClose(entry.users),
      case .success(let opened) = await entry.opening.value, await opened.realm.isOwner,
      // `RealmDirectory` 3
      entries[name]?.opening == entry.opening, mayClose(entry.users)
    else { return }
    await close(name).value
  }

  /// Closes all realms, also those in use, whose sessions end. Returns when their files are closed.
  package func closeAll() async {
    for name in Array(entries.keys) { close(name, isEnd: true) }
    for closing in Array(closings.values) { await closing.value }
  }

  /// Closes a realm whose file has to be opened again. Its sessions get errors, and come back.
  package func retire(_ name: RealmName, _ realm: ServerRealm) async {
    guard let entry = entries[name], case .success(let opened) = await entry.opening.value,
      opened.realm === realm, entries[name]?.opening == entry.opening
    else { return }
    close(name)
  }
}

/// The limits of the realms of an app.
package struct RealmLimits: Hashable, Sendable {
  /// The realms that are open at a time. Of those that are not used, the one that was left first is
  /// closed for another.
  package var openMax: Int
  /// The realms that one user may make in an hour.
  package var newPerHour: Int
  /// The client files that the devices of one user may make in an hour, each for a realm.
  package var newFilesPerHour: Int

  package init(openMax: Int = 2_000, newPerHour: Int = 200, newFilesPerHour: Int = 10_000) {
    self.openMax = openMax
    self.newPerHour = newPerHour
    self.newFilesPerHour = newFilesPerHour
  }
}
