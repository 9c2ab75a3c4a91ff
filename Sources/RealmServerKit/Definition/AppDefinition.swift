// SPDX-License-Identifier: Apache-2.0

// An app of a server in Swift: its settings, its classes and its code.

#if Server
import Logging
import RealmServerEngine
import RealmServerServices
public import RealmSwift

/// An app of a server: settings, model classes and code.
///
/// ```swift
/// var app = AppDefinition("todos", settings: AppSettings(), classes: [Todo.self])
/// app.function("sum") { (call, a: Int, b: Int) in a + b }
/// let server = try RealmServer(.init(folder: "./data"), apps: [app])
/// try await server.run()
/// ```
public struct AppDefinition: Sendable {
  typealias Part = @Sendable (inout AppCode, Reports) throws(ServerFailure) -> Void

  /// The log and the spans of the code.
  struct Reports: Sendable {
    let logger: Logging.Logger
    var tracing = ServerTracing()
  }

  /// The id for clients: 1 to 64 lower-case letters, digits, `-` and `_`.
  public let id: String
  /// The settings; nil for those that an operator has written into the `app.json` of the app's
  /// folder.
  public var settings: AppSettings?
  /// The model classes of the app, with those behind their links.
  ///
  /// They are added to the schema of the app when the server starts. Where an app has rules,
  /// devices can add nothing to it.
  public var classes: [ObjectBase.Type]
  var parts: [Part] = []
  var hooks = LogInHooks()

  /// An app without code.
  ///
  /// - Parameters:
  ///   - id: The id for clients.
  ///   - settings: The settings; nil for those of the app's folder.
  ///   - classes: The model classes, shared with the app.
  public init(_ id: String, settings: AppSettings? = nil, classes: [ObjectBase.Type] = []) {
    self.id = id
    self.settings = settings
    self.classes = classes
  }

  /// The code, for a server with a log.
  func code(_ reports: Reports) throws(ServerFailure) -> AppCode {
    var code = AppCode()
    for part in parts { try part(&code, reports) }
    return code
  }
}
#endif
