// SPDX-License-Identifier: Apache-2.0

// Servers with one database have the same settings and keys.

#if Postgres
import Foundation
import Logging
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.heavy) struct NodeSettingsTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func server(_ folder: String, store: String) throws -> RealmServer {
    var configuration = RealmServerConfiguration(folder: directory.file(folder), port: 0)
    configuration.store = store
    var logger = Logging.Logger(label: "test")
    logger.logLevel = .critical
    return try RealmServer(configuration, logger: logger)
  }

  private func bytes(_ path: String) -> Data? {
    FileManager.default.contents(atPath: directory.file(path))
  }

  private func writeApp(named name: String, in folder: String) throws {
    let path = directory.file(folder) + "/apps/todos"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let file = AppFile(id: "todos", name: name, mode: .flexible)
    try Data(JSONWriter.bytes(file.json)).write(to: URL(fileURLWithPath: path + "/app.json"))
  }

  private static func eventually(_ holds: () -> Bool) async throws {
    while !holds() { try await Task.sleep(for: .milliseconds(10)) }
  }

  @Test(.withPostgres) func aChangeAtOneServerReachesTheOthers() async throws {
    let cluster = try PostgresCluster.shared.get()
    let address = cluster.address(try cluster.makeDatabase())
    try writeApp(named: "One", in: "first")
    let first = try server("first", store: address)
    // The other begins with an empty folder.
    let second = try server("second", store: address)
    expectEqual(second.program.apps.map(\.file.name), ["One"])
    expectTrue(bytes("second/keys/tokens") != nil)
    expectEqual(bytes("first/keys/tokens"), bytes("second/keys/tokens"))
    try await first.run { _ in
      try await second.run { _ in
        try writeApp(named: "Two", in: "first")
        #expect(await first.program.reload().allSatisfy { $0.isApplied })
        try await Self.eventually {
          bytes("second/apps/todos/app.json") == bytes("first/apps/todos/app.json")
        }
        let earlier = bytes("first/keys/tokens")
        #expect(await second.program.files.rotateKey(endsLogins: false).allSatisfy { $0.isApplied })
        try await Self.eventually { bytes("first/keys/tokens") == bytes("second/keys/tokens") }
        expectTrue(bytes("first/keys/tokens") != earlier)
        // The earlier key is there before the one in its place: no token is refused meanwhile.
        let names = try FileManager.default.contentsOfDirectory(
          atPath: directory.file("first/keys"))
        #expect(names.contains { $0.hasPrefix("tokens-until-") })
      }
    }
  }
}
#endif
