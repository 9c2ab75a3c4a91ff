// SPDX-License-Identifier: Apache-2.0

// Servers of one app for tests of what servers share.

#if Postgres
import Logging
import RealmServerKit

/// Makes servers of the app "todos", which say errors alone.
enum TodoServer {
  static let app = AppDefinition("todos", settings: AppSettings(), classes: [StoreTodo.self])

  /// A server that is not started.
  ///
  /// - Parameters:
  ///   - folder: The path of its folder.
  ///   - store: The address of its database; nil for the folder alone.
  ///   - change: Changes its configuration.
  static func make(
    _ folder: String, store: String?, app: AppDefinition = app,
    _ change: (inout RealmServerConfiguration) -> Void = { _ in }
  ) throws -> RealmServer {
    var configuration = RealmServerConfiguration(folder: folder, port: 0)
    configuration.store = store
    change(&configuration)
    var logger = Logging.Logger(label: "test")
    logger.logLevel = .critical
    return try RealmServer(configuration, apps: [app], logger: logger)
  }
}
#endif
