// SPDX-License-Identifier: Apache-2.0

// P1 A.2: log-in with e-mail and password, with an API key and with a custom token. After each, the
// app reads its profile, renews its token, and synchronises over a socket.

#if Server
import RealmFormats
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

extension DeployedClientTests {
  private static let password = "/app/todos/auth/providers/local-userpass"

  private static func start(_ providers: String) async throws -> (RunningServer, DeployedClient) {
    let server = try await RunningServer(
      file: #"{"id":"todos","mode":"development","sync":"flexible","providers":{\#(providers)}}"#)
    return (server, try await DeployedClient(server))
  }

  /// What follows a login: the profile, a new token, and a session in which an object is uploaded.
  ///
  /// - Parameters:
  ///   - profile: The members of the profile after the app's.
  ///   - object: The number of the object.
  private static func goOn(
    _ client: DeployedClient, _ login: DeployedClient.Login, profile: String, object: UInt8
  ) async throws {
    for id in [login.user, login.device] {
      expectEqual(id.count, 24)
      #expect(id.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    }
    // Clients read the times of both tokens, which are integers.
    for token in [login.accessToken, login.refreshToken] {
      let payload = try payload(token)
      let (issued, expires) = (payload["iat"]?.integer, payload["exp"]?.integer)
      #expect(try #require(issued) < #require(expires))
    }
    let answer = try await client.request("GET", "/auth/profile", token: login.accessToken)
    expectJSON(answer, "200 OK")
    let pattern = #"{"user_id":"\#(login.user)","domain_id":"todos",\#(profile)}"#
    expectTrue(Pattern.parts(of: answer.body, pattern) != nil, "\(answer.body)")

    let refresh = try await client.request("POST", "/auth/session", token: login.refreshToken)
    expectJSON(refresh, "200 OK")
    let token = try #require(Pattern.parts(of: refresh.body, #"{"access_token":"*"}"#))[0]
    let session = DeployedSession(try await client.socket(DeployedClient.flexible, token: token))
    try await session.begin()
    try await session.upload(DeployedChangesets.schema)
    try await session.sendQuery(1, #"{"Item":"TRUEPREDICATE"}"#)
    try await session.mark()
    try await session.upload(DeployedChangesets.item(object, count: 1))
    try await session.waitForUpload()
    try await session.mark()
  }

  // MARK: E-mail and password

  @Test func addressesAreRegisteredAndLogIn() async throws {
    let (server, client) = try await Self.start(#""local-userpass":{"confirm":"auto"}"#)
    let body = #"{"email":"ann@x.org","password":"secret1"}"#
    let registered = try await client.request("POST", Self.password + "/register", body: body)
    Self.expectJSON(registered, "201 Created")
    expectEqual(registered.body, "{}")
    let again = try await client.request("POST", Self.password + "/register", body: body)
    Self.expectJSON(again, "409 Conflict")
    Self.expectMatch(
      again.body, #"{"error":"name already in use","error_code":"AccountNameInUse","link":"*"}"#)
    for (name, word) in [("ann@x.org", "secret2"), ("eve@x.org", "secret1")] {
      let refused = try await client.answer(
        of: "local-userpass", #""username":"\#(name)","password":"\#(word)","#)
      Self.expectJSON(refused, "401 Unauthorized")
      #expect(
        Pattern.parts(
          of: refused.body, #"{"error":"*","error_code":"InvalidPassword","link":"*"}"#) != nil)
    }
    let fields = #""username":"ann@x.org","password":"secret1","#
    let login = try await client.logIn("local-userpass", fields)
    let profile =
      #""type":"normal","identities":[{"id":"*","provider_type":"local-userpass"}],"#
      + #""data":{"email":"ann@x.org"}"#
    try await Self.goOn(client, login, profile: profile, object: 1)
    let second = try await client.logIn("local-userpass", fields, device: login.device)
    expectEqual(second.user, login.user)
    expectEqual(second.device, login.device)
    expectTrue(second.refreshToken != login.refreshToken)
    try await Self.goOn(client, second, profile: profile, object: 2)
    // The end of one session is not that of the other.
    let logout = try await client.request("DELETE", "/auth/session", token: login.refreshToken)
    expectEqual(logout.status, "HTTP/1.1 204 No Content")
    // Clients would read the empty body as JSON.
    expectEqual(logout.values("content-type"), [])
    expectTrue(logout.body.isEmpty)
    let ended = try await client.request("POST", "/auth/session", token: login.refreshToken)
    Self.expectJSON(ended, "401 Unauthorized")
    Self.expectJSON(
      try await client.request("POST", "/auth/session", token: second.refreshToken), "200 OK")
    await client.leave()
    try await server.stop()
  }

  /// The calls about accounts have no token, and clients ignore what a success says.
  @Test func theOtherCallsAboutAddressesHaveTheirErrors() async throws {
    let (server, client) = try await Self.start(#""local-userpass":{"confirm":"mail"}"#)
    _ = try await client.request(
      "POST", Self.password + "/register", body: #"{"email":"ann@x.org","password":"secret1"}"#)
    for (path, body, status, codes) in [
      (
        "/confirm", #"{"token":"junk","tokenId":"junk"}"#, "400 Bad Request",
        ["BadRequest"]
      ),
      (
        "/reset", #"{"password":"secret3","token":"junk","tokenId":"junk"}"#, "400 Bad Request",
        ["BadRequest"]
      ),
    ] {
      let answer = try await client.request("POST", Self.password + path, body: body)
      let parts = Pattern.parts(of: answer.body, #"{"error":"*","error_code":"*","link":"*"}"#)
      expectTrue(codes.contains(parts?[1] ?? ""), "\(path): \(answer.status) \(answer.body)")
      Self.expectJSON(answer, status)
    }
    // Where mails confirm addresses, no answer says whether one is registered.
    for (path, name) in [
      ("/confirm/send", "ann"), ("/confirm/send", "eve"), ("/reset/send", "ann"),
      ("/reset/send", "eve"),
    ] {
      let answer = try await client.request(
        "POST", Self.password + path, body: #"{"email":"\#(name)@x.org"}"#)
      Self.expectJSON(answer, "200 OK")
      expectEqual(answer.body, "{}")
    }
    await client.leave()
    try await server.stop()
  }

  @Test func anIdentityIsAddedToAUser() async throws {
    let (server, client) = try await Self.start(
      #""anon-user":{},"local-userpass":{"confirm":"auto"}"#)
    _ = try await client.request(
      "POST", Self.password + "/register", body: #"{"email":"ann@x.org","password":"secret1"}"#)
    let login = try await client.logIn()
    let fields = #""username":"ann@x.org","password":"secret1","#
    let linked = try await client.answer(
      of: "local-userpass", fields, linkedTo: login.accessToken)
    Self.expectJSON(linked, "200 OK")
    let parts = try #require(Pattern.parts(of: linked.body, #"{"access_token":"*",*}"#))
    let profile =
      #""type":"normal","identities":[{"id":"*","provider_type":"anon-user"},"#
      + #"{"id":"*","provider_type":"local-userpass"}],"data":{"email":"ann@x.org"}"#
    try await Self.goOn(
      client,
      DeployedClient.Login(
        accessToken: parts[0], refreshToken: login.refreshToken, user: login.user,
        device: login.device), profile: profile, object: 1)
    try await expectEqual(client.logIn("local-userpass", fields).user, login.user)
    let other = try await client.logIn()
    let refused = try await client.answer(
      of: "local-userpass", fields, linkedTo: other.accessToken)
    Self.expectJSON(refused, "400 Bad Request")
    #expect(refused.body.contains(#""error_code":"BadRequest""#))
    await client.leave()
    try await server.stop()
  }

  // MARK: API keys

  @Test func keysOfUsersLogIn() async throws {
    let (server, client) = try await Self.start(
      #""local-userpass":{"confirm":"auto"},"api-key":{}"#)
    _ = try await client.request(
      "POST", Self.password + "/register", body: #"{"email":"ann@x.org","password":"secret1"}"#)
    let ann = try await client.logIn(
      "local-userpass", #""username":"ann@x.org","password":"secret1","#)
    // These calls have the refresh token, and no other.
    let path = "/auth/api_keys"
    Self.expectJSON(
      try await client.request("GET", path, token: ann.accessToken), "401 Unauthorized")
    let none = try await client.request("GET", path)
    Self.expectJSON(none, "401 Unauthorized")
    #expect(none.body.contains(#""error":"must authenticate first""#))
    let made = try await client.request(
      "POST", path, token: ann.refreshToken, body: #"{"name":"robot"}"#)
    Self.expectJSON(made, "201 Created")
    let key = try #require(
      Pattern.parts(of: made.body, #"{"_id":"*","key":"*","name":"robot","disabled":false}"#))
    expectEqual(key[0].count, 24)
    #expect(key[0].allSatisfy { $0.isHexDigit })
    let listed = #"{"_id":"\#(key[0])","name":"robot","disabled":false}"#
    let list = try await client.request("GET", path, token: ann.refreshToken)
    Self.expectJSON(list, "200 OK")
    expectEqual(list.body, "[\(listed)]")
    // Under the app's own path, as some clients have them.
    try await expectEqual(
      client.request("GET", "/app/todos/auth/api_keys", token: ann.refreshToken).body,
      list.body)
    let one = try await client.request("GET", "\(path)/\(key[0])", token: ann.refreshToken)
    Self.expectJSON(one, "200 OK")
    expectEqual(one.body, listed)

    let fields = #""key":"\#(key[1])","#
    let robot = try await client.logIn("api-key", fields)
    expectEqual(robot.user, ann.user)
    let profile =
      #""type":"normal","identities":[{"id":"*","provider_type":"local-userpass"}],"#
      + #""data":{"email":"ann@x.org"}"#
    try await Self.goOn(client, robot, profile: profile, object: 1)
    for (call, isRefused) in [("disable", true), ("enable", false)] {
      let changed = try await client.request(
        "PUT", "\(path)/\(key[0])/\(call)", token: ann.refreshToken)
      expectEqual(changed.status, "HTTP/1.1 204 No Content")
      // Clients would read the empty body as JSON.
      expectEqual(changed.values("content-type"), [])
      expectTrue(changed.body.isEmpty)
      let answer = try await client.answer(of: "api-key", fields)
      Self.expectJSON(answer, isRefused ? "401 Unauthorized" : "200 OK")
    }
    let removed = try await client.request(
      "DELETE", "\(path)/\(key[0])", token: ann.refreshToken)
    expectEqual(removed.status, "HTTP/1.1 204 No Content")
    // Clients would read the empty body as JSON.
    expectEqual(removed.values("content-type"), [])
    let missing = try await client.request("GET", "\(path)/\(key[0])", token: ann.refreshToken)
    Self.expectJSON(missing, "404 Not Found")
    Self.expectMatch(
      missing.body, #"{"error":"API key not found","error_code":"APIKeyNotFound","link":"*"}"#)
    await client.leave()
    try await server.stop()
  }

  @Test func keysOfTheAppLogIn() async throws {
    let (server, client) = try await Self.start(#""api-key":{}"#)
    let key = try await KeysCommand.answer(
      server.directory.path + "/data", nil, .create("backup"))
    let login = try await client.logIn("api-key", #""key":"\#(key)","#)
    let profile =
      #""type":"server","identities":[{"id":"*","provider_type":"api-key"}],"#
      + #""data":{"name":"backup"}"#
    try await Self.goOn(client, login, profile: profile, object: 1)
    for wrong in [String(key.dropLast()), key.dropLast() + "g", "", "a.b.c"] {
      let refused = try await client.answer(of: "api-key", #""key":"\#(wrong)","#)
      Self.expectJSON(refused, "401 Unauthorized")
    }
    await client.leave()
    try await server.stop()
  }

  // MARK: Custom tokens

  @Test func customTokensLogIn() async throws {
    let (server, client) = try await Self.start(
      """
      "custom-token":{"algorithm":"HS256","keys":[{"secret":"\(TestIssuer.secret)"}],
        "metadata_fields":[{"name":"name"},{"name":"email"}]}
      """)
    let issuer = try TestIssuer()
    var claims = TestClaims()
    (claims.name, claims.email) = ("Ann", "ann@x.org")
    let token = try issuer.token(claims, .hs256)
    let login = try await client.logIn("custom-token", #""token":"\#(token)","#)
    let profile =
      #""type":"normal","identities":[{"id":"*","provider_type":"custom-token"}],"#
      + #""data":{"name":"Ann","email":"ann@x.org"}"#
    try await Self.goOn(client, login, profile: profile, object: 1)
    try await expectEqual(
      client.logIn("custom-token", #""token":"\#(token)","#, device: login.device).user,
      login.user)
    claims.exp = 1_000
    for wrong in [try issuer.token(claims, .hs256), try issuer.token(.none), "junk"] {
      let refused = try await client.answer(of: "custom-token", #""token":"\#(wrong)","#)
      Self.expectJSON(refused, "401 Unauthorized")
      let parts = Pattern.parts(of: refused.body, #"{"error":"*","error_code":"*","link":"*"}"#)
      expectEqual(parts?[1], "AuthError")
    }
    let other = try await client.answer(of: "oauth2-apple", #""id_token":"\#(token)","#)
    #expect(other.body.contains(#""error_code":"AuthProviderNotFound""#))
    await client.leave()
    try await server.stop()
  }
}
#endif
