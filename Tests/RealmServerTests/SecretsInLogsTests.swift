// SPDX-License-Identifier: Apache-2.0

// What the server logs has no passwords, tokens and keys (SY14).

#if Server
import Foundation
import Logging
import RealmNetworking
import RealmServerEngine
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import Testing

@testable import RealmServer

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
      if token == "e30.e30.c2lnbmVk" { #expect(try await socket.closeCode() == 4001) }
    }
    secrets.append("e30.e30.c2lnbmVk")
    await old.leave()
    try await client.logOut(user)
    try await server.stop()
    let key = try Data(
      contentsOf: URL(fileURLWithPath: server.directory.path + "/data/keys/tokens"))
    secrets.append(key.base64EncodedString())
    let log = lines.withLock { $0 }
    #expect(log.contains { $0.contains("listening") } && log.count > 5)
    for secret in secrets {
      #expect(secret.count > 8 && !log.contains { $0.contains(secret) })
    }
  }
}
#endif
