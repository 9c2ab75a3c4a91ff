// SPDX-License-Identifier: Apache-2.0

// A device with one synchronised file in memory, its agent, and the driver of its session.

package import RealmStorage
package import RealmSync
package import RealmSyncProtocol
package import RealmTables
import RealmTestSupport

/// A device of a `SyncNetwork`.
package final class SimulatedDevice {
  package let name: String
  package let version: ProtocolVersion
  package let user: String
  package let clock: SimulatedClock
  package private(set) var file: DatabaseFile
  private(set) var agent: SyncAgent
  private(set) var driver: ClientDriver
  private(set) var environment: SimulatedEnvironment
  private(set) var session: UInt64 = 0
  /// Is true when the ended session is over; nil if none was ended.
  private var ending: Locked<Bool>?
  /// The versions with something to upload, since the file has its identifier.
  package internal(set) var written: [UInt64] = []
  /// The acknowledged versions of earlier identifiers.
  package internal(set) var acknowledged: [FileIdentifier: [UInt64]] = [:]
  /// Everything that a device must never meet here: errors, refusals, broken rules.
  package var problems: [String] { news.problems.withLock { $0 } }
  /// The last checked version of the file.
  var checkedVersion: UInt64 = 0
  /// The number of refused writes of the file, as reported to the program.
  package var reportCount: Int { news.reportCount }
  /// Counts the programs, each with a driver of its own.
  private(set) var life = 0

  var connection: SimulatedConnection?
  /// Whether the device is to get connections.
  package internal(set) var isOnline = true
  /// Whether the server refused the user, until the next login.
  var isLoggedOut = false
  let news: SimulatedNews

  /// What becomes of the program when the agent has committed.
  package enum Interruption: Sendable {
    case none
    /// The program is killed, and starts again.
    case kill
  }

  /// The cases of `ClientEffect`: what a driver carries out.
  package enum EffectKind: CaseIterable, Sendable {
    case open, send, close, pauseReading, resumeReading, setTimer, cancelTimer
    case needsToken, needsLocation, needsLogOut, store, finish, ended, report, sessionReport
  }

  /// Is called when the agent has committed, before it goes on; it may write.
  package var afterCommit: (() throws -> Interruption)?
  /// Is called when the program begins with a new file after a manual reset.
  package var onNewFile: (() throws -> Void)?

  /// The treatment of own changes in a reset; nil if the program puts the file aside itself.
  package var resetMode: ResetMode? = .recoverOrDiscard
  /// The reset under way.
  var reset: SimulatedReset?
  let copy = SimulatedCopy()
  let executor = ManualExecutor()
  /// The wait for the end of a reset: everything is uploaded, and then downloaded.
  var resetWatch: ResetWatch?
  /// The identity of the file whose reset has begun. A restored server gives identifiers again.
  var identityBeforeReset: DeviceFileIdentity?
  /// The last version of a file in a restored backup of the server.
  var restoredVersions: [FileIdentifier: UInt64] = [:]
  /// Whether the transactions of a reset are under way.
  package internal(set) var isCommittingReset = false
  /// The acknowledged versions by then.
  var acknowledgedBeforeReset: [UInt64] = []
  /// Whether the program is to begin with a new file.
  var needsNewFile = false
  /// The counts of resets.
  package internal(set) var resets = ResetCounts()
  private(set) var recoveries = RecoveryChecker()

  /// The bytes of a new file.
  private let newFile: [UInt8]
  private let time: SimulatedTime
  private let connectionLimits: ClientMachine.Limits
  private var system: SimulatedFileSystem
  private let limits: TurnLimits
  private let schemas = SchemaCache()
  private var recorded: RecordedWrite

  init(
    named name: String, of user: String, _ version: ProtocolVersion, limits: TurnLimits,
    connectionLimits: ClientMachine.Limits, contents: [UInt8], time: SimulatedTime
  ) throws {
    self.name = name
    newFile = contents
    self.user = user
    self.version = version
    self.limits = limits
    self.connectionLimits = connectionLimits
    self.time = time
    clock = SimulatedClock()
    news = SimulatedNews()
    system = try SimulatedFileSystem(contents: contents)
    file = try system.openDatabase(history: .syncClient)
    agent = try SyncAgent(file, limits: limits)
    recorded = RecordedWrite(now: clock.now)
    environment = SimulatedEnvironment(time, news)
    driver = Self.driver(version, connectionLimits, environment, news)
    written = try uploadableVersions()
    try begin()
  }

  private static func driver(
    _ version: ProtocolVersion, _ limits: ClientMachine.Limits,
    _ environment: SimulatedEnvironment, _ news: SimulatedNews
  ) -> ClientDriver {
    ClientDriver(
      ClientMachine(mode: version.mode, limits: limits), environment: environment,
      observer: { event in news.take(event) })
  }

  /// Begins a session of the file.
  func begin() throws {
    ending = nil
    session = try driver.begin(agent, settings) { [news] event in news.take(event) }
  }

  /// The settings of the file's session.
  var settings: SessionSettings {
    SessionSettings(partition: version.mode == .partition ? "\"home\"" : nil)
  }

  /// Ends the session, unless its file is being reset; another one may begin when it is over.
  func endSession() {
    guard !isEnding, !isResetting else { return }
    let isOver = Locked(false)
    ending = isOver
    driver.end(session) { [news] in
      news.meet(.ended)
      isOver.withLock { $0 = true }
    }
  }

  /// Whether a session was ended, and no other has begun.
  var isEnding: Bool { ending != nil }

  /// Whether the ended session is over.
  var hasEnded: Bool { ending?.withLock { $0 } ?? false }

  /// The next request to carry out.
  var nextRequest: StoreRequest? {
    environment.state.withLock { state in state.works.first { $0.reply == nil }?.request }
  }

  /// Answers a request without carrying it out.
  func answer(_ reply: StoreReply) {
    environment.state.withLock { state in
      if let index = state.works.firstIndex(where: { $0.reply == nil }) {
        state.works[index].reply = reply
      }
    }
  }

  /// The disk of a device whose program is killed.
  package struct Disk {
    var file: [UInt8]
    var copy: [UInt8]?
  }

  /// Ends the program and starts it again. The device has no connection.
  ///
  /// - Parameter disk: The disk at the start; nil for the present one.
  func restart(from disk: Disk? = nil) async throws {
    if needsNewFile { return try await putAside() }
    try await abandon()
    if let disk {
      system = try SimulatedFileSystem(contents: disk.file)
      try copy.restart(from: disk.copy)
    }
    try await start()
  }

  /// Puts the file aside, and begins with a new one.
  func putAside() async throws {
    try await abandon()
    try willReset()
    noteUploads()
    system = try SimulatedFileSystem(contents: newFile)
    copy.remove()
    try await start()
    written = try uploadableVersions()
    try onNewFile?()
  }

  /// Ends all work of the program.
  private func abandon() async throws {
    news.isMuted.withLock { $0 = true }
    if let reset {
      resets.interrupted += 1
      reset.cancel()
    }
    for _ in 0..<3 {
      executor.run()
      environment.abandon()
      let isScheduled = environment.state.withLock { state in
        defer { state.isScheduled = false }
        return state.isScheduled
      }
      if isScheduled { driver.carryOut() }
    }
    (reset, resetWatch, ending) = (nil, nil, nil)
    await agent.close()
    news.isMuted.withLock { $0 = false }
  }

  private func start() async throws {
    life += 1
    (needsNewFile, checkedVersion) = (false, 0)
    file = try system.openDatabase(history: .syncClient)
    agent = try SyncAgent(file, limits: limits)
    recorded = RecordedWrite(now: clock.now)
    environment = SimulatedEnvironment(time, news)
    driver = Self.driver(version, connectionLimits, environment, news)
    isLoggedOut = false
    news.forgetWishes()
    try findReset()
    try await hearKeptReports()
    try begin()
    try await watchForEndOfReset()
  }

  /// The bytes of the file.
  package func contents() throws -> [UInt8] { try system.file.contents() }

  /// The disk as it is.
  package func disk() throws -> Disk { Disk(file: try contents(), copy: try copy.contents()) }

  /// Carries out the next request of the sessions.
  ///
  /// - Returns: The disk at the time when the program is to be killed; nil if it goes on.
  func perform() async -> Disk? {
    let next = environment.state.withLock { state in
      state.works.firstIndex { $0.reply == nil }.map { (index: $0, work: state.works[$0]) }
    }
    guard let next else { return nil }
    do {
      try await forgetHeardReports()
      return try await interrupting(next.work.agent.file) {
        let reply = await next.work.agent.perform(next.work.request)
        self.environment.state.withLock { $0.works[next.index].reply = reply }
      }
    } catch {
      news.add("\(error)")
      return nil
    }
  }

  /// Carries out commits to a file, while the program may write or be killed.
  func interrupting(_ file: DatabaseFile, _ body: () async throws -> Void) async throws -> Disk? {
    var watch: CommitWatch<Disk>?
    if let afterCommit {
      watch = CommitWatch { [unowned self] in
        try afterCommit() == .kill ? try disk() : nil
      }
    }
    try watch?.begin(file)
    do {
      try await body()
    } catch {
      _ = try watch?.end()
      throw error
    }
    return try watch?.end()
  }

  /// Waits until everything is at the other side.
  func wait(for kind: SessionWait) -> UInt64 {
    let id = driver.makeName()
    driver.wait(for: kind, of: session, id: id) { [news] failure in news.end(id, failure) }
    return id
  }

  // MARK: The program

  /// Runs a local write transaction; its version.
  @discardableResult
  package func write(_ body: (WriteGroup) throws -> Void) throws -> UInt64 {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    let snapshot = try group.orRollback {
      try recorded.attach(to: group)
      try body(group)
      return try group.commit()
    }
    if let history = try snapshot.syncHistory(),
      try history.head(at: snapshot.version).isUploadable
    {
      written.append(snapshot.version)
    }
    return snapshot.version
  }

  /// Adds a subscription set with one query a class.
  package func subscribe(to queries: [(objectClass: String, query: String)]) throws {
    let now = Timestamp(seconds: Int64(clock.now().milliseconds / 1000), nanoseconds: 0)
    try write { group in
      let store = try SubscriptionStore.make(in: group)
      let version = (try store.versions().last ?? 0) + 1
      try store.add(
        version,
        queries.enumerated().map { (index, query) in
          StoredSubscription(
            id: Bytes12(high: version, low: UInt32(index)), createdAt: now, updatedAt: now,
            objectClass: query.objectClass, query: query.query)
        })
    }
  }

  /// The newest version.
  package func read() throws -> TableGroup { try TableGroup(file.snapshot(), schemas: schemas) }

  /// The history of the newest version.
  package func history() throws -> SyncHistory? { try file.snapshot().syncHistory() }

  /// The state of the file, as messages may claim it.
  func state() throws -> SessionFile {
    let snapshot = try file.snapshot()
    let history = try snapshot.syncHistory()
    return SessionFile(
      version: snapshot.version,
      ident: FileIdentifier(UInt64(try snapshot.top().fileIdentifier)),
      salt: UInt64(clamping: history?.fileSalt ?? 0),
      cursors: history?.progress.cursors ?? SyncCursors())
  }

  /// The identifier that the server gave the file.
  package func ident() throws -> FileIdentifier {
    FileIdentifier(UInt64(try file.snapshot().top().fileIdentifier))
  }

  /// The subscription sets, oldest first.
  package func querySets() throws -> [QuerySet] { try QuerySet.all(in: read()) }

  /// The digest of all objects.
  package func digest() throws -> StateDigest { try StateDigest(of: read(), file: ident()) }

  /// What the check of the file finds.
  package func findings() throws -> [CheckFinding] { try DatabaseCheck.run(file.snapshot()) }
}
