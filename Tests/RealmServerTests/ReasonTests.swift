// SPDX-License-Identifier: Apache-2.0

// Why a device is not synchronised: each reason has its own sentence, at the client and in the
// server's log.

#if Server
import Foundation
import Logging
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSwift
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

class Errand: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite(.timeLimit(.minutes(10))) struct ReasonTests {
  private actor Device {
    private(set) var realm: Realm!

    init(_ user: User) async throws {
      var configuration = user.flexibleSyncConfiguration {
        $0.append(QuerySubscription<Errand>(name: "all"))
      }
      configuration.objectTypes = [Errand.self]
      realm = try await Realm(
        configuration: configuration, actor: self, downloadBeforeOpen: .always)
    }

    func session() throws -> SyncSession { try #require(realm.syncSession) }

    func add(_ name: String) throws {
      try realm.write { realm.add(Errand(value: ["_id": ObjectId.generate(), "name": name])) }
    }

    func upload() async throws { try await session().wait(for: .upload) }

    /// The error of the session, when it has one with this word.
    func error(_ word: String) async throws -> SyncError {
      for _ in 0..<6_000 {
        if let error = try session().currentError, error.message.contains(word) { return error }
        try await Task.sleep(for: .milliseconds(20))
      }
      return try #require(try session().currentError)
    }

    func waitForNoError() async throws {
      for _ in 0..<6_000 where try session().currentError != nil {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(try session().currentError == nil)
    }
  }

  private static func app(
    _ id: String, _ address: String, _ directory: TemporaryDirectory
  ) -> App {
    let configuration = AppConfiguration(
      baseURL: address, defaultRequestTimeoutMS: UInt(RunningServer.answerLimit))
    configuration.directory = directory.path
    return App(id: id, configuration: configuration)
  }

  private static func message(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? AppError)?.message
    }
  }

  @Test func anAddressWithoutSchemeIsNamed() async throws {
    let directory = try TemporaryDirectory()
    for (address, host) in [
      ("127.0.0.1:9090", "127.0.0.1:9090"), ("ftp://example.org", "example.org"), ("http://", ""),
    ] {
      let message = await Self.message {
        try await Self.app("todos", address, directory).login(credentials: .anonymous)
      }
      expectEqual(message?.contains("has to begin with http:// or https://"), true)
      expectEqual(message?.contains("'http://\(host)"), true)
    }
  }

  @Test func aWrongAppIsNamed() async throws {
    let directory = try TemporaryDirectory()
    let server = try await RunningServer(mode: .flexible)
    let message = await Self.message {
      try await Self.app("nothing", server.address, directory).login(credentials: .anonymous)
    }
    expectEqual(
      message,
      "The server at \(server.address) has no app with the id 'nothing'. Use an id that "
        + "the server names when it starts.")
    try await server.stop()
  }

  @Test func aServerThatWasSetUpAnewIsNamed() async throws {
    let directory = try TemporaryDirectory()
    let server = try await RunningServer(mode: .flexible)
    let app = Self.app("todos", server.address, directory)
    let user = try await app.login(credentials: .anonymous)
    let device = try await Device(user)
    try await device.add("a")
    try await device.upload()
    let port = try #require(server.address.split(separator: ":").last.flatMap { Int($0) })
    try await server.stop()
    let gone = try await device.error("could not be reached")
    expectTrue(gone.message.hasSuffix("could not be reached: Connection refused."), "\(gone)")
    try await device.add("b")
    let anew = try await RunningServer(mode: .flexible, port: port)
    try await device.session().reconnect()
    let error = await #expect(throws: SyncError.self) { try await device.upload() }
    expectEqual(error?.code, .underlyingAuthError)
    expectEqual(
      error?.message.contains("began with an empty folder"), true,
      "\(String(describing: error))")
    try await expectEqual(device.session().currentError?.message, error?.message)
    expectFalse(user.isLoggedIn)
    try await anew.stop()
  }

  @Test func aFullDiskOfTheServerIsNamed() async throws {
    let directory = try TemporaryDirectory()
    let disk = WatchedFiles()
    let server = MemoryAppServer(
      app: "errands-" + UUID().uuidString.lowercased(), mode: .flexible,
      directory: directory.path + "/server", system: disk)
    let configuration = AppConfiguration(baseURL: "http://memory")
    configuration.requests = server
    configuration.socketProvider = server
    configuration.directory = directory.path + "/device"
    let app = App(id: server.id, configuration: configuration)
    let device = try await Device(try await app.login(credentials: .anonymous))
    try await device.add("a")
    try await device.upload()
    disk.fillDisk(true, refusesWrites: true)
    try await device.add("b")
    let error = try await device.error("disk")
    expectTrue(error.message.hasPrefix("The server's disk is full"), "\(error)")
    disk.fillDisk(false)
    try await device.upload()
    try await device.waitForNoError()
  }

  @Test func textsNameNoPathsOfTheBuild() {
    let text =
      "sslError([Error: 1:CERTIFICATE_VERIFY_FAILED at /src/app/.build/checkouts/swift-nio-ssl"
      + "/Sources/CNIOBoringSSL/ssl/handshake.cc:393])"
    expectEqual(
      ErrorText.withoutBuildPaths(text),
      "sslError([Error: 1:CERTIFICATE_VERIFY_FAILED at handshake.cc:393])")
    let other = "The file '/data/apps/todos/app.json' is 1/2 of https://example.org/a"
    expectEqual(ErrorText.withoutBuildPaths(other), other)
  }

  @Test func theServersLogHasTheSocketsThatWereRefused() async throws {
    let log = Locked<[String]>([])
    let server = try await RunningServer(
      logger: Logging.Logger(label: "test") { _ in
        KeptLog { text in log.withLock { $0.append(text) } }
      })
    let client = try await DeployedClient(server)
    let socket = try await client.socket(DeployedClient.partition, token: "none")
    try await expectEqual(socket.closeCode(), 4001)
    let start = "info: A socket was refused: The token is not valid"
    #expect(log.withLock { $0.contains { $0.hasPrefix(start) } })
    await client.leave()
    try await server.stop()
  }

  @Test func theServersLogNamesThem() async throws {
    let log = Locked<[String]>([])
    let now = Locked<Milliseconds>(0)
    let notices = NoticeLog(
      Logging.Logger(label: "test") { _ in KeptLog { text in log.withLock { $0.append(text) } } },
      now: { now.withLock { $0 } })
    let api = ServerAPI(apps: [], refused: { notices.add($0) })
    for _ in 0..<3 {
      _ = await api.respond(
        to: APIRequest("GET", "/api/client/v2.0/app/nothing/location"))
    }
    expectEqual(
      log.withLock { $0 },
      [
        "info: A client asked for an app that is not here: cannot find app using Client App ID "
          + "'nothing'"
      ])
    now.withLock { $0 = 60_000 }
    notices.add(String(repeating: "x", count: 10_000))
    _ = await api.respond(
      to: APIRequest(
        "POST", "/api/client/v2.0/auth/session",
        headers: [(name: "Authorization", value: "Bearer a.b.c")]))
    expectEqual(log.withLock { $0 }.count, 3)
    #expect(log.withLock { $0[1].count } < 400)
    #expect(log.withLock { $0[2] }.contains("empty folder"))
    // Ever new texts do not fill the disk.
    for number in 0..<1_000 { notices.add("text \(number)") }
    #expect(log.withLock { $0 }.count < 110)
    let full = StoreError.storage(.system(operation: "Growing", path: "/d/a.realm", code: ENOSPC))
    expectTrue("\(full)".hasPrefix("The disk is full. Growing the Realm file"))
  }
}

/// A handler that keeps what is logged.
struct KeptLog: LogHandler {
  let keep: @Sendable (String) -> Void
  var logLevel = Logging.Logger.Level.info
  var metadata = Logging.Logger.Metadata()
  subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  init(_ keep: @escaping @Sendable (String) -> Void) { self.keep = keep }

  func log(event: LogEvent) { keep("\(event.level): \(event.message)") }
}
#endif
