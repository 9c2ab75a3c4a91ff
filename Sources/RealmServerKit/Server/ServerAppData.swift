// SPDX-License-Identifier: Apache-2.0

// The data and the functions of an app, for the server's own program.

#if Server
import RealmFormats
import RealmServerEngine
import RealmServerServices
public import RealmSwift
import RealmSyncProtocol

/// An app of a server, for the program that the server is in: it has every right.
///
/// ```swift
/// let todos = try server.app("todos").collection(Todo.self)
/// let count = try await todos.count(filter: ["isDone": false])
/// ```
public struct ServerAppData: Sendable {
  /// The id of the app.
  public let id: String
  private let server: RealmServer
  private let app: ServedApp

  init(_ app: ServedApp, of server: RealmServer) {
    id = app.file.id
    self.app = app
    self.server = server
  }

  /// The objects of a class as documents.
  ///
  /// What is written comes to all devices that have the objects. A call of an app with partitions
  /// names the value of the partition in its filter or its documents.
  public func collection<T: ObjectBase>(_ type: T.Type) -> MongoCollection {
    collection(withName: type.className())
  }

  /// The documents of a class of a name.
  public func collection(withName name: String) -> MongoCollection {
    MongoDatabase(SystemDocuments(service: app.api.documents) { [server] in server.hasEnded }, id)
      .collection(withName: name)
  }

  /// Calls a function of the app, a private one, too.
  ///
  /// - Throws: `AppError`, as clients get it.
  public func callFunction(_ name: String, _ arguments: [AnyBSON] = []) async throws -> AnyBSON {
    guard !server.hasEnded else { throw ServerFailure("The server has ended.") }
    do throws(FunctionError) {
      return AnyBSON(try await app.api.functions.call(name, arguments.map(\.bson), by: .system))
    } catch {
      throw APIError(function: error).appError
    }
  }
}

extension RealmServer {
  /// An app of the server, with every right. It may be used before the server listens, and until
  /// it ends.
  ///
  /// - Throws: `ServerFailure` if there is none.
  public func app(_ id: String) throws -> ServerAppData {
    guard let app = program.apps.first(where: { $0.file.id == id }) else {
      throw ServerFailure("The server has no app \(id).")
    }
    return ServerAppData(app, of: self)
  }
}
#endif
