// SPDX-License-Identifier: Apache-2.0

// A realm of the server: the only place where uploads are integrated.
//
// Invariants:
// 1. One group of uploads is integrated at a time, and all of it is on the disk before any of its
//    uploads is answered.
// 2. The window ends with the newest version whenever nothing is being appended, or is nil.

import RealmReplication
import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// A realm that this server owns. Runs on a thread that may block.
package actor ServerRealm {
  /// What a realm is run with.
  package struct Settings: Sendable {
    package var groups = GroupCommit()
    /// Whether views are asked for, which need the touch log.
    package var recordsTouches: Bool
    /// The size with which a part of a first download ends.
    package var partByteCount = 1 << 19
    /// Is told of what cannot be read for one client, which is reset then.
    package var report: @Sendable (StoreError) -> Void = { _ in }

    package init(groups: GroupCommit = GroupCommit(), recordsTouches: Bool = false) {
      self.groups = groups
      self.recordsTouches = recordsTouches
    }
  }

  package nonisolated let store: any ServerStore
  package nonisolated let id: RealmID
  private nonisolated let thread: ServerThread
  let settings: Settings
  private let clock: ServerClock
  private let salts: SaltSource

  package private(set) var head: RealmHead
  private var window: HistoryWindow?
  private var transformer = Transformer()
  private var queue = UploadQueue()
  var firstDownloads = FirstDownloads()
  private var isDraining = false
  /// Whether a call is appending, which may wait for the store meanwhile; others wait for their
  /// turn.
  private var isAppending = false
  private var appendingWaiters: [CheckedContinuation<Void, Never>] = []
  /// Set when another server has become the owner.
  private var isFenced = false

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// Opens a realm, which is this server's from then on.
  package static func open(
    _ name: RealmName, of store: any ServerStore, settings: Settings = Settings(),
    clock: ServerClock, salts: SaltSource = SaltSource(), thread: ServerThread = ServerThread()
  ) async throws(StoreError) -> ServerRealm {
    let opener = Opener(thread)
    let head = try await opener.open(name, of: store)
    return ServerRealm(
      head, of: store, settings: settings, clock: clock, salts: salts, thread: thread)
  }

  private init(
    _ head: RealmHead, of store: any ServerStore, settings: Settings, clock: ServerClock,
    salts: SaltSource, thread: ServerThread
  ) {
    self.head = head
    id = head.realm
    self.store = store
    self.settings = settings
    self.clock = clock
    self.salts = salts
    self.thread = thread
  }

  /// Opens realms on the thread where they will run.
  private actor Opener {
    private nonisolated let thread: ServerThread

    init(_ thread: ServerThread) { self.thread = thread }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe thread.asUnownedSerialExecutor()
    }

    func open(
      _ name: RealmName, of store: any ServerStore
    ) async throws(StoreError) -> RealmHead {
      try await store.open(name)
    }

    func realms(
      ofApp app: String, of store: any ServerStore
    ) async throws(StoreError) -> [RealmID] {
      try await store.realms(ofApp: app)
    }

    func peek(
      _ realm: RealmID, of store: any ServerStore
    ) async throws(StoreError) -> RealmOutline {
      try await store.peek(realm)
    }

    func exists(_ name: RealmName, of store: any ServerStore) async throws(StoreError) -> Bool {
      try await store.exists(name)
    }
  }

  /// Whether a realm was made.
  static func exists(
    _ name: RealmName, of store: any ServerStore, on thread: ServerThread
  ) async throws(StoreError) -> Bool {
    try await Opener(thread).exists(name, of: store)
  }

  /// The realms of an app, whether they are open or not.
  static func realms(
    ofApp app: String, of store: any ServerStore, on thread: ServerThread
  ) async throws(StoreError) -> [RealmID] {
    try await Opener(thread).realms(ofApp: app, of: store)
  }

  /// What a realm has, open or not.
  static func peek(
    _ realm: RealmID, of store: any ServerStore, on thread: ServerThread
  ) async throws(StoreError) -> RealmOutline {
    try await Opener(thread).peek(realm, of: store)
  }

  /// Gives up the file of the realm, which no session uses any more.
  package func close() async {
    isFenced = true
    window = nil
    await store.close(id)
  }

  // MARK: Client files

  /// Makes a file for a client that has none; it is on the disk when this returns.
  package func allocateFile(for user: String) async throws(StoreError) -> ClientFile {
    try await store.allocateFile(in: id, for: user, now: clock.now())
  }

  /// A client's file; nil if it was never made.
  package func file(_ ident: FileIdentifier) async throws(StoreError) -> ClientFile? {
    try await store.file(ident, in: id)
  }

  /// The state that an IDENT message of a user is checked against.
  ///
  /// - Parameter latest: The newest server version that the client has ever received.
  package func lookUp(
    _ ident: FileIdentifier, of user: String, latest: UInt64
  ) async throws(StoreError) -> ServerFileLookup {
    let file = try await store.file(ident, in: id)
    var salt: UInt64?
    if latest == head.version {
      salt = head.salt
    } else if latest > head.base, latest < head.version {
      salt = try? await entries(in: latest..<latest + 1).first?.salt
    }
    return ServerFileLookup(
      file: file?.record(for: user),
      head: SaltedVersion(version: head.version, salt: head.salt), latestSalt: salt)
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
  ///   - ident: The client whose first download ends with that version.
  /// - Returns: The new head; nil if it is not the one that the changes were made for.
  func appendVersions(
    through version: UInt64, after head: RealmHead, privates: [PrivateChange],
    firstDownloadOf ident: FileIdentifier? = nil
  ) async throws(StoreError) -> RealmHead? {
    guard version > head.version || !privates.isEmpty else { return head }
    await beginAppending()
    defer { endAppending() }
    guard self.head.version == head.version else { return nil }
    let now = clock.now()
    var batch = Batch(privates: privates)
    if let ident, var file = try await store.file(ident, in: id) {
      (file.firstDownloadBase, file.firstDownloadVersion) = (head.version, version)
      batch.files = [file]
    }
    while head.version + UInt64(batch.entries.count) < version {
      batch.entries.append(
        StoredEntry(
          version: head.version + UInt64(batch.entries.count) + 1, salt: salts.next(),
          file: .server, clientVersion: 0, timestamp: now, committed: now,
          originalByteCount: 0, totalByteCount: self.head.totalByteCount, changeset: []))
    }
    do throws(StoreError) {
      try await append { _ in batch }
    } catch {
      window = nil
      throw error
    }
    if let window {
      for entry in batch.entries { window.append(Changeset(origin: entry.origin)) }
    }
    return self.head
  }

  private func beginAppending() async {
    guard isAppending else {
      isAppending = true
      return
    }
    await withCheckedContinuation { appendingWaiters.append($0) }
  }

  private func endAppending() {
    if appendingWaiters.isEmpty {
      isAppending = false
    } else {
      appendingWaiters.removeFirst().resume()
    }
  }

  /// The server's time.
  var now: OriginTimestamp { clock.now() }

  // MARK: Uploads

  /// Integrates an upload, together with others that wait.
  package func integrate(_ upload: Upload) async -> UploadOutcome {
    await withCheckedContinuation { waiter in
      queue.append(upload, waiter)
      guard !isDraining else { return }
      isDraining = true
      Task { await drain() }
    }
  }

  private func drain() async {
    while !queue.isEmpty {
      // Uploads that arrived while the thread was busy get into the group.
      await Task.yield()
      let group = queue.takeGroup(settings.groups)
      let outcomes = await integrate(group: group.uploads)
      for (waiter, outcome) in zip(group.waiters, outcomes) { waiter.resume(returning: outcome) }
    }
    isDraining = false
  }

  /// Integrates uploads in one transaction. Those that cannot be integrated are left out, and so
  /// are later ones of their files.
  func integrate(group uploads: [Upload]) async -> [UploadOutcome] {
    do throws(StoreError) {
      try await beginFirstDownloads(of: uploads)
      await beginAppending()
      defer { endAppending() }
      return try await integrateReadable(uploads)
    } catch {
      window = nil
      if error == .fenced { isFenced = true }
      return uploads.map { _ in .failed(error) }
    }
  }

  /// Integrates uploads, and leaves out versions that cannot be read if there are any.
  private func integrateReadable(_ uploads: [Upload]) async throws(StoreError) -> [UploadOutcome] {
    while true {
      do throws(StoreError) {
        return try await tryIntegrating(uploads)
      } catch {
        guard case .unreadableEntry(let version, _) = error, version > head.base else {
          throw error
        }
        try await skip(through: version)
      }
    }
  }

  /// Gives up the entries up to a version, the newest that cannot be read: clients that need them
  /// are reset, or get the state, as where history is trimmed.
  ///
  /// - Precondition: It is the caller's turn to append.
  private func skip(through version: UInt64) async throws(StoreError) {
    window = nil
    try await append { _ in Batch(skipsThrough: version) }
  }

  /// The entries of some versions. After one that cannot be read those up to it are gone.
  func entries(in range: Range<UInt64>) async throws(StoreError) -> [StoredEntry] {
    do throws(StoreError) {
      return try await store.entries(of: id, in: range)
    } catch {
      guard case .unreadableEntry(let version, _) = error else { throw error }
      await beginAppending()
      defer { endAppending() }
      if version > head.base { try await skip(through: version) }
      throw .trimmed(through: version)
    }
  }

  private func tryIntegrating(_ uploads: [Upload]) async throws(StoreError) -> [UploadOutcome] {
    let window = try await preparedWindow(for: uploads)
    var refusals: [Int: SessionRefusal] = [:]
    let states = try await states(for: uploads, window, &refusals)
    let unseen = try await unseenObjects(for: uploads, states)
    var misfitCount = 0
    while true {
      window.removeAll(after: head.version)
      var integration = Integration(
        states, history: window, trimmed: head.base, transformer: transformer, unseen: unseen)
      let now = clock.now()
      for (number, upload) in uploads.enumerated() where refusals[number] == nil {
        do throws(SessionRefusal) {
          try integration.add(upload, number: number, now: now)
        } catch {
          refuse(number, of: uploads, error, &refusals)
        }
      }
      if let failure = integration.failure { throw failure }
      if integration.needsOwnTurn { return try await integrateEach(uploads, refusals) }
      var failed: (upload: Int, refusal: SessionRefusal)?
      if !integration.states.isEmpty, refusals.count < uploads.count {
        try await append { (group) throws(StoreError) in
          switch try self.apply(integration, in: group, now: now) {
          case .success(let batch): return batch
          case .failure(let failure):
            failed = (failure.upload, failure.refusal)
            return nil
          }
        }
      }
      if let failed {
        refuse(failed.upload, of: uploads, failed.refusal, &refusals)
        misfitCount += 1
        // The whole group is done again after each, so a group of misfits would take the square.
        if misfitCount > 1 { return try await integrateEach(uploads, refusals) }
        continue
      }
      window.removeOld()
      return uploads.enumerated().map { (number, upload) in
        if let refusal = refusals[number] { return .refused(refusal) }
        guard let file = integration.states[upload.file]?.file else {
          return .failed(.unknownFile(upload.file))
        }
        return .integrated(file, head)
      }
    }
  }

  /// Integrates the uploads that are not refused, each in a transaction of its own.
  private func integrateEach(
    _ uploads: [Upload], _ refusals: [Int: SessionRefusal]
  ) async throws(StoreError) -> [UploadOutcome] {
    var refusals = refusals
    var outcomes: [UploadOutcome] = []
    for (number, upload) in uploads.enumerated() {
      if let refusal = refusals[number] {
        outcomes.append(.refused(refusal))
        continue
      }
      let outcome = try await tryIntegrating([upload])[0]
      if case .refused(let refusal) = outcome { refuse(number, of: uploads, refusal, &refusals) }
      outcomes.append(outcome)
    }
    return outcomes
  }

  /// Leaves an upload out, and those that follow it in the same client's history.
  private func refuse(
    _ number: Int, of uploads: [Upload], _ refusal: SessionRefusal,
    _ refusals: inout [Int: SessionRefusal]
  ) {
    for later in uploads.indices where later >= number {
      guard uploads[later].file == uploads[number].file, refusals[later] == nil else { continue }
      refusals[later] = refusal
    }
  }

  /// The window with all versions that the uploads have to be merged with.
  private func preparedWindow(for uploads: [Upload]) async throws(StoreError) -> HistoryWindow {
    guard !isFenced else { throw .fenced }
    if window == nil {
      // A call that failed may have left its versions after all.
      let epoch = head.epoch
      head = try await store.snapshot(of: id, atLeast: 0).head
      guard head.epoch == epoch else { throw .fenced }
    }
    let window = self.window ?? HistoryWindow(base: head.version)
    self.window = window
    var base = head.version
    for upload in uploads {
      for entry in upload.entries { base = min(base, entry.serverVersion) }
    }
    base = max(base, head.base)
    guard base < window.base else { return window }
    var older: [Changeset] = []
    for entry in try await store.entries(of: id, in: base + 1..<window.base + 1) {
      older.append(try parse(entry.changeset, origin: entry.origin))
    }
    window.prepend(older)
    return window
  }

  private func parse(
    _ bytes: [UInt8], origin: ChangesetOrigin
  ) throws(StoreError) -> Changeset {
    do throws(ChangesetError) {
      return try ChangesetParser.parse(bytes, origin: origin)
    } catch {
      throw .unreadableEntry(version: origin.version, "\(error)")
    }
  }

  /// The files of uploads. Those of which something cannot be read are left out.
  private func states(
    for uploads: [Upload], _ window: HistoryWindow, _ refusals: inout [Int: SessionRefusal]
  ) async throws(StoreError) -> [FileIdentifier: FileState] {
    var states: [FileIdentifier: FileState] = [:]
    for (number, upload) in uploads.enumerated()
    where states[upload.file] == nil && refusals[number] == nil {
      guard let file = try await store.file(upload.file, in: id) else { continue }
      do throws(StoreError) {
        states[upload.file] = try await state(of: file)
      } catch {
        guard case .unreadableFile = error else { throw error }
        settings.report(error)
        refuse(number, of: uploads, SessionRefusal(error), &refusals)
      }
    }
    return states
  }

  private func state(of file: ClientFile) async throws(StoreError) -> FileState {
    var reciprocals: [UInt64: Changeset] = [:]
    var privates: [UInt64: Changeset] = [:]
    var objects: [UInt64: [ObjectIdentity]] = [:]
    func parse(
      _ bytes: [UInt8], _ origin: ChangesetOrigin
    ) throws(StoreError) -> Changeset {
      do throws(ChangesetError) {
        return try ChangesetParser.parse(bytes, origin: origin)
      } catch {
        throw .unreadableFile(file.ident, "what belongs to version \(origin.version): \(error)")
      }
    }
    let base = file.reciprocalBase
    for (version, bytes) in try await store.reciprocals(of: file.ident, in: id, after: base) {
      // The origin is that of the entry, which `FileState` knows.
      reciprocals[version] = try parse(bytes, ChangesetOrigin(version: version))
    }
    for change in try await store.privates(of: file.ident, in: id, after: base) {
      let origin = ChangesetOrigin(
        version: change.version, file: .server, timestamp: change.timestamp)
      privates[change.version] = try parse(change.changeset, origin)
      objects[change.version] = change.objects
    }
    return FileState(
      file: file, reciprocals: reciprocals, privates: privates, privateObjects: objects)
  }

  /// What is needed to find objects that uploads make without having been sent them; nil if there
  /// is no new upload, and in realms without views.
  private func unseenObjects(
    for uploads: [Upload], _ states: [FileIdentifier: FileState]
  ) async throws(StoreError) -> UnseenObjects? {
    guard settings.recordsTouches else { return nil }
    var base: UInt64?
    for upload in uploads {
      guard let file = states[upload.file]?.file else { continue }
      for entry in upload.entries where entry.clientVersion > file.clientVersion {
        base = min(base ?? .max, max(entry.serverVersion, head.base))
      }
    }
    guard let base else { return nil }
    let snapshot = try await store.snapshot(of: id, atLeast: head.version)
    var entries: [StoredEntry] = []
    if head.version > head.base {
      let first = min(base + 1, head.version)
      entries = try await store.entries(of: id, in: first..<head.version + 1)
    }
    return UnseenObjects(snapshot, entries, timestamp: entries.last?.committed ?? clock.now())
  }

  /// An upload of the group that does not fit the objects.
  private struct Misfit: Error {
    let upload: Int
    let refusal: SessionRefusal
  }

  /// Carries out the entries of a group.
  private func apply(
    _ integration: Integration, in group: WriteGroup, now: OriginTimestamp
  ) throws(StoreError) -> Result<Batch, Misfit> {
    var batch = Batch()
    var applier = InstructionApplier(group, file: .server, limits: ApplyLimits())
    var upload: Int?
    var collector = settings.recordsTouches ? TouchCollector(group) : nil
    var total = head.totalByteCount
    for entry in integration.entries {
      if upload != entry.upload { applier.renewWork() }
      upload = entry.upload
      var touches: [Touch] = []
      try StoreError.storing { () throws(StorageError) in try collector?.begin(entry.changeset) }
      do throws(ApplyError) {
        try applier.apply(entry.changeset)
      } catch {
        switch error {
        case .storage(let cause): throw .storage(cause)
        case .badChangeset(let problem, let instruction):
          let refusal = SessionRefusal(problem, instruction: instruction)
          return .failure(Misfit(upload: entry.upload, refusal: refusal))
        }
      }
      try StoreError.storing { () throws(StorageError) in
        touches = try collector?.end(made: entry.made) ?? []
      }
      total += entry.originalByteCount
      let origin = entry.changeset.origin
      batch.entries.append(
        StoredEntry(
          version: origin.version, salt: salts.next(), file: origin.file,
          clientVersion: entry.clientVersion, timestamp: origin.timestamp, committed: now,
          originalByteCount: entry.originalByteCount, totalByteCount: total,
          changeset: entry.bytes, touches: touches))
    }
    for state in integration.states.values.sorted(by: { $0.file.ident < $1.file.ident }) {
      batch.files.append(state.file)
      let changes = state.changes
      batch.reciprocals += changes.reciprocals
      batch.privates += changes.privates
    }
    return .success(batch)
  }

  @discardableResult
  private func append(
    _ build: (WriteGroup) throws(StoreError) -> Batch?
  ) async throws(StoreError) -> Bool {
    guard !isFenced else { throw .fenced }
    let head = try await store.append(
      to: id, expecting: self.head.version, epoch: self.head.epoch, build)
    guard let head else { return false }
    self.head = head
    return true
  }

  // MARK: Maintenance

  /// Makes a first version without changes if there is none: bootstraps have versions from 1 on.
  package func beginHistory() async throws(StoreError) {
    guard head.version == 0 else { return }
    _ = try await appendVersions(through: 1, after: head, privates: [])
  }

  /// Notes that a client is there, once a day: a client that only reads uploads nothing.
  package func noteSeen(_ ident: FileIdentifier) async throws(StoreError) {
    guard let known = try await store.file(ident, in: id), !known.isExpired,
      known.lastSeen.milliseconds + Self.dayMilliseconds <= now.milliseconds
    else { return }
    await beginAppending()
    defer { endAppending() }
    guard var file = try await store.file(ident, in: id), !file.isExpired else { return }
    file.lastSeen = max(file.lastSeen, now)
    let batch = Batch(files: [file])
    try await append { _ in batch }
  }

  private static let dayMilliseconds: UInt64 = 24 * 3600 * 1000
  /// The versions that are trimmed in one transaction.
  private static let trimCount: UInt64 = 10_000

  /// Expires clients that were away for too long, and trims the history that none needs.
  ///
  /// - Parameter isPresent: Whether a client has a session now, and is not away.
  /// - Returns: The numbers of files that expired and of versions that were trimmed.
  @discardableResult
  package func trim(
    offlineMillisecondsMax: UInt64 = Trimming.offlineMillisecondsMax,
    isPresent: @Sendable (FileIdentifier) -> Bool = { _ in false }
  ) async throws(StoreError) -> (files: Int, versions: UInt64) {
    var result: (files: Int, versions: UInt64) = (0, 0)
    while true {
      await beginAppending()
      defer { endAppending() }
      let files = try await store.files(in: id)
      let expired = Trimming.expired(
        files, now: clock.now(), offlineMillisecondsMax: offlineMillisecondsMax
      ).filter { !isPresent($0.ident) }
      let gone = Set(expired.map(\.ident))
      let horizon = Trimming.horizon(files.filter { !gone.contains($0.ident) }, head: head)
      guard !expired.isEmpty || horizon > head.base else { return result }
      let through = min(horizon, head.base + Self.trimCount)
      let batch = Batch(files: expired, trimsThrough: through > head.base ? through : nil)
      // Entries are parsed again from the store when they are needed.
      window = nil
      let base = head.base
      try await append { _ in batch }
      result = (result.files + expired.count, result.versions + head.base - base)
      guard through < horizon else { return result }
    }
  }
}
