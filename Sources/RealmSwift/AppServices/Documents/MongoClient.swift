// SPDX-License-Identifier: Apache-2.0

// The documents of an app at its server.

#if Sync
import RealmFormats
import RealmSync
import RealmSyncProtocol

/// A client for the collections of an app: the documents are the objects that devices synchronise.
///
/// ```swift
/// let client = user.mongoClient("mongodb-atlas")
/// let todos = client.database(named: "app").collection(withName: "Todo")
/// let id = try await todos.insertOne(["name": "Read"])
/// ```
///
/// A collection has the name of a class whose primary key is `_id`. The name of the database makes
/// no difference.
public final class MongoClient: Sendable {
  /// The name of the service.
  public let name: String

  private let app: AppCore
  private let user: AppUser

  init(_ app: AppCore, _ user: AppUser, serviceName: String) {
    self.app = app
    self.user = user
    name = serviceName
  }

  /// The database of a name.
  public func database(named name: String) -> MongoDatabase {
    MongoDatabase(MongoCaller(app: app, user: user, service: self.name), name)
  }
}

/// Makes the calls of a service.
struct MongoCaller: Sendable {
  let app: AppCore
  let user: AppUser
  let service: String

  /// Makes a call with a document of arguments.
  func call(_ name: String, _ arguments: [BSONElement]) async throws -> BSONValue {
    try await calling(
      await app.client.call(name, [.document(arguments)], service: service, as: user))
  }

  /// Watches a collection until the server ends the stream, or the task is cancelled.
  func watch(
    _ arguments: [BSONElement], _ onOpen: @escaping @Sendable () async -> Void,
    _ onEvent: @escaping @Sendable (BSONValue) async -> Void
  ) async throws(AppFailure) {
    try await app.client.watch(
      .document(arguments), service: service, as: user, onOpen: onOpen, onEvent: onEvent)
  }
}
#endif
