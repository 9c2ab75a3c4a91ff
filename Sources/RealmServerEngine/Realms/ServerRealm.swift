// SPDX-License-Identifier: Apache-2.0

// A realm of the server: the only place where uploads are integrated.
//
// Invariants:
// 1. One group of uploads is integrated at a time, and all of it is on the disk before any of its
//    uploads is answered.
// 2. The window ends with the newest version whenever nothing is being appended, or is nil.
// 3. A realm that was this server's once and is no more does not become it again: its sessions rely
//    on what it was.
// 4. Where `isHeadSettled` is false, the realm may have versions after the head, by an append that
//    failed: the next one looks for them.

import RealmStorage
package import RealmSyncProtocol
import RealmTables
import Synchronization

/// An open realm, which is read, and written once this server is its owner. Runs on a thread free
/// to block.
package actor ServerRealm {
  /// The settings of a realm.
  package struct Settings: Sendable {
    package var groups = GroupCommit()
    /// Whether views are asked for, which need the touch log.
    package var recordsTouches: Bool
    /// The size at the end of a part of a first download.
    package var partByteCount = 1 << 19
    /// The size at the end of an entry of a bootstrap.
    package var bootstrapEntryByteCount = Bootstrap.entryByteCountMax
    /// Whether triggers ask for the touch log, in realms without views.
    package let touches = TouchDemand()
    /// The schema of the app; nil where clients may declare everything.
    package var schema: SchemaKeeper?
    /// Takes what the realm gives up, each once.
    package var report: @Sendable (RealmLoss) -> Void = { _ in }

    package init(groups: GroupCommit = GroupCommit(), recordsTouches: Bool = false) {
      self.groups = groups
      self.recordsTouches = recordsTouches
    }

    package var keepsTouches: Bool { recordsTouches || touches.isThere }
  }

  /// Nil once the realm is closed.
  private var openStore: (any RealmStore)?
  package nonisolated let id: RealmID
  private nonisolated let thread: ThreadExecutor
  /// Where conditions about the past are evaluated; nil in realms without views.
  package nonisolated let scratch: ViewScratch?
  private nonisolated let surroundings: Surroundings

  package internal(set) var head: RealmHead {
    didSet { newest.store(head.version, ordering: .relaxed) }
  }
  private nonisolated let newest: Atomic<UInt64>
  private var isHeadSettled = true
  /// The versions after which clients have missed something; of realms with views.
  var changed: ChangedVersions
  var window: HistoryWindow?
  var transformer = Transformer()
  var queue = UploadQueue()
  var firstDownloads = FirstDownloads()
  var isDraining = false
  /// Whether a call is appending, which may wait for the store meanwhile; others wait for their
  /// turn.
  private(set) var isAppending = false
  private var appendingWaiters: [CheckedContinuation<Void, Never>] = []
  /// What this server is to the realm.
  private var role: Role
  /// The versions whose changesets were read when clients in partition mode were sent them. None
  /// of them is damaged.
  var readableVersions: Range<UInt64>?
  private var reported = OnceOnly<RealmLoss>()

  /// What a server is to a realm.
  enum Role: Hashable, Sendable {
    case reader
    case owner
    /// The realm is another server's since, or closed.
    case former
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// What the realms of a server share.
  struct Surroundings: Sendable {
    let settings: Settings
    let clock: ServerClock
    let salts: SaltSource
    /// The threads of searches for the clients' queries.
    let searchers: ViewSearchers
  }

  init(
    _ head: RealmHead, of store: any RealmStore, as role: Role, in surroundings: Surroundings,
    on thread: ThreadExecutor, scratch: ViewScratch?
  ) {
    self.role = role
    self.scratch = scratch
    self.surroundings = surroundings
    newest = Atomic(head.version)
    changed = ChangedVersions(after: head.version)
    self.head = head
    id = head.realm
    openStore = store
    self.thread = thread
  }

  package nonisolated var settings: Settings { surroundings.settings }
  package nonisolated var clock: ServerClock { surroundings.clock }
  package nonisolated var salts: SaltSource { surroundings.salts }
  nonisolated var searchers: ViewSearchers { surroundings.searchers }

  /// What the realm is kept in. Calls of a closed realm throw.
  package var store: any RealmStore {
    get throws(StoreError) {
      guard let openStore else { throw .unknownRealm(id) }
      return openStore
    }
  }

  /// The newest version, for those that do not wait for their turn.
  nonisolated var newestVersion: UInt64 { newest.load(ordering: .relaxed) }

  /// Whether this server is the owner, as far as it knows.
  var isOwner: Bool { role == .owner }

  /// Makes this server the owner, if it is not.
  ///
  /// - Throws: `StoreError.owned` if another one is; `StoreError.fenced` if the realm has to be
  ///   opened again.
  package func own() async throws(StoreError) {
    if isOwner {
      if try await store.head().epoch == head.epoch { return }
      loseOwnership()
    }
    await beginAppending()
    defer { endAppending() }
    switch role {
    case .owner: return
    case .former: throw openStore == nil ? .unknownRealm(id) : .fenced
    case .reader:
      head = try await store.own()
      changed = ChangedVersions(after: head.version)
      role = .owner
    }
  }

  /// The server that is the owner, if that is another one.
  func otherOwner() async throws(StoreError) -> String? { try await store.otherOwner() }

  /// Notes that another server has become the owner, or that the realm has to be opened again.
  func loseOwnership() { role = .former }

  /// Gives up the file of the realm. No session uses it any more.
  package func close() async {
    role = .former
    window = nil
    await openStore?.close()
    openStore = nil
  }

  // MARK: Client files

  /// Makes a file for a client without one; it is on the disk on return.
  package func allocateFile(for user: String) async throws(StoreError) -> ClientFile {
    try await store.allocateFile(for: user, now: clock.now())
  }

  /// A client's file; nil if it was never made.
  package func file(_ ident: FileIdentifier) async throws(StoreError) -> ClientFile? {
    try await store.file(ident)
  }

  /// Stores the new state of a client file.
  package func store(_ file: ClientFile) async throws(StoreError) {
    await beginAppending()
    defer { endAppending() }
    let batch = Batch(files: [file])
    try await append { _ in batch }
  }

  /// Stores what a client alone is sent, with empty versions of the server for it.
  ///
  /// - Parameters:
  ///   - version: The newest version afterwards.
  ///   - ident: The client; its first download ends with the version.
  ///   - filtered: The filters of a client's view from the version on; nil if they stay.
  ///   - hasTurn: Whether it is the caller's turn to append.
  /// - Returns: The new head; nil if it is not the one that the changes were made for.
  func appendVersions(
    through version: UInt64, after head: RealmHead, privates: [PrivateChange],
    firstDownloadOf ident: FileIdentifier? = nil, filtered: FilteredView? = nil,
    hasTurn: Bool = false
  ) async throws(StoreError) -> RealmHead? {
    guard version > head.version || !privates.isEmpty || filtered != nil else { return head }
    if !hasTurn { await beginAppending() }
    defer { if !hasTurn { endAppending() } }
    try await settleHead()
    // Without this an earlier owner would repeat the caller's loop without end: the next owner's
    // versions never become the head of this one.
    guard self.head.epoch == head.epoch else { throw .fenced }
    guard self.head.version == head.version else { return nil }
    let now = clock.now()
    var batch = Batch(privates: privates)
    if let ident, var file = try await store.file(ident) {
      (file.firstDownloadBase, file.firstDownloadVersion) = (head.version, version)
      batch.files = [file]
    }
    if let filtered {
      batch.files = try await changedFile(filtered, from: version).map { [$0] } ?? []
    }
    guard version > head.version || !privates.isEmpty || !batch.files.isEmpty else { return head }
    while head.version + UInt64(batch.entries.count) < version {
      batch.entries.append(
        StoredEntry(
          version: head.version + UInt64(batch.entries.count) + 1, salt: salts.next(),
          file: .server, clientVersion: 0, timestamp: now, committed: now,
          originalByteCount: 0, totalByteCount: self.head.totalByteCount, changeset: []))
    }
    try await append { _ in batch }
    if let window {
      for entry in batch.entries { window.append(Changeset(origin: entry.origin)) }
    }
    return self.head
  }

  /// The file of a client whose view is made with other filters than before; nil if they are the
  /// same.
  private func changedFile(
    _ view: FilteredView, from version: UInt64
  ) async throws(StoreError) -> ClientFile? {
    guard var file = try await store.file(view.file) else { throw .unknownFile(view.file) }
    var filters = try file.viewFilters()
    filters.set(view.filters, from: version, base: file.reciprocalBase)
    guard filters.text != file.filters else { return nil }
    file.filters = filters.text
    return file
  }

  /// Notes that the view of a client has other filters from its version on, without another
  /// content: they differ in classes alone that it does not subscribe to.
  func noteFilters(_ view: FilteredView, from version: UInt64) async throws(StoreError) {
    await beginAppending()
    defer { endAppending() }
    guard let file = try await changedFile(view, from: version) else { return }
    try await append { _ in Batch(files: [file]) }
  }

  /// The filters of a client's view, by the version in its IDENT. Bootstraps after it were not
  /// received.
  func confirmedFilters(
    of ident: ClientMessage.Ident
  ) async throws(StoreError) -> ReadFilters? {
    let version = ident.download.serverVersion
    await beginAppending()
    defer { endAppending() }
    guard var file = try await store.file(ident.file) else { throw .unknownFile(ident.file) }
    var filters = try file.viewFilters()
    if filters.removeAll(after: version) {
      file.filters = filters.text
      let batch = Batch(files: [file])
      try await append { _ in batch }
    }
    return filters.filters(at: version)
  }

  /// Makes versions by attempts: each returns nil if the realm has got other versions meanwhile.
  /// From the second on they have the turn to append: no other call makes versions then.
  ///
  /// Entries that cannot be read are given up.
  ///
  /// - Parameters:
  ///   - takesTurn: Whether the first attempt has the turn, too.
  ///   - attempt: Gets whether it has the turn. It throws `StoreError.unreadableEntry` for what is
  ///     to be given up, which takes a turn of its own.
  func appending<Made: Sendable>(
    takesTurn: Bool = false,
    _ attempt: (_ hasTurn: Bool) async throws(StoreError) -> Made?
  ) async throws(StoreError) -> Made {
    do throws(StoreError) {
      if !takesTurn, let made = try await attempt(false) { return made }
      await beginAppending()
      defer { endAppending() }
      while true {
        if let made = try await attempt(true) { return made }
      }
    } catch {
      guard case .unreadableEntry(let version, let reason) = error else { throw error }
      throw try await giveUp(through: version, because: reason)
    }
  }

  func beginAppending() async {
    guard isAppending else {
      isAppending = true
      return
    }
    await withCheckedContinuation { caller in
      // Looked at once more: before a continuation is there, other calls of the actor may have run,
      // and the one whose end this waits for may have ended.
      guard isAppending else {
        isAppending = true
        return caller.resume()
      }
      appendingWaiters.append(caller)
    }
  }

  func endAppending() {
    if appendingWaiters.isEmpty {
      isAppending = false
    } else {
      appendingWaiters.removeFirst().resume()
    }
  }

  /// The server's time.
  var now: OriginTimestamp { clock.now() }

  // MARK: Entries

  /// Gives up the entries up to a version, the newest that cannot be read: clients that need them
  /// are reset, or get the state, as where history is trimmed.
  ///
  /// - Precondition: It is the caller's turn to append.
  func skip(through version: UInt64, because reason: String) async throws(StoreError) {
    window = nil
    try await append { _ in Batch(skipsThrough: version) }
    report(.entries(through: version, reason: reason))
  }

  /// The entries of some versions. After one that cannot be read those up to it are gone.
  package func entries(in range: Range<UInt64>) async throws(StoreError) -> [StoredEntry] {
    do throws(StoreError) {
      return try await store.entries(in: range)
    } catch {
      guard case .unreadableEntry(let version, let reason) = error else { throw error }
      throw try await giveUp(through: version, because: reason)
    }
  }

  /// Gives up the entries up to a version, if that has not happened meanwhile.
  ///
  /// - Returns: What calls that need these entries throw.
  func giveUp(
    through version: UInt64, because reason: String
  ) async throws(StoreError) -> StoreError {
    guard isOwner else { return .unreadableEntry(version: version, reason) }
    await beginAppending()
    defer { endAppending() }
    if version > head.base { try await skip(through: version, because: reason) }
    return .trimmed(through: version)
  }

  func report(_ loss: RealmLoss) {
    if reported.insert(loss) { settings.report(loss) }
  }

  /// Reads the head again after an append that failed: its versions may be there all the same.
  ///
  /// - Precondition: It is the caller's turn to append.
  /// - Throws: `StoreError.fenced` if another server has become the owner.
  func settleHead() async throws(StoreError) {
    guard !isHeadSettled else { return }
    let found = try await store.snapshot(atLeast: 0).head
    guard found.epoch == head.epoch else { throw .fenced }
    if found.version != head.version { changed = ChangedVersions(after: found.version) }
    (head, isHeadSettled) = (found, true)
  }

  /// Stores what `build` makes, and takes the new head. After a failure there is no window.
  ///
  /// - Precondition: It is the caller's turn to append.
  @discardableResult
  func append(
    _ build: (WriteGroup) throws(StorageError) -> Batch?
  ) async throws(StoreError) -> Bool {
    guard isOwner else { throw .fenced }
    try await settleHead()
    var entries: [StoredEntry] = []
    do throws(StoreError) {
      let head = try await store.append(expecting: self.head.version, epoch: self.head.epoch) {
        (group) throws(StorageError) in
        let batch = try build(group)
        entries = batch?.entries ?? []
        return batch
      }
      guard let head else { return false }
      if settings.recordsTouches { changed.append(entries, through: head.version) }
      self.head = head
      return true
    } catch {
      (window, isHeadSettled) = (nil, false)
      // The database went back.
      if case .conflict = error { loseOwnership() }
      throw error
    }
  }
}
