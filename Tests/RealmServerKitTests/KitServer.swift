// SPDX-License-Identifier: Apache-2.0

// A server of a program, in the process of the test, on a port of the loopback address.

#if Server
import Foundation
import Logging
import RealmServerKit
import RealmSwift
import RealmTestSupport
import Testing

/// A thing to do, of a user.
class KitTodo: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var text: String
  @Persisted var owner: String
  @Persisted var isDone: Bool
  @Persisted var place: KitPlace?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Where it is done.
class KitPlace: EmbeddedObject {
  @Persisted var street: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A server that runs while a test does.
struct KitServer {
  let server: RealmServer
  let address: String
  let directory: TemporaryDirectory

  /// A log of errors alone.
  static var errors: Logging.Logger {
    var logger = Logging.Logger(label: "test")
    logger.logLevel = .error
    return logger
  }

  /// The place of a server in a folder of the test.
  static func configuration(_ directory: TemporaryDirectory) -> RealmServerConfiguration {
    var configuration = RealmServerConfiguration(folder: directory.file("server"), port: 0)
    configuration.limits.registrationsPerMinute = 1_000
    return configuration
  }

  /// Runs a server of some apps while a closure does.
  static func run(
    _ apps: AppDefinition..., directory: TemporaryDirectory? = nil,
    configure: (inout RealmServerConfiguration) -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation,
    _ body: (KitServer) async throws -> Void
  ) async throws {
    let directory = try directory ?? TemporaryDirectory()
    var configuration = configuration(directory)
    configure(&configuration)
    let server = try RealmServer(configuration, apps: apps, logger: errors)
    try await server.run { address in
      try await body(KitServer(server: server, address: address, directory: directory))
    }
  }

  /// An app of the server on a device of its own.
  func app(_ id: String = "todos", device: String = "device") -> App {
    RealmSwift.Logger.shared.level = .off
    let configuration = AppConfiguration(baseURL: address, defaultRequestTimeoutMS: 600_000)
    configuration.directory = directory.file(device)
    return App(id: id, configuration: configuration)
  }

  /// Logs a user in, on a device of its own.
  func user(
    _ credentials: Credentials = .anonymous, app: String = "todos", device: String = "device"
  ) async throws -> User {
    try await self.app(app, device: device).login(credentials: credentials)
  }

  /// The error of a call.
  static func error<R>(
    isolation: isolated (any Actor)? = #isolation, _ call: () async throws -> R
  ) async -> AppError? {
    do {
      _ = try await call()
      return nil
    } catch {
      return error as? AppError
    }
  }
}

extension User {
  /// Calls a function.
  func call(_ name: String, _ arguments: [AnyBSON] = []) async throws -> AnyBSON {
    let function: FunctionCallable = functions[dynamicMember: name]
    return try await function.dynamicallyCall(withArguments: [arguments])
  }
}

extension AppDefinition {
  /// An app in development mode, whose users are anonymous.
  static func open(_ sync: AppSettings.Sync = .flexible) -> AppDefinition {
    AppDefinition("todos", settings: AppSettings(sync: sync), classes: [KitTodo.self])
  }
}
#endif
