// SPDX-License-Identifier: Apache-2.0

// An app with its server in one process, and devices that are told apart by their folders.

#if Sync
import Foundation
import RealmSync
import RealmSyncProtocol
import RealmSwiftTestSupport
import RealmSyncTestSupport
import RealmTestSupport

@testable import RealmSwift

class Todo: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var status: String = "Open"
  @Persisted var priority: Int
  @Persisted var tags: MutableSet<String>
  @Persisted var extra: Map<String, Int>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A server and the folders of its clients.
final class MemoryApp: Sendable {
  let server: MemoryAppServer
  let mode: SyncMode
  private let directory: TemporaryDirectory

  /// - Parameter roles: The member "roles" of the app's file; nil for development mode.
  init(_ mode: SyncMode = .flexible, roles: String? = nil) throws {
    QuietLog.begin
    self.mode = mode
    directory = try TemporaryDirectory()
    server = MemoryAppServer(
      app: "todos-" + UUID().uuidString.lowercased(), mode: mode,
      directory: directory.path + "/server",
      access: try roles.map { try MemoryAppServer.access(ofRoles: $0) })
  }

  /// The app on a device.
  ///
  /// - Parameter start: Another number is another start of the program.
  func device(_ name: String, start: Int = 0) -> App {
    let address = start == 0 ? "http://memory" : "http://memory\(start)"
    let configuration = AppConfiguration(baseURL: address)
    configuration.requests = server
    configuration.socketProvider = server
    configuration.directory = directory.path + "/" + name
    return App(id: server.id, configuration: configuration)
  }

  /// Copies the server's files. No device is under way.
  ///
  /// - Returns: What `restore(_:)` takes.
  func backUp() throws -> String {
    let (files, folder) = (FileManager.default, directory.path + "/server")
    let copy = directory.path + "/backup-" + UUID().uuidString
    for name in try files.subpathsOfDirectory(atPath: folder) where name.hasSuffix(".realm") {
      let url = URL(fileURLWithPath: "\(copy)/\(name)")
      try files.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try files.copyItem(at: URL(fileURLWithPath: "\(folder)/\(name)"), to: url)
    }
    return copy
  }

  /// Starts the server with files that were copied before.
  func restore(_ backup: String) { server.restart(in: backup) }

  /// The configuration of the realm of a new anonymous user of a device.
  func configuration(
    _ name: String, _ subscriptions: @escaping @Sendable (SyncSubscriptionSet) -> Void
  ) async throws -> Realm.Configuration {
    let user = try await device(name).login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration(initialSubscriptions: subscriptions)
    configuration.objectTypes = [Todo.self]
    return configuration
  }
}
#endif
