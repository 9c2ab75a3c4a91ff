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

package import RealmStorage
package import RealmSyncProtocol

/// Opens realms for sessions, each once, and closes unused ones.
package actor RealmDirectory {
  /// A realm and the table in which conditions about its past are evaluated.
  package struct OpenRealm: Sendable {
    package let realm: ServerRealm
    /// Nil in realms without views.
    package let scratch: ViewScratch?
    /// Keeps the realm open.
    fileprivate var use: RealmUse?
  }

  private typealias Opening = Task<Result<OpenRealm, StoreError>, Never>

  private struct Entry {
    let opening: Opening
    let users: RealmUsers
  }

  private let store: any ServerStore
  private let settings: ServerRealm.Settings
  private let limits: RealmLimits
  private let clock: ServerClock
  private let salts: SaltSource
  private let threads: [ThreadExecutor]
  private var nextThread = 0
  private var entries: [RealmName: Entry] = [:]
  /// The realms on their way to be closed; they are opened again afterwards.
  private var closings: [RealmName: Task<Void, Never>] = [:]
  private var newRealms: RateLimit
  private var newFiles: RateLimit

  /// - Parameter threads: At least one, over which the realms are distributed.
  package init(
    _ store: any ServerStore, settings: ServerRealm.Settings = ServerRealm.Settings(),
    limits: RealmLimits = RealmLimits(), clock: ServerClock, salts: SaltSource = SaltSource(),
    threads: [ThreadExecutor] = [ThreadExecutor()]
  ) {
    precondition(!threads.isEmpty, "realms need a thread")
    precondition(limits.openMax > 0, "sessions need a realm")
    self.store = store
    self.settings = settings
    self.limits = limits
    self.clock = clock
    self.salts = salts
    self.threads = threads
    newRealms = RateLimit(limits.newPerHour, period: 3_600_000)
    newFiles = RateLimit(limits.newFilesPerHour, period: 3_600_000)
  }

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
    let opened = try await openReader(name, for: user)
    do throws(StoreError) {
      try await opened.realm.own()
      return opened
    } catch {
      guard error.needsReopening else { throw error }
    }
    await retire(name, opened.realm)
    let again = try await openReader(name, for: user)
    try await again.realm.own()
    return again
  }

  /// A realm of any server for reading, which stays open as long as the result is kept.
  ///
  /// - Parameter user: Who makes the realm if it is new; nil for the server itself.
  package func openReader(
    _ name: RealmName, for user: String? = nil
  ) async throws(StoreError) -> OpenRealm {
    let entry: Entry
    if let known = entries[name] { entry = known } else { entry = try begin(name, for: user) }
    let use = entry.users.begin()
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
    let entry = Entry(opening: opening, users: RealmUsers(clock))
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
        name, of: store, settings: settings, clock: clock, salts: salts, thread: thread,
        owning: false)
      return .success(OpenRealm(realm: realm, scratch: realm.scratch))
    } catch {
      return .failure(error)
    }
  }

  private func mayMake(_ user: String) -> Bool {
    newRealms.begin(user, now: Milliseconds(clock.now().milliseconds))
  }

  /// Counts a client file that a user makes. Returns false if it is one too many.
  func mayMakeFile(_ user: String) -> Bool {
    newFiles.begin(user, now: Milliseconds(clock.now().milliseconds))
  }

  // MARK: Upkeep

  /// Whether triggers ask for what versions did to objects.
  package nonisolated var touches: TouchDemand { settings.touches }

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
    let idle = entries.compactMap { name, entry in entry.users.idleSince.map { (name, $0) } }
    guard let first = idle.min(by: { $0.1 < $1.1 }) else { throw .tooManyOpenRealms }
    return close(first.0)
  }

  @discardableResult
  private func close(_ name: RealmName) -> Task<Void, Never> {
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
    }
    return closing
  }

  /// Closes the realms that were not used since a time; returns when they are closed.
  package func closeIdle(since time: OriginTimestamp) async {
    let times = entries.compactMapValues(\.users.idleSince)
    // Times after it are from a clock that was set back since.
    let now = clock.now()
    let closings = times.filter { $0.value <= time || $0.value > now }.keys.map { close($0) }
    for closing in closings { await closing.value }
  }

  /// Closes all realms, also those in use: their sessions have ended or get errors. Returns when
  /// their files are closed.
  package func closeAll() async {
    for name in Array(entries.keys) { close(name) }
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

/// Counts the users of a realm, and keeps the time when the last of them left.
final class RealmUsers: Sendable {
  private struct State {
    var count = 0
    var lastUse: OriginTimestamp
  }

  private let clock: ServerClock
  private let state: Locked<State>

  init(_ clock: ServerClock) {
    self.clock = clock
    state = Locked(State(lastUse: clock.now()))
  }

  /// The time since when the realm is not used; nil while it is.
  var idleSince: OriginTimestamp? {
    state.withLock { $0.count == 0 ? $0.lastUse : nil }
  }

  /// One use, until the last reference to the result is gone.
  func begin() -> RealmUse {
    state.withLock { $0.count += 1 }
    return RealmUse(of: self)
  }

  fileprivate func end() {
    let now = clock.now()
    state.withLock { state in
      state.count -= 1
      state.lastUse = now
    }
  }
}

/// Keeps a realm open as long as it lives.
package final class RealmUse: Sendable {
  private let users: RealmUsers

  fileprivate init(of users: RealmUsers) { self.users = users }

  deinit { users.end() }
}
