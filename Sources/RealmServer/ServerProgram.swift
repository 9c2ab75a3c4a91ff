// SPDX-License-Identifier: Apache-2.0

// The server as a whole.

#if Server
import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import ServiceLifecycle
import UnixSignals

/// A server with its folder, ready to run.
struct ServerProgram: Sendable {
  let options: ServerOptions
  let apps: [ServedApp]
  /// The memory of clients.
  let budget: MemoryBudget
  /// The files of the apps, which are read again while the server runs.
  let files: AppFiles
  private let gate: ForwardGate
  private let lock: DirectoryLock
  private let metrics: PrometheusMetrics
  private let logger: Logger
  private let timer: SyncClock
  private let times: ConnectionTimes

  /// Opens the folder.
  ///
  /// - Parameters:
  ///   - hasher: Makes the hashes of passwords.
  ///   - functions: The functions of all apps.
  ///   - sessionLimits: The sizes of the messages of sessions.
  ///   - timer: The time of connections.
  ///   - times: The time limits of connections.
  ///   - budget: The memory of clients; nil for that of the options.
  init(
    _ options: ServerOptions, metrics: PrometheusMetrics, logger: Logger,
    hasher: any PasswordHasher = ScryptHasher(), functions: FunctionTable = FunctionTable(),
    sessionLimits: SessionLimits = SessionLimits(), timer: SyncClock = .continuous,
    times: ConnectionTimes = ConnectionTimes(), budget: MemoryBudget? = nil
  ) throws(ServerFailure) {
    self.times = times
    self.options = options
    self.budget = budget ?? MemoryBudget(byteCount: options.limits.memory << 20)
    self.metrics = metrics
    self.logger = logger
    self.timer = timer
    let directory = try ServerDirectory(options.directory)
    lock = try DirectoryLock(options.directory)
    let random = RandomBytes()
    let replaces = options.replacesMissing
    gate = ForwardGate(logger)
    var staged: [(AppFile, AppStage)] = []
    for file in try directory.apps(
      only: options.appID, creates: options.createsApp, random: random)
    {
      staged.append((file, try options.stage(of: file, at: directory.appFilePath(file.id))))
      gate.set(options.isForThisMachineAlone(file), for: file.id)
    }
    let key = try directory.signingKey(
      random: random, mayMake: replaces || !directory.isUsed())
    let issuer = TokenIssuer(HMACSigner(key: key))
    let passwords = PasswordChecker(hasher)
    var apps: [ServedApp] = []
    for (file, stage) in staged {
      let found = try Self.checkRealms(of: file, directory, replacesMissing: replaces)
      let schema = try Self.schema(of: file.id, stage, directory, found, logger)
      for notice in Self.notices(stage, file, schema, directory, options) {
        logger.warning("\(notice)")
      }
      let accounts = try Self.accounts(
        file, directory, replacesMissing: replaces, issuer: issuer, passwords: passwords,
        random: random)
      try directory.markUsed(file.id)
      let api = APIApp(
        id: file.id, accounts: accounts, functions: functions,
        limits: options.limits.requests, now: { timer.now() })
      apps.append(
        Self.serve(
          file, stage, schema, directory, api, sessionLimits, options.limits, timer, logger))
    }
    self.apps = apps
    self.files = AppFiles(directory, options, apps, gate: gate, logger: logger)
  }

  static let clock = ServerClock {
    OriginTimestamp(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
  }

  /// Checks the realms of an app before devices ask for them. Returns their classes.
  private static func checkRealms(
    of file: AppFile, _ directory: ServerDirectory, replacesMissing: Bool
  ) throws(ServerFailure) -> FoundClasses {
    var classes = FoundClasses()
    let realms = DirectoryFiles(directory: directory.path)
    let record = directory.path + "/apps/\(file.id)/directory.realm"
    let recorded = try Self.using(record, realms.recordedRealms(ofApp: file.id))
    let (found, lost) = try directory.checkRealms(
      file.id, recorded, replacesMissing: replacesMissing
    ) { (id) throws(ServerFailure) in
      do throws(StoreError) {
        classes.add(try EmbeddedStore.check(id, in: realms))
      } catch {
        throw ServerFailure(
          "\(realms.path(of: id)) cannot be used: \(ServerFailure.text(error)). Put it back from a "
            + "backup, or move it away and start once with --replace-missing; then its devices get "
            + "a new realm.")
      }
    }
    try Self.using(
      record, realms.record(found.subtracting(recorded), forgetting: lost, ofApp: file.id))
    return classes
  }

  /// Uses the record of an app's realms.
  private static func using<R>(
    _ record: String, _ call: @autoclosure () throws(StorageError) -> R
  ) throws(ServerFailure) -> R {
    do throws(StoreError) {
      return try StoreError.storing(call())
    } catch {
      throw ServerFailure(
        "\(record), the record of the realms, cannot be used: \(ServerFailure.text(error)). Put it "
          + "back from a backup, or move it away; then the realms that are there are recorded.")
    }
  }

  private static func accounts(
    _ file: AppFile, _ directory: ServerDirectory, replacesMissing: Bool, issuer: TokenIssuer,
    passwords: PasswordChecker, random: RandomBytes
  ) throws(ServerFailure) -> AccountService {
    let path = directory.accountsPath(file.id)
    let isNew = try directory.needsAccounts(file.id, replacesMissing: replacesMissing)
    let accounts: AccountStore
    do {
      accounts = try AccountStore.open(path, app: file.id, isNew: isNew, now: clock.now())
    } catch {
      throw ServerFailure(
        "\(path) cannot be opened: \(ServerFailure.text(error)). Put it back from a backup, "
          + "or move it away and start once with --replace-missing; then all users have to "
          + "register again.")
    }
    return AccountService(
      app: file.id, settings: file.accounts, store: accounts, passwords: passwords, issuer: issuer,
      random: random, clock: clock, mailer: OutboxMailer(folder: directory.outboxPath(file.id)))
  }

  private static func serve(
    _ file: AppFile, _ stage: AppStage, _ schema: SchemaKeeper, _ directory: ServerDirectory,
    _ api: APIApp, _ limits: SessionLimits, _ users: ServerLimits, _ timer: SyncClock,
    _ logger: Logger
  ) -> ServedApp {
    let store = EmbeddedStore(
      DirectoryFiles(directory: directory.path),
      onProblem: { logger.error("A row of \(file.id) cannot be read: \($0)") })
    var settings = ServerRealm.Settings(recordsTouches: file.mode == .flexible)
    settings.bootstrapEntryByteCount = min(
      settings.bootstrapEntryByteCount, limits.bootstrapByteCount)
    settings.schema = schema
    settings.report = { loss in
      logger.log(level: loss.isDamage ? .error : .info, "App \(file.id): \(loss)")
    }
    let realms = RealmDirectory(
      store, settings: settings,
      limits: RealmLimits(
        openMax: users.openRealms, newPerHour: users.newPartitionsPerHour),
      clock: clock,
      threads: (0..<ProcessInfo.processInfo.activeProcessorCount).map { _ in ThreadExecutor() })
    let app = ServerApp(
      named: file.id, realms: realms,
      authenticator: SessionAuthenticator { (_) throws(SessionRefusal) in
        throw SessionRefusal(.permissionDenied, "The socket has no user")
      }, limits: limits,
      report: { logger.error("The store of \(file.id) failed: \($0)") })
    app.access = ServedApp.access(to: file, in: stage, users: api.accounts)
    return ServedApp(
      file: file, api: api, schema: schema, rules: app.rules,
      host: ServerHost(app, store: store, served: file.mode, timer: timer), store: store,
      upkeep: ServerUpkeep(app, accounts: api.accounts, rules: users.upkeep, clock: clock))
  }

  // MARK: Running

  /// The text with the address for the app.
  func greeting(_ address: String) -> String {
    apps.map { app in
      """
      The app "\(app.file.name)" is served. Connect with:

          App(id: "\(app.file.id)", configuration: AppConfiguration(baseURL: "\(address)"))

      """
    }.joined(separator: "\n")
  }

  /// Runs, once, until a signal or the end of the task; then ends all sessions and gives the folder
  /// up.
  ///
  /// - Parameter onStart: Is called with the address of the server once it listens.
  func run(
    signals: [UnixSignal] = [], onStart: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws {
    defer { lock.release() }
    let counters = ServerMetrics(metrics)
    let notices = NoticeLog(logger, now: { timer.now() })
    let sockets = SocketService(
      apps, limits: options.limits, times: times, metrics: counters, notices: notices,
      logger: logger)
    let responder = HTTPResponder(
      api: ServerAPI(
        apps: apps.map(\.api), publicURL: options.publicURL, refused: { notices.add($0) }),
      metrics: metrics, options: options, gate: gate, budget: budget, times: times)
    let channel = SyncChannel(
      responder: { request, writer, channel in
        try await responder.respond(request, writer, channel)
      }, sockets: sockets, options: options, gate: gate, budget: budget, times: times)
    let certificates = try self.certificates()
    let listener = listener(channel, certificates, onStart)
    // The services end in the opposite order: sockets first.
    var configuration = ServiceGroupConfiguration(
      services: [
        UpkeepService(apps, metrics: counters, logger: logger), listener, sockets,
        RequestService(requests: CommandRequests(options.directory), files: files),
      ] + (certificates.map { [$0] } ?? []),
      gracefulShutdownSignals: signals, logger: logger)
    if !signals.isEmpty {
      configuration.services.insert(
        .init(service: HangupService(certificates: certificates, files: files)), at: 0)
    }
    configuration.maximumGracefulShutdownDuration = times.shutdown
    let group = ServiceGroup(configuration: configuration)
    // A task of its own: the end of this one is a shutdown, too, and not a cancellation.
    let running = Task { try await group.run() }
    do {
      try await withTaskCancellationHandler {
        try await running.value
      } onCancel: {
        Task { await group.triggerGracefulShutdown() }
      }
    } catch {
      throw Self.failure(error, options)
    }
  }

  private func certificates() throws(ServerFailure) -> ServerCertificates? {
    guard let certificate = options.certificate, let key = options.key else { return nil }
    return try ServerCertificates(certificate: certificate, key: key, logger: logger)
  }

  private func listener(
    _ channel: SyncChannel, _ certificates: ServerCertificates?,
    _ onStart: @escaping @Sendable (String) -> Void
  ) -> any Service {
    let configuration = ServerConfiguration(
      address: .hostname(options.host, port: options.port), serverName: nil)
    let isSecure = options.isSecure
    let publicURL = options.publicURL
    let onServerRunning: @Sendable (any Channel) async -> Void = { channel in
      let address = channel.localAddress
      let host = address?.ipAddress ?? ""
      let name = host.contains(":") ? "[\(host)]" : host
      let url = "\(isSecure ? "https" : "http")://\(name):\(address?.port ?? 0)"
      onStart(publicURL ?? url)
    }
    guard let certificates else {
      return channel.server(
        configuration: configuration, onServerRunning: onServerRunning,
        eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
    }
    return SecuredChannel(certificates: certificates, base: channel).server(
      configuration: configuration, onServerRunning: onServerRunning,
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
  }

  private static func failure(_ error: any Error, _ options: ServerOptions) -> any Error {
    guard let error = error as? IOError else { return error }
    let place = "\(options.host):\(options.port)"
    switch error.errnoCode {
    case EADDRINUSE:
      return ServerFailure(
        "Another program listens on \(place). Stop it, or choose another port with --listen.")
    case EACCES, EPERM:
      return ServerFailure(
        "Listening on \(place) is not allowed. Choose a port above 1023 with --listen.")
    case EADDRNOTAVAIL:
      return ServerFailure(
        "This machine does not have the address of \(place). Choose another with --listen.")
    default:
      return ServerFailure("Listening on \(place) failed: \(error.localizedDescription).")
    }
  }
}
#endif
