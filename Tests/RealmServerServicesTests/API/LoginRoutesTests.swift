// SPDX-License-Identifier: Apache-2.0

// Logging in and managing users with passwords, by requests.

#if Server
import RealmFormats
import RealmServerServices
import RealmStorage
import RealmSync
import RealmSyncProtocol
import TestExtensions
import Testing

struct LoginRoutesTests {
  @Test func anAnonymousUserGetsTokensThatClientsRead() async throws {
    let bench = try APIBench()
    let login = try await bench.anonymous()
    let access = try #require(AppToken(login.access))
    let refresh = try #require(AppToken(login.refresh))
    let now = Int64(APIBench.start / 1_000 + 1_420_070_400)
    expectEqual(access.issued, now)
    expectEqual(access.expires, now + 30 * 60)
    expectEqual(refresh.expires, now + 60 * 24 * 60 * 60)
    expectEqual(access.userData, nil)
    expectEqual(login.user.utf8.count, 24)
    expectEqual(login.device.utf8.count, 24)
    let again = try await bench.anonymous()
    expectTrue(again.user != login.user)
  }

  @Test func theDeviceOfAnEarlierLoginStays() async throws {
    let bench = try APIBench()
    let device = "0123456789abcdef01234567"
    let path = APIBench.app + "/auth/providers/anon-user/login"
    let known = await bench.send(
      "POST", path, #"{"options":{"device":{"deviceId":"\#(device)"}}}"#)
    try expectEqual(TestLogin(known).device, device)
    let junk = await bench.send("POST", path, #"{"options":{"device":{"deviceId":"x"}}}"#)
    #expect(try TestLogin(junk).device != "x")
  }

  @Test func aUserWithPasswordRegistersOnceAndLogsIn() async throws {
    let bench = try APIBench()
    await expectEqual(bench.logIn().error, "401 InvalidPassword")
    let registered = await bench.register()
    expectEqual(registered.status, 201)
    expectEqual(registered.text, "{}")
    let again = await bench.register()
    expectEqual(again.status, 409)
    expectEqual(again.contentType, "application/json")
    expectEqual(
      again.text,
      #"{"error":"name already in use","error_code":"AccountNameInUse","#
        + #""link":"http://localhost/apps/todos/logs?co_id="}"#)
    let first = try TestLogin(await bench.logIn())
    let second = try TestLogin(await bench.logIn())
    expectEqual(first.user, second.user)
    expectTrue(first.access != second.access)
    await expectEqual(bench.logIn("ann@x.org", "secret2").error, "401 InvalidPassword")
    await expectEqual(bench.logIn("bob@x.org").error, "401 InvalidPassword")
  }

  @Test func passwordsAndAddressesHaveSizes() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register("ann@x.org", "short").error, "400 BadRequest")
    let long = String(repeating: "p", count: 129)
    await expectEqual(bench.register("ann@x.org", long).error, "400 BadRequest")
    for address in [
      "", "ann@", "@x.org", "ann@x.org,bob@x.org", "ann@x.org\\r\\nBcc: bob@x.org",
      "ann@x.org bob", "<ann@x.org>", "ann@@x.org", "a\u{202E}nn@x.org", "-ann@x.org",
      "ann@x..org", String(repeating: "a", count: 65) + "@x.org",
      "ann@" + String(repeating: "x.", count: 130) + "org",
    ] {
      await expectEqual(bench.register(address).error, "400 BadRequest", "\(address)")
    }
    for address in ["ann+tag@x.org", "änn@exämple.org", "o'brien@x-y.org", "a@localhost"] {
      await expectEqual(bench.register(address).status, 201, "\(address)")
    }
  }

  /// Names are addresses only where mails are sent to them.
  @Test(arguments: [AccountSettings.Confirmation.auto, .function])
  func namesWithoutMailsNeedNoAddress(_ confirmation: AccountSettings.Confirmation) async throws {
    var functions = LoginFunctions()
    functions["confirm"] = { _ in .document([BSONElement("status", .string("success"))]) }
    let bench = try APIBench(
      confirmation: confirmation, settings: { $0.confirmationHook = .function("confirm") },
      logins: functions)
    for name in ["plainname", "Ann Smith", "änn", "a,b", "0"] {
      await expectEqual(bench.register(name).status, 201, "\(name)")
      await expectEqual(bench.register(name).error, "409 AccountNameInUse", "\(name)")
      let login = try TestLogin(await bench.logIn(name))
      let profile = await bench.send("GET", "/api/client/v2.0/auth/profile", token: login.access)
      #expect(profile.text.contains(#""data":{"email":"\#(name)"}"#))
    }
    for name in [" a", "a ", "a\u{202E}b", "a\\nb", String(repeating: "a", count: 255)] {
      await expectEqual(bench.register(name).error, "400 BadRequest", "\(name)")
    }
    let mail = await bench.password("reset/send", #"{"email":"plainname"}"#)
    expectEqual(mail.error, "400 BadRequest")
    #expect(mail.text.contains("invalid email address"))
    let mailing = try APIBench(confirmation: .mail)
    await expectEqual(mailing.register("plainname").error, "400 BadRequest")
  }

  /// Where a registration tells which addresses are known, the other calls do, too.
  @Test func whatIsConfirmedOrUnknownIsTold() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register().status, 201)
    for path in ["confirm/send", "confirm/call"] {
      let known = await bench.password(path, #"{"email":"ann@x.org"}"#)
      expectEqual(known.error, "400 UserAlreadyConfirmed", "\(path)")
      #expect(known.text.contains(#""error":"already confirmed""#))
      let unknown = await bench.password(path, #"{"email":"bob@x.org"}"#)
      expectEqual(unknown.error, "404 UserNotFound", "\(path)")
    }
    let reset = await bench.password("reset/send", #"{"email":"bob@x.org"}"#)
    expectEqual(reset.error, "404 UserNotFound")
    expectEqual(bench.mailer.mails.withLock { $0.count }, 0)
  }

  @Test func aDisabledUserIsToldSo() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register().status, 201)
    let login = try TestLogin(await bench.logIn())
    try await bench.accounts.setDisabled(true, login.user)
    await expectEqual(bench.logIn().error, "401 UserDisabled")
    for (method, path, token) in [
      ("POST", "session", login.refresh), ("GET", "profile", login.access),
    ] {
      let answer = await bench.send(method, "/api/client/v2.0/auth/" + path, token: token)
      expectEqual(answer.error, "401 UserDisabled", "\(path)")
      #expect(answer.text.contains(#""error":"user disabled""#))
    }
  }

  @Test func bodiesThatAreNoDocumentsAreErrors() async throws {
    let bench = try APIBench()
    await expectEqual(bench.password("login", "{").error, "400 MalformedJson")
    await expectEqual(bench.password("login", "3").error, "400 MalformedJson")
    await expectEqual(bench.password("login", "{}").error, "400 MissingParameter")
    await expectEqual(
      bench.password("login", #"{"username":"a","password":3}"#).error,
      "400 MissingParameter")
  }

  @Test func anAddressIsConfirmedByATokenOfAMail() async throws {
    let bench = try APIBench(confirmation: .mail)
    await expectEqual(bench.register().status, 201)
    await expectEqual(bench.logIn().error, "401 InvalidPassword")
    await expectEqual(bench.password("confirm/send", #"{"email":"ann@x.org"}"#).status, 200)
    let mails = bench.mailer.mails.withLock { $0 }
    expectEqual(mails.map(\.purpose), [.confirmation, .confirmation])
    expectEqual(mails.map(\.address), ["ann@x.org", "ann@x.org"])
    let junk = #"{"token":"x","tokenId":"\#(mails[0].tokenID)"}"#
    let refused = await bench.password("confirm", junk)
    expectEqual(refused.error, "400 BadRequest")
    #expect(refused.text.contains(#""error":"invalid token data""#))
    // A token for an address is none for a password.
    let token = #""token":"\#(mails[1].token)","tokenId":"\#(mails[1].tokenID)""#
    let reset = "{" + token + #","password":"123456"}"#
    await expectEqual(bench.password("reset", reset).error, "400 BadRequest")
    let right = "{" + token + "}"
    await expectEqual(bench.password("confirm", right).status, 200)
    await expectEqual(bench.password("confirm", right).error, "400 BadRequest")
    _ = try TestLogin(await bench.logIn())
  }

  @Test func aPasswordIsResetByATokenOfAMail() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register().status, 201)
    await expectEqual(bench.password("reset/send", #"{"email":"ann@x.org"}"#).status, 200)
    let mail = try #require(bench.mailer.mails.withLock { $0.last })
    let body = #"{"token":"\#(mail.token)","tokenId":"\#(mail.tokenID)","password":"another"}"#
    await expectEqual(bench.password("reset", body).status, 200)
    await expectEqual(bench.password("reset", body).error, "400 BadRequest")
    await expectEqual(bench.logIn().error, "401 InvalidPassword")
    _ = try TestLogin(await bench.logIn("ann@x.org", "another"))
  }

  @Test func mailedTokensExpire() async throws {
    let bench = try APIBench(confirmation: .mail)
    await expectEqual(bench.register().status, 201)
    let mail = try #require(bench.mailer.mails.withLock { $0.last })
    bench.advance(minutes: 30)
    let body = #"{"token":"\#(mail.token)","tokenId":"\#(mail.tokenID)"}"#
    await expectEqual(bench.password("confirm", body).error, "400 BadRequest")
  }

  @Test func withoutCodeOfTheAppNoPasswordIsReset() async throws {
    let bench = try APIBench()
    let reset = await bench.password(
      "reset/call", #"{"email":"ann@x.org","password":"p","arguments":[]}"#)
    expectEqual(reset.error, "400 AppUnknownError")
    #expect(reset.text.contains(#"failed to reset password for user \"ann@x.org\""#))
  }

  @Test func aPasswordIsAddedToAUser() async throws {
    let bench = try APIBench()
    let login = try await bench.anonymous()
    await expectEqual(bench.register().status, 201)
    let path = APIBench.app + "/auth/providers/local-userpass/login"
    let body = #"{"username":"ann@x.org","password":"secret1"}"#
    await expectEqual(
      bench.send("POST", path, body, query: "link=true").error, "401 InvalidSession")
    let linked = try TestLogin(
      await bench.send("POST", path, body, token: login.access, query: "link=true"))
    expectEqual(linked.user, login.user)
    try expectEqual(TestLogin(await bench.logIn()).user, login.user)
    let other = try await bench.anonymous()
    let refused = await bench.send("POST", path, body, token: other.access, query: "link=true")
    expectEqual(refused.error, "400 BadRequest")
  }

  @Test func providersThatAreOffAreUnknown() async throws {
    let bench = try APIBench(confirmation: nil, allowsAnonymous: false)
    let anonymous = await bench.send(
      "POST", APIBench.app + "/auth/providers/anon-user/login", "{}")
    expectEqual(anonymous.error, "404 AuthProviderNotFound")
    await expectEqual(bench.register().error, "404 AuthProviderNotFound")
    await expectEqual(bench.logIn().error, "404 AuthProviderNotFound")
    let apple = await bench.send(
      "POST", APIBench.app + "/auth/providers/oauth2-apple/login", "{}")
    expectEqual(apple.error, "404 AuthProviderNotFound")
  }

  /// `RateLimit` 1
  @Test func newAnonymousUsersOfAnAddressAreLimited() async throws {
    let bench = try APIBench()
    func logIn(_ address: String) async -> APIResponse {
      await bench.send(
        "POST", APIBench.app + "/auth/providers/anon-user/login", "{}", address: address)
    }
    for _ in 0..<100 { await expectEqual(logIn("10.0.0.1").status, 200) }
    await expectEqual(logIn("10.0.0.1").error, "429 AuthError")
    await expectEqual(logIn("10.0.0.2").status, 200)
    // Programs of the machine itself have no limit.
    for _ in 0..<101 { await expectEqual(logIn("127.0.0.1").status, 200) }
    bench.advance(minutes: 1)
    await expectEqual(logIn("10.0.0.1").status, 200)
  }

  /// Each login leaves a session that is stored for weeks.
  @Test func loginsOfAnAccountAreLimited() async throws {
    var limits = RequestLimits()
    limits.logins = 3
    let bench = try APIBench(limits: limits)
    for name in ["ann@x.org", "bob@x.org"] { await expectEqual(bench.register(name).status, 201) }
    for number in 0..<3 {
      // One in vain does not count.
      await expectEqual(bench.logIn("ann@x.org", "wrong!").status, 401)
      await expectEqual(bench.logIn(from: "10.0.0.\(number)").status, 200)
    }
    await expectEqual(bench.logIn(from: "10.0.0.9").error, "429 AuthError")
    await expectEqual(bench.logIn("bob@x.org").status, 200)
    bench.advance(minutes: 59)
    await expectEqual(bench.logIn().error, "429 AuthError")
    bench.advance(minutes: 1)
    await expectEqual(bench.logIn().status, 200)
  }

  @Test func guessingAPasswordIsLimited() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register().status, 201)
    for _ in 0..<5 { _ = try TestLogin(await bench.logIn()) }
    for _ in 0..<10 {
      await expectEqual(bench.logIn("ann@x.org", "wrong!").error, "401 InvalidPassword")
    }
    await expectEqual(bench.logIn().error, "429 AuthError")
    let elsewhere = await bench.send(
      "POST", APIBench.app + "/auth/providers/local-userpass/login",
      #"{"username":"ann@x.org","password":"secret1"}"#, address: "10.0.0.2")
    expectEqual(elsewhere.status, 200)
    bench.advance(minutes: 1)
    await expectEqual(bench.logIn().status, 200)
  }
}
#endif
