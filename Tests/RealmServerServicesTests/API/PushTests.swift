// SPDX-License-Identifier: Apache-2.0

// Registrations for push messages, and messages.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmServerServices

struct PushTests {
  private static let url = "https://hooks.example.org/push"
  private static let path = APIBench.app + "/push/providers/apns/"

  private static func bench(_ services: TestServices = TestServices()) throws -> APIBench {
    let hook = Webhook(url: url, secret: Secret(String(repeating: "s", count: 32)))
    return try APIBench(
      settings: { $0.allowsKeys = true }, transport: services, push: [PushProvider("apns", hook)])
  }

  private static func register(
    _ bench: APIBench, _ login: TestLogin, _ token: String, path: String = path
  ) async -> APIResponse {
    await bench.send(
      "PUT", path + "registration", #"{"registrationToken":"\#(token)"}"#, token: login.access)
  }

  /// The devices of a message to some users, as the webhook gets them.
  private static func devices(
    _ bench: APIBench, _ services: TestServices, of users: [String]
  ) async throws -> [String] {
    services.set(url, "")
    services.requests.withLock { $0 = [] }
    let report = try await bench.functions.push.send(
      PushMessage("apns", to: users, .document([BSONElement("text", .string("hello"))])))
    var tokens: [String] = []
    for request in services.requests.withLock({ $0 }) {
      let json = try JSONParser.parse(request.body)
      expectEqual(json["event"]?.string, "push")
      expectEqual(json["service"]?.string, "apns")
      expectEqual(json["payload"]?["text"]?.string, "hello")
      tokens += (json["devices"]?.array ?? []).compactMap { $0["token"]?.string }
    }
    expectEqual(report.deviceCount, tokens.count)
    return tokens
  }

  /// `AccountService+Push` 2
  @Test func aDeviceIsRegisteredUntilItsUserLeaves() async throws {
    let services = TestServices()
    let bench = try Self.bench(services)
    let (ann, bob) = (try await bench.anonymous(), try await bench.anonymous())
    await expectEqual(Self.register(bench, ann, "a").status, 204)
    await expectEqual(Self.register(bench, ann, "b").status, 204)
    await expectEqual(Self.register(bench, bob, "c").status, 204)
    let users = [ann.user, bob.user, "nobody", ann.user]
    try await expectEqual(Self.devices(bench, services, of: users), ["b", "c"])
    // They are there after another start.
    let stored = try bench.restarted()
    try await expectEqual(stored.accounts.pushTokens(of: ann.user, for: "apns"), ["b"])
    let gone = await bench.send("DELETE", Self.path + "registration", token: ann.access)
    expectEqual(gone.status, 204)
    try await expectEqual(Self.devices(bench, services, of: users), ["c"])
    let logout = await bench.send(
      "DELETE", "/api/client/v2.0/auth/session", token: bob.refresh)
    expectEqual(logout.status, 204)
    #expect(try await Self.devices(bench, services, of: users).isEmpty)
    await expectEqual(Self.register(bench, bob, "c").error, "401 InvalidSession")
    await expectEqual(Self.register(bench, ann, "d").status, 204)
    let deleted = await bench.send(
      "DELETE", "/api/client/v2.0/auth/delete", token: ann.access)
    expectEqual(deleted.status, 204)
    #expect(try await Self.devices(bench, services, of: users).isEmpty)
  }

  /// `AccountService+Push` 1
  @Test func registrationsAreLimited() async throws {
    let services = TestServices()
    let bench = try Self.bench(services)
    let login = try await bench.anonymous()
    for (token, path) in [
      ("", Self.path), (String(repeating: "a", count: PushDevice.tokenByteCountMax + 1), Self.path),
    ] {
      await expectEqual(
        Self.register(bench, login, token, path: path).error, "400 InvalidParameter")
    }
    let other = APIBench.app + "/push/providers/gcm/"
    let unknown = await Self.register(bench, login, "t", path: other)
    expectEqual(unknown.error, "404 ServiceNotFound")
    expectTrue(unknown.text.contains("service not found: 'gcm'"))
    let hook = Webhook(url: Self.url, secret: Secret("s"))
    let names = (0...PushDevice.countMax).map { "s\($0)" }
    bench.functions.push.set(names.map { PushProvider($0, hook) })
    for name in names {
      let path = APIBench.app + "/push/providers/\(name)/"
      await expectEqual(Self.register(bench, login, "t-" + name, path: path).status, 204)
    }
    #expect(try await bench.accounts.pushTokens(of: login.user, for: "s0").isEmpty)
    try await expectEqual(bench.accounts.pushTokens(of: login.user, for: "s1"), ["t-s1"])
    await expectEqual(
      bench.send("PUT", Self.path + "registration", "{}").error, "401 InvalidSession")
    await expectEqual(bench.send("PUT", Self.path, "{}", token: login.access).status, 404)
  }

  @Test func tokensThatAreGoneAreForgotten() async throws {
    let services = TestServices()
    let bench = try Self.bench(services)
    let login = try await bench.anonymous()
    await expectEqual(Self.register(bench, login, "old").status, 204)
    services.set(Self.url, #"{"gone":["old","other"]}"#)
    let report = try await bench.functions.push.send(PushMessage("apns", to: [login.user], .null))
    expectEqual(report, PushReport(deviceCount: 1, goneCount: 1))
    #expect(try await Self.devices(bench, services, of: [login.user]).isEmpty)
    services.set(Self.url, status: 500, "")
    await expectEqual(Self.register(bench, login, "new").status, 204)
    await #expect(throws: PushError.self) {
      try await bench.functions.push.send(PushMessage("apns", to: [login.user], .null))
    }
    let many = [String](repeating: "u", count: PushService.userCountMax + 1)
    await #expect(throws: PushError.self) {
      try await bench.functions.push.send(PushMessage("apns", to: many, .null))
    }
    let large = String(repeating: "a", count: PushService.payloadByteCountMax)
    await #expect(throws: PushError.self) {
      try await bench.functions.push.send(PushMessage("apns", to: [login.user], .string(large)))
    }
  }

  @Test func programsWithAKeyOfTheAppSendMessages() async throws {
    let services = TestServices()
    let bench = try Self.bench(services)
    let login = try await bench.anonymous()
    await expectEqual(Self.register(bench, login, "t").status, 204)
    let body = #"{"users":["\#(login.user)"],"payload":{"n":{"$numberInt":"1"}}}"#
    // Users could disturb others.
    let refused = await bench.send("POST", Self.path + "messages", body, token: login.access)
    expectEqual(refused.error, "403 AuthError")
    let made = APIKey.make(
      named: "k", for: nil, now: OriginTimestamp(milliseconds: APIBench.start), RandomBytes(),
      PlainCryptography())
    try await bench.store.add(made.key)
    let key = try TestLogin(
      await bench.send(
        "POST", APIBench.app + "/auth/providers/api-key/login", #"{"key":"\#(made.text)"}"#))
    services.set(Self.url, "")
    let sent = await bench.send("POST", Self.path + "messages", body, token: key.access)
    expectEqual(sent.text, #"{"devices":1,"gone":0}"#)
    for bad in [#"{"payload":{}}"#, #"{"users":[1]}"#, #"{"users":[],"payload":{"$oid":"x"}}"#] {
      let answer = await bench.send("POST", Self.path + "messages", bad, token: key.access)
      expectEqual(answer.status, 400, "\(bad)")
    }
  }
}
#endif
