// SPDX-License-Identifier: Apache-2.0

// The file of an app's users: its rights, and its key.

#if Sync
import Foundation
import RealmSwift
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

struct UserFileTests {
  private static func app(
    _ server: MemoryAppServer, _ directory: String, key: Data? = nil
  ) -> App {
    let configuration = AppConfiguration(baseURL: "http://memory")
    configuration.requests = server
    configuration.socketProvider = server
    configuration.directory = directory
    configuration.encryptionKey = key
    return App(id: server.id, configuration: configuration)
  }

  private static func rights(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test(arguments: [true, false])
  func theFileIsPrivateAndHasTheKeyOfTheApp(_ isEncrypted: Bool) async throws {
    let directory = try TemporaryDirectory()
    let server = MemoryAppServer(
      app: "users-" + UUID().uuidString.lowercased(), mode: .flexible,
      directory: directory.path + "/server")
    let key = isEncrypted ? Data(repeating: 1, count: 64) : nil
    let paths = SyncPaths(base: directory.path + "/device", app: server.id)
    // As an earlier version made it.
    try FileManager.default.createDirectory(
      atPath: paths.privateFolders[1], withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    let app = Self.app(server, directory.path + "/device", key: key)
    expectEqual(app.configuration.encryptionKey, key)
    let user = try await app.login(credentials: .anonymous)
    let token = try #require(user.refreshToken)
    try expectEqual(Self.rights(paths.users), 0o600)
    for folder in paths.privateFolders { try expectEqual(Self.rights(folder), 0o700) }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: paths.users))
    expectEqual((bytes.range(of: Data(token.utf8)) == nil), isEncrypted)
  }
}
#endif
