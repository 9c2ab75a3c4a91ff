// SPDX-License-Identifier: Apache-2.0

// Passwords that the operator sets.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct OperatorPasswordTests {
  private static let session = "/api/client/v2.0/auth/session"

  /// `AccountService` 3
  @Test func whatWasMadeWithTheEarlierPasswordEnds() async throws {
    let bench = try APIBench(settings: { $0.allowsKeys = true })
    await expectEqual(bench.register().status, 201)
    await expectEqual(bench.register("thief@x.org", "secret2").status, 201)
    let ends = Locked<[AccessEnds.End]>([])
    bench.accounts.ends.observe { end in ends.withLock { $0.append(end) } }
    let login = try TestLogin(await bench.logIn())
    let other = try await bench.anonymous()
    let linked = await bench.send(
      "POST", APIBench.app + "/auth/providers/local-userpass/login",
      #"{"username":"thief@x.org","password":"secret2"}"#, token: login.access,
      query: "link=true")
    expectEqual(linked.status, 200)
    let made = await bench.send(
      "POST", APIBench.app + "/auth/api_keys", #"{"name":"robot"}"#, token: login.refresh)
    let key = try #require(try JSONParser.parse(made.body)["key"]?.string)
    await expectEqual(bench.password("reset/send", #"{"email":"ann@x.org"}"#).status, 200)
    let mail = try #require(bench.mailer.mails.withLock { $0.last })

    let outcome = try #require(
      try await bench.accounts.setPassword("another", ofUser: login.user))
    expectEqual(outcome.keys, ["robot"])
    expectEqual(outcome.others.map(\.name), ["thief@x.org"])
    let session = await bench.send("POST", Self.session, token: login.refresh)
    expectEqual(session.error, "401 InvalidSession")
    let token = #"{"token":"\#(mail.token)","tokenId":"\#(mail.tokenID)","password":"mine-now"}"#
    await expectEqual(bench.password("reset", token).error, "400 BadRequest")
    let robot = await bench.send(
      "POST", APIBench.app + "/auth/providers/api-key/login", #"{"key":"\#(key)"}"#)
    expectEqual(robot.error, "401 AuthError")
    for (name, password) in [("ann@x.org", "secret1"), ("thief@x.org", "secret2")] {
      await expectEqual(bench.logIn(name, password).status, 401, "\(name)")
    }
    for name in ["ann@x.org", "thief@x.org"] {
      try expectEqual(TestLogin(await bench.logIn(name, "another")).user, login.user)
    }
    expectEqual(ends.withLock { $0 }, [.sessions(login.user)])
    // Others go on.
    await expectEqual(bench.send("POST", Self.session, token: other.refresh).status, 200)
  }

  @Test func whatMakesNoSenseIsRefusedAndChangesNothing() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register().status, 201)
    let login = try TestLogin(await bench.logIn())
    let other = try await bench.anonymous()
    await #expect(throws: AccountError.userNotFound) {
      _ = try await bench.accounts.setPassword("another", ofUser: "nobody")
    }
    for password in ["short", String(repeating: "x", count: 129)] {
      await #expect(throws: AccountError.self) {
        _ = try await bench.accounts.setPassword(password, ofUser: login.user)
      }
    }
    try await expectTrue(
      bench.accounts.setPassword("another", ofUser: other.user) == nil)
    for login in [login, other] {
      await expectEqual(bench.send("POST", Self.session, token: login.refresh).status, 200)
    }
    let without = try APIBench(confirmation: nil)
    await #expect(throws: AccountError.unknownProvider(AccountService.passwordProvider)) {
      _ = try await without.accounts.setPassword("another", ofUser: login.user)
    }
  }
}
#endif
