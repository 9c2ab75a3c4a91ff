// SPDX-License-Identifier: Apache-2.0

// The sockets of users who may not go on, and of users who have too many.

#if Server
import Foundation
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSwift
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct AccessEndTests {
  /// How a user's access ends.
  enum End: CaseIterable, CustomTestStringConvertible {
    case logout, deletion, disabling

    var testDescription: String { "\(self)" }

    func perform(
      _ client: DeployedClient, _ login: DeployedClient.Login, _ server: RunningServer
    ) async throws {
      switch self {
      case .logout:
        _ = try await client.request("DELETE", "/auth/session", token: login.refreshToken)
      case .deletion:
        _ = try await client.request("DELETE", "/auth/delete", token: login.accessToken)
      case .disabling: try await server.accounts.setDisabled(true, login.user)
      }
    }
  }

  /// `SocketService` 2
  @Test(arguments: [(End.logout, 4001, 4001), (.deletion, 4002, 4001), (.disabling, 4002, 4002)])
  func theSocketsAreClosedAtOnce(_ end: End, _ code: Int, _ laterCode: Int) async throws {
    let server = try await RunningServer(mode: .partition)
    let client = try await DeployedClient(server)
    let login = try await client.logIn()
    let other = try await client.logIn()
    let offer = DeployedClient.partition
    var sessions: [DeployedSession] = []
    for token in [login.accessToken, login.accessToken, other.accessToken] {
      let session = DeployedSession(
        try await client.socket(offer, token: token), isFlexible: false)
      try await session.begin()
      sessions.append(session)
    }
    try await end.perform(client, login, server)
    for session in sessions[..<2] { try await expectEqual(session.socket.closeCode(), code) }
    // The other user goes on.
    try await sessions[2].mark()
    // The token, which has not expired, opens no socket any more.
    let late = try await client.socket(offer, token: login.accessToken)
    try await expectEqual(late.closeCode(), laterCode)
    await client.leave()
    try await server.stop()
  }

  @Test func anOperatorDisablesAUserWhileTheServerRuns() async throws {
    let server = try await RunningServer(mode: .partition)
    let client = try await DeployedClient(server)
    let login = try await client.logIn()
    let other = try await client.logIn()
    let offer = DeployedClient.partition
    var sessions: [DeployedSession] = []
    for token in [login.accessToken, login.accessToken, other.accessToken] {
      let session = DeployedSession(
        try await client.socket(offer, token: token), isFlexible: false)
      try await session.begin()
      sessions.append(session)
    }
    let folder = server.directory.path + "/data"
    func answer(_ user: String, disables: Bool) async throws -> String {
      try await AccessCommand.answer(folder, nil, user: user, email: nil, disables: disables)
    }
    try await expectEqual(
      answer(login.user, disables: true),
      """
      The user \(login.user) is disabled
      Of the app \(server.app), 2 connections were ended
      """)
    for session in sessions[..<2] { try await expectEqual(session.socket.closeCode(), 4002) }
    // The other user goes on.
    try await sessions[2].mark()
    let late = try await client.socket(offer, token: login.accessToken)
    try await expectEqual(late.closeCode(), 4002)
    try await expectEqual(
      answer(login.user, disables: false), "The user \(login.user) is enabled")
    let back = DeployedSession(
      try await client.socket(offer, token: login.accessToken), isFlexible: false)
    try await back.begin()
    try await back.mark()
    await #expect(throws: ServerFailure.self) { _ = try await answer("none", disables: true) }
    await client.leave()
    try await server.stop()
    // Without a server, too.
    try await expectEqual(answer(login.user, disables: true), "The user \(login.user) is disabled")
  }

  /// How an API key ends.
  enum KeyEnd: CaseIterable, CustomTestStringConvertible {
    case disabledByItsUser, deletedByItsUser, disabledByACommand, deletedByACommand

    var testDescription: String { "\(self)" }
    var isUsers: Bool { self == .disabledByItsUser || self == .deletedByItsUser }
  }

  /// What was opened with the key ends; other logins of the user go on.
  @Test(arguments: KeyEnd.allCases)
  func theSocketsOfAnEndedKeyAreClosedAtOnce(_ end: KeyEnd) async throws {
    let server = try await RunningServer(
      file: #"""
        {"id":"todos","mode":"development","sync":"flexible",
         "providers":{"local-userpass":{"confirm":"auto"},"api-key":{}}}
        """#)
    let folder = server.directory.path + "/data"
    let client = try await DeployedClient(server)
    let account = #"{"email":"ann@x.org","password":"secret1"}"#
    _ = try await client.request(
      "POST", "/app/todos/auth/providers/local-userpass/register", body: account)
    let ann = try await client.logIn(
      "local-userpass", #""username":"ann@x.org","password":"secret1","#)
    let path = "/app/todos/auth/api_keys"
    let made = try await client.request(
      "POST", path, token: ann.refreshToken, body: #"{"name":"robot"}"#)
    let parts = try #require(
      Pattern.parts(of: made.body, #"{"_id":"*","key":"*","name":"robot","disabled":false}"#))
    let other = try await KeysCommand.answer(folder, nil, .create("other"))
    let key = end.isUsers ? parts[1] : try await KeysCommand.answer(folder, nil, .create("robot"))
    var sessions: [DeployedSession] = []
    var stream: AsyncThrowingStream<AnyBSON, any Error>.Iterator?
    let robot = try await AppDevice(server, "robot", credentials: .serverAPIKey(key))
    let (opened, open) = AsyncStream.makeStream(of: Void.self)
    stream = robot.user.mongoClient("mongodb-atlas").database(named: "db")
      .collection(withName: "Todo").changeEvents { open.finish() }.makeAsyncIterator()
    for await _ in opened {}
    let login = try await client.logIn("api-key", #""key":"\#(key)","#)
    let goingOn = try await client.logIn("api-key", #""key":"\#(other)","#)
    for token in [login.accessToken, ann.accessToken, goingOn.accessToken] {
      let session = DeployedSession(try await client.socket(DeployedClient.flexible, token: token))
      try await session.begin()
      sessions.append(session)
    }
    let ended = "\nOf the app todos, 1 connection was ended"
    switch end {
    case .disabledByItsUser:
      _ = try await client.request(
        "PUT", "\(path)/\(parts[0])/disable", token: ann.refreshToken)
    case .deletedByItsUser:
      _ = try await client.request("DELETE", "\(path)/\(parts[0])", token: ann.refreshToken)
    case .disabledByACommand:
      try await expectEqual(
        KeysCommand.answer(folder, nil, .disable("robot")),
        "The key robot is disabled, and its logins are over." + ended)
    case .deletedByACommand:
      try await expectEqual(
        KeysCommand.answer(folder, nil, .delete("robot")),
        "The key robot is removed, and its logins are over." + ended)
    }
    try await expectEqual(sessions[0].socket.closeCode(), 4001)
    try await expectEqual(stream?.next(), nil)
    for session in sessions[1...] { try await session.mark() }
    // The token, which has not expired, opens no socket any more, and gives no other.
    let late = try await client.socket(DeployedClient.flexible, token: login.accessToken)
    try await expectEqual(late.closeCode(), 4001)
    try await expectEqual(
      client.request("POST", "/auth/session", token: login.refreshToken).status,
      "HTTP/1.1 401 Unauthorized")
    await client.leave()
    try await server.stop()
  }

  /// `SocketService` 3
  @Test func aUserHasALimitOfSockets() async throws {
    let server = try await RunningServer(users: ServerLimits(socketsPerUser: 2))
    let client = try await DeployedClient(server)
    let token = try await client.logIn().accessToken
    let offer = DeployedClient.partition
    let first = try await client.socket(offer, token: token)
    let second = try await client.socket(offer, token: token)
    for socket in [first, second] {
      try await socket.send("ping 1 0\n")
      try await expectEqual(socket.text(), "pong 1\n")
    }
    try await expectEqual(client.socket(offer, token: token).closeCode(), 1008)
    // Others are not concerned.
    let other = try await client.socket(offer, token: try await client.logIn().accessToken)
    try await other.send("ping 2 0\n")
    try await expectEqual(other.text(), "pong 2\n")
    // A socket that closes makes room.
    try await first.send(frames: DeployedSocket.frame(8, [0x03, 0xE8]))
    try await expectEqual(first.closeCode(), 1000)
    var isOpen = false
    while !isOpen {
      let next = try await client.socket(offer, token: token)
      try await next.send("ping 3 0\n")
      let frame = try await next.frame()
      isOpen = frame.opcode == 2
      expectTrue(isOpen || frame.data.prefix(2) == [0x03, 0xF0])
    }
    await client.leave()
    try await server.stop()
  }

  @Test func limitsHaveToBePositive() {
    for limits in [
      ServerLimits(socketsPerUser: 0), ServerLimits(anonymousLoginsPerMinute: 0),
    ] {
      #expect(throws: ServerFailure.self) {
        try ServerOptions(directory: "d", listen: "a:1", limits: limits)
      }
    }
  }

  /// What was not acknowledged stays on the device, and is uploaded once, when the user may log in
  /// again.
  @Test @MainActor func aUserWhoIsDisabledInTheMiddleOfAnUploadLosesNothing() async throws {
    let server = try await RunningServer(mode: .partition)
    let configuration = AppConfiguration(
      baseURL: server.address, defaultRequestTimeoutMS: UInt(RunningServer.answerLimit))
    configuration.directory = server.directory.path + "/device"
    let app = App(id: server.app, configuration: configuration)
    let errors = Locked<[SyncError]>([])
    app.syncManager.errorHandler = { error, _ in
      if let error = error as? SyncError { errors.withLock { $0.append(error) } }
    }
    let credentials = Credentials.emailPassword(email: "ann@x.org", password: "secret1")
    try await app.emailPasswordAuth.registerUser(email: "ann@x.org", password: "secret1")
    for round in 0..<2 {
      let user = try await app.login(credentials: credentials)
      var realmConfiguration = user.configuration(partitionValue: "home")
      realmConfiguration.objectTypes = [Todo.self]
      let realm = try await Realm(configuration: realmConfiguration, actor: MainActor.shared)
      if round == 0 {
        // Many uploads, of which some are under way when the access ends.
        for number in 0..<100 {
          try await realm.asyncWrite { realm.add(Todo(value: ["name": "\(number)"])) }
        }
        try await server.accounts.setDisabled(true, user.id)
        for _ in 0..<15_000 where user.isLoggedIn { try await Task.sleep(for: .milliseconds(20)) }
        expectFalse(user.isLoggedIn)
        expectEqual(errors.withLock { $0.first?.code }, .underlyingAuthError)
        expectEqual(errors.withLock { $0.first?.message }, "The user is disabled or deleted")
        await #expect(throws: AppError.self) { _ = try await app.login(credentials: credentials) }
        try await server.accounts.setDisabled(false, user.id)
      } else {
        try await realm.syncSession?.wait(for: .upload)
        expectEqual(realm.objects(Todo.self).count, 100)
      }
    }
    #expect(errors.withLock { $0.allSatisfy { $0.code == .underlyingAuthError } })
    let other = try await AppDevice(server, "other")
    let realm = try await Realm(configuration: other.configuration("home"), actor: MainActor.shared)
    try await realm.syncSession?.wait(for: .download)
    await realm.asyncRefresh()
    expectEqual(realm.objects(Todo.self).count, 100)
    try await server.stop()
  }

  /// An app of ours that logs out, or deletes its user, hears of no error.
  @Test(arguments: [true, false]) @MainActor
  func leavingIsNoError(_ isDeleted: Bool) async throws {
    let server = try await RunningServer(mode: .flexible)
    let configuration = AppConfiguration(
      baseURL: server.address, defaultRequestTimeoutMS: UInt(RunningServer.answerLimit))
    configuration.directory = server.directory.path + "/device"
    let app = App(id: server.app, configuration: configuration)
    let errors = Locked<[String]>([])
    app.syncManager.errorHandler = { error, _ in errors.withLock { $0.append("\(error)") } }
    try await app.emailPasswordAuth.registerUser(email: "ann@x.org", password: "secret1")
    for _ in 0..<2 {
      let user = try await app.login(
        credentials: .emailPassword(email: "ann@x.org", password: "secret1"))
      var realmConfiguration = user.flexibleSyncConfiguration(initialSubscriptions: {
        $0.append(QuerySubscription<Todo>(name: "all"))
      })
      realmConfiguration.objectTypes = [Todo.self]
      let realm = try await Realm(
        configuration: realmConfiguration, actor: MainActor.shared, downloadBeforeOpen: .always)
      // After the second login the connection works, too.
      try await realm.asyncWrite { realm.add(Todo(value: ["name": "a"])) }
      try await realm.syncSession?.wait(for: .upload)
      if isDeleted {
        try await user.delete()
        try await app.emailPasswordAuth.registerUser(email: "ann@x.org", password: "secret1")
      } else {
        try await user.logOut()
      }
    }
    expectEqual(errors.withLock { $0 }, [])
    try await server.stop()
  }
}
#endif
