// SPDX-License-Identifier: Apache-2.0

// What the server logs has no passwords, tokens and keys (SY14).

#if Server
import Foundation
import Logging
import RealmFormats
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct SecretsInLogsTests {
  /// Keeps everything, with what is logged beside the text.
  private struct WholeLog: LogHandler {
    let lines: Locked<[String]>
    var logLevel = Logging.Logger.Level.trace
    var metadata = Logging.Logger.Metadata()
    subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      lines.withLock {
        $0.append("\(event.level) \(event.message) \(metadata) \(event.metadata ?? [:])")
      }
    }
  }

  /// At the finest level, with logins and requests that fail, too.
  @Test func theServersLogHasNoSecrets() async throws {
    let lines = Locked<[String]>([])
    let server = try await RunningServer(
      logger: Logging.Logger(label: "test") { _ in WholeLog(lines: lines) })
    let client = AppClient(
      forgetting: AppSettings(
        id: server.app, baseURL: server.address, requestTimeout: RunningServer.answerLimit),
      transport: ClientTransport.shared)
    let address = "ann@x.org"
    try await client.register(email: address, password: "PASSWORD-1")
    await #expect(throws: AppFailure.self) {
      try await client.logIn(.emailPassword(address, "PASSWORD-2"))
    }
    let user = try await client.logIn(.emailPassword(address, "PASSWORD-1"))
    var secrets = ["PASSWORD-1", "PASSWORD-2"]
    secrets += [user.record.accessToken, user.record.refreshToken].compactMap { $0?.text }
    let device = try await ServedDevice(TestUser(client: client, user: user).connection())
    try device.put(1, "x")
    try await device.wait(for: .upload)
    try await client.refreshToken(of: user)
    let access = try #require(user.record.accessToken).text
    secrets.append(access)
    await device.close()
    let old = try await DeployedClient(server)
    for token in [access, "e30.e30.c2lnbmVk"] {
      let socket = try await old.socket(DeployedClient.partition, token: token)
      if token == "e30.e30.c2lnbmVk" { try await expectEqual(socket.closeCode(), 4001) }
    }
    secrets.append("e30.e30.c2lnbmVk")
    await old.leave()
    try await client.logOut(user)
    try await server.stop()
    let key = try Data(
      contentsOf: URL(fileURLWithPath: server.directory.path + "/data/keys/tokens"))
    secrets.append(key.base64EncodedString())
    let log = lines.withLock { $0 }
    #expect(log.contains { $0.contains("listening") })
    expectTrue(log.count > 5)
    for secret in secrets {
      expectTrue(secret.count > 8)
      #expect(!log.contains { $0.contains(secret) })
    }
  }

  /// Keys, tokens of others and the operator's own secrets, with services that fail.
  @Test func loginsOfOtherKindsLogNoSecrets() async throws {
    let lines = Locked<[String]>([])
    let hook = String(repeating: "HOOK", count: 8)
    let mails = try await TestMailServer(.init(replies: ["AUTH": "535 wrong"]))
    let server = try await RunningServer(
      file: """
        {"id":"todos","mode":"development","providers":{
          "local-userpass":{"confirm":"mail"},"api-key":{},
          "custom-token":{"algorithm":"HS256","keys":[{"secret":"\(TestIssuer.secret)"}]},
          "custom-function":{"function":{"webhook":"http://127.0.0.1:9/x","secret":"\(hook)"}}},
        "mail":{"from":"app@x.org","confirm_url":"app://c","reset_url":"app://r","smtp":{
          "host":"127.0.0.1","port":\(mails.port),"security":"none","user":"ann",
          "password":"PASSWORD-3"}}}
        """,
      logger: Logging.Logger(label: "test") { _ in WholeLog(lines: lines) })
    let client = AppClient(
      forgetting: AppSettings(
        id: server.app, baseURL: server.address, requestTimeout: RunningServer.answerLimit),
      transport: ClientTransport.shared)
    let key = try await KeysCommand.answer(
      server.directory.path + "/data", nil, .create("backup"))
    let token = try TestIssuer().token(.hs256)
    let expired = try TestIssuer().token(TestClaims(exp: 1), .hs256)
    _ = try await client.logIn(.apiKey(key))
    let user = try await client.logIn(.customToken(token))
    for credentials in [
      LoginCredentials.apiKey(key + "0"), .customToken(expired),
      .function([BSONElement("pin", .string("PASSWORD-4"))]),
    ] {
      await #expect(throws: AppFailure.self) { try await client.logIn(credentials) }
    }
    await #expect(throws: AppFailure.self) {
      try await client.register(email: "ann@x.org", password: "PASSWORD-5")
    }
    try await client.logOut(user)
    try await server.stop()
    try await mails.stop()
    let log = lines.withLock { $0 }
    // The operator reads which services fail.
    #expect(log.contains { $0.contains("answered 535 to AUTH PLAIN") })
    #expect(log.contains { $0.contains("the webhook for login did not answer") })
    let secrets = [
      key, String(key.dropFirst(24)), token, expired, hook, TestIssuer.secret, "PASSWORD-3",
      "PASSWORD-4", "PASSWORD-5",
    ]
    for secret in secrets { #expect(!log.contains { $0.contains(secret) }, "\(secret)") }
  }
}
#endif
