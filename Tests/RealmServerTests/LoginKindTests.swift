// SPDX-License-Identifier: Apache-2.0

// Logins of every kind, from an app to a server over sockets.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSwift
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct LoginKindTests {
  /// A server whose app has providers, and an app of a device.
  private static func start(
    _ providers: String, more: String = "", logins: LoginFunctions = LoginFunctions()
  ) async throws -> (server: RunningServer, app: App) {
    let server = try await RunningServer(
      file: #"{"id":"todos","mode":"development","providers":{\#(providers)}\#(more)}"#,
      logins: logins)
    return (server, AppDevice.app(server))
  }

  private static func quoted(_ text: String) -> String { JSONWriter.text(.string(text)) }

  // MARK: Tokens

  @Test func customTokensOfEachAlgorithm() async throws {
    let issuer = try TestIssuer()
    for (way, key) in [
      (TestIssuer.Way.hs256, #""secret":\#(Self.quoted(TestIssuer.secret))"#),
      (.rs256, #""public_key":\#(Self.quoted(issuer.rsaPEM))"#),
      (.es256, #""public_key":\#(Self.quoted(issuer.curvePEM))"#),
    ] {
      let name = way.rawValue
      let (server, app) = try await Self.start(
        """
        "custom-token":{"algorithm":"\(name)","keys":[{\(key)}],
          "issuer":"https://id.example.org",
          "metadata_fields":[{"name":"name","field_name":"name"},{"name":"email"}]}
        """)
      let claims = TestClaims(name: "Ann", email: "ann@x.org")
      let user = try await app.login(credentials: .jwt(token: issuer.token(claims, way)))
      expectEqual(user.profile.name, "Ann")
      expectEqual(user.profile.email, "ann@x.org")
      expectEqual(user.identities.map(\.providerType), ["custom-token"])
      // The same user on another device, and another user.
      let other = AppDevice.app(server, "other")
      let again = try await other.login(credentials: .jwt(token: issuer.token(claims, way)))
      expectEqual(again.id, user.id)
      let bob = try await other.login(
        credentials: .jwt(token: issuer.token(TestClaims(sub: "bob"), way)))
      expectTrue(bob.id != user.id)
      for forged in TestIssuer.Way.allCases where forged != way {
        let token = try issuer.token(claims, forged)
        await expectEqual(
          AppError.code { try await app.login(credentials: .jwt(token: token)) },
          .authError,
          "\(forged) for \(way)")
      }
      let stranger = try TestIssuer().token(claims, way)
      if way != .hs256 {
        await expectEqual(
          AppError.code { try await app.login(credentials: .jwt(token: stranger)) },
          .authError)
      }
      try await server.stop()
    }
  }

  @Test func publishedKeysAreFetched() async throws {
    let issuer = try TestIssuer()
    let web = try await TestWebServer()
    web.answer("/keys", try issuer.published())
    let (server, app) = try await Self.start(
      """
      "custom-token":{"algorithm":"ES256","jwks_url":"\(web.address)/keys"},
      "oauth2-apple":{"client_ids":["org.example.app"],"jwks_url":"\(web.address)/keys"},
      "oauth2-google":{"client_ids":["client"],"jwks_url":"\(web.address)/keys"}
      """)
    let custom = try await app.login(credentials: .jwt(token: issuer.token(.es256)))
    expectEqual(custom.identities.map(\.providerType), ["custom-token"])
    let confused = try issuer.token(.confused)
    await expectEqual(
      AppError.code { try await app.login(credentials: .jwt(token: confused)) }, .authError)
    let apple = TestClaims(
      aud: "org.example.app", iss: "https://appleid.apple.com", email: "a@x.org",
      isEmailVerified: true)
    let first = try await app.login(credentials: .apple(idToken: issuer.token(apple, .rs256)))
    expectEqual(first.profile.email, "a@x.org")
    let google = TestClaims(aud: "client", iss: "https://accounts.google.com", name: "Ann")
    let second = try await app.login(credentials: .googleId(token: issuer.token(google, .rs256)))
    expectEqual(second.profile.name, "Ann")
    // Of one subject at three providers these are three users.
    expectEqual(Set(app.allUsers.keys), [custom.id, first.id, second.id])
    expectEqual(app.currentUser, second)
    await expectEqual(
      AppError.code {
        try await app.login(credentials: .apple(idToken: issuer.token(google, .rs256)))
      }, .authError)
    await expectEqual(
      AppError.code { try await app.login(credentials: .google(serverAuthCode: "c")) },
      .badRequest)
    await expectEqual(
      AppError.code { try await app.login(credentials: .facebook(accessToken: "t")) },
      .authProviderNotFound)
    expectEqual(web.requests("/keys").count, 1)
    try await server.stop()
    try await web.stop()
  }

  // MARK: API keys

  @Test func keysOfUsers() async throws {
    let (server, app) = try await Self.start(#""local-userpass":{},"api-key":{},"anon-user":{}"#)
    try await app.emailPasswordAuth.registerUser(email: "ann@x.org", password: "secret1")
    let user = try await app.login(
      credentials: .emailPassword(email: "ann@x.org", password: "secret1"))
    let keys = user.apiKeysAuth
    let made = try await keys.createAPIKey(named: "robot")
    let text = try #require(made.key)
    expectEqual(made.name, "robot")
    expectFalse(made.disabled)
    await expectEqual(
      AppError.code { try await keys.createAPIKey(named: "robot") }, .apiKeyAlreadyExists)
    await expectEqual(
      AppError.code { try await keys.createAPIKey(named: "a b") }, .invalidParameter)
    let robots = AppDevice.app(server, "robot")
    let robot = try await robots.login(credentials: .userAPIKey(text))
    expectEqual(robot.id, user.id)
    expectEqual(robot.identities, user.identities)
    let listed = try await keys.fetchAPIKeys()
    expectEqual(listed.map(\.objectId), [made.objectId])
    #expect(listed.allSatisfy { $0.key == nil })
    try await keys.disableAPIKey(made.objectId)
    #expect(try await keys.fetchAPIKey(made.objectId).disabled)
    await expectEqual(
      AppError.code { try await robots.login(credentials: .userAPIKey(text)) }, .authError)
    // The program with the key is logged out, the user is not.
    await expectEqual(AppError.code { try await robot.refreshCustomData() }, .invalidSession)
    expectFalse(robot.isLoggedIn)
    expectTrue(user.isLoggedIn)
    try await keys.enableAPIKey(made.objectId)
    _ = try await robots.login(credentials: .serverAPIKey(text))
    try await keys.deleteAPIKey(made.objectId)
    await expectEqual(AppError.code { try await keys.fetchAPIKey(made.objectId) }, .unknown)
    #expect(try await keys.fetchAPIKeys().isEmpty)
    let anonymous = try await app.login(credentials: .anonymous)
    await expectEqual(
      AppError.code { try await anonymous.apiKeysAuth.createAPIKey(named: "k") },
      .invalidParameter)
    try await Self.useBlocks(keys)
    try await server.stop()
  }

  /// The calls with blocks.
  private static func useBlocks(_ keys: APIKeyAuth) async throws {
    func wait(
      _ call: (@escaping @Sendable ((any Error)?) -> Void) -> Void
    ) async -> (any Error)? {
      await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }
    }
    let id = Locked<ObjectId?>(nil)
    let made = await wait { done in
      keys.createAPIKey(named: "block") { key, error in
        id.withLock { $0 = key?.objectId }
        done(error)
      }
    }
    expectTrue(made == nil)
    let objectId = try #require(id.withLock { $0 })
    let errors = [
      await wait { done in keys.fetchAPIKeys { done($0?.count == 1 ? $1 : CancellationError()) } },
      await wait { done in keys.fetchAPIKey(objectId) { done($0 == nil ? $1 : nil) } },
      await wait { keys.disableAPIKey(objectId, completion: $0) },
      await wait { keys.enableAPIKey(objectId, completion: $0) },
      await wait { keys.deleteAPIKey(objectId, completion: $0) },
    ]
    #expect(errors.allSatisfy { $0 == nil }, "\(errors)")
    let gone = await wait { done in keys.fetchAPIKey(objectId) { done($0 == nil ? $1 : nil) } }
    expectEqual((gone as? AppError)?.message, "API key not found")
  }

  @Test func keysOfTheApp() async throws {
    let (server, app) = try await Self.start(#""api-key":{}"#)
    let folder = server.directory.path + "/data"
    let text = try await KeysCommand.answer(folder, nil, .create("backup"))
    let user = try await app.login(credentials: .serverAPIKey(text))
    expectEqual(user.identities.map(\.providerType), ["api-key"])
    try await expectEqual(KeysCommand.answer(folder, nil, .list), "backup  \(text.prefix(24))")
    try await expectEqual(
      KeysCommand.answer(folder, nil, .disable("backup")),
      "The key backup is disabled, and its logins are over.")
    try await expectEqual(
      KeysCommand.answer(folder, nil, .list), "backup  \(text.prefix(24))  disabled")
    await expectEqual(
      AppError.code { try await app.login(credentials: .serverAPIKey(text)) }, .authError)
    _ = try await KeysCommand.answer(folder, nil, .enable("backup"))
    try await expectEqual(app.login(credentials: .serverAPIKey(text)).id, user.id)
    for (action, message) in [
      (KeysCommand.Action.create("backup"), "has a key of this name"),
      (.create("a b"), "letters, digits"), (.enable("none"), "no key of this name"),
    ] {
      let failure = await #expect(throws: ServerFailure.self) {
        try await KeysCommand.answer(folder, nil, action)
      }
      expectEqual(failure?.description.contains(message), true)
    }
    _ = try await KeysCommand.answer(folder, nil, .delete("backup"))
    try await expectEqual(KeysCommand.answer(folder, nil, .list), "The app has no keys.")
    try await server.stop()
  }

  // MARK: The app's own code

  @Test func aWebhookLogsIn() async throws {
    let web = try await TestWebServer()
    let secret = String(repeating: "w", count: 32)
    let (server, app) = try await Self.start(
      """
      "custom-function":{"function":{"webhook":"\(web.address)/who","secret":"\(secret)"}}
      """)
    web.answer("/who", #"{"id":"ann","name":"Ann"}"#)
    let user = try await app.login(credentials: .function(payload: ["badge": 7]))
    expectEqual(user.profile.name, "Ann")
    let request = try #require(web.requests("/who").first)
    expectEqual(
      request.body,
      #"{"app":"todos","event":"login","arguments":[{"badge":{"$numberLong":"7"}}]}"#)
    // Whoever knows the secret finds the signature right.
    let parts = request.signature.split(separator: ",")
    let time = try #require(parts.first?.dropFirst(2))
    let signature = ServerCryptography().signature(
      of: Array("\(time).\(request.body)".utf8), key: Array(secret.utf8))
    expectEqual(parts.last.flatMap { HexadecimalText.bytes(String($0.dropFirst(3))) }, signature)
    web.answer("/who", "null")
    await expectEqual(
      AppError.code { try await app.login(credentials: .function(payload: [:])) },
      .authError)
    web.forget("/who")
    await expectEqual(
      AppError.code { try await app.login(credentials: .function(payload: [:])) },
      .internalServerError)
    try await server.stop()
    try await web.stop()
  }

  @Test func closuresOfTheProgramDecide() async throws {
    var logins = LoginFunctions()
    logins["who"] = { $0[0]["name"] ?? .null }
    logins["confirm"] = { arguments in
      let isGood = arguments[0]["username"] == .string("ann@x.org")
      return .document([BSONElement("status", .string(isGood ? "success" : "fail"))])
    }
    let (server, app) = try await Self.start(
      """
      "custom-function":{"function":"who"},
      "local-userpass":{"confirm":"function","confirm_function":"confirm",
        "reset":"function","reset_function":"confirm"}
      """, logins: logins)
    let user = try await app.login(credentials: .function(payload: ["name": "ann"]))
    let auth = app.emailPasswordAuth
    try await auth.registerUser(email: "ann@x.org", password: "secret1")
    await expectEqual(
      AppError.code { try await auth.registerUser(email: "eve@x.org", password: "secret1") },
      .unknown)
    await expectEqual(
      AppError.code { try await auth.retryCustomConfirmation("eve@x.org") }, .unknown)
    try await auth.callResetPasswordFunction(
      email: "ann@x.org", password: "another", args: ["a word"])
    try await user.linkUser(
      credentials: .emailPassword(email: "ann@x.org", password: "another"))
    expectEqual(user.identities.map(\.providerType), ["custom-function", "local-userpass"])
    expectEqual(user.profile.email, "ann@x.org")
    try await server.stop()
    // A program without these functions names the first at its start.
    let failure = await #expect(throws: ServerFailure.self) {
      _ = try await RunningServer(server.directory)
    }
    expectEqual(failure?.description.contains("names the function \""), true)
  }

  // MARK: Mails

  @Test func addressesAreConfirmedAndPasswordsResetByMail() async throws {
    let mails = try await TestMailServer()
    let (server, app) = try await Self.start(
      #""local-userpass":{"confirm":"mail"}"#,
      more: """
        ,"mail":{"from":"app@x.org","confirm_url":"https://x.org/c","reset_url":"https://x.org/r",
          "smtp":{"host":"127.0.0.1","port":\(mails.port),"security":"none"}}
        """)
    let auth = app.emailPasswordAuth
    try await auth.registerUser(email: "ann@x.org", password: "secret1")
    let credentials = Credentials.emailPassword(email: "ann@x.org", password: "secret1")
    await expectEqual(
      AppError.code { try await app.login(credentials: credentials) }, .invalidPassword)
    let confirmation = try #require(Self.token(in: mails.lines, "https://x.org/c"))
    try await auth.confirmUser(confirmation.token, tokenId: confirmation.id)
    await expectEqual(
      AppError.code {
        try await auth.confirmUser(confirmation.token, tokenId: confirmation.id)
      }, .badRequest)
    let user = try await app.login(credentials: credentials)
    try await auth.sendResetPasswordEmail("ann@x.org")
    let reset = try #require(Self.token(in: mails.lines, "https://x.org/r"))
    try await auth.resetPassword(to: "another", token: reset.token, tokenId: reset.id)
    try await expectEqual(
      app.login(
        credentials: .emailPassword(email: "ann@x.org", password: "another")
      ).id, user.id)
    // A mail server that is gone is an error of the call.
    try await mails.stop()
    await expectEqual(
      AppError.code { try await auth.sendResetPasswordEmail("ann@x.org") },
      .internalServerError)
    try await server.stop()
  }

  /// The token in the last mail with a link to a page.
  private static func token(in lines: [String], _ page: String) -> (token: String, id: String)? {
    let texts = lines.split(separator: ".").compactMap { mail -> String? in
      let content = mail.split(separator: "", omittingEmptySubsequences: false).last
      return content.flatMap { Base64.decode($0.joined()) }
        .map { String(decoding: $0, as: UTF8.self) }
    }
    guard let text = texts.last(where: { $0.contains(page) }),
      let link = text.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix(page) })
    else { return nil }
    let parts = link.split(whereSeparator: { "?&=".contains($0) }).map(String.init)
    return parts.count == 5 ? (parts[2], parts[4]) : nil
  }

  @Test func aWebhookSendsTheMails() async throws {
    let web = try await TestWebServer()
    web.answer("/mail", "")
    let (server, app) = try await Self.start(
      #""local-userpass":{"confirm":"mail"}"#,
      more: """
        ,"mail":{"webhook":"\(web.address)/mail","secret":"\(String(repeating: "w", count: 32))",
          "confirm_url":"app://confirm","confirm_subject":"Welcome"}
        """)
    try await app.emailPasswordAuth.registerUser(email: "ann@x.org", password: "secret1")
    let body = try #require(web.requests("/mail").first?.body)
    let json = try JSONParser.parse(body)
    let mail = try #require(json["arguments"]?.array?.first)
    expectEqual(json["event"], "mail")
    expectEqual(mail["email"], "ann@x.org")
    expectEqual(mail["subject"], "Welcome")
    let (token, id) = (mail["token"]?.string ?? "", mail["tokenId"]?.string ?? "")
    expectEqual(mail["link"]?.string, "app://confirm?token=\(token)&tokenId=\(id)")
    try await app.emailPasswordAuth.confirmUser(token, tokenId: id)
    _ = try await app.login(
      credentials: .emailPassword(email: "ann@x.org", password: "secret1"))
    try await server.stop()
    try await web.stop()
  }

  // MARK: Users of a device

  @Test func usersAreLinkedSwitchedAndDeleted() async throws {
    let (server, app) = try await Self.start(
      """
      "anon-user":{},"local-userpass":{},
      "custom-token":{"algorithm":"HS256","keys":[{"secret":"\(TestIssuer.secret)"}]}
      """)
    let token = Credentials.jwt(token: try TestIssuer().token(.hs256))
    let ann = try await app.login(credentials: .anonymous)
    let id = ann.id
    try await ann.linkUser(credentials: token)
    expectEqual(ann.id, id)
    expectEqual(ann.identities.count, 2)
    await expectEqual(
      AppError.code { try await ann.linkUser(credentials: .anonymous) }, .invalidParameter)
    // Not anonymous any more, the user comes back after a logout.
    try await ann.logOut()
    expectEqual(ann.state, .loggedOut)
    #expect(try await app.login(credentials: token) === ann)
    try await app.emailPasswordAuth.registerUser(email: "bob@x.org", password: "secret1")
    let bob = try await app.login(
      credentials: .emailPassword(email: "bob@x.org", password: "secret1"))
    expectEqual(app.currentUser, bob)
    expectEqual(app.allUsers.count, 2)
    expectEqual(app.switch(to: ann), ann)
    expectEqual(app.currentUser, ann)
    // The identity has an owner.
    await expectEqual(AppError.code { try await bob.linkUser(credentials: token) }, .badRequest)
    try await ann.delete()
    expectEqual(ann.state, .removed)
    expectEqual(app.currentUser, bob)
    expectEqual(Set(app.allUsers.keys), [bob.id])
    let again = try await app.login(credentials: token)
    expectTrue(again.id != id)
    expectEqual(again.identities.map(\.providerType), ["custom-token"])
    try await server.stop()
  }

  /// Other providers, keys and mails count from the next login on; who is logged in stays so.
  @Test func providersAreAppliedWhileUsersAreLoggedIn() async throws {
    let issuer = try TestIssuer()
    let (server, app) = try await Self.start(
      #""custom-token":{"algorithm":"HS256","keys":[{"secret":"\#(TestIssuer.secret)"}]}"#)
    let user = try await app.login(credentials: .jwt(token: issuer.token(.hs256)))
    let folder = server.directory.path + "/data"
    let file = """
      {"id":"todos","mode":"development","sync":"flexible","providers":{
        "custom-token":{"algorithm":"RS256","keys":[{"public_key":{"file":"id.pem"}}]}}}
      """
    let path = folder + "/apps/todos/"
    try Data(issuer.rsaPEM.utf8).write(to: URL(fileURLWithPath: path + "id.pem"))
    try Data(file.utf8).write(to: URL(fileURLWithPath: path + "app.json"))
    #expect(try await ApplyCommand.answer(folder).hasPrefix("The files of the app todos are"))
    let old = try issuer.token(.hs256)
    await expectEqual(
      AppError.code { try await app.login(credentials: .jwt(token: old)) }, .authError)
    #expect(try await app.login(credentials: .jwt(token: issuer.token(.rs256))) === user)
    _ = try await user.refreshCustomData()
    // A key that is none is named, and nothing changes.
    try Data("x".utf8).write(to: URL(fileURLWithPath: path + "id.pem"))
    let failure = await #expect(throws: ServerFailure.self) {
      try await ApplyCommand.answer(folder)
    }
    expectEqual(
      failure?.description.contains(
        "no public key for RS256 in PEM form (RSA keys need 2048 bits)"),
      true)
    try await server.stop()
  }
}
#endif
