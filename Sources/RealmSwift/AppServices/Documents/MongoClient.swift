// SPDX-License-Identifier: Apache-2.0

// The documents of an app at its server.

#if Sync
package import RealmFormats
import RealmSync
package import RealmSyncProtocol

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

  private let caller: any MongoCaller

  init(_ app: AppCore, _ user: AppUser, serviceName: String) {
    name = serviceName
    caller = UserCaller(app: app, user: user, service: serviceName)
  }

  /// The database of a name.
  public func database(named name: String) -> MongoDatabase {
    MongoDatabase(caller, name)
  }
}

/// Makes the calls of a service.
package protocol MongoCaller: Sendable {
  /// Makes a call with a document of arguments.
  func call(_ name: String, _ arguments: [BSONElement]) async throws(AppFailure) -> BSONValue

  /// Watches a collection until the server ends the stream, or the task is cancelled.
  func watch(
    _ arguments: [BSONElement], _ onOpen: @escaping @Sendable () async -> Void,
    _ onEvent: @escaping @Sendable (BSONValue) async -> Void
  ) async throws(AppFailure)
}

/// Makes the calls of a user.
private struct UserCaller: MongoCaller {
  let app: AppCore
  let user: AppUser
  let service: String

  func call(_ name: String, _ arguments: [BSONElement]) async throws(AppFailure) -> BSONValue {
    try await app.client.call(name, [.document(arguments)], service: service, as: user)
  }

  func watch(
    _ arguments: [BSONElement], _ onOpen: @escaping @Sendable () async -> Void,
    _ onEvent: @escaping @Sendable (BSONValue) async -> Void
  ) async throws(AppFailure) {
    try await app.client.watch(
      .document(arguments), service: service, as: user, onOpen: onOpen, onEvent: onEvent)
  }
}
#endif
