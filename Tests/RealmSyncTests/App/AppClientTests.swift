// SPDX-License-Identifier: Apache-2.0

// Logging in and out, tokens, errors: an app's client with a server that the test writes.

import Foundation
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSync

struct AppClientTests {
  private static let login = "/api/client/v2.0/app/todos/auth/providers/anon-user/login"

  private static func client(
    _ transport: ScriptedTransport, store: UserStore? = nil
  ) throws -> AppClient {
    let settings = AppSettings(id: "todos", baseURL: "http://base/")
    guard let store else { return AppClient(forgetting: settings, transport: transport) }
    return try AppClient(settings, transport: transport, store: store)
  }

  @Test func anAnonymousUserLogsIn() async throws {
    let transport = ScriptedTransport.withAnonymousUser()
    let client = try Self.client(transport)
    expectTrue(client.currentUser == nil)
    let user = try await client.logIn(.anonymous)
    expectEqual(user.id, "00000000000000000000000a")
    expectTrue(user.isLoggedIn)
    expectEqual(user.record.identities, [.init(id: "i", provider: "anon-user")])
    expectEqual(user.record.profile, [BSONElement("name", .string("Ann"))])
    expectTrue(client.currentUser === user)
    let urls = transport.requests.withLock { $0.map(\.url) }
    expectEqual(
      urls,
      [
        "http://base/api/client/v2.0/app/todos/location", "http://server" + Self.login,
        "http://server/api/client/v2.0/auth/profile",
      ])
    let requests = transport.requests.withLock { $0 }
    let body = try JSONParser.parse(requests[1].body)
    expectEqual(body["provider"], .string("anon-user"))
    expectEqual(body["options"]?["device"]?["appId"], .string("todos"))
    expectTrue(requests[1].headers.contains(HTTPHeader("Accept", "application/json")))
    #expect(!requests[1].headers.contains { $0.name == "Authorization" })
    #expect(
      requests[2].headers.contains(
        HTTPHeader("Authorization", "Bearer " + TestToken.text(expires: 100))))
  }

  /// `AppClient` 1
  @Test func aSecondAnonymousLoginIsTheSameUser() async throws {
    let transport = ScriptedTransport.withAnonymousUser()
    let client = try Self.client(transport)
    let user = try await client.logIn(.anonymous)
    #expect(try await client.logIn(.anonymous) === user)
    expectEqual(transport.requests("login").count, 1)
  }

  /// `AppClient` 3
  @Test func usersAreStored() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/users.realm"
    let transport = ScriptedTransport.withAnonymousUser()
    do {
      let client = try Self.client(transport, store: try UserStore(path: path))
      let user = try await client.logIn(.anonymous)
      expectEqual(user.record.deviceID, "0000000000000000000000ff")
    }
    let client = try Self.client(transport, store: try UserStore(path: path))
    let user = try #require(client.currentUser)
    expectEqual(user.record.refreshToken?.text, TestToken.text(expires: 900))
    expectEqual(user.record.accessToken?.text, TestToken.text(expires: 100))
    expectEqual(user.record.identities, [.init(id: "i", provider: "anon-user")])
    expectEqual(user.record.profile, [BSONElement("name", .string("Ann"))])
    try await client.logOut(user)
    let after = try Self.client(transport, store: try UserStore(path: path))
    expectTrue(after.users.isEmpty)
  }

  @Test func storedUsersAreEncryptedWithAKey() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/users.realm"
    let transport = ScriptedTransport.withAnonymousUser()
    do {
      let client = try Self.client(transport, store: try UserStore(path: path))
      _ = try await client.logIn(.anonymous)
    }
    let token = Data(TestToken.text(expires: 900).utf8)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: token) != nil)
    let key = try #require(EncryptionKey(repeatElement(7, count: 64)))
    do {
      let client = try Self.client(transport, store: try UserStore(path: path, key: key))
      expectEqual(client.currentUser?.record.refreshToken?.text, TestToken.text(expires: 900))
    }
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)).range(of: token), nil)
    let client = try Self.client(transport, store: try UserStore(path: path, key: key))
    expectTrue(client.currentUser != nil)
    #expect(throws: StorageError.self) { try UserStore(path: path) }
  }

  @Test(arguments: [
    "", ".", "..", ".a", "../../x", "a/b", "a b", "é", String(repeating: "x", count: 129),
  ])
  func anIDThatIsNoNameOfAFolderIsRefused(_ id: String) async throws {
    let transport = ScriptedTransport.withAnonymousUser()
    transport.set("POST " + Self.login, [.json(TestToken.login(user: id))])
    let client = try Self.client(transport)
    let error = await #expect(throws: AppFailure.self) { try await client.logIn(.anonymous) }
    expectEqual(error?.description.contains("id of the user"), true)
    expectTrue(client.users.isEmpty)
  }

  @Test func aTokenThatIsNotAcceptedIsRefreshedOnce() async throws {
    let transport = ScriptedTransport.withAnonymousUser()
    let path = "POST /api/client/v2.0/app/todos/functions/call"
    transport.set(path, [HTTPResponse(status: 401), .json("3")])
    let client = try Self.client(transport)
    let user = try await client.logIn(.anonymous)
    try await expectEqual(client.call("sum", [.int32(1), .int32(2)], as: user), .int64(3))
    let calls = transport.requests("call")
    expectEqual(calls.count, 2)
    #expect(
      calls[1].headers.contains(
        HTTPHeader("Authorization", "Bearer " + TestToken.text(expires: 200))))
    expectEqual(
      calls[0].body,
      Array(#"{"arguments":[{"$numberInt":"1"},{"$numberInt":"2"}],"name":"sum"}"#.utf8))
    transport.set(path, [HTTPResponse(status: 401)])
    await #expect(throws: AppFailure.status(401)) {
      try await client.call("sum", [], as: user)
    }
  }

  /// `AppClient` 2
  @Test func callersShareARefresh() async throws {
    let transport = ScriptedTransport.withAnonymousUser()
    let client = try Self.client(transport)
    let user = try await client.logIn(.anonymous)
    async let first = client.refreshToken(of: user)
    async let second = client.refreshToken(of: user)
    let tokens = try await [first, second]
    expectEqual(tokens[0], tokens[1])
    expectEqual(user.record.accessToken, tokens[0])
    expectTrue((1...2).contains(transport.requests("auth/session").count))
  }

  /// SY14: whatever goes wrong, an error has neither the password nor a token.
  @Test func errorsHaveNoSecrets() async throws {
    let secrets = ["PASSWORD-1", TestToken.text(expires: 900), TestToken.text(expires: 100)]
    let transport = ScriptedTransport.withAnonymousUser()
    let client = try Self.client(transport)
    let user = try await client.logIn(.anonymous)
    let login = "POST /api/client/v2.0/app/todos/auth/providers/local-userpass/login"
    let half = #"{"refresh_token":"\#(secrets[1])"}"#
    let refusal = #"{"error":"no","error_code":"InvalidPassword"}"#
    let answers: [[HTTPResponse]] = [
      [], [.json(half)], [.json(refusal, status: 401)], [HTTPResponse(status: 500)],
    ]
    for answer in answers {
      transport.set(login, answer)
      transport.set("POST /api/client/v2.0/auth/session", answer)
      var errors: [AppFailure] = []
      do throws(AppFailure) {
        _ = try await client.logIn(.emailPassword("ann@x.org", secrets[0]))
      } catch { errors.append(error) }
      do throws(AppFailure) { try await client.refreshToken(of: user) } catch {
        errors.append(error)
      }
      expectEqual(errors.count, 2)
      for secret in secrets { #expect(!"\(errors)".contains(secret)) }
    }
  }

  @Test func aRefreshThatIsRefusedLogsTheUserOut() async throws {
    let transport = ScriptedTransport.withAnonymousUser()
    let client = try Self.client(transport)
    let user = try await client.logIn(.anonymous)
    transport.set(
      "POST /api/client/v2.0/auth/session",
      [.json(#"{"error":"revoked","error_code":"InvalidSession"}"#, status: 401)])
    await #expect(
      throws: AppFailure.service(
        name: "InvalidSession", message: "revoked", status: 401, logURL: nil)
    ) { try await client.refreshToken(of: user) }
    expectFalse(user.isLoggedIn)
    expectTrue(client.currentUser == nil)
    await #expect(throws: AppFailure.invalidUser("The user is not logged in.")) {
      try await client.refreshToken(of: user)
    }
  }

  @Test func aRefreshWithoutNetworkKeepsTheUser() async throws {
    let transport = ScriptedTransport.withAnonymousUser()
    let client = try Self.client(transport)
    let user = try await client.logIn(.anonymous)
    transport.set("POST /api/client/v2.0/auth/session", [])
    await #expect(throws: AppFailure.self) { try await client.refreshToken(of: user) }
    expectTrue(user.isLoggedIn)
  }

  @Test func errorsAreReadFromExactlyOneContentType() async throws {
    let transport = ScriptedTransport.withAnonymousUser()
    let client = try Self.client(transport)
    let user = try await client.logIn(.anonymous)
    let path = "POST /api/client/v2.0/app/todos/functions/call"
    transport.set(path, [.json(#"{"error":"text"}"#)])
    await #expect(
      throws: AppFailure.service(name: nil, message: "text", status: 200, logURL: nil)
    ) { try await client.call("f", [], as: user) }
    transport.set(
      path,
      [
        HTTPResponse(
          status: 400, headers: [HTTPHeader("Content-Type", "application/json; charset=utf-8")],
          body: Array(#"{"error":"text","error_code":"BadRequest"}"#.utf8))
      ])
    await #expect(throws: AppFailure.status(400)) { try await client.call("f", [], as: user) }
    transport.set(
      path,
      [
        HTTPResponse(
          status: 200, headers: [HTTPHeader("Content-Type", "application/json; charset=utf-8")],
          body: Array(#"{"error":"a result"}"#.utf8))
      ])
    try await expectEqual(
      client.call("f", [], as: user),
      .document([BSONElement("error", .string("a result"))]))
    transport.set(path, [HTTPResponse(status: 200, body: Array("<html>".utf8))])
    await #expect(throws: AppFailure.badAnswer("The server's answer is not JSON.")) {
      try await client.call("f", [], as: user)
    }
  }

  @Test func anAnonymousUserWhoLogsOutIsRemoved() async throws {
    let transport = ScriptedTransport.withAnonymousUser()
    let client = try Self.client(transport)
    let user = try await client.logIn(.anonymous)
    try await client.logOut(user)
    expectEqual(user.record.state, .removed)
    expectTrue(client.users.isEmpty)
    let request = try #require(transport.requests("auth/session").last)
    expectEqual(request.method, .delete)
    #expect(
      request.headers.contains(
        HTTPHeader("Authorization", "Bearer " + TestToken.text(expires: 900))))
  }

  @Test func usersWithPasswords() async throws {
    let transport = ScriptedTransport.withAnonymousUser()
    let root = "POST /api/client/v2.0/app/todos/auth/providers/local-userpass/"
    for name in ["register", "confirm", "confirm/send", "confirm/call", "reset/send", "reset"] {
      transport.set(root + name, [HTTPResponse(status: 201, body: Array("{}".utf8))])
    }
    transport.set(root + "login", [.json(TestToken.login(user: "00000000000000000000000b"))])
    transport.set(
      "GET /api/client/v2.0/auth/profile",
      [
        .json(
          #"{"identities":[{"id":"j","provider_type":"local-userpass"}],"data":{}}"#)
      ])
    let client = try Self.client(transport)
    try await client.register(email: "a@b.c", password: "secret")
    expectEqual(
      transport.requests("register").last?.body,
      Array(#"{"email":"a@b.c","password":"secret"}"#.utf8))
    try await client.confirm(token: "t", tokenID: "i")
    expectEqual(
      transport.requests("confirm").last?.body, Array(#"{"token":"t","tokenId":"i"}"#.utf8))
    try await client.sendConfirmation(to: "a@b.c")
    try await client.repeatCustomConfirmation(of: "a@b.c")
    try await client.sendPasswordReset(to: "a@b.c")
    try await client.resetPassword(to: "new", token: "t", tokenID: "i")
    expectEqual(
      transport.requests("reset").last?.body,
      Array(#"{"password":"new","token":"t","tokenId":"i"}"#.utf8))
    let user = try await client.logIn(.emailPassword("a@b.c", "new"))
    try await client.logOut(user)
    expectEqual(user.record.state, .loggedOut)
    expectEqual(client.users.count, 1, "who can log in again stays")
    let again = try await client.logIn(.emailPassword("a@b.c", "new"))
    expectTrue(again === user)
    expectTrue(user.isLoggedIn)
    try await client.remove(user)
    expectTrue(client.users.isEmpty)
  }

  @Test func otherUsersAreSwitchedTo() async throws {
    let transport = ScriptedTransport.withAnonymousUser()
    let client = try Self.client(transport)
    let first = try await client.logIn(.anonymous)
    transport.set(
      "POST /api/client/v2.0/app/todos/auth/providers/api-key/login",
      [.json(TestToken.login(user: "00000000000000000000000c"))])
    let second = try await client.logIn(.apiKey("k"))
    expectTrue(client.currentUser === second)
    try client.select(first)
    expectTrue(client.currentUser === first)
    let other = try Self.client(transport)
    #expect(throws: AppFailure.invalidUser("The user is not logged in.")) {
      try other.select(first)
    }
  }

  @Test func anonymousCredentialsAreNotLinked() async throws {
    let client = try Self.client(.withAnonymousUser())
    let user = try await client.logIn(.anonymous)
    await #expect(
      throws: AppFailure.invalidCall(
        "Cannot add anonymous credentials to an existing user.")
    ) { try await client.link(.anonymous, to: user) }
  }

  @Test func theEndpointOfConnections() async throws {
    let client = try Self.client(.withAnonymousUser())
    let user = try await client.logIn(.anonymous)
    let authority = UserAuthority(client, user, headers: { [HTTPHeader("X-App", "1")] })
    let endpoint = await authority.endpoint(.flexible)
    expectEqual(
      endpoint.url,
      "ws://server/api/client/v2.0/app/todos/realm-sync?baas_at="
        + TestToken.text(expires: 100))
    expectEqual(endpoint.protocolNames.first, "com.mongodb.realm-query-sync#14")
    expectEqual(endpoint.protocolNames.count, 13)
    expectEqual(endpoint.headers, [HTTPHeader("X-App", "1")])
    #expect(await authority.refreshToken())
    #expect(await authority.endpoint(.partition).url.hasSuffix(TestToken.text(expires: 200)))
  }

  @Test func theLocationNamesARouteOrNot() async throws {
    let transport = ScriptedTransport()
    let client = try Self.client(transport)
    expectEqual(client.location.socketURL(app: "x"), "ws://base/api/client/v2.0/app/x/realm-sync")
    let path = "GET /api/client/v2.0/app/todos/location"
    transport.set(
      path,
      [
        .json(
          #"{"hostname":"http://h","ws_hostname":"ws://h","sync_route":"ws://other:1/sync"}"#)
      ])
    try await client.refreshLocation()
    expectEqual(client.location.socketURL(app: "x"), "ws://other:1/sync")
    transport.set(
      path,
      [.json(#"{"hostname":"http://h","ws_hostname":"ws://h","sync_route":"ws://u@o/"}"#)])
    await #expect(
      throws: AppFailure.badAnswer("The server's answer lacks the location of the app.")
    ) { try await client.refreshLocation() }
  }

  @Test func anAppMovesOnceTheOtherAddressAnswers() async throws {
    let transport = ScriptedTransport()
    let client = try Self.client(transport)
    try await client.move(to: "http://other/")
    expectEqual(client.settings.baseURL, "http://other")
    expectEqual(client.location.host, "http://server")
    expectEqual(transport.requests("/location").last?.url.hasPrefix("http://other/api"), true)
    transport.set("GET /api/client/v2.0/app/todos/location", [HTTPResponse(status: 500)])
    await #expect(throws: AppFailure.self) { try await client.move(to: "http://third") }
    expectEqual(client.settings.baseURL, "http://other")
  }

  @Test(arguments: [
    ("http://h", "ws://h", ""), ("https://h", "ws://h", ""), ("http://h", "wss://h", ""),
    ("https://h", "wss://h", #","sync_route":"ws://h/sync""#),
  ])
  func anAppWithEncryptionKeepsIt(_ host: String, _ socketHost: String, _ route: String) async {
    let transport = ScriptedTransport()
    let client = AppClient(
      forgetting: AppSettings(id: "todos", baseURL: "https://base"), transport: transport)
    let path = "GET /api/client/v2.0/app/todos/location"
    let answer = #"{"hostname":"\#(host)","ws_hostname":"\#(socketHost)"\#(route)}"#
    transport.set(path, [.json(answer)])
    let failure = await #expect(throws: AppFailure.self) { try await client.refreshLocation() }
    expectEqual(failure?.description.contains("without encryption"), true)
    expectEqual(client.location.host, "https://base")
    transport.set(path, [.json(#"{"hostname":"https://h","ws_hostname":"wss://h"}"#)])
    _ = try? await client.refreshLocation()
    expectEqual(client.location.host, "https://h")
  }

  @Test(arguments: [
    ("https://services.cloud.mongodb.com", "wss://ws.services.cloud.mongodb.com"),
    ("https://us.realm.mongodb.com", "wss://ws.us.realm.mongodb.com"),
    ("http://localhost:9090", "ws://localhost:9090"),
  ])
  func theSocketsHostIsGuessed(_ base: String, _ socket: String) {
    let client = AppClient(
      forgetting: AppSettings(id: "a", baseURL: base), transport: ScriptedTransport())
    expectEqual(client.location.socketHost, socket)
  }

  @Test func aLoginTellsOfTheDevice() {
    let device = DeviceDescription(
      platform: "P", platformVersion: "1", deviceName: "N", deviceVersion: "2", bundleID: "B")
    let document = LoginCredentials.apiKey("k").document(device, app: "todos", id: "D")
    expectEqual(document["provider"], .string("api-key"))
    expectEqual(document["key"], .string("k"))
    let told = document["options"]?["device"]
    let version = DeviceDescription.libraryVersion
    for (name, text) in [
      ("appId", "todos"), ("platform", "P"), ("platformVersion", "1"), ("sdk", "OpenRealm"),
      ("sdkVersion", version), ("deviceName", "N"), ("deviceVersion", "2"), ("frameworkName", ""),
      ("frameworkVersion", ""), ("coreVersion", version), ("bundleId", "B"), ("deviceId", "D"),
    ] { expectEqual(told?[name], .string(text), "\(name)") }
    expectTrue(told?["cpuArch"]?.string?.isEmpty == false)
    // The document of the app's own function gets nothing but the options.
    let own = LoginCredentials.function([BSONElement("pin", .string("1"))])
      .document(device, app: "todos", id: nil)
    expectEqual(own["pin"], .string("1"))
    expectEqual(own["provider"], nil)
    expectEqual(own["options"]?["device"]?["deviceId"], nil)
  }

  @Test func whatIsNoTokenIsRefused() {
    expectEqual(AppToken("a.b"), nil)
    expectEqual(AppToken("e30.e30.x"), nil)
    expectEqual(AppToken("e30.!.x"), nil)
    let token = AppToken(TestToken.text(expires: 7, userData: #"{"a":{"$numberInt":"1"}}"#))
    expectEqual(token?.expires, 7)
    expectEqual(token?.issued, 1)
    expectEqual(token?.userData, .document([BSONElement("a", .int32(1))]))
  }

  @Test func pathsOfFiles() {
    let paths = SyncPaths(base: "/b", app: "todos-abcde")
    expectEqual(
      paths.users,
      "/b/mongodb-realm/todos-abcde/server-utility/metadata/sync_metadata.realm")
    expectEqual(
      paths.realm(user: "u", partition: nil),
      "/b/mongodb-realm/todos-abcde/u/flx_sync_default.realm")
    expectEqual(
      paths.realm(user: "u", partition: "s_a/b ü"),
      "/b/mongodb-realm/todos-abcde/u/s_a%2Fb%20%C3%BC.realm")
    for name in [".", ".."] {
      let escaped = name == "." ? "%2E" : "%2E%2E"
      expectEqual(
        SyncPaths(base: "/b", app: name).realm(user: name, partition: "p"),
        "/b/mongodb-realm/\(escaped)/\(escaped)/p.realm")
    }
    expectTrue(SyncPaths.isUserID("64b7f2a1c3d4e5f60718293a"))
    expectTrue(SyncPaths.isUserID("a-1_b.c~"))
    let long = String(repeating: "x", count: 300)
    let path = paths.realm(user: "u", partition: long)
    expectTrue(path.utf8.count < 100)
    expectTrue(path != paths.realm(user: "u", partition: long + "x"))
  }
}
