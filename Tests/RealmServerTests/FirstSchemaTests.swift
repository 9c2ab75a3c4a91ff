// SPDX-License-Identifier: Apache-2.0

// Devices without classes of their own: those of the app come with the first download.

#if Server
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@Suite(.timeLimit(.minutes(10))) struct FirstSchemaTests {
  private static func file(_ mode: SyncMode) -> String {
    """
    {"id": "todos", "mode": "development",
     "sync": "\(mode == .flexible ? "flexible" : "partition")", "providers": {"anon-user": {}}}
    """
  }

  /// The classes in the file of a new device.
  private static func classes(
    _ server: RunningServer, _ mode: SyncMode, _ partition: String
  ) async throws -> [String: [String]] {
    let device = try await ServedDevice(
      server.user().connection(mode), partition: mode == .flexible ? nil : partition)
    // As each realm of flexible sync has.
    if mode == .flexible { try device.write { _ = try SubscriptionStore.make(in: $0) } }
    try await device.wait(for: .download)
    let found = try read(device)
    await device.close()
    return found
  }

  private static func read(_ device: ServedDevice) throws -> [String: [String]] {
    let tables = try TableGroup(device.agent.file.snapshot(), schemas: SchemaCache())
    var classes: [String: [String]] = [:]
    for schema in try tables.classSchemas() {
      classes[schema.displayName] = schema.columns.map(\.name).sorted()
    }
    return classes
  }

  /// In a realm that nobody has written to, in each later one, and after a restart before anyone
  /// has.
  @Test(arguments: [SyncMode.flexible, .partition])
  func allClassesOfTheAppComeWithTheFirstDownload(_ mode: SyncMode) async throws {
    let first = try await RunningServer(mode: mode, file: Self.file(mode))
    for partition in ["\"home\"", "\"work\""] {
      let found = try await Self.classes(first, mode, partition)
      expectEqual(found["Todo"], ["_id", "name", "owner", "status"])
    }
    try await first.stop()
    let second = try await RunningServer(first.directory)
    for partition in ["\"home\"", "\"new\""] {
      let found = try await Self.classes(second, mode, partition)
      expectEqual(found["Todo"], ["_id", "name", "owner", "status"])
    }
    try await second.stop()
  }
}
#endif
