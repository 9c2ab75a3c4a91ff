// SPDX-License-Identifier: Apache-2.0

// A device with one synchronised file in memory, its agent, and the driver of its session.

package import RealmStorage
import RealmSync
package import RealmSyncProtocol
package import RealmTables
import RealmTestSupport

/// A device of a `SyncNetwork`.
package final class SimulatedDevice {
  package let name: String
  package let version: ProtocolVersion
  package let clock: SimulatedClock
  package private(set) var file: DatabaseFile
  private(set) var agent: SyncAgent
  private(set) var driver: ClientDriver
  private(set) var environment: SimulatedEnvironment
  private(set) var session: UInt64 = 0
  /// Is true when the ended session is over; nil if none was ended.
  private var ending: Locked<Bool>?
  /// The versions that have something to upload.
  package private(set) var written: [UInt64] = []
  /// Everything that a device must never meet here: errors, refusals, broken rules.
  package var problems: [String] { news.problems.withLock { $0 } }

  var connection: SimulatedConnection?
  /// Whether the device is to get connections.
  package internal(set) var isOnline = true
  /// Whether the server refused the user, until the next login.
  var isLoggedOut = false
  let news: News

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

  /// The reports of the driver, and how often each wait was finished.
  final class News: Sendable {
    let problems = Locked<[String]>([])
    let finished = Locked<[UInt64: Int]>([:])
    /// Whether the network has refused the user, or failed for good.
    let mayFail = Locked(false)
    /// The kinds of effects that the driver has carried out.
    let met = Locked<Set<EffectKind>>([])

    func meet(_ kind: EffectKind) { met.withLock { _ = $0.insert(kind) } }

    func add(_ problem: String) { problems.withLock { $0.append(problem) } }

    func take(_ event: ClientEvent) {
      meet(.report)
      switch event {
      case .changed, .interrupted, .log, .failed(.closed, isFatal: false),
        .failed(.connectTimeout, _), .failed(.pongTimeout, _):
        break
      case .failed(.error(let code, _), isFatal: false) where code.connection == .connectionClosed:
        break
      case .failed(.closed, isFatal: true) where mayFail.withLock({ $0 }): break
      case .failed: add("\(event)")
      }
    }

    func take(_ event: SyncSessionEvent) {
      meet(.sessionReport)
      switch event {
      case .downloadProgress, .log: break
      // The file may still be that of an older session for a while.
      case .delayed(let code, _) where code.session == .sessionClosed: break
      default: add("\(event)")
      }
    }
  }

  /// Is called when the agent has committed, before it goes on; it may write.
  package var afterCommit: (() throws -> Interruption)?

  private let time: SimulatedTime
  private let connectionLimits: ClientMachine.Limits
  private var system: SimulatedFileSystem
  private let limits: TurnLimits
  private let schemas = SchemaCache()
  private var recorded: RecordedWrite

  init(
    named name: String, _ version: ProtocolVersion, limits: TurnLimits,
    connectionLimits: ClientMachine.Limits, time: SimulatedTime
  ) throws {
    self.name = name
    self.version = version
    self.limits = limits
    self.connectionLimits = connectionLimits
    self.time = time
    clock = SimulatedClock()
    news = News()
    system = try SimulatedFileSystem()
    file = try system.openDatabase(history: .syncClient)
    agent = try SyncAgent(file, limits: limits)
    recorded = RecordedWrite(now: clock.now)
    environment = SimulatedEnvironment(time, news)
    driver = Self.driver(version, connectionLimits, environment, news)
    try begin()
  }

  private static func driver(
    _ version: ProtocolVersion, _ limits: ClientMachine.Limits,
    _ environment: SimulatedEnvironment, _ news: News
  ) -> ClientDriver {
    ClientDriver(
      ClientMachine(mode: version.mode, limits: limits), environment: environment,
      observer: { event in news.take(event) })
  }

  /// Begins a session of the file.
  func begin() throws {
    ending = nil
    let partition = version.mode == .partition ? "\"home\"" : nil
    session = try driver.begin(agent, SessionSettings(partition: partition)) { [news] event in
      news.take(event)
    }
  }

  /// Ends the session; another one may begin when it is over.
  func endSession() {
    guard !isEnding else { return }
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

  /// Ends the program and starts it again. The device has no connection.
  ///
  /// - Parameter contents: The bytes of the file; nil for what is there.
  func restart(from contents: [UInt8]? = nil) async throws {
    await agent.close()
    if let contents { system = try SimulatedFileSystem(contents: contents) }
    file = try system.openDatabase(history: .syncClient)
    agent = try SyncAgent(file, limits: limits)
    recorded = RecordedWrite(now: clock.now)
    environment = SimulatedEnvironment(time, news)
    driver = Self.driver(version, connectionLimits, environment, news)
    isLoggedOut = false
    try begin()
  }

  /// The bytes of the file.
  package func contents() throws -> [UInt8] { try system.file.contents() }

  /// Carries out the next request of the session.
  ///
  /// - Returns: The bytes of the file at the time when the program is to be killed; nil if it goes
  ///   on.
  func perform() async -> [UInt8]? {
    let next = environment.state.withLock { state in
      state.works.firstIndex { $0.reply == nil }.map { (index: $0, work: state.works[$0]) }
    }
    guard let next else { return nil }
    var watch: CommitWatch?
    if let afterCommit {
      let file = system.file
      watch = CommitWatch { try afterCommit() == .kill ? file.contents() : nil }
    }
    do {
      try watch?.begin(file)
      let reply = await next.work.agent.perform(next.work.request)
      environment.state.withLock { $0.works[next.index].reply = reply }
      return try watch?.end()
    } catch {
      news.add("\(error)")
      return nil
    }
  }

  /// Waits until everything is at the other side; how often the wait ended is counted.
  func wait(for kind: SessionWait) -> UInt64 {
    let id = driver.makeName()
    driver.wait(for: kind, of: session, id: id) { [news] failure in
      news.meet(.finish)
      news.finished.withLock { $0[id, default: 0] += 1 }
      if let failure { news.add("a wait failed: \(failure)") }
    }
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
    let cursors = try snapshot.syncHistory()?.progress.cursors ?? SyncCursors()
    return SessionFile(
      version: snapshot.version,
      ident: FileIdentifier(UInt64(try snapshot.top().fileIdentifier)), cursors: cursors)
  }

  /// The identifier that the server gave the file.
  package func ident() throws -> FileIdentifier {
    FileIdentifier(UInt64(try file.snapshot().top().fileIdentifier))
  }

  /// The subscription sets, oldest first.
  package func querySets() throws -> [QuerySet] { try StoredQuerySets.all(in: read()) }

  /// The digest of all objects.
  package func digest() throws -> StateDigest { try StateDigest(of: read(), file: ident()) }

  /// What the check of the file finds.
  package func findings() throws -> [CheckFinding] { try DatabaseCheck.run(file.snapshot()) }
}
