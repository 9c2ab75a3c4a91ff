// SPDX-License-Identifier: Apache-2.0

// The session of an open file, which all `SyncSession` values of it share.
//
// 1. A file has at most one core in a process, as it has one agent.
// 2. The core is registered as long as a realm of the file is open, or changes are to be uploaded
//    after the last one closed.
// 3. Only the closing task ends a core, and only if no realm of the file was opened meanwhile.
// 4. Whether the session rests, and how far its connection is, is asked of the driver.
// 5. After an error has ended a session, nothing is waited for: the session ends on the thread of
//    the last realm's end, as the program may want to move the file next.

#if Sync
import Foundation
import RealmStorage
import RealmSync
import RealmSyncProtocol

/// The synchronisation of one file.
final class SyncSessionCore: Sendable {
  private struct State {
    /// The open file, if it is open, and the uses with something to wait for.
    var uses = 0
    var isClosing = false
    /// An error not survived by the session.
    var failure: SyncError?
    /// Why the session does not get on at the moment.
    var hindrance: SyncError?
    /// The name of the session at the driver.
    var session: UInt64
    var ranInitialSubscriptions = false
    /// The automatic reset under way.
    var reset: SyncResetTask?
    var failureObservers: [UUID: @Sendable () -> Void] = [:]
  }

  /// Shared by the values of one session; it keeps no file open.
  final class Identity: Sendable {}

  private static let registry = Locked<[String: SyncSessionCore]>([:])

  let identity = Identity()
  let configuration: SyncConfiguration
  /// The configuration of the realm that began the session.
  let realmConfiguration: Realm.Configuration
  let agent: SyncAgent
  let progress: SyncProgressReporter
  private let reports: ReportDelivery
  let driver: ClientDriver
  private let state: Locked<State>

  var path: String { agent.file.path }
  var mode: SyncMode { configuration.isFlexible ? .flexible : .partition }

  // MARK: Opening and closing

  /// The core of a file that is open for writing; it is made, and begins to synchronise, for the
  /// first realm. Each call is followed by one of `leave()`.
  static func enter(
    _ file: DatabaseFile, _ configuration: SyncConfiguration,
    _ realmConfiguration: Realm.Configuration
  ) throws(StorageError) -> SyncSessionCore {
    try registry.withLock { (registry) throws(StorageError) in
      if let core = registry[file.path] {
        core.state.withLock { $0.uses += 1 }
        return core
      }
      let (path, manager) = (file.path, configuration.user.app.syncManager)
      let agent = try SyncAgent(file) { loss in manager.log(.info, "Session of '\(path)': \(loss)")
      }
      let core = SyncSessionCore(agent, configuration, realmConfiguration)
      registry[file.path] = core
      return core
    }
  }

  private init(
    _ agent: SyncAgent, _ configuration: SyncConfiguration,
    _ realmConfiguration: Realm.Configuration
  ) {
    self.agent = agent
    self.configuration = configuration
    self.realmConfiguration = realmConfiguration
    progress = SyncProgressReporter(agent, isFlexible: configuration.isFlexible)
    reports = ReportDelivery(agent)
    let user = configuration.user
    driver = user.app.connection(user.user, configuration.isFlexible ? .flexible : .partition)
    state = Locked(State(uses: 1, session: driver.makeName()))
    begin()
  }

  /// Begins a session, in place of one that was closed.
  private func begin() {
    do throws(StorageError) {
      let session = try driver.begin(agent, settings) { [weak self] event in self?.take(event) }
      state.withLock { state in
        state.session = session
        state.failure = nil
      }
    } catch {
      log(.error, "The session of '\(path)' cannot begin: \(error)")
    }
    reports.look { [weak self] document in self?.hand(document) }
    announceEarlierReset()
    watchForEndOfReset(isNew: false)
  }

  func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
    configuration.user.app.syncManager.log(level, message())
  }

  /// The settings of the file's session.
  var settings: SessionSettings {
    SessionSettings(
      partition: configuration.partitionValue?.partitionText,
      timeouts: configuration.user.app.syncManager.timeouts)
  }

  /// Ends a use. After the last one the session ends when everything is uploaded.
  func leave() {
    let closes = state.withLock { state in
      assert(state.uses > 0, "`SyncSessionCore` 2: a realm leaves that is not open")
      state.uses -= 1
      guard state.uses == 0, !state.isClosing else { return false }
      state.isClosing = true
      return true
    }
    if closes, !closeAtOnce() { Task { await close() } }
  }

  /// Ends a session without anything to wait for. Returns whether it did (`SyncSessionCore` 5).
  private func closeAtOnce() -> Bool {
    let session = state.withLock { state in
      state.failure != nil && state.reset == nil ? state.session : nil
    }
    guard let session, reports.isFinished, driver.endAtOnce(session) else { return false }
    finishClosing()
    return true
  }

  private func close() async {
    if configuration.user.isLoggedIn, failure == nil, !isSuspended {
      try? await wait(for: .upload)
    }
    // In one step: a use that ends meanwhile begins another end, or is seen by this one.
    let isNeeded = state.withLock { state in
      if state.uses == 0 || state.failure != nil { return false }
      state.isClosing = false
      return true
    }
    guard !isNeeded else { return }
    await endReset()
    await driver.end(session)
    await reports.finish()
    finishClosing()
  }

  /// Forgets the ended session, or begins another one if a realm was opened meanwhile.
  private func finishClosing() {
    Self.registry.withLock { registry in
      assert(registry[path] === self, "`SyncSessionCore` 1, 3")
      let isOver = state.withLock { state in
        assert(state.isClosing, "`SyncSessionCore` 3: a core is closed by one task")
        state.isClosing = false
        return state.uses == 0
      }
      if isOver {
        registry[path] = nil
        agent.release()
      } else {
        begin()
      }
    }
  }

  /// The cores of a user's files that are open.
  static func all(of user: AppUser) -> [SyncSessionCore] {
    registry.withLock { Array($0.values) }.filter { $0.configuration.user.user === user }
  }

  /// Ends the sessions of a user who is logged out.
  static func stopAll(of user: AppUser) {
    for core in all(of: user) { core.suspend() }
  }

  /// Whether the session rests until it is resumed.
  var isSuspended: Bool { driver.rest(of: session) == .app }

  /// Goes on with the sessions of a user who is logged in again.
  static func resumeAll(of user: AppUser) {
    for core in all(of: user) { core.resume() }
  }

  // MARK: Use

  var session: UInt64 { state.withLock { $0.session } }

  /// Waits until everything there is now is uploaded or downloaded.
  ///
  /// - Parameter isStrict: Whether what hinders the session ends the wait, too.
  /// - Throws: `SyncError`, or `CancellationError` if the task is cancelled.
  func wait(for direction: SessionWait, isStrict: Bool = false) async throws {
    if let error = obstacle(isStrict) { throw error }
    let waiting = Task { () async -> SessionFailure? in
      do throws(SessionFailure) {
        try await driver.wait(for: direction, of: session)
        return nil
      } catch {
        return error
      }
    }
    // An error that ends the session ends what waits for it.
    let cause = Locked<SyncError?>(nil)
    let look: @Sendable () -> Void = { [weak self] in
      guard let error = self?.obstacle(isStrict) else { return }
      cause.withLock { $0 = $0 ?? error }
      waiting.cancel()
    }
    let observer = observeFailure(look)
    defer { stopObserving(observer) }
    look()
    let end = await withTaskCancellationHandler {
      await waiting.value
    } onCancel: {
      waiting.cancel()
    }
    if let end {
      switch end {
      case .canceled:
        if !Task.isCancelled, let error = cause.withLock({ $0 }) { throw error }
        throw CancellationError()
      case .terminated:
        throw SyncError(.clientSessionError, "The session of '\(path)' was ended.")
      case .error(let code, let document):
        throw SyncError(code, document, deletionToken)
      case .storage(let failure): throw SyncError(.clientInternalError, failure.message)
      }
    }
    await progress.flush(hasDownloaded: direction == .download)
  }

  var publicState: SyncSession.State {
    if !configuration.user.isLoggedIn { return .invalid }
    return isSuspended || failure != nil ? .inactive : .active
  }

  var connectionState: SyncSession.ConnectionState {
    let usesConnection = failure == nil && driver.rest(of: session) == nil
    return usesConnection ? .init(driver.connectionState) : .disconnected
  }

  func suspend() {
    state.withLock { $0.reset }?.cancel()
    driver.send(.suspend(session: session))
  }

  func resume() {
    let reset = state.withLock { state in
      state.failure = nil
      state.hindrance = nil
      return state.reset
    }
    // A session whose file is being reset goes on by itself.
    if reset?.resumeWhenOver() == true { return }
    driver.send(.resume(session: session))
  }

  /// Lets a suspended session go on, as a caller is about to wait for it.
  func resumeIfSuspended() { if isSuspended, configuration.user.isLoggedIn { resume() } }

  func reconnect() { driver.send(.reconnect) }

  /// Whether the initial subscriptions are to be added: once in each process.
  func takeInitialSubscriptions() -> Bool {
    state.withLock { state in
      defer { state.ranInitialSubscriptions = true }
      return !state.ranInitialSubscriptions
    }
  }

  /// Calls a block when an error ends or hinders the session, until the observer is removed.
  func observeFailure(_ block: @escaping @Sendable () -> Void) -> UUID {
    let id = UUID()
    state.withLock { $0.failureObservers[id] = block }
    return id
  }

  func stopObserving(_ id: UUID) { state.withLock { $0.failureObservers[id] = nil } }

  /// The error that ended the session, until it is resumed.
  var failure: SyncError? { state.withLock { $0.failure } }

  /// The error to end a wait for the session with.
  func obstacle(_ isStrict: Bool) -> SyncError? { isStrict ? currentError : failure }

  /// The error that ended the session, or else what hinders it at the moment.
  var currentError: SyncError? { state.withLock { $0.failure ?? $0.hindrance } }

  /// Keeps the reason why the session does not get on, until it does.
  func hinder(_ error: SyncError) { note { $0.hindrance = error } }

  func end(_ error: SyncError) {
    state.withLock { $0.reset }?.cancel()
    note { $0.failure = error }
  }

  /// Changes what keeps the session from getting on, and tells those who wait for it.
  private func note(_ change: (inout State) -> Void) {
    let observers = state.withLock { state in
      change(&state)
      return Array(state.failureObservers.values)
    }
    for observer in observers { observer() }
  }

  // MARK: News

  func connection(is connection: ConnectionState) {
    if connection == .connected { state.withLock { $0.hindrance = nil } }
  }

  func failed(_ error: SyncError, isFatal: Bool) {
    if isFatal { end(error) }
    configuration.user.app.syncManager.report(error, SyncSession(self))
  }

  private func take(_ event: SyncSessionEvent) {
    switch event {
    case .error(let code, let document): take(code, document)
    case .needsReset(let mayRecover, let code, let document):
      reset(ResetCause(mayRecover: mayRecover, code: code, document: document))
    case .delayed(let code, let document): hinder(SyncError(code, document))
    case .compensatingWrite(_, let document): hand(document)
    case .storageFailure(let failure):
      failed(SyncError(.clientInternalError, failure.message), isFatal: true)
    case .queryRejected(_, let message):
      log(.error, "The server does not accept the subscriptions of '\(path)': \(message)")
    case .downloadProgress(_, let progress):
      state.withLock { $0.hindrance = nil }
      self.progress.downloaded(progress)
      reports.lookAgain { [weak self] document in self?.hand(document) }
    case .log(let message):
      log(.detail, "Server, of '\(path)': \(message.message)")
    }
  }

  /// Reports refused writes to the program.
  private func hand(_ document: ErrorDocument) {
    reports.hand(document) { report in failed(SyncError(report, document), isFatal: false) }
  }

  private func take(_ code: ErrorCode, _ document: ErrorDocument) {
    let error = SyncError(code, document, deletionToken)
    if document.action == .logOutUser {
      let user = configuration.user
      Task { try? await user.logOut() }
    }
    guard document.action == .deleteRealm else {
      return failed(error, isFatal: document.action != .warning || !document.tryAgain)
    }
    let deletion = deletionToken
    Task {
      _ = await stored(deletion.action)
      failed(error, isFatal: true)
    }
  }

  // MARK: Resets

  /// Begins an automatic reset, unless one is under way.
  func begin(_ reset: SyncResetTask) {
    let isFirst = state.withLock { state in
      guard state.reset == nil else { return false }
      state.reset = reset
      return true
    }
    guard isFirst else { return }
    // The program may have resumed the session before the reset was known here.
    driver.send(.willReset(session: session))
    reset.begin()
  }

  /// Notes that the reset is over.
  func resetIsOver() {
    state.withLock {
      assert($0.reset != nil, "`SyncResetTask` 1: a reset ends that the core does not know")
      $0.reset = nil
    }
  }

  /// Ends the reset that is under way, before the file is closed.
  private func endReset() async {
    guard let reset = state.withLock({ $0.reset }) else { return }
    reset.cancel()
    await reset.untilOver()
  }
}

/// What keeps the session of a file as long as that is open.
final class SyncAttachment: Sendable {
  let core: SyncSessionCore

  init(_ core: SyncSessionCore) { self.core = core }

  deinit { core.leave() }
}

extension SyncSession.ConnectionState {
  /// The state of a connection.
  init(_ state: ConnectionState) {
    self =
      switch state {
      case .disconnected: .disconnected
      case .connecting: .connecting
      case .connected: .connected
      }
  }
}

extension SyncError {
  /// The error of a session.
  ///
  /// - Parameter token: The right to delete the file, for errors that end the use of it.
  init(_ code: ErrorCode, _ document: ErrorDocument, _ token: ActionToken? = nil) {
    let kind: Code =
      switch code.session {
      case .permissionDenied: .permissionDeniedError
      case .badQuery: .invalidFlexibleSyncSubscriptions
      case .compensatingWrite: .writeRejected
      case .writeNotAllowed where document.refusedWrites != nil: .writeRejected
      case .userMismatch: .clientUserError
      default: document.action == .warning ? .serverWarning : .clientSessionError
      }
    self.init(
      kind, document.message, serverLogURL: URL(string: document.logURL),
      protocolCode: code.rawValue,
      compensatingWriteInfo: document.refusedWrites?.updates.map { CompensatingWriteInfo($0) },
      token: token)
  }

  /// The error of writes that the server undid.
  init(_ report: CompensatingWriteReport, _ document: ErrorDocument) {
    self.init(
      .writeRejected, document.message, serverLogURL: URL(string: document.logURL),
      protocolCode: SessionErrorCode.compensatingWrite.rawValue,
      compensatingWriteInfo: report.updates.map { CompensatingWriteInfo($0) })
  }
}
#endif
