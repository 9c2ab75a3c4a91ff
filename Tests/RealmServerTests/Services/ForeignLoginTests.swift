// SPDX-License-Identifier: Apache-2.0

// Authorization codes of Google and access tokens of Facebook, over sockets: a test's web server is
// Google and Facebook.

#if Server
import Foundation
import RealmServerEngine
import RealmServerServices
import RealmSwift
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct ForeignLoginTests {
  private static func google(_ subject: String, for audience: String) -> TestClaims {
    TestClaims(
      sub: subject, aud: audience, iss: "https://accounts.google.com", name: "Ann",
      email: "ann@x.org", isEmailVerified: true)
  }

  /// A redirection could lead the server to addresses that it alone reaches.
  @Test func keysAreNotFetchedFromElsewhere() async throws {
    let issuer = try TestIssuer()
    let web = try await TestWebServer()
    web.answer("/elsewhere", try issuer.published())
    web.answer(
      "/keys",
      TestWebServer.Answer(text: "", status: 302, location: "\(web.address)/elsewhere"))
    let server = try await RunningServer(
      file: AppCallTests.file(
        #""oauth2-google":{"client_ids":["phone"],"jwks_url":"\#(web.address)/keys"}"#))
    let app = AppDevice.app(server)
    let token = try issuer.token(Self.google("1001", for: "phone"), .rs256)
    let code = await AppError.code { try await app.login(credentials: .googleId(token: token)) }
    expectTrue(code != nil)
    expectTrue(!web.requests("/keys").isEmpty)
    expectEqual(web.requests("/elsewhere").count, 0)
    try await server.stop()
    try await web.stop()
  }

  @Test func codesOfGoogleAreExchanged() async throws {
    let issuer = try TestIssuer()
    let web = try await TestWebServer()
    web.answer("/keys", try issuer.published())
    let server = try await RunningServer(
      file: AppCallTests.file(
        """
        "oauth2-google":{"client_ids":["phone"],"jwks_url":"\(web.address)/keys",
          "codes":{"client_id":"server","client_secret":"a secret",
            "token_url":"\(web.address)/token"}}
        """))
    let app = AppDevice.app(server)
    func exchange(_ claims: TestClaims) throws {
      web.answer(
        "/token", #"{"access_token":"x","id_token":"\#(try issuer.token(claims, .rs256))"}"#)
    }
    try exchange(Self.google("1001", for: "server"))
    let credentials = Credentials.google(serverAuthCode: "4/a+b=&c")
    let user = try await app.login(credentials: credentials)
    expectTrue(user.profile.name == "Ann" && user.profile.email == "ann@x.org")
    expectEqual(user.identities.map(\.providerType), ["oauth2-google"])
    expectEqual(
      web.requests("/token").map(\.body),
      [
        "code=4%2Fa%2Bb%3D%26c&client_id=server&client_secret=a%20secret&redirect_uri="
          + "&grant_type=authorization_code"
      ])
    // The user of an ID token of the phone is the same one.
    let token = try issuer.token(Self.google("1001", for: "phone"), .rs256)
    #expect(try await app.login(credentials: .googleId(token: token)) === user)
    // ID tokens for the server come by codes alone.
    let other = Credentials.googleId(
      token: try issuer.token(Self.google("1001", for: "server"), .rs256))
    await expectEqual(AppError.code { try await app.login(credentials: other) }, .authError)
    // What is no login.
    try exchange(Self.google("1001", for: "stranger"))
    await expectEqual(AppError.code { try await app.login(credentials: credentials) }, .authError)
    web.answer("/token", #"{"access_token":"x"}"#)
    await expectEqual(AppError.code { try await app.login(credentials: credentials) }, .authError)
    web.answer(
      "/token",
      TestWebServer.Answer(
        text: #"{"error":"invalid_grant","error_description":"Malformed auth code."}"#,
        status: 400))
    let refused = await #expect(throws: AppError.self) {
      try await app.login(credentials: credentials)
    }
    expectEqual(refused?.code, .authError)
    expectEqual(refused?.message, "Google refuses the login: Malformed auth code.")
    // What is about the app or the provider is no user's fault.
    for answer in [
      TestWebServer.Answer(text: #"{"error":"invalid_client"}"#, status: 401),
      TestWebServer.Answer(text: #"{"error":"redirect_uri_mismatch"}"#, status: 400),
      TestWebServer.Answer(text: #"{"error":"rate_limit"}"#, status: 429),
      TestWebServer.Answer(text: "", status: 503), TestWebServer.Answer(text: "[]"),
      TestWebServer.Answer(text: "", status: 302, location: web.address + "/keys"),
      TestWebServer.Answer(text: "{\"a\":\"\(String(repeating: "a", count: 64 << 10))\"}"),
    ] {
      web.answer("/token", answer)
      await expectEqual(
        AppError.code { try await app.login(credentials: credentials) },
        .internalServerError)
    }
    let count = web.requests("/token").count
    let long = Credentials.google(serverAuthCode: String(repeating: "c", count: 20_000))
    await expectEqual(AppError.code { try await app.login(credentials: long) }, .authError)
    expectEqual(web.requests("/token").count, count)
    try await server.stop()
    try await web.stop()
  }

  /// `FacebookProvider` 1
  @Test func tokensOfFacebookAreChecked() async throws {
    let web = try await TestWebServer()
    let server = try await RunningServer(
      file: AppCallTests.file(
        """
        "anon-user":{},
        "oauth2-facebook":{"app_id":"77","app_secret":"a secret","graph_url":"\(web.address)/v1"}
        """))
    let app = AppDevice.app(server)
    func facts(_ app: String = "77", isValid: Bool = true, user: String = "1001") {
      web.answer(
        "/v1/debug_token",
        #"{"data":{"app_id":"\#(app)","type":"USER","is_valid":\#(isValid),"user_id":"\#(user)"}}"#)
    }
    func person(_ id: String = "1001") {
      web.answer(
        "/v1/me",
        #"{"id":"\#(id)","name":"Ann B","first_name":"Ann","last_name":"B","email":"ann@x.org","#
          + #""picture":{"data":{"url":"https://x.org/a.png"}}}"#)
    }
    facts()
    person()
    let credentials = Credentials.facebook(accessToken: "a token")
    let user = try await app.login(credentials: credentials)
    expectEqual(user.identities.map(\.providerType), ["oauth2-facebook"])
    expectTrue(user.profile.name == "Ann B" && user.profile.email == "ann@x.org")
    expectTrue(user.profile.firstName == "Ann" && user.profile.lastName == "B")
    expectEqual(user.profile.pictureURL, URL(string: "https://x.org/a.png"))
    expectEqual(
      web.requests("/v1/debug_token").map(\.path),
      [
        "/v1/debug_token?input_token=a%20token&access_token=77%7Ca%20secret"
      ])
    let proof = HexadecimalText.text(
      ServerCryptography().signature(of: Array("a token".utf8), key: Array("a secret".utf8)))
    expectEqual(
      web.requests("/v1/me").first?.path.hasSuffix(
        "&access_token=a%20token&appsecret_proof=\(proof)"),
      true)
    #expect(try await app.login(credentials: credentials) === user)
    // A token of another app says nothing about its sender; nor do others.
    facts("78")
    await expectEqual(AppError.code { try await app.login(credentials: credentials) }, .authError)
    facts(isValid: false)
    await expectEqual(AppError.code { try await app.login(credentials: credentials) }, .authError)
    facts(user: "")
    await expectEqual(AppError.code { try await app.login(credentials: credentials) }, .authError)
    facts()
    person("1002")
    await expectEqual(AppError.code { try await app.login(credentials: credentials) }, .authError)
    web.answer(
      "/v1/debug_token",
      TestWebServer.Answer(text: #"{"error":{"message":"Invalid token","code":190}}"#, status: 400))
    let refused = await #expect(throws: AppError.self) {
      try await app.login(credentials: credentials)
    }
    expectEqual(refused?.message, "Facebook refuses the login: Invalid token")
    web.forget("/v1/debug_token")
    await expectEqual(
      AppError.code { try await app.login(credentials: credentials) }, .internalServerError)
    // It can be added to another user.
    facts(user: "1003")
    person("1003")
    let guest = try await app.login(credentials: .anonymous)
    try await guest.linkUser(credentials: credentials)
    expectEqual(guest.identities.map(\.providerType), ["anon-user", "oauth2-facebook"])
    try await server.stop()
    try await web.stop()
  }
}
#endif
