// SPDX-License-Identifier: Apache-2.0

// Another key of tokens while devices are connected.

#if Server
import Foundation
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSwift
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct KeyRotationTests {
  private static func folder(_ server: RunningServer) -> String { server.directory.path + "/data" }

  private static func key(_ server: RunningServer) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: folder(server) + "/keys/tokens"))
  }

  /// `KeyRotation` 1
  @Test @MainActor func nobodyIsLoggedOut() async throws {
    let server = try await RunningServer(mode: .partition)
    let device = try await AppDevice(server, "a")
    let realm = try await Realm(configuration: device.configuration("home"))
    try await realm.asyncWrite { realm.add(Todo(value: ["name": "1"])) }
    try await realm.syncSession?.wait(for: .upload)
    let (before, token) = (try Self.key(server), device.user.accessToken)
    let text = try await SigningKeyCommand.rotate(Self.folder(server), endsLogins: false)
    expectTrue(text.hasPrefix("A new key signs all tokens. Those of the earlier one are accepted"))
    #expect(try Self.key(server) != before)
    // The connection goes on, and another one begins with the old token.
    try await realm.asyncWrite { realm.add(Todo(value: ["name": "2"])) }
    try await realm.syncSession?.wait(for: .upload)
    realm.syncSession?.suspend()
    realm.syncSession?.resume()
    try await realm.asyncWrite { realm.add(Todo(value: ["name": "3"])) }
    try await realm.syncSession?.wait(for: .upload)
    // The old refresh token gives an access token of the new key.
    _ = try await device.user.refreshCustomData()
    let claims = TokenIssuer(HMACSigner(key: Array(try Self.key(server))))
      .claims(try #require(device.user.accessToken), .access, now: 0)
    expectTrue(claims != nil)
    expectTrue(device.user.accessToken != token)
    let list = try SigningKeyCommand.list(Self.folder(server))
    expectEqual(list.split(separator: "\n").count, 2)
    expectTrue(list.contains("accepted until"))
    let port = try #require(URLComponents(string: server.address)?.port)
    try await server.stop()
    // The folder has both keys.
    let second = try await RunningServer(server.directory, port: port)
    realm.syncSession?.reconnect()
    try await realm.asyncWrite { realm.add(Todo(value: ["name": "4"])) }
    try await realm.syncSession?.wait(for: .upload)
    expectTrue(device.user.isLoggedIn)
    let errors = device.errors.withLock { $0 }
    expectTrue(errors.isEmpty, "\(errors)")
    try await second.stop()
  }

  @Test func allLoginsEndIfTheOperatorSaysSo() async throws {
    let server = try await RunningServer(mode: .partition)
    let client = try await DeployedClient(server)
    let login = try await client.logIn()
    let session = DeployedSession(
      try await client.socket(DeployedClient.partition, token: login.accessToken),
      isFlexible: false)
    try await session.begin()
    _ = try await SigningKeyCommand.rotate(Self.folder(server), endsLogins: false)
    let text = try await SigningKeyCommand.rotate(Self.folder(server), endsLogins: true)
    expectTrue(text.hasSuffix("all users have to log in again. 1 connection was ended"))
    try await expectEqual(session.socket.closeCode(), 4001)
    let answer = try await client.request("POST", "/auth/session", token: login.refreshToken)
    expectTrue(answer.status.contains("401"))
    try expectEqual(SigningKeyCommand.list(Self.folder(server)).split(separator: "\n").count, 1)
    // A new login has a token of the new key.
    let new = try await client.logIn()
    expectTrue(new.user != login.user)
    await client.leave()
    try await server.stop()
    // Without a server, too.
    let before = try Self.key(server)
    _ = try await SigningKeyCommand.rotate(Self.folder(server), endsLogins: false)
    #expect(try Self.key(server) != before)
    try await RunningServer(server.directory).stop()
  }

  /// `ServerDirectory+Keys` 1
  @Test func earlierKeysGoAfterTheirEnd() async throws {
    let server = try await RunningServer(mode: .partition)
    try await server.stop()
    let directory = try ServerDirectory(Self.folder(server))
    let before = Array(try Self.key(server))
    let random = RandomBytes()
    try directory.replaceSigningKey(random: random, keepingPresentUntil: 1_000)
    try directory.replaceSigningKey(random: random, keepingPresentUntil: 2_000)
    let both = try directory.earlierKeys(now: 999)
    expectTrue(both.map(\.end) == [1_000, 2_000] && both[0].key == before)
    for (path, _) in directory.earlierKeyFiles() {
      let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      expectEqual((rights as? Int).map { $0 & 0o077 }, 0)
    }
    try expectEqual(directory.earlierKeys(now: 1_000).map(\.end), [2_000])
    expectEqual(directory.earlierKeyFiles().count, 1)
    let damaged = directory.path + "/keys/tokens-until-3000"
    try Data("short".utf8).write(to: URL(fileURLWithPath: damaged))
    #expect(throws: ServerFailure.self) { try directory.earlierKeys(now: 1_000) }
    // `ServerDirectory+Keys` 2
    try directory.replaceSigningKey(random: random, keepingPresentUntil: nil)
    #expect(try directory.earlierKeys(now: 0).isEmpty)
    try FileManager.default.removeItem(atPath: directory.path + "/keys/tokens")
    #expect(throws: ServerFailure.self) {
      try directory.replaceSigningKey(random: random, keepingPresentUntil: 5)
    }
  }
}
#endif
