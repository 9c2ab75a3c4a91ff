// SPDX-License-Identifier: Apache-2.0

// A device with an app of a running server.

#if Server
import RealmStorage
import RealmSwift
import RealmSyncProtocol
import RealmTestSupport
import Testing

/// A device of an app whose errors are kept.
struct AppDevice {
  let app: App
  let user: User
  let errors: Locked<[SyncError]>

  /// - Parameter id: The app of the server; nil for the first.
  init(
    _ server: RunningServer, _ name: String, app id: String? = nil,
    credentials: Credentials = .anonymous
  ) async throws {
    app = Self.app(server, name, id: id)
    let errors = Locked<[SyncError]>([])
    self.errors = errors
    app.syncManager.errorHandler = { error, _ in
      if let error = error as? SyncError { errors.withLock { $0.append(error) } }
    }
    user = try await app.login(credentials: credentials)
  }

  /// An app whose device has a folder of its own.
  static func app(_ server: RunningServer, _ name: String = "device", id: String? = nil) -> App {
    let configuration = AppConfiguration(baseURL: server.address)
    configuration.directory = server.directory.path + "/" + name
    return App(id: id ?? server.app, configuration: configuration)
  }

  func configuration(
    _ partition: String, _ types: [ObjectBase.Type] = [Todo.self]
  ) -> Realm.Configuration {
    var configuration = user.configuration(
      partitionValue: partition, clientResetMode: .manual())
    configuration.objectTypes = types
    return configuration
  }

  /// Waits until the server has sent an error.
  func error() async throws -> SyncError {
    for _ in 0..<6_000 {
      if let first = errors.withLock({ $0.first }) { return first }
      try await Task.sleep(for: .milliseconds(20))
    }
    return try #require(errors.withLock { $0.first })
  }
}
#endif
