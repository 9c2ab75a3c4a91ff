// SPDX-License-Identifier: Apache-2.0

// What Documentation/Sync/LogIn.md shows: its files are read, and its Swift runs.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmSwift
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct LogInPageTests {
  private static let page = "Documentation/Sync/LogIn.md"

  @Test func itsFilesAreRead() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: Self.page), encoding: .utf8)
    let blocks = text.components(separatedBy: "```json\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    expectTrue(blocks.count >= 5)
    let support = AppFileSupport(contents: { _ in Array(repeating: 0x73, count: 32) })
    for block in blocks { _ = try AppFile(Array(block.utf8), support) }
  }

  @Test func itsLinesRun() async throws {
    let issuer = try TestIssuer()
    let web = try await TestWebServer()
    web.answer("/keys", try issuer.published())
    web.answer("/who", "\"ann\"")
    let server = try await RunningServer(
      file: """
        {"id":"todos","mode":"development","providers":{
          "anon-user":{},"local-userpass":{},"api-key":{},
          "custom-token":{"algorithm":"HS256","keys":[{"secret":"\(TestIssuer.secret)"}]},
          "oauth2-apple":{"client_ids":["app"],"jwks_url":"\(web.address)/keys"},
          "oauth2-google":{"client_ids":["app"],"jwks_url":"\(web.address)/keys",
            "codes":{"client_id":"server","client_secret":"s","token_url":"\(web.address)/token"}},
          "oauth2-facebook":{"app_id":"77","app_secret":"s","graph_url":"\(web.address)"},
          "custom-function":{"function":{"webhook":"\(web.address)/who",
            "secret":"\(String(repeating: "w", count: 32))"}}}}
        """)
    let apps = (0..<8).map { number in
      let configuration = AppConfiguration(baseURL: server.address)
      configuration.directory = server.directory.path + "/\(number)"
      return App(id: server.app, configuration: configuration)
    }
    try await anonymous(apps[0])
    try await password(apps[1], apps[2])
    try await token(apps[3], issuer.token(.hs256))
    let token = try issuer.token(
      TestClaims(aud: "app", iss: "https://appleid.apple.com"), .rs256)
    let google = try issuer.token(
      TestClaims(aud: "app", iss: "https://accounts.google.com"), .rs256)
    try await apple(apps[4], token, google)
    let codes = try issuer.token(
      TestClaims(aud: "server", iss: "https://accounts.google.com"), .rs256)
    web.answer("/token", #"{"id_token":"\#(codes)"}"#)
    try await googleCode(apps[4], "code")
    web.answer("/debug_token", #"{"data":{"app_id":"77","is_valid":true,"user_id":"1"}}"#)
    web.answer("/me", #"{"id":"1","name":"Ann"}"#)
    try await facebook(apps[4], "token")
    try await function(apps[5])
    try await mails(apps[6])
    try await link(apps[7])
    try await server.stop()
    try await web.stop()
  }

  private func anonymous(_ app: App) async throws {
    // snippet: login-anonymous
    let user = try await app.login(credentials: .anonymous)
    // snippet end
    expectTrue(user.isLoggedIn)
  }

  private func password(_ app: App, _ other: App) async throws {
    let (email, password) = ("ann@example.org", "secret1")
    // snippet: login-password
    try await app.emailPasswordAuth.registerUser(email: email, password: password)
    let user = try await app.login(credentials: .emailPassword(email: email, password: password))
    // snippet end
    // snippet: login-key
    let key = try await user.apiKeysAuth.createAPIKey(named: "importer")
    let robot = try await other.login(credentials: .userAPIKey(key.key!))
    // snippet end
    expectEqual(robot.id, user.id)
    try await several(app)
  }

  private func several(_ app: App) async throws {
    let (email, password) = ("ann@example.org", "secret1")
    // snippet: login-switch
    let ann = try await app.login(credentials: .emailPassword(email: email, password: password))
    let guest = try await app.login(credentials: .anonymous)
    app.switch(to: ann)
    for user in app.allUsers.values where user != app.currentUser {
      try await user.logOut()
    }
    // snippet end
    expectTrue(ann.isLoggedIn)
    expectEqual(guest.state, .removed)
  }

  private func token(_ app: App, _ token: String) async throws {
    // snippet: login-token
    let user = try await app.login(credentials: .jwt(token: token))
    // snippet end
    expectEqual(user.identities.map(\.providerType), ["custom-token"])
  }

  private func apple(_ app: App, _ appleToken: String, _ googleToken: String) async throws {
    // snippet: login-apple
    let user = try await app.login(credentials: .apple(idToken: appleToken))
    let other = try await app.login(credentials: .googleId(token: googleToken))
    // snippet end
    expectTrue(user.id != other.id)
  }

  private func googleCode(_ app: App, _ code: String) async throws {
    // snippet: login-google-code
    let user = try await app.login(credentials: .google(serverAuthCode: code))
    // snippet end
    expectEqual(user.identities.map(\.providerType), ["oauth2-google"])
  }

  private func facebook(_ app: App, _ token: String) async throws {
    // snippet: login-facebook
    let user = try await app.login(credentials: .facebook(accessToken: token))
    // snippet end
    expectEqual(user.identities.map(\.providerType), ["oauth2-facebook"])
  }

  private func function(_ app: App) async throws {
    // snippet: login-function
    let user = try await app.login(credentials: .function(payload: ["badge": 1234]))
    // snippet end
    expectEqual(user.identities.map(\.providerType), ["custom-function"])
  }

  /// The app confirms no addresses, and mails go into a folder.
  private func mails(_ app: App) async throws {
    let (email, password) = ("ann@example.org", "secret1")
    let (token, tokenId) = ("t", "i")
    let confirmation = await #expect(throws: AppError.self) {
      // snippet: login-confirm
      try await app.emailPasswordAuth.confirmUser(token, tokenId: tokenId)
      // snippet end
    }
    expectEqual(confirmation?.message, "invalid token data")
    let reset = await #expect(throws: AppError.self) {
      // snippet: login-reset
      try await app.emailPasswordAuth.sendResetPasswordEmail(email)
      // The app has the token of the mail:
      try await app.emailPasswordAuth.resetPassword(to: password, token: token, tokenId: tokenId)
      // snippet end
    }
    expectEqual(reset?.message, "invalid token data")
  }

  private func link(_ app: App) async throws {
    let (email, password) = ("bob@example.org", "secret1")
    try await app.emailPasswordAuth.registerUser(email: email, password: password)
    let user = try await app.login(credentials: .anonymous)
    // snippet: login-link
    try await user.linkUser(credentials: .emailPassword(email: email, password: password))
    // snippet end
    expectEqual(user.identities.count, 2)
  }
}
#endif
