// SPDX-License-Identifier: Apache-2.0

// Logins, registrations and new passwords about which the app's own code decides.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

@testable import RealmServerServices

struct FunctionLoginTests {
  private static let url = "https://hooks.example.org/login"
  private static let secret = String(repeating: "s", count: 32)

  private static func login(_ bench: APIBench, _ body: String) async -> APIResponse {
    await bench.send("POST", APIBench.app + "/auth/providers/custom-function/login", body)
  }

  private static func token(of arguments: [BSONValue]) -> String {
    func text(_ key: String) -> String {
      if case .string(let text)? = arguments.first?[key] { text } else { "" }
    }
    return #""token":"\#(text("token"))","tokenId":"\#(text("tokenId"))""#
  }

  /// Code of an app that answers with a status, and keeps its arguments.
  private final class Code: Sendable {
    let status = Locked("success")
    let calls = Locked<[[BSONValue]]>([])

    var functions: LoginFunctions {
      var functions = LoginFunctions()
      functions["decide"] = { arguments in
        self.calls.withLock { $0.append(arguments) }
        return .document([BSONElement("status", .string(self.status.withLock { $0 }))])
      }
      return functions
    }

    func answer(_ status: String) { self.status.withLock { $0 = status } }
  }

  private static func bench(_ code: Code) throws -> APIBench {
    try APIBench(
      confirmation: .function,
      settings: {
        $0.confirmationHook = .function("decide")
        $0.resetHook = .function("decide")
      }, logins: code.functions)
  }

  // MARK: Logins

  @Test func aClosureSaysWhoTheUserIs() async throws {
    let documents = Locked<[[BSONValue]]>([])
    var functions = LoginFunctions()
    functions["who"] = { arguments in
      documents.withLock { $0.append(arguments) }
      guard case .string(let name)? = arguments[0]["name"] else { return .null }
      if name == "thrown" { throw StorageError.corrupted("SECRET") }
      return name == "ann"
        ? .string("ann")
        : .document([BSONElement("id", .string(name)), BSONElement("name", .string("B"))])
    }
    let bench = try APIBench(settings: { $0.loginHook = .function("who") }, logins: functions)
    let body = #"{"name":"ann","options":{"device":{"deviceId":"x"}}}"#
    let ann = try TestLogin(await Self.login(bench, body))
    try expectEqual(TestLogin(await Self.login(bench, body)).user, ann.user)
    // The document comes without what the client adds.
    expectEqual(
      documents.withLock { $0.first }, [.document([BSONElement("name", .string("ann"))])])
    let bob = try TestLogin(await Self.login(bench, #"{"name":"bob"}"#))
    expectTrue(bob.user != ann.user)
    let profile = await bench.send("GET", "/api/client/v2.0/auth/profile", token: bob.access)
    #expect(profile.text.contains(#""data":{"name":"B"}"#))
    #expect(profile.text.contains(#""provider_type":"custom-function""#))
    await expectEqual(Self.login(bench, #"{"other":1}"#).error, "401 AuthError")
    await expectEqual(Self.login(bench, #"{"name":""}"#).error, "401 AuthError")
    let failed = await Self.login(bench, #"{"name":"thrown"}"#)
    expectEqual(failed.error, "500 InternalServerError")
    expectFalse(failed.text.contains("SECRET"))
    await expectEqual(Self.login(try APIBench(), "{}").error, "404 AuthProviderNotFound")
  }

  @Test func aWebhookGetsASignedRequest() async throws {
    let services = TestServices()
    services.set(Self.url, #""ann""#)
    let hook = Webhook(url: Self.url, secret: Secret(Self.secret))
    let bench = try APIBench(settings: { $0.loginHook = .webhook(hook) }, transport: services)
    let login = try TestLogin(await Self.login(bench, #"{"n":{"$numberInt":"3"}}"#))
    let request = try #require(services.requests.withLock { $0.first })
    let text = String(decoding: request.body, as: UTF8.self)
    expectEqual(
      text, #"{"app":"todos","event":"login","arguments":[{"n":{"$numberInt":"3"}}]}"#)
    let now = Int64(APIBench.start / 1_000) + 1_420_070_400
    let digits = HexadecimalText.text(
      PlainCryptography().signature(
        of: Array("\(now).\(text)".utf8), key: Array(Self.secret.utf8)))
    #expect(
      request.headers.contains(HTTPHeader("Realm-Signature", "t=\(now),v1=\(digits)")))
    expectEqual(request.method, .post)
    services.set(Self.url, #"{"id":"ann","name":"Ann"}"#)
    try expectEqual(TestLogin(await Self.login(bench, "{}")).user, login.user)
    services.set(Self.url, "null")
    await expectEqual(Self.login(bench, "{}").error, "401 AuthError")
    for (status, answer) in [
      (200, "{"), (403, "\"ann\""), (500, ""),
      (200, "\"\(String(repeating: "a", count: 66_000))\""),
    ] {
      services.set(Self.url, status: status, answer)
      let refused = await Self.login(bench, "{}")
      expectEqual(refused.error, "500 InternalServerError")
      expectFalse(refused.text.contains("example.org"))
    }
  }

  @Test func callsOfTheAppsCodeAreLimited() async throws {
    let services = TestServices()
    services.set(Self.url, "null")
    let hook = Webhook(url: Self.url, secret: Secret(Self.secret))
    let bench = try APIBench(settings: { $0.loginHook = .webhook(hook) }, transport: services)
    for _ in 0..<10 { await expectEqual(Self.login(bench, "{}").error, "401 AuthError") }
    await expectEqual(Self.login(bench, "{}").error, "429 AuthError")
    expectEqual(services.requests.withLock { $0.count }, 10)
    services.set(Self.url, "\"ann\"")
    bench.advance(minutes: 1)
    for _ in 0..<30 { await expectEqual(Self.login(bench, "{}").status, 200) }
    await expectEqual(Self.login(bench, "{}").error, "429 AuthError")
  }

  @Test func fewCallsRunAtATime() async throws {
    let (release, gate) = AsyncStream.makeStream(of: Void.self)
    let running = Locked(0)
    var functions = LoginFunctions()
    functions["wait"] = { _ in
      running.withLock { $0 += 1 }
      for await _ in release {}
      return .string("ann")
    }
    var limits = RequestLimits()
    limits.registrations = 100
    let bench = try APIBench(
      limits: limits, settings: { $0.loginHook = .function("wait") }, logins: functions)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<32 {
        group.addTask {
          await bench.send(
            "POST", APIBench.app + "/auth/providers/custom-function/login", "{}",
            address: "10.0.0.\(number)"
          ).status
        }
      }
      while running.withLock({ $0 }) < 32 { await Task.yield() }
      let refused = await bench.send(
        "POST", APIBench.app + "/auth/providers/custom-function/login", "{}",
        address: "10.0.1.1")
      expectEqual(refused.error, "503 InternalServerError")
      gate.finish()
      for try await status in group { expectEqual(status, 200) }
    }
    await expectEqual(Self.login(bench, "{}").status, 200)
  }

  // MARK: Registrations

  @Test func theAppsCodeConfirmsAnAddress() async throws {
    let code = Code()
    let bench = try Self.bench(code)
    await expectEqual(bench.register().status, 201)
    let document = try #require(code.calls.withLock { $0.first?.first })
    expectEqual(document["username"], .string("ann@x.org"))
    await expectEqual(bench.logIn().status, 200)
    await expectEqual(bench.register().error, "409 AccountNameInUse")

    code.answer("pending")
    await expectEqual(bench.register("bob@x.org").status, 201)
    await expectEqual(bench.logIn("bob@x.org").error, "401 InvalidPassword")
    let confirmation = "{\(Self.token(of: code.calls.withLock { $0.last } ?? []))}"
    await expectEqual(bench.password("confirm", confirmation).status, 200)
    await expectEqual(bench.password("confirm", confirmation).error, "400 BadRequest")
    await expectEqual(bench.logIn("bob@x.org").status, 200)

    code.answer("fail")
    let refused = await bench.register("eve@x.org")
    expectEqual(refused.error, "400 AppUnknownError")
    #expect(refused.text.contains(#"failed to confirm user \"eve@x.org\""#))
    let void = "{\(Self.token(of: code.calls.withLock { $0.last } ?? []))}"
    await expectEqual(bench.password("confirm", void).error, "400 BadRequest")
    await expectEqual(bench.logIn("eve@x.org").error, "401 InvalidPassword")
    // The app asks again.
    let again = await bench.password("confirm/call", #"{"email":"eve@x.org"}"#)
    expectEqual(again.text, refused.text)
    let unknown = await bench.password("confirm/call", #"{"email":"nobody@x.org"}"#)
    expectEqual(unknown.error, "404 UserNotFound")
    code.answer("success")
    await expectEqual(bench.password("confirm/call", #"{"email":"eve@x.org"}"#).status, 200)
    await expectEqual(bench.logIn("eve@x.org").status, 200)
    let mail = await bench.password("confirm/send", #"{"email":"eve@x.org"}"#)
    expectEqual(mail.error, "400 UserAlreadyConfirmed")
    #expect(bench.mailer.mails.withLock { $0.isEmpty })
  }

  /// A name without "@" gets no mails: the app's code is the way to another password.
  @Test func namesWithoutAnAddressGetAPasswordByTheAppsCode() async throws {
    let bench = try Self.bench(Code())
    await expectEqual(bench.register("plainname").status, 201)
    let reset = await bench.password(
      "reset/call", #"{"email":"plainname","password":"another","arguments":[]}"#)
    expectEqual(reset.status, 200)
    await expectEqual(bench.logIn("plainname", "another").status, 200)
  }

  @Test func codeThatFailsConfirmsNobody() async throws {
    let code = Code()
    let bench = try Self.bench(code)
    code.answer("perhaps")
    await expectEqual(bench.register().error, "500 InternalServerError")
    let token = "{\(Self.token(of: code.calls.withLock { $0.last } ?? []))}"
    await expectEqual(bench.password("confirm", token).error, "400 BadRequest")
    code.answer("success")
    await expectEqual(bench.register("ann@x.org", "another").status, 201)
    await expectEqual(bench.logIn("ann@x.org", "another").status, 200)
  }

  /// As mails to an address are.
  @Test func questionsAboutAnAddressAreLimited() async throws {
    let code = Code()
    let bench = try Self.bench(code)
    code.answer("pending")
    await expectEqual(bench.register().status, 201)
    let body = #"{"email":"ann@x.org"}"#
    for _ in 0..<4 { await expectEqual(bench.password("confirm/call", body).status, 200) }
    await expectEqual(bench.password("confirm/call", body).error, "429 AuthError")
    expectEqual(code.calls.withLock { $0.count }, 5)
    bench.advance(minutes: 60)
    await expectEqual(bench.password("confirm/call", body).status, 200)
  }

  // MARK: New passwords

  @Test func theAppsCodeResetsAPassword() async throws {
    let code = Code()
    let bench = try Self.bench(code)
    await expectEqual(bench.register().status, 201)
    let before = try TestLogin(await bench.logIn())
    func reset(_ email: String, _ password: String) async -> APIResponse {
      await bench.password(
        "reset/call",
        #"{"email":"\#(email)","password":"\#(password)","arguments":["blue",{"$numberInt":"3"}]}"#)
    }
    await expectEqual(reset("ann@x.org", "short").error, "400 BadRequest")
    code.answer("fail")
    let refused = await reset("ann@x.org", "another")
    #expect(refused.text.contains(#"failed to reset password for user \"ann@x.org\""#))
    let arguments = try #require(code.calls.withLock { $0.last })
    expectEqual(arguments[0]["password"], .string("another"))
    expectEqual(arguments[0]["currentPasswordValid"], .bool(false))
    expectEqual(Array(arguments.dropFirst()), [.string("blue"), .int32(3)])
    _ = await reset("ann@x.org", "secret1")
    expectEqual(code.calls.withLock { $0.last?[0]["currentPasswordValid"] }, .bool(true))
    // An address that is not registered is answered alike, and the code is not asked.
    let count = code.calls.withLock { $0.count }
    let unknown = await reset("bob@x.org", "another")
    expectEqual(unknown.text, refused.text.replacing("ann@x.org", with: "bob@x.org"))
    expectEqual(code.calls.withLock { $0.count }, count)

    code.answer("pending")
    await expectEqual(reset("ann@x.org", "another").status, 200)
    await expectEqual(bench.logIn("ann@x.org", "another").error, "401 InvalidPassword")
    let token = Self.token(of: code.calls.withLock { $0.last } ?? [])
    await expectEqual(bench.password("reset", #"{\#(token),"password":"third1"}"#).status, 200)
    await expectEqual(bench.logIn("ann@x.org", "third1").status, 200)

    code.answer("success")
    await expectEqual(reset("ann@x.org", "another").status, 200)
    await expectEqual(bench.logIn("ann@x.org", "another").status, 200)
    let session = await bench.send(
      "POST", "/api/client/v2.0/auth/session", token: before.refresh)
    expectEqual(session.error, "401 InvalidSession")
    await expectEqual(
      bench.password("reset/send", #"{"email":"ann@x.org"}"#).error, "400 AppUnknownError")
  }
}
#endif
