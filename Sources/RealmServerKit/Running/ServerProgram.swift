// SPDX-License-Identifier: Apache-2.0

// The server as a whole.

#if Server
import Foundation
import CoreMetrics
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import RealmFormats
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol
import ServiceLifecycle

/// A server with its folder, ready to run.
struct ServerProgram: Sendable {
  let options: ServerOptions
  /// The memory of clients.
  let budget: MemoryBudget
  /// The files of the apps, which are read again while the server runs.
  let files: AppFiles
  private let served: ServedApps
  private let settings: SharedSettings?
  private let sockets: SocketService
  private let surroundings: ServerSurroundings
  private let gate: ForwardGate
  private let certificates: ServerCertificates?
  private let lock: DirectoryLock
  let status: ServerStatus
  private let metricsText: (@Sendable () -> String)?
  private let times: ConnectionTimes
  /// The connections between servers; nil where there are none.
  private let nodes: NodeService?

  /// Opens the folder.
  ///
  /// - Parameters:
  ///   - metricsText: Writes the metrics for programs that ask; nil for the text of metrics that
  ///     have one.
  ///   - code: The functions and triggers of the apps, beside those of their files.
  ///   - prepare: Changes the folder before its files are read.
  init(
    _ options: ServerOptions, metrics: any MetricsFactory,
    metricsText: (@Sendable () -> String)? = nil, logger: Logger,
    code: ProgramCode = ProgramCode(), in environment: Environment = Environment(),
    prepare: (ServerDirectory) throws(ServerFailure) -> Void = { _ in }
  ) throws(ServerFailure) {
    times = environment.times.draining(options)
    self.options = options
    budget = environment.budget ?? MemoryBudget(byteCount: options.limits.memory << 20)
    self.metricsText =
      metricsText ?? (metrics as? PrometheusMetrics).map { shown in { @Sendable in shown.text } }
    let recent = RecentNotices()
    let logger = recent.following(logger)
    // Before anything is made.
    certificates = try Self.certificates(options, logger)
    let directory = try ServerDirectory(options.directory, code)
    lock = try DirectoryLock(options.directory)
    let shared = try SharedStore.open(options, directory, logger)
    let timer = environment.timer
    let surroundings = ServerSurroundings(
      timer: timer, clock: shared?.clock(before: environment.clock) ?? environment.clock,
      logger: logger, notices: NoticeLog(logger, now: { timer.now() }),
      metrics: ServerMetrics(metrics), tracing: environment.tracing)
    self.surroundings = surroundings
    try prepare(directory)
    let backups = try ScheduledBackups(
      directory, isShared: shared != nil, clock: surroundings.clock)
    gate = ForwardGate(logger)
    let rotation = KeyRotation(directory, clock: surroundings.clock)
    var staged = try Self.staged(options, directory, gate)
    var read = try rotation.keys(mayMake: options.replacesMissing || !directory.isUsed())
    if let shared {
      // Of servers that start at once with an empty database one has made the key and the app.
      try shared.share(options, logger)
      staged = try Self.staged(options, directory, gate)
      read = try rotation.keys(mayMake: false)
    }
    let keys = SigningKeys(read.present, earlier: read.earlier)
    let issuer = TokenIssuer(keys)
    nodes = Self.nodes(options, shared, environment.nodes, issuer: issuer, surroundings)
    let opener = AppOpener(
      directory: directory, options: options, surroundings: surroundings, issuer: issuer,
      passwords: PasswordChecker(environment.hasher), code: code,
      services: Self.loginServices(surroundings), sessionLimits: environment.sessionLimits,
      shared: shared, links: nodes?.pool)
    let apps = ServedApps([])
    for (file, stage) in staged {
      apps.add(try opener.open(file, in: stage, replacesMissing: options.replacesMissing))
    }
    try shared?.share(options, logger)
    settings = shared?.settings
    served = apps
    sockets = SocketService(
      apps.all, limits: options.limits, times: times, surroundings, nodes: nodes)
    files = AppFiles(opener, apps, sockets, gate: gate, keys: keys)
    status = ServerStatus(
      apps: apps, sockets: sockets, metrics: surroundings.metrics, notices: recent, budget: budget,
      options: options, certificates: certificates, backups: backups, start: Date(),
      restored: Self.restored(options, logger))
  }

  private static func loginServices(_ surroundings: ServerSurroundings) -> LoginServices {
    LoginServices(
      cryptography: ServerCryptography(), transport: ClientTransport.services,
      measure: { [code = surroundings.metrics.code, notices = surroundings.notices] run in
        code.didRun(run)
        if let warning = run.warning { notices.add(warning, as: .warning) }
      })
  }

  /// The apps of the folder with their modes.
  private static func staged(
    _ options: ServerOptions, _ directory: ServerDirectory, _ gate: ForwardGate
  ) throws(ServerFailure) -> [(AppFile, AppStage)] {
    var staged: [(AppFile, AppStage)] = []
    for file in try directory.apps(
      only: options.appID, creates: options.createsApp, random: RandomBytes())
    {
      staged.append((file, try options.stage(of: file, at: directory.appFilePath(file.id))))
      gate.set(options.isForThisMachineAlone(file), for: file.id)
    }
    return staged
  }

  /// What is known of the backup that the folder was restored from.
  private static func restored(_ options: ServerOptions, _ logger: Logger) -> JSONValue {
    let restored = FolderStatistics.restored(options.directory)
    if let time = restored["backup"]?.string {
      logger.notice(
        "The folder was restored from the backup of \(time): devices that know more reset")
    }
    return restored
  }

  /// The connections between the servers of a database; nil if this server has none.
  private static func nodes(
    _ options: ServerOptions, _ shared: SharedStore?, _ directory: (any NodeDirectory)?,
    issuer: TokenIssuer, _ surroundings: ServerSurroundings
  ) -> NodeService? {
    guard options.nodeURL != nil, let shared else { return nil }
    return NodeService(
      node: shared.node, directory: directory ?? shared.directory, issuer: issuer, surroundings)
  }

  private static func certificates(
    _ options: ServerOptions, _ logger: Logger
  ) throws(ServerFailure) -> ServerCertificates? {
    guard let certificate = options.certificate, let key = options.key else { return nil }
    return try ServerCertificates(certificate: certificate, key: key, logger: logger)
  }

  private var logger: Logger { surroundings.logger }

  var recent: RecentNotices { status.notices }
  /// The backups that the server makes by itself.
  var backups: ScheduledBackups { status.backups }

  /// The apps that are served at present.
  var apps: [ServedApp] { served.all }

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

  /// Runs, once, until a graceful shutdown or the end of the task; then ends all sessions and gives
  /// the folder up.
  ///
  /// - Parameter onStart: Is called with the address of the server once it listens.
  func run(onStart: @escaping @Sendable (String) -> Void = { _ in }) async throws {
    defer { lock.release() }
    // Before anybody writes: what comes from now on is reported.
    for app in apps { await app.applyCode(of: app.file) }
    let responder = HTTPResponder(
      api: ServerAPI(
        app: { [served] in served[$0]?.api }, apps: { [served] in served.all.map(\.api) },
        publicURL: options.publicURL,
        refused: { [notices = surroundings.notices] in notices.add($0) }),
      metrics: metricsText, counters: surroundings.metrics, sockets: sockets, options: options,
      gate: gate,
      budget: budget, times: times, tracing: surroundings.tracing, logger: logger)
    let channel = SyncChannel(
      responder: { request, writer, channel in
        try await responder.respond(request, writer, channel)
      }, sockets: sockets, options: options, gate: gate, budget: budget, times: times)
    let listener = listener(channel, certificates, onStart)
    var configuration = ServiceGroupConfiguration(services: services(listener), logger: logger)
    configuration.maximumGracefulShutdownDuration = times.drain + times.shutdown
    let group = ServiceGroup(configuration: configuration)
    // A task of its own: the end of this one is a shutdown, too, and not a cancellation.
    let running = Task { try await group.run() }
    do {
      try await withTaskCancellationOrGracefulShutdownHandler {
        try await running.value
      } onCancelOrGracefulShutdown: {
        Task { await group.triggerGracefulShutdown() }
      }
    } catch {
      await giveUpRealms()
      throw Self.failure(error, options)
    }
    await giveUpRealms()
  }

  /// Lets other servers of a shared store own the realms at once.
  private func giveUpRealms() async {
    guard options.store != nil else { return }
    for app in apps { await app.upkeep.closeAll() }
  }

  /// Lets other servers of a shared store own realms as their sessions here end.
  private func drainRealms() async {
    guard options.store != nil else { return }
    for app in apps { await app.upkeep.drain() }
  }

  /// Reads the certificates, the keys of tokens and the files of the apps again.
  func reload() async -> [AppFileOutcome] {
    certificates?.reload()
    await files.reloadKeys()
    return await files.apply() + reloadBackups()
  }

  /// Reads the settings of the server's own backups again.
  private func reloadBackups() -> [AppFileOutcome] {
    do throws(ServerFailure) {
      guard let text = try backups.reload() else { return [] }
      logger.notice("\(text)")
      return [AppFileOutcome(isApplied: true, text: text)]
    } catch {
      let text = "\(error) The settings of backups stay as they are."
      logger.error("\(text)")
      return [AppFileOutcome(isApplied: false, text: text)]
    }
  }

  /// The services of the server. They end in the opposite order: load balancers hear of it first,
  /// sockets end, then what other servers have carried here, and the realms are theirs.
  private func services(_ listener: any Service) -> [any Service] {
    var services: [any Service] = [
      MemoryService(),
      UpkeepService(
        served, metrics: surroundings.metrics, clock: surroundings.clock, logger: logger),
      BackupService(backups: backups, logger: logger), listener,
      EndService { await giveUpRealms() },
    ]
    if let nodes { services.append(nodes) }
    services.append(StreamService(apps: served))
    services.append(sockets)
    services.append(
      RequestService(
        requests: CommandRequests(options.directory), files: files, certificates: certificates,
        status: status, reloadBackups: reloadBackups))
    services.append(TriggerRuns(apps: served))
    services.append(StatusService(status: status))
    if let settings {
      services.append(SettingsService(settings: settings, files: files, logger: logger))
    }
    if let certificates { services.append(certificates) }
    services += adminServices
    services.append(
      EndService {
        sockets.beginDraining()
        // A database that does not answer holds no client up.
        Task { await drainRealms() }
      })
    return services
  }

  /// The page of the server, if it has one.
  private var adminServices: [any Service] {
    guard let port = options.adminPort else { return [] }
    var random = SystemRandomNumberGenerator()
    return AdminListener(
      service: AdminService(status, random: &random), port: port, logger: logger
    ).services
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
