// SPDX-License-Identifier: Apache-2.0

// Users and tokens that the operator makes, beside a server and without one.

#if Server
import Foundation
import RealmFormats
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct OperatorUserTests {
  private static func folder(_ server: RunningServer) -> String { server.directory.path + "/data" }

  private static func file(_ confirm: String = "auto", _ more: String = "") -> String {
    """
    {"id":"todos","mode":"development","sync":"flexible",
     "providers":{"local-userpass":{"confirm":"\(confirm)"}}\(more)}
    """
  }

  private static func server(
    _ file: String, functions: FunctionTable = FunctionTable()
  ) async throws -> RunningServer {
    // The command makes the hash, as the server of an operator does.
    try await RunningServer(file: file, functions: functions, hasher: ScryptHasher())
  }

  private static func client(_ server: RunningServer) -> AppClient {
    AppClient(
      forgetting: AppSettings(
        id: server.app, baseURL: server.address, requestTimeout: RunningServer.answerLimit),
      transport: ClientTransport.shared)
  }

  /// The refusal of a command.
  private static func refusal(_ body: () async throws -> String) async -> String {
    do {
      return "not refused: " + (try await body())
    } catch {
      return "\((error as? ServerFailure)?.description ?? "\(error)")"
    }
  }

  // MARK: Users

  @Test func aUserIsMadeWhileTheServerRuns() async throws {
    var functions = FunctionTable()
    let heard = Locked<[String]>([])
    functions["hear"] = { call in
      heard.withLock { $0.append("\(call.arguments)") }
      return .null
    }
    let server = try await Self.server(
      Self.file(
        "auto",
        #","triggers":[{"name":"new","type":"authentication","operation_type":"create","#
          + #""function":"hear"}]"#), functions: functions)
    let folder = Self.folder(server)
    let data = BSONValue.document([BSONElement("admin", .bool(true))])
    let text = try await CreateUserCommand.answer(
      folder, nil, email: "ann@example.org", password: "secret1", customData: data)
    let user = try await Self.client(server).logIn(.emailPassword("ann@example.org", "secret1"))
    expectEqual(
      text, "The user \(user.id) of the app todos is made, and logs in as ann@example.org")
    let token = try #require(user.record.accessToken?.text)
    let claims = try server.accounts.claims(accessToken: token)
    expectEqual(claims.userData, data)
    // Triggers hear of it, once.
    for _ in 0..<3_000 where heard.withLock({ $0.isEmpty }) {
      try await Task.sleep(for: .milliseconds(20))
    }
    expectEqual(heard.withLock { $0.count }, 1)
    expectTrue(heard.withLock { $0.first }?.contains(user.id) == true)
    // No other user is made in its place.
    await expectEqual(
      Self.refusal {
        try await CreateUserCommand.answer(
          folder, nil, email: "ann@example.org", password: "secret2")
      }, NewUser.inUse(in: "todos"))
    _ = try await Self.client(server).logIn(.emailPassword("ann@example.org", "secret1"))
    // A password that is made works, too.
    let json = try JSONParser.parse(
      try await CreateUserCommand.answer(
        folder, nil, email: "bob@example.org", password: nil, isJSON: true))
    let password = try #require(json["password"]?.string)
    expectEqual(password.count, 20)
    let bob = try await Self.client(server).logIn(.emailPassword("bob@example.org", password))
    expectEqual(json["user"]?.string, bob.id)
    try await server.stop()
  }

  @Test func aUserIsMadeWithoutAServer() async throws {
    let server = try await Self.server(Self.file())
    let folder = Self.folder(server)
    try await server.stop()
    _ = try await CreateUserCommand.answer(
      folder, nil, email: "ann@example.org", password: "secret1")
    let token = try await TokenCommand.answer(folder, nil, user: nil, email: "ann@example.org")
    await expectEqual(
      Self.refusal {
        try await CreateUserCommand.answer(
          folder, nil, email: "ann@example.org", password: "secret2")
      }, NewUser.inUse(in: "todos"))
    let next = try await RunningServer(server.directory, hasher: ScryptHasher())
    let user = try await Self.client(next).logIn(.emailPassword("ann@example.org", "secret1"))
    try await expectEqual(next.accounts.access(accessToken: token).account.id, user.id)
    let check = try AccountCheck(path: folder + "/apps/todos/accounts.realm", app: "todos")
    expectEqual(check.findings, [])
    try await next.stop()
  }

  /// A registration that waits for its mail does not keep the address, and its mail is void.
  @Test func anUnconfirmedRegistrationYieldsToTheOperator() async throws {
    let server = try await Self.server(Self.file("mail"))
    try await Self.client(server).register(email: "ann@example.org", password: "stranger")
    let mail = try Outbox(server).take("ann@example.org")
    _ = try await CreateUserCommand.answer(
      Self.folder(server), nil, email: "ann@example.org", password: "secret1")
    await #expect(throws: AccountError.invalidToken) {
      try await server.accounts.confirm(token: mail.token, id: mail.id)
    }
    _ = try await Self.client(server).logIn(.emailPassword("ann@example.org", "secret1"))
    try await server.stop()
  }

  @Test(arguments: [
    ("auto", "ann@example.org", "short", "The password must be between 6 and 128 characters."),
    (
      "auto", " ann", "secret1",
      "A user needs an address, or a name without blanks at its ends."
    ),
    (
      "mail", "ann", "secret1",
      "This is no address, and the app todos confirms addresses by mails."
    ),
  ])
  func whatIsNoUserIsRefused(
    _ confirm: String, _ email: String, _ password: String, _ expected: String
  ) async throws {
    let server = try await Self.server(Self.file(confirm))
    await expectEqual(
      Self.refusal {
        try await CreateUserCommand.answer(
          Self.folder(server), nil, email: email, password: password)
      }, expected)
    try await expectEqual(
      UsersCommand.list(Self.folder(server), nil, search: "", isJSON: false),
      "The app has no users.")
    try await server.stop()
  }

  @Test func anAppWithoutPasswordsHasNoSuchUsers() async throws {
    let server = try await Self.server(
      #"{"id":"todos","mode":"development","sync":"flexible","providers":{"anon-user":{}}}"#)
    await expectEqual(
      Self.refusal {
        try await CreateUserCommand.answer(
          Self.folder(server), nil, email: "ann@example.org", password: "secret1")
      }, "The app todos has no passwords: its app.json lacks the provider \"local-userpass\".")
    try await server.stop()
  }

  // MARK: Passwords

  /// The server that runs ends what the user has open; without one the next server knows the
  /// password.
  @Test(arguments: [true, false]) func aUserGetsAnotherPassword(_ isRunning: Bool) async throws {
    var server = try await Self.server(Self.file())
    let folder = Self.folder(server)
    _ = try await CreateUserCommand.answer(
      folder, nil, email: "ann@example.org", password: "secret1")
    let user = try await Self.client(server).logIn(.emailPassword("ann@example.org", "secret1"))
    let refresh = try #require(user.record.refreshToken?.text)
    if !isRunning { try await server.stop() }
    let text = try await SetPasswordCommand.answer(
      folder, nil, user: nil, email: "ann@example.org", password: "secret2")
    expectEqual(
      text, "The user \(user.id) of the app todos has another password, and has to log in again")
    if !isRunning { server = try await RunningServer(server.directory, hasher: ScryptHasher()) }
    await #expect(throws: AccountError.invalidSession) {
      try await server.accounts.refresh(refresh)
    }
    await #expect(throws: (any Error).self) {
      try await Self.client(server).logIn(.emailPassword("ann@example.org", "secret1"))
    }
    let again = try await Self.client(server).logIn(.emailPassword("ann@example.org", "secret2"))
    expectEqual(again.id, user.id)
    // A password that is made works, and is printed once.
    let json = try JSONParser.parse(
      try await SetPasswordCommand.answer(
        folder, nil, user: user.id, email: nil, password: nil, isJSON: true))
    expectEqual(json["user"]?.string, user.id)
    let password = try #require(json["password"]?.string)
    expectEqual(password.count, 20)
    _ = try await Self.client(server).logIn(.emailPassword("ann@example.org", password))
    // No request with a password, and no password, stays in the folder.
    let files = FileManager.default.enumerator(atPath: folder)
    while let name = files?.nextObject() as? String {
      guard let data = FileManager.default.contents(atPath: folder + "/" + name) else { continue }
      expectTrue(data.range(of: Data(password.utf8)) == nil, "\(name) has the password")
    }
    try await server.stop()
  }

  @Test func passwordsThatMakeNoSenseAreRefused() async throws {
    let server = try await Self.server(Self.file())
    let folder = Self.folder(server)
    _ = try await CreateUserCommand.answer(
      folder, nil, email: "ann@example.org", password: "secret1")
    func refusal(_ email: String, _ password: String) async -> String {
      await Self.refusal {
        try await SetPasswordCommand.answer(
          folder, nil, user: nil, email: email, password: password)
      }
    }
    await expectEqual(
      refusal("ann@example.org", "short"),
      "The password must be between 6 and 128 characters.")
    await expectEqual(
      refusal("bob@example.org", "secret2"), "The app todos has no such user.")
    await expectEqual(
      Self.refusal {
        try await SetPasswordCommand.answer(
          folder, nil, user: nil, email: nil, password: "secret2")
      }, "Name the user with --user or with --email.")
    _ = try await Self.client(server).logIn(.emailPassword("ann@example.org", "secret1"))
    try await server.stop()
  }

  // MARK: Tokens

  @Test func aTokenIsThatOfALogIn() async throws {
    let server = try await Self.server(Self.file())
    let folder = Self.folder(server)
    _ = try await CreateUserCommand.answer(
      folder, nil, email: "ann@example.org", password: "secret1")
    let json = try JSONParser.parse(
      try await TokenCommand.answer(folder, nil, user: nil, email: "ann@example.org", isJSON: true))
    let (token, refresh) = (
      try #require(json["access_token"]?.string), try #require(json["refresh_token"]?.string)
    )
    expectEqual(json["minutes"]?.integer, 30)
    try await expectEqual(
      server.accounts.access(accessToken: token).account.id, json["user"]?.string)
    let next = try await server.accounts.refresh(refresh)
    try await expectEqual(
      server.accounts.access(accessToken: next).account.id, json["user"]?.string)
    // It ends with the access of its user.
    _ = try await AccessCommand.answer(
      folder, nil, user: nil, email: "ann@example.org", disables: true)
    await #expect(throws: AccountError.userDisabled) {
      try await server.accounts.refresh(refresh)
    }
    await expectEqual(
      Self.refusal {
        try await TokenCommand.answer(folder, nil, user: nil, email: "ann@example.org")
      }, "The user is disabled. Enable it first, with realm-server users enable.")
    await expectEqual(
      Self.refusal { try await TokenCommand.answer(folder, nil, user: "x", email: nil) },
      "The app todos has no such user.")
    try await server.stop()
  }
}
#endif
