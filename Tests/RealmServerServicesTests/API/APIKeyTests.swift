// SPDX-License-Identifier: Apache-2.0

// API keys, by requests.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct APIKeyTests {
  private static let path = "/api/client/v2.0/auth/api_keys"

  /// A bench with the login of a user.
  private static func user(
    allowsKeys: Bool = true, limits: RequestLimits = RequestLimits()
  ) async throws -> (APIBench, TestLogin) {
    let bench = try APIBench(limits: limits, settings: { $0.allowsKeys = allowsKeys })
    await expectEqual(bench.register().status, 201)
    return (bench, try TestLogin(await bench.logIn()))
  }

  private static func make(
    _ bench: APIBench, _ login: TestLogin, _ name: String = "robot"
  ) async -> APIResponse {
    await bench.send("POST", path, #"{"name":"\#(name)"}"#, token: login.refresh)
  }

  private static func logIn(
    _ bench: APIBench, _ key: String, address: String = "10.0.0.1", link: String? = nil
  ) async -> APIResponse {
    await bench.send(
      "POST", APIBench.app + "/auth/providers/api-key/login", #"{"key":"\#(key)"}"#,
      token: link, query: link == nil ? "" : "link=true", address: address)
  }

  private static func key(_ response: APIResponse) throws -> (id: String, text: String) {
    try #require(response.status == 201, "\(response.text)")
    let json = try JSONParser.parse(response.body)
    return (try #require(json["_id"]?.string), try #require(json["key"]?.string))
  }

  @Test func aUserLogsInWithAKey() async throws {
    let (bench, login) = try await Self.user()
    let made = await Self.make(bench, login)
    let key = try Self.key(made)
    expectEqual(
      made.text,
      #"{"_id":"\#(key.id)","key":"\#(key.text)","name":"robot","disabled":false}"#)
    let robot = try TestLogin(await Self.logIn(bench, key.text))
    expectEqual(robot.user, login.user)
    // Neither the key nor a part of it is stored (SY14).
    let content = try bench.system.file.contents()
    expectEqual(content.firstRange(of: Array(key.text.utf8)), nil)
    expectEqual(content.firstRange(of: Array(key.text.dropFirst(24).utf8)), nil)
    expectTrue(content.firstRange(of: Array(key.id.utf8)) != nil)
    // It belongs to the user already.
    await expectEqual(Self.logIn(bench, key.text, link: login.access).error, "400 BadRequest")
  }

  @Test func keysAreListedFetchedDisabledAndRemoved() async throws {
    let (bench, login) = try await Self.user()
    let ends = Locked<[AccessEnds.End]>([])
    bench.accounts.ends.observe { end in ends.withLock { $0.append(end) } }
    let one = try Self.key(await Self.make(bench, login, "one"))
    bench.advance(seconds: 1)
    let two = try Self.key(await Self.make(bench, login, "two"))
    func send(_ method: String, _ path: String = "") async -> APIResponse {
      await bench.send(method, Self.path + path, token: login.refresh)
    }
    func text(_ id: String, _ name: String, _ isDisabled: Bool) -> String {
      #"{"_id":"\#(id)","name":"\#(name)","disabled":\#(isDisabled)}"#
    }
    await expectEqual(
      send("GET").text, "[\(text(one.id, "one", false)),\(text(two.id, "two", false))]")
    let robots = [
      try TestLogin(await Self.logIn(bench, one.text)),
      try TestLogin(await Self.logIn(bench, two.text)),
    ]
    func isOpen(_ login: TestLogin) async -> Bool {
      await bench.send("GET", "/api/client/v2.0/auth/profile", token: login.access).status == 200
    }
    await expectEqual(send("PUT", "/\(one.id)/disable").status, 204)
    await expectEqual(send("GET", "/\(one.id)").text, text(one.id, "one", true))
    await expectEqual(Self.logIn(bench, one.text).error, "401 AuthError")
    // The logins with the key are over, others go on.
    #expect(await !isOpen(robots[0]))
    #expect(await isOpen(robots[1]))
    #expect(await isOpen(login))
    expectEqual(ends.withLock { $0.count }, 1)
    await expectEqual(send("PUT", "/\(one.id)/enable").status, 204)
    await expectEqual(Self.logIn(bench, one.text).status, 200)
    await expectEqual(send("DELETE", "/\(two.id)").status, 204)
    #expect(await !isOpen(robots[1]))
    await expectEqual(Self.logIn(bench, two.text).error, "401 AuthError")
    await expectEqual(send("GET").text, "[\(text(one.id, "one", false))]")
    for (method, path) in [
      ("GET", ""), ("DELETE", ""), ("PUT", "/enable"), ("PUT", "/disable"),
    ] {
      await expectEqual(send(method, "/\(two.id)\(path)").error, "404 APIKeyNotFound")
    }
    await expectEqual(send("PUT", "/\(one.id)/rename").status, 404)
  }

  /// A key that somebody has copied makes no further ways to log in.
  @Test func sessionsOfKeysMakeNoKeysAndLinkNothing() async throws {
    let (bench, login) = try await Self.user()
    await expectEqual(bench.register("other@x.org", "secret2").status, 201)
    let key = try Self.key(await Self.make(bench, login))
    let robot = try TestLogin(await Self.logIn(bench, key.text))
    await expectEqual(Self.make(bench, robot, "second").error, "400 InvalidParameter")
    await expectEqual(
      bench.send("PUT", Self.path + "/\(key.id)/enable", token: robot.refresh).error,
      "400 InvalidParameter")
    func link(_ login: TestLogin) async -> APIResponse {
      await bench.send(
        "POST", APIBench.app + "/auth/providers/local-userpass/login",
        #"{"username":"other@x.org","password":"secret2"}"#, token: login.access,
        query: "link=true")
    }
    await expectEqual(link(robot).error, "400 InvalidParameter")
    // It may look at the keys, and end them.
    await expectEqual(bench.send("GET", Self.path, token: robot.refresh).status, 200)
    await expectEqual(
      bench.send("DELETE", Self.path + "/\(key.id)", token: robot.refresh).status, 204)
    // The user with a password does both.
    _ = try Self.key(await Self.make(bench, login, "third"))
    await expectEqual(link(login).status, 200)
  }

  @Test func keysNeedTheRefreshTokenOfTheirUser() async throws {
    let (bench, login) = try await Self.user()
    let key = try Self.key(await Self.make(bench, login))
    await expectEqual(bench.send("GET", Self.path).error, "401 InvalidSession")
    await expectEqual(bench.send("GET", Self.path, token: login.access).error, "401 InvalidSession")
    await expectEqual(bench.register("bob@x.org").status, 201)
    let other = try TestLogin(await bench.logIn("bob@x.org"))
    await expectEqual(bench.send("GET", Self.path, token: other.refresh).text, "[]")
    let path = Self.path + "/" + key.id
    await expectEqual(bench.send("GET", path, token: other.refresh).error, "404 APIKeyNotFound")
    await expectEqual(bench.send("DELETE", path, token: other.refresh).error, "404 APIKeyNotFound")
  }

  @Test func usersWithoutAWayToComeBackHaveNoKeys() async throws {
    let (bench, _) = try await Self.user()
    let anonymous = try await bench.anonymous()
    await expectEqual(Self.make(bench, anonymous).error, "400 InvalidParameter")
    let made = APIKey.make(
      named: "server", for: nil, now: OriginTimestamp(milliseconds: 1), RandomBytes(),
      PlainCryptography())
    try await bench.store.add(made.key)
    let server = try TestLogin(await Self.logIn(bench, made.text))
    await expectEqual(Self.make(bench, server).error, "400 InvalidParameter")
    // The user of a key of the app is one, and is called a server.
    try expectEqual(TestLogin(await Self.logIn(bench, made.text)).user, server.user)
    let profile = await bench.send(
      "GET", "/api/client/v2.0/auth/profile", token: server.access)
    #expect(profile.text.contains(#""type":"server""#))
    let user = try await bench.accounts.ruleUser(server.user)
    expectEqual(RuleContext(user: user, partition: nil).value(of: .userType), .string("server"))
    #expect(profile.text.contains(#""data":{"name":"server"}"#))
    #expect(profile.text.contains(#""provider_type":"api-key""#))
  }

  @Test func namesAndNumbersOfKeysAreLimited() async throws {
    let (bench, login) = try await Self.user()
    for name in ["", "a b", "ä", "a.b", String(repeating: "k", count: 65)] {
      await expectEqual(Self.make(bench, login, name).error, "400 InvalidParameter", "\(name)")
    }
    for number in 1...20 {
      await expectEqual(Self.make(bench, login, "Key_-\(number)").status, 201)
    }
    await expectEqual(Self.make(bench, login, "Key_-1").error, "409 APIKeyAlreadyExists")
    await expectEqual(Self.make(bench, login, "more").error, "400 BadRequest")
  }

  @Test func guessesOfKeysAreLimited() async throws {
    let (bench, login) = try await Self.user()
    let key = try Self.key(await Self.make(bench, login))
    let near = key.text.dropLast() + (key.text.hasSuffix("0") ? "1" : "0")
    for guess in ["", "x", key.id, String(near), key.text + "0"] {
      for _ in 0..<2 { await expectEqual(Self.logIn(bench, guess).error, "401 AuthError") }
    }
    await expectEqual(Self.logIn(bench, key.text).error, "429 AuthError")
    await expectEqual(Self.logIn(bench, key.text, address: "10.0.0.2").status, 200)
  }

  @Test func loginsWithAKeyAreLimited() async throws {
    var limits = RequestLimits()
    limits.logins = 2
    let (bench, login) = try await Self.user(limits: limits)
    let key = try Self.key(await Self.make(bench, login))
    for _ in 0..<2 { await expectEqual(Self.logIn(bench, key.text).status, 200) }
    await expectEqual(Self.logIn(bench, key.text).error, "429 AuthError")
  }

  @Test func withoutTheProviderThereAreNoKeys() async throws {
    let (bench, login) = try await Self.user(allowsKeys: false)
    await expectEqual(Self.make(bench, login).error, "404 AuthProviderNotFound")
    await expectEqual(
      bench.send("GET", Self.path, token: login.refresh).error, "404 AuthProviderNotFound")
    await expectEqual(Self.logIn(bench, "k").error, "404 AuthProviderNotFound")
  }

  @Test func keysGoWithTheirUser() async throws {
    let (bench, login) = try await Self.user()
    let key = try Self.key(await Self.make(bench, login))
    let gone = await bench.send("DELETE", "/api/client/v2.0/auth/delete", token: login.access)
    expectEqual(gone.status, 204)
    await expectEqual(Self.logIn(bench, key.text).error, "401 AuthError")
    #expect(try await bench.store.keys(of: login.user).isEmpty)
  }

  /// A key may be disabled while a login with it is on its way.
  @Test func noSessionBeginsWithAKeyThatIsDisabled() async throws {
    let (bench, login) = try await Self.user()
    let key = try Self.key(await Self.make(bench, login))
    let proof = try await bench.accounts.prove(key: key.text)
    _ = try await bench.store.setKeyDisabled(true, key.id, of: login.user)
    await #expect(throws: AccountError.refused("invalid API key")) {
      try await bench.accounts.logIn(proof, linkedTo: nil, device: nil)
    }
  }
}
#endif
