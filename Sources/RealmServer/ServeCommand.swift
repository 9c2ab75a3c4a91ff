// SPDX-License-Identifier: Apache-2.0

// The command `realm-server serve`.

#if Server
import ArgumentParser
import Foundation
import Logging
import Metrics
import RealmServerEngine
import RealmServerServices
import RealmServerKit
import ServiceLifecycle
import UnixSignals

/// The command `realm-server serve`.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serves the apps of a folder.")

  @Option(help: "The folder with the apps and their data; it is made if it is missing.")
  var dir: String

  @Option(
    help: ArgumentHelp(
      """
      Keep realms in a PostgreSQL database, and not in files of the folder. A password is better \
      in PGPASSWORD or in a file of PGPASSFILE.
      """,
      valueName: "postgresql://host/name"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      """
      The address where other servers of the database of --store reach this one: they carry \
      sessions to the owners of realms.
      """,
      valueName: "http://host:port"))
  var nodeUrl: String?

  @Option(
    help: """
      The seconds in which connections are ended one after the other before a shutdown, while \
      /ready tells load balancers to send devices to other servers.
      """)
  var drainSeconds = 0

  @Option(help: "The address and port to listen on.")
  var listen = "127.0.0.1:9090"

  @Option(help: "The address under which clients reach the server, if it is another.")
  var publicUrl: String?

  @Option(help: "A file with the certificates of the server, in PEM form.")
  var tlsCert: String?

  @Option(help: "A file with the private key of the certificate, in PEM form.")
  var tlsKey: String?

  @Option(
    help: """
      The id of the only app to serve. In an empty folder it is made; in others it must exist, \
      or --create makes it.
      """)
  var appId: String?

  @Flag(help: "Make the app of --app-id if the folder does not have it.")
  var create = false

  @Flag(
    help: """
      Where files of users, realms or keys are missing or empty, start with new ones and report no \
      error. Devices may lose what they have not uploaded.
      """)
  var replaceMissing = false

  @Flag(
    help: """
      Let every user read and write everything in apps whose app.json names no mode. Without it \
      such an app is served on the loopback address alone.
      """)
  var development = false

  @Option(help: "The sockets that a user may have open at a time, on all devices together.")
  var socketsPerUser = ServerLimits.standard.socketsPerUser

  @Option(help: "The anonymous users that an address, this machine apart, may make in a minute.")
  var anonymousLogins = ServerLimits.standard.anonymousLoginsPerMinute

  @Option(help: "The sockets that an address may have open at a time.")
  var socketsPerAddress = ServerLimits.standard.socketsPerAddress

  @Option(help: "The registrations and mails that an address may ask for in a minute.")
  var registrations = ServerLimits.standard.registrationsPerMinute

  @Option(help: "The memory that clients may take together, in MiB.")
  var clientMemory = ServerLimits.standard.memory

  @Option(
    help: ArgumentHelp(
      "A network of proxies that are believed, like 10.0.0.0/8; this machine if none is given.",
      valueName: "cidr"))
  var trustedProxy: [String] = []

  @Option(help: "A file with the token with which other machines get /metrics.")
  var metricsTokenFile: String?

  @Option(help: "The partitions that an app has open at a time; idle ones are closed for others.")
  var openPartitions = ServerLimits.standard.openRealms

  @Option(help: "The new partitions that a user may make in an hour.")
  var newPartitions = ServerLimits.standard.newPartitionsPerHour

  @Option(help: "The days after which a device that was away has to reset its realms.")
  var offlineDays = UpkeepRules().offlineDays

  @Option(help: "The days after which what is known of such a device is removed.")
  var expiredDays = UpkeepRules().expiredDays

  @Option(help: "The days after which anonymous users that are logged out are removed.")
  var anonymousDays = UpkeepRules().anonymousDays

  @Option(help: "The days after which addresses that were not confirmed are removed.")
  var unconfirmedDays = UpkeepRules().unconfirmedDays

  @Option(
    help: """
      The port of the server's page on 127.0.0.1, 0 for any free one; realm-server admin prints \
      its address.
      """)
  var adminPort: Int?

  @Flag(help: "Let the server's page change the objects of apps, too.")
  var adminEdits = false

  @Option(help: "The form of messages: text, or json with an object in each line.")
  var logFormat = LogFormat.text

  /// A form of messages.
  enum LogFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
  }

  @Option(help: "The least level of messages: trace, debug, info, notice, warning or error.")
  var logLevel = "info"

  @Option(
    help: ArgumentHelp(
      """
      Follow the program at the other end of the standard input, and begin with a clock that is so \
      many seconds ahead of the machine's.
      """,
      valueName: "seconds", visibility: .hidden))
  var controlled: Int64?

  func validate() throws { _ = try options() }

  private func options() throws -> ServerOptions {
    do throws(ServerFailure) {
      return try ServerOptions(
        directory: dir, listen: listen, publicURL: publicUrl, certificate: tlsCert, key: tlsKey,
        appID: appId, createsApp: create, replacesMissing: replaceMissing,
        isDevelopment: development, limits: limits(), trustedProxies: trustedProxy,
        metricsToken: try metricsToken(), adminPort: adminPort, allowsEdits: adminEdits,
        store: store,
        drainSeconds: drainSeconds, nodeURL: nodeUrl)
    } catch {
      throw ValidationError(error.description)
    }
  }

  private func limits() -> ServerLimits {
    var limits = ServerLimits.standard
    limits.socketsPerUser = socketsPerUser
    limits.socketsPerAddress = socketsPerAddress
    limits.anonymousLoginsPerMinute = anonymousLogins
    limits.registrationsPerMinute = registrations
    limits.memory = clientMemory
    limits.openRealms = openPartitions
    limits.newPartitionsPerHour = newPartitions
    limits.upkeep = UpkeepRules(
      offlineDays: offlineDays, expiredDays: expiredDays, anonymousDays: anonymousDays,
      unconfirmedDays: unconfirmedDays)
    return limits
  }

  private func metricsToken() throws(ServerFailure) -> String? {
    guard let metricsTokenFile else { return nil }
    guard let data = FileManager.default.contents(atPath: metricsTokenFile) else {
      throw ServerFailure("\(metricsTokenFile) cannot be read. Change its permissions.")
    }
    return String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace }
  }

  private func level() throws -> Logger.Level {
    guard let level = Logger.Level(rawValue: logLevel) else {
      throw ValidationError("\"\(logLevel)\" is no level of messages.")
    }
    return level
  }

  func run() async throws {
    let metrics = PrometheusMetrics()
    MetricsSystem.bootstrap(metrics)
    let level = try level()
    LoggingSystem.bootstrap { [logFormat] label in
      var handler: any LogHandler =
        switch logFormat {
        case .text: StreamLogHandler.standardError(label: label)
        case .json: JSONLog(label: label)
        }
      handler.logLevel = level
      return handler
    }
    let logger = Logger(label: "realm-server")
    if let limit = OpenFileLimit.raise() { logger.info("Open files and sockets: at most \(limit)") }
    if let controlled { ControllingProgram.follow(clockOffset: controlled) }
    do {
      let server = try RealmServer(
        try options(), metrics: metrics, logger: logger,
        clock: .machine { ControllingProgram.clockOffset })
      let greeting = Task {
        let text = server.greeting(try await server.address)
        FileHandle.standardOutput.write(Data(text.utf8))
      }
      defer { greeting.cancel() }
      let services: [any Service] = [HangupService(server: server), server]
      try await ServiceGroup(
        services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
      ).run()
    } catch let failure as ServerFailure {
      FileHandle.standardError.write(
        Data("realm-server: \(PlainText.lines(failure.description))\n".utf8))
      throw ExitCode(1)
    }
  }
}
#endif
