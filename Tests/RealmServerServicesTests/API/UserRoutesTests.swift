// SPDX-License-Identifier: Apache-2.0

// Profiles and tokens, by requests.

#if Server
import RealmFormats
import RealmServerServices
import RealmStorage
import RealmSync
import TestExtensions
import Testing

struct UserRoutesTests {
  private static let profile = "/api/client/v2.0/auth/profile"
  private static let session = "/api/client/v2.0/auth/session"
  private static let delete = "/api/client/v2.0/auth/delete"

  @Test func aProfileHasTheIdentities() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register().status, 201)
    let login = try TestLogin(await bench.logIn())
    let response = await bench.send("GET", Self.profile, token: login.access)
    let id = try #require(
      try JSONParser.parse(response.body)["identities"]?.array?.first?["id"]?.string)
    expectEqual(
      response.text,
      #"{"user_id":"\#(login.user)","domain_id":"todos","type":"normal","#
        + #""identities":[{"id":"\#(id)","provider_type":"local-userpass"}],"#
        + #""data":{"email":"ann@x.org"}}"#)
    expectEqual(response.contentType, "application/json")
  }

  @Test func onlyAccessTokensShowProfiles() async throws {
    let bench = try APIBench()
    let login = try await bench.anonymous()
    await expectEqual(bench.send("GET", Self.profile, token: login.access).status, 200)
    await expectEqual(bench.send("GET", Self.profile).error, "401 InvalidSession")
    await expectEqual(bench.send("GET", Self.profile, token: login.refresh).status, 401)
    await expectEqual(bench.send("GET", Self.profile, token: "a.b.c").status, 401)
    await expectEqual(bench.send("GET", Self.profile, token: login.access + "A").status, 401)
    bench.advance(minutes: 30)
    await expectEqual(
      bench.send("GET", Self.profile, token: login.access).error, "401 InvalidSession")
  }

  /// `AccountService` 1
  @Test func aSessionIsRefreshedUntilItIsRevoked() async throws {
    let bench = try APIBench()
    let login = try await bench.anonymous()
    bench.advance(minutes: 60)
    let refreshed = await bench.send("POST", Self.session, token: login.refresh)
    let token = try #require(try JSONParser.parse(refreshed.body)["access_token"]?.string)
    expectTrue(AppToken(token) != nil)
    await expectEqual(bench.send("GET", Self.profile, token: token).status, 200)
    await expectEqual(bench.send("POST", Self.session, token: token).error, "401 InvalidSession")
    await expectEqual(bench.send("DELETE", Self.session, token: login.refresh).status, 204)
    let refused = await bench.send("POST", Self.session, token: login.refresh)
    expectEqual(refused.error, "401 InvalidSession")
    await expectEqual(bench.send("DELETE", Self.session, token: login.refresh).status, 401)
  }

  /// `AccountService` 1
  @Test func accessTokensEndWithTheirSession() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register().status, 201)
    let (first, second) = (try TestLogin(await bench.logIn()), try TestLogin(await bench.logIn()))
    await expectEqual(bench.send("DELETE", Self.session, token: first.refresh).status, 204)
    await expectEqual(
      bench.send("GET", Self.profile, token: first.access).error, "401 InvalidSession")
    await expectEqual(bench.send("GET", Self.profile, token: second.access).status, 200)
  }

  @Test func whoIsLoggedOutIsReported() async throws {
    let bench = try APIBench()
    let ends = Locked<[AccessEnds.End]>([])
    bench.accounts.ends.observe { end in ends.withLock { $0.append(end) } }
    let (first, second) = (try await bench.anonymous(), try await bench.anonymous())
    let session = try await bench.accounts.access(accessToken: first.access).session
    await expectEqual(bench.send("DELETE", Self.session, token: first.refresh).status, 204)
    await expectEqual(bench.send("DELETE", Self.session, token: first.refresh).status, 401)
    await expectEqual(bench.send("DELETE", Self.delete, token: second.access).status, 204)
    let third = try await bench.anonymous()
    try await bench.accounts.setDisabled(true, third.user)
    try await bench.accounts.setDisabled(false, third.user)
    expectEqual(
      ends.withLock { $0 },
      [.session(session), .account(second.user), .account(third.user)])
  }

  /// The tokens of a user who has added a password belong to the session of before.
  @Test func addingAnIdentityBeginsNoSession() async throws {
    let bench = try APIBench()
    let anonymous = try await bench.anonymous()
    await expectEqual(bench.register().status, 201)
    let linked = try TestLogin(
      await bench.send(
        "POST", APIBench.app + "/auth/providers/local-userpass/login",
        #"{"username":"ann@x.org","password":"secret1"}"#, token: anonymous.access,
        query: "link=true"))
    expectEqual(linked.user, anonymous.user)
    await expectEqual(bench.send("DELETE", Self.session, token: anonymous.refresh).status, 204)
    await expectEqual(bench.send("GET", Self.profile, token: linked.access).status, 401)
    let late = await bench.send(
      "POST", APIBench.app + "/auth/providers/local-userpass/login",
      #"{"username":"ann@x.org","password":"secret1"}"#, token: linked.access, query: "link=true")
    expectEqual(late.status, 401)
  }

  @Test func aDeletedUserIsGone() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register().status, 201)
    let login = try TestLogin(await bench.logIn())
    await expectEqual(bench.send("DELETE", Self.delete, token: login.access).status, 204)
    await expectEqual(bench.send("GET", Self.profile, token: login.access).status, 401)
    await expectEqual(bench.send("POST", Self.session, token: login.refresh).status, 401)
    await expectEqual(bench.logIn().error, "401 InvalidPassword")
    await expectEqual(bench.register().status, 201)
    #expect(try TestLogin(await bench.logIn()).user != login.user)
  }

  @Test func usersAndSessionsSurviveARestart() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register().status, 201)
    let login = try TestLogin(await bench.logIn())
    let anonymous = try await bench.anonymous()
    let restarted = try bench.restarted()
    await expectEqual(restarted.send("GET", Self.profile, token: login.access).status, 200)
    await expectEqual(restarted.send("POST", Self.session, token: anonymous.refresh).status, 200)
    try expectEqual(TestLogin(await restarted.logIn()).user, login.user)
  }

  @Test func sessionsExpire() async throws {
    let bench = try APIBench()
    let login = try await bench.anonymous()
    bench.advance(minutes: 60 * 24 * 60)
    await expectEqual(bench.send("POST", Self.session, token: login.refresh).status, 401)
    // What has expired is removed when the file is opened.
    let restarted = try bench.restarted()
    await expectEqual(restarted.send("POST", Self.session, token: login.refresh).status, 401)
  }

  @Test func customDataIsInAccessTokens() async throws {
    let bench = try APIBench()
    let login = try await bench.anonymous()
    let data = BSONValue.document([BSONElement("team", .string("red"))])
    try await bench.accounts.setCustomData(data, of: login.user)
    let refreshed = await bench.send("POST", Self.session, token: login.refresh)
    let token = try #require(try JSONParser.parse(refreshed.body)["access_token"]?.string)
    expectEqual(AppToken(token)?.userData, data)
  }

  @Test func aDisabledUserIsRefused() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register().status, 201)
    let login = try TestLogin(await bench.logIn())
    try await bench.accounts.setDisabled(true, login.user)
    await expectEqual(
      bench.send("GET", Self.profile, token: login.access).error, "401 UserDisabled")
    await expectEqual(
      bench.send("POST", Self.session, token: login.refresh).error, "401 UserDisabled")
    await expectEqual(bench.logIn().error, "401 UserDisabled")
    try await bench.accounts.setDisabled(false, login.user)
    await expectEqual(bench.send("GET", Self.profile, token: login.access).status, 200)
  }
}
#endif
