// SPDX-License-Identifier: Apache-2.0

// A server in the process of the test, on a port of the loopback address.

#if Server
import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOSSL
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSync
import RealmFormats
import RealmSyncProtocol
import RealmTestSupport
import Testing

@testable import RealmServerKit

/// A server that runs until `stop()`.
final class RunningServer: Sendable {
  let directory: TemporaryDirectory
  let app: String
  /// Scheme, host and port.
  let address: String
  let metrics: PrometheusMetrics
  /// The memory of clients.
  let budget: MemoryBudget
  /// The users of the app.
  let accounts: AccountService
  let program: ServerProgram
  private let task: Task<Void, any Error>

  /// Starts a server and waits until it listens.
  ///
  /// - Parameters:
  ///   - directory: The folder of an earlier server, or nil.
  ///   - mode: The mode of a new app.
  ///   - file: The text of the new app's file, if it has more than a mode; its id is "todos".
  ///   - schema: The text of the new app's schema, which counts in production mode.
  ///   - limits: The sizes of what sessions send.
  ///   - users: The limits of users and addresses.
  ///   - timer: The time of connections.
  ///   - times: The time limits of connections.
  ///   - budget: The memory of clients; nil for that of `users`.
  ///   - logins: The functions of the program for logins.
  ///   - functions: The functions of the program.
  ///   - triggers: The triggers of the program.
  ///   - adminPort: The port of the server's page; nil for none.
  ///   - adminEdits: Whether the page, which there is then, changes objects.
  ///   - replacesMissing: Whether what is missing from a folder in use is made again.
  ///   - logger: Takes what the server logs; nil to see errors alone.
  ///   - hasher: Makes the hashes of passwords; nil for one that takes no time.
  init(
    _ directory: TemporaryDirectory? = nil, mode: SyncMode = .partition, file: String? = nil,
    schema: String? = todoSchema, port: Int = 0, certificate: TestCertificate? = nil,
    limits: SessionLimits = SessionLimits(),
    users: ServerLimits = ServerLimits(
      socketsPerUser: 100_000, socketsPerAddress: 100_000, registrationsPerMinute: 1_000),
    timer: SyncClock = .continuous, times: ConnectionTimes = ConnectionTimes(),
    budget: MemoryBudget? = nil, metricsToken: String? = nil,
    logins: LoginFunctions = LoginFunctions(), functions: FunctionTable = FunctionTable(),
    triggers: [TriggerSettings] = [], replacesMissing: Bool = false, adminPort: Int? = nil,
    adminEdits: Bool = false, logger: Logger? = nil, hasher: (any PasswordHasher)? = nil
  ) async throws {
    QuietLog.begin
    self.directory = try directory ?? TemporaryDirectory()
    metrics = PrometheusMetrics()
    let options = try Self.options(
      in: self.directory, mode: directory == nil ? mode : nil, port: port, certificate,
      replacesMissing: replacesMissing, limits: users, metricsToken: metricsToken,
      adminPort: adminEdits ? 0 : adminPort, adminEdits: adminEdits)
    let folder = URL(fileURLWithPath: self.directory.path + "/data/apps/todos")
    if let file { try Data(file.utf8).write(to: folder.appendingPathComponent("app.json")) }
    if directory == nil, file != nil, let schema {
      try Data(schema.utf8).write(to: folder.appendingPathComponent("schema.json"))
    }
    var errors = Logger(label: "test")
    errors.logLevel = .error
    let program = try ServerProgram(
      options, metrics: metrics, logger: logger ?? errors,
      code: ProgramCode(
        usual: AppCode(functions: functions, logins: logins, triggers: triggers)),
      in: ServerProgram.Environment(
        hasher: hasher ?? QuickHasher(), sessionLimits: limits, timer: timer, times: times,
        budget: budget))
    self.program = program
    app = program.apps[0].file.id
    self.budget = program.budget
    accounts = program.apps[0].api.accounts
    let (addresses, continuation) = AsyncStream.makeStream(of: String.self)
    task = Task {
      defer { continuation.finish() }
      try await program.run { continuation.yield($0) }
    }
    var found: String?
    for await address in addresses {
      found = address
      break
    }
    if found == nil { try await task.value }
    address = try #require(found)
  }

  /// The classes of the tests.
  static let todoSchema = """
    {"classes":[
      {"name":"Todo","kind":"topLevel","primaryKey":"_id","properties":[
        {"name":"_id","type":"objectId"},
        {"name":"name","type":"string"},
        {"name":"owner","type":"string"},
        {"name":"status","type":"string"}
      ]}
    ]}

    """

  /// The options of a server in a folder.
  ///
  /// - Parameter mode: The mode of the new app; nil if there is one.
  static func options(
    in directory: TemporaryDirectory, mode: SyncMode?, port: Int = 0,
    _ certificate: TestCertificate? = nil, replacesMissing: Bool = false,
    limits: ServerLimits = ServerLimits(), metricsToken: String? = nil, adminPort: Int? = nil,
    adminEdits: Bool = false
  ) throws -> ServerOptions {
    let path = directory.path + "/data"
    if let mode {
      try FileManager.default.createDirectory(
        atPath: path + "/apps/todos", withIntermediateDirectories: true)
      let file = AppFile(id: "todos", name: "todos", mode: mode)
      try Data(JSONWriter.bytes(file.json)).write(
        to: URL(fileURLWithPath: path + "/apps/todos/app.json"))
    }
    return try ServerOptions(
      directory: path, listen: "127.0.0.1:\(port)", certificate: certificate?.certificatePath,
      key: certificate?.keyPath, replacesMissing: replacesMissing, limits: limits,
      metricsToken: metricsToken, adminPort: adminPort, allowsEdits: adminEdits)
  }

  /// How long a client of a test waits for an answer: the processor may be busy with other tests.
  static let answerLimit: Milliseconds = 600_000

  /// Shuts the server down and waits for its end.
  func stop() async throws {
    task.cancel()
    _ = await task.result
  }

  /// Logs a new anonymous user in.
  func user(_ transport: ClientTransport = .shared) async throws -> TestUser {
    let client = AppClient(
      forgetting: AppSettings(id: app, baseURL: address, requestTimeout: Self.answerLimit),
      transport: transport)
    return TestUser(client: client, user: try await client.logIn(.anonymous))
  }
}

extension ConnectionTimes {
  /// Limits that no client of a test meets, however busy the processor is.
  static var patient: ConnectionTimes {
    ConnectionTimes(
      head: .minutes(10), body: .minutes(10), pause: .seconds(600), farewell: .seconds(600),
      shutdown: .seconds(600))
  }
}

/// A user of a test.
struct TestUser {
  let client: AppClient
  let user: AppUser

  var authority: UserAuthority { UserAuthority(client, user) }

  /// A connection of the user.
  func connection(
    _ mode: SyncMode = .partition, _ sockets: ClientSockets = .shared
  ) -> ClientDriver {
    ClientDriver(mode: mode, provider: sockets, authority: authority)
  }
}

/// A hash that takes no time.
private struct QuickHasher: PasswordHasher {
  func hash(_ password: [UInt8], salt: [UInt8]) -> [UInt8] { salt + password.reversed() }
}
#endif
