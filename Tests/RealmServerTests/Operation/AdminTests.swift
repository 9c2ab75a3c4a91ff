// SPDX-License-Identifier: Apache-2.0

// The page of a server: who gets an answer, what it shows, what it does.

#if Server
import Foundation
import Logging
import RealmFormats
import RealmNetworking
import RealmPages
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSwift
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

/// The page of a running server, without its sockets.
struct TestAdmin {
  static let port = 4_711
  let service: AdminService

  init(_ server: RunningServer) {
    var random = SeededGenerator(seed: 3)
    service = AdminService(server.program.status, random: &random)
  }

  /// A request as the page makes it.
  func request(_ method: String, _ target: String) -> PageRequest {
    let host = "127.0.0.1:\(Self.port)"
    var headers = [
      "host": host, "cookie": "\(service.access.cookieName(Self.port))=\(service.access.token)",
    ]
    if method == "POST" {
      headers["origin"] = "http://\(host)"
      headers["content-type"] = "application/json"
    }
    return PageRequest(method, target, headers: headers, port: Self.port)
  }

  /// The status and the content of an answer.
  func send(_ method: String, _ target: String) async throws -> (status: Int, json: JSONValue) {
    try await send(request(method, target))
  }

  /// The same for an action with a content.
  func post(
    _ target: String, _ content: JSONValue
  ) async throws -> (status: Int, json: JSONValue) {
    var request = request("POST", target)
    request.body = JSONWriter.bytes(content)
    return try await send(request)
  }

  func send(_ request: PageRequest) async throws -> (status: Int, json: JSONValue) {
    let response = await service.respond(to: request)
    guard case .bytes(let bytes) = response.body else { return (response.status, .null) }
    return (response.status, (try? JSONParser.parse(bytes)) ?? .null)
  }
}

@Suite(.timeLimit(.minutes(10))) struct AdminTests {
  // MARK: Access

  private static let targets = [
    "/", "/admin.js", "/api/overview", "/api/events", "/api/apps/todos/users",
  ]

  /// Each address of the page is behind the guard: `PageGuard` 1.
  @Test func withoutTheTokenNothingIsSent() async throws {
    let server = try await RunningServer(mode: .partition)
    let admin = TestAdmin(server)
    for target in Self.targets {
      var request = admin.request("GET", target)
      await expectEqual(admin.service.respond(to: request).status, 200, "\(target)")
      request.headers["cookie"] = nil
      await expectEqual(admin.service.respond(to: request).status, 401, "\(target)")
    }
    var request = admin.request("POST", "/api/apps/todos/users/u/delete")
    request.headers["cookie"] = nil
    try await expectEqual(admin.send(request).status, 401)
    try await server.stop()
  }

  @Test func requestsThatMakeNoSenseAreRefused() async throws {
    let server = try await RunningServer(mode: .partition)
    let admin = TestAdmin(server)
    let requests = [
      ("GET", "/api/nothing", 404), ("GET", "/api/apps/none/users", 404),
      ("GET", "/api/apps/todos/nothing", 404), ("GET", "/api/apps/todos/users?from=x", 400),
      ("GET", "/api/apps/todos/users?from=-1", 400),
      ("GET", "/api/apps/todos/users?search=" + String(repeating: "x", count: 300), 400),
      ("GET", "/api/apps/todos/realms?from=99999999999999999999", 400),
      ("GET", "/api/apps/todos/realms?from=9223372036854775807", 200),
      ("GET", "/index.html/x", 404), ("GET", "/..", 404), ("GET", "/keys", 404),
      ("POST", "/api/apps/todos/users/nobody/delete", 404),
      ("POST", "/api/apps/todos/users/nobody/disable", 404),
      ("POST", "/api/apps/todos/users/nobody/explode", 404),
      ("POST", "/api/apps/todos/triggers/none/suspend", 404),
      ("POST", "/api/apps/todos/realms/none/delete", 404),
      ("POST", "/api/overview", 404), ("PUT", "/api/overview", 405), ("DELETE", "/", 405),
    ]
    for (method, target, status) in requests {
      var request = admin.request(method == "GET" ? "GET" : "POST", target)
      request.method = method
      try await expectEqual(admin.send(request).status, status, "\(method) \(target)")
    }
    try await server.stop()
  }

  // MARK: Views

  @Test func theOverviewHasAppsLatenciesAndErrors() async throws {
    let server = try await RunningServer(mode: .partition)
    let admin = TestAdmin(server)
    let device = try await ServedDevice(try await server.user().connection())
    try device.put(1, "a")
    try await device.wait(for: .upload)
    server.program.recent.add("<b>the disk is full</b>", .error)
    let json = try await admin.send("GET", "/api/overview").json
    let app = try #require(json["apps"]?.array?.first)
    expectEqual(app["id"]?.string, "todos")
    expectEqual(app["stage"], .null)
    expectEqual(app["users"]?.integer, 1)
    expectEqual(app["connections"]?.integer, 1)
    expectEqual(app["openSessions"]?.integer, 1)
    expectEqual(app["openRealms"]?.integer, 1)
    expectTrue((json["totals"]?["uploads"]?.integer ?? 0) >= 1)
    expectTrue((json["latencies"]?["upload"]?["count"]?.integer ?? 0) >= 1)
    expectTrue(json["latencies"]?["upload"]?["p95"] != .null)
    expectTrue((json["latencies"]?["request"]?["count"]?.integer ?? 0) >= 1)
    expectEqual(json["errors"]?.integer, 1)
    // As it is: the page shows texts as texts.
    expectEqual(json["notices"]?.array?.first?["text"]?.string, "<b>the disk is full</b>")
    expectEqual(json["server"]?["ready"]?.bool, true)
    expectTrue((json["server"]?["diskFree"]?.integer ?? 0) > 0)
    await device.close()
    try await server.stop()
    try await expectEqual(admin.send("GET", "/api/overview").json["server"]?["ready"]?.bool, false)
  }

  @Test func anAppHasUsersSessionsAndRealms() async throws {
    let server = try await RunningServer(mode: .partition)
    let admin = TestAdmin(server)
    let user = try await server.user()
    let device = try await ServedDevice(user.connection())
    try device.put(1, "a")
    try await device.wait(for: .upload)
    try await device.wait(for: .download)
    let sessions = try await admin.send("GET", "/api/apps/todos/sessions").json
    let session = try #require(sessions.array?.first)
    expectEqual(session["user"]?.string, user.user.id)
    expectEqual(session["partition"]?.string, "\"home\"")
    expectTrue((session["file"]?.integer ?? 0) > 1)
    let realms = try await admin.send("GET", "/api/apps/todos/realms").json
    expectEqual(realms["count"]?.integer, 1)
    let realm = try #require(realms["realms"]?.array?.first)
    expectEqual(realm["devices"]?.integer, 1)
    expectEqual(realm["expired"]?.integer, 0)
    expectTrue((realm["bytes"]?.integer ?? 0) > 0)
    let users = try await admin.send("GET", "/api/apps/todos/users?search=\(user.user.id)").json
    expectEqual(users["users"]?.array?.count, 1)
    expectEqual(users["next"], .null)
    try await expectEqual(
      admin.send("GET", "/api/apps/todos/users?search=%3Cb%3E").json["users"],
      .array([]))
    await device.close()
    try await server.stop()
  }

  @Test func usersAreDisabledEnabledLoggedOutAndDeleted() async throws {
    let server = try await RunningServer(mode: .partition)
    let admin = TestAdmin(server)
    let client = try await DeployedClient(server)
    let login = try await client.logIn()
    func session() async throws -> DeployedSession {
      let session = DeployedSession(
        try await client.socket(DeployedClient.partition, token: login.accessToken),
        isFlexible: false)
      try await session.begin()
      return session
    }
    let path = "/api/apps/todos/users/\(login.user)/"
    let first = try await session()
    try await expectEqual(admin.send("POST", path + "disable").status, 200)
    try await expectEqual(first.socket.closeCode(), 4002)
    try await expectEqual(admin.send("POST", path + "enable").status, 200)
    let second = try await session()
    try await expectEqual(admin.send("POST", path + "logout").status, 200)
    try await expectEqual(second.socket.closeCode(), 4001)
    try await expectEqual(admin.send("POST", path + "delete").status, 200)
    try await expectEqual(
      admin.send("GET", "/api/apps/todos/users").json["users"], .array([]))
    await client.leave()
    try await server.stop()
  }

  @Test func usersAreMade() async throws {
    let server = try await RunningServer(
      file: """
        {"id":"todos","mode":"development","providers":{"local-userpass":{"confirm":"auto"}}}
        """)
    let admin = TestAdmin(server)
    func make(_ body: String) async throws -> (status: Int, json: JSONValue) {
      var request = admin.request("POST", "/api/apps/todos/users")
      request.body = Array(body.utf8)
      return try await admin.send(request)
    }
    let ann = #"{"email":"ann@example.org","password":"secret1"}"#
    let made = try await make(ann)
    expectEqual(made.status, 200)
    let client = AppClient(
      forgetting: AppSettings(
        id: "todos", baseURL: server.address, requestTimeout: RunningServer.answerLimit),
      transport: ClientTransport.shared)
    let user = try await client.logIn(.emailPassword("ann@example.org", "secret1"))
    expectEqual(made.json["user"]?.string, user.id)
    for (body, text) in [
      (ann, NewUser.inUse(in: "todos")), ("{}", "A user needs an \"email\" and a \"password\"."),
      ("[", "A user needs an \"email\" and a \"password\"."),
      (
        #"{"email":"bob@example.org","password":"x"}"#,
        "The password must be between 6 and 128 characters."
      ),
    ] {
      let refused = try await make(body)
      expectEqual(refused.status, 400)
      expectEqual(refused.json["error"]?.string, text)
    }
    try await server.stop()
  }

  @Test func usersGetNewPasswords() async throws {
    let server = try await RunningServer(
      file: """
        {"id":"todos","mode":"development",
         "providers":{"local-userpass":{"confirm":"auto"},"anon-user":{}}}
        """)
    let admin = TestAdmin(server)
    let made = try await admin.post(
      "/api/apps/todos/users", ["email": "ann@example.org", "password": "secret1"])
    let id = try #require(made.json["user"]?.string)
    func logIn(_ credentials: LoginCredentials) async throws -> String {
      let client = AppClient(
        forgetting: AppSettings(
          id: "todos", baseURL: server.address, requestTimeout: RunningServer.answerLimit),
        transport: ClientTransport.shared)
      return try await client.logIn(credentials).id
    }
    let other = try await logIn(.anonymous)
    let path = "/api/apps/todos/users/"
    let answer = try await admin.post(path + "\(id)/password", ["password": "secret2"])
    expectEqual(answer.status, 200, "\(answer.json)")
    expectEqual(answer.json["otherLogins"], .array([]))
    try await expectEqual(logIn(.emailPassword("ann@example.org", "secret2")), id)
    await #expect(throws: (any Error).self) {
      _ = try await logIn(.emailPassword("ann@example.org", "secret1"))
    }
    for (user, content, status, text) in [
      (id, [:], 400, "A user needs a \"password\"."),
      (id, ["password": "x"], 400, "The password must be between 6 and 128 characters."),
      ("nobody", ["password": "secret3"], 404, "There is no such user."),
      (
        other, ["password": "secret3"], 400, "The user \(other) does not log in by a password."
      ),
    ] as [(String, JSONValue, Int, String)] {
      let refused = try await admin.post(path + user + "/password", content)
      expectEqual(refused.status, status, "\(user)")
      expectEqual(refused.json["error"]?.string, text)
    }
    try await expectEqual(logIn(.emailPassword("ann@example.org", "secret2")), id)
    try await server.stop()
  }

  @Test func functionsAreShownWithTheirFailures() async throws {
    var table = FunctionTable()
    table["add"] = { call in .int64(Int64(call.arguments.count)) }
    table["fail"] = { _ in throw FunctionError.failed("no <b>stock</b>") }
    table["never"] = { _ in .null }
    let server = try await RunningServer(mode: .flexible, functions: table)
    let device = try await AppDevice(server, "ann")
    _ = try await device.user.functions.add([1, 2])
    for _ in 0..<2 {
      await #expect(throws: AppError.self) { _ = try await device.user.functions.fail([]) }
    }
    let json = try await TestAdmin(server).send("GET", "/api/apps/todos/functions").json
    let lines = json.array?.map {
      "\($0["name"]?.string ?? "") \($0["kind"]?.string ?? "") \($0["calls"]?.integer ?? -1) "
        + "\($0["failed"]?.integer ?? -1) \($0["error"]?.string ?? "-")"
    }
    expectEqual(
      lines, ["add closure 1 0 -", "fail closure 2 2 no <b>stock</b>", "never closure 0 0 -"])
    try await server.stop()
  }

  @Test func triggersAreShownSuspendedAndResumed() async throws {
    var table = FunctionTable()
    table["hear"] = { _ in .null }
    let trigger = TriggerSettings("t <b>", function: "hear", .database(DatabaseTrigger("Todo")))
    let server = try await RunningServer(
      mode: .flexible, functions: table, triggers: [trigger])
    let admin = TestAdmin(server)
    func state() async throws -> String? {
      let json = try await admin.send("GET", "/api/apps/todos/triggers").json
      return json.array?.first?["state"]?.string
    }
    for _ in 0..<3_000 where try await state() != "active" {
      try await Task.sleep(for: .milliseconds(20))
    }
    let path = "/api/apps/todos/triggers/t%20%3Cb%3E/"
    for (action, expected, stopped) in [("suspend", "suspended", 1), ("resume", "active", 0)] {
      try await expectEqual(admin.send("POST", path + action).status, 200)
      try await expectEqual(state(), expected)
      let app = try await admin.send("GET", "/api/overview").json["apps"]?.array?.first
      expectEqual(app?["triggers"]?.integer, 1)
      expectEqual(app?["stoppedTriggers"]?.integer, Int64(stopped))
    }
    try await expectEqual(admin.send("POST", path + "explode").status, 404)
    try await server.stop()
  }

  // MARK: The page

  @Test func theProgramHoldsEachFileOfThePageByteForByte() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources").standardizedFileURL
    let page = PageFiles(pageTexts)
    let own = sources.appending(path: "RealmServerKit/Page")
    let names = try FileManager.default.contentsOfDirectory(atPath: own.path)
    expectTrue(names.contains("index.html"))
    let shared = sources.appending(path: "RealmStudio/Page")
    let places =
      names.map { ($0, own) } + ["dom.js", "icon.svg", "studio.css"].map { ($0, shared) }
    for (name, folder) in places {
      let response = try #require(page.response([name]), "\(name)")
      guard case .bytes(let bytes) = response.body else {
        Issue.record("\(name) is no answer of bytes")
        continue
      }
      try expectEqual(Data(bytes), Data(contentsOf: folder.appending(path: name)), "\(name)")
    }
  }

  /// What the page imports and shows is there, and no text of a user becomes HTML.
  @Test func thePageNeedsNothingElse() throws {
    let names = [
      "admin.js", "app.js", "data.js", "dialogs.js", "dom.js", "edits.js", "format.js",
      "overview.js", "rules.js", "server.js",
    ]
    let page = PageFiles(pageTexts)
    for name in names {
      guard case .bytes(let bytes)? = page.response([name])?.body else {
        Issue.record("\(name) is missing")
        continue
      }
      let text = String(decoding: bytes, as: UTF8.self)
      for match in text.matches(of: /from "\.\/([a-z.]+)"/) {
        expectTrue(names.contains(String(match.1)), "\(name) imports \(match.1)")
      }
      for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
        expectFalse(text.contains(word), "\(name) has \(word)")
      }
    }
  }
}
#endif
