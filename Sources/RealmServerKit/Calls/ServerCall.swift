// SPDX-License-Identifier: Apache-2.0

// A call of a function, as the function sees it.

#if Server
public import Logging
import RealmFormats
import RealmServerEngine
import RealmServerServices
public import RealmSwift

/// A call of a function of an app: who calls, and what the function may do.
///
/// ```swift
/// app.function("finish") { (call, id: ObjectId) in
///   try await call.collection(Todo.self).updateOneDocument(
///     filter: ["_id": .objectId(id)], update: ["$set": ["isDone": true]])
///     .modifiedCount
/// }
/// ```
public struct ServerCall: Sendable {
  /// The id of the app.
  public let app: String
  /// The name of the function.
  public let name: String
  /// The user who calls; nil for triggers, and for calls of the server's own code.
  public let user: ServerUser?
  /// The log, with the app and the function as metadata.
  public let logger: Logging.Logger
  private let call: FunctionCall

  init(_ call: FunctionCall, _ logger: Logging.Logger) {
    self.call = call
    app = call.app
    name = call.name
    user = call.user.map { ServerUser($0) }
    var logger = logger
    logger[metadataKey: "realm.app"] = .string(call.app)
    logger[metadataKey: "realm.function"] = .string(call.name)
    self.logger = logger
  }

  /// All arguments as they were sent.
  public var arguments: [AnyBSON] { call.arguments.map { AnyBSON($0) } }

  /// The objects of a class as documents, with every right.
  ///
  /// What is written comes to all devices that have the objects.
  public func collection<T: ObjectBase>(_ type: T.Type) -> MongoCollection {
    collection(withName: type.className())
  }

  /// The documents of a class of a name, with every right.
  public func collection(withName name: String) -> MongoCollection {
    MongoDatabase(CallDocuments(call, asSystem: true), app).collection(withName: name)
  }

  /// The objects of a class as documents, with the rights of the user who calls.
  ///
  /// Calls without a user have every right.
  public func collection<T: ObjectBase>(ofUser type: T.Type) -> MongoCollection {
    MongoDatabase(CallDocuments(call, asSystem: false), app)
      .collection(withName: type.className())
  }

  /// Hands a message over for the devices of some users, which have registered for a push service.
  ///
  /// - Parameters:
  ///   - message: The payload for the webhook of the service: 16 KiB at most.
  ///   - users: The ids of 1,000 users at most.
  ///   - service: The name of the service: `AppSettings.setPush(service:webhook:secret:)`.
  /// - Returns: The number of the devices.
  /// - Throws: `AppError`, as clients get it.
  @discardableResult
  public func push(
    _ message: Document, to users: [String], service: String
  ) async throws -> Int {
    do throws(PushError) {
      return try await call.push(
        PushMessage(service, to: users, .document(message.elements))
      ).deviceCount
    } catch {
      throw APIError(push: error).appError
    }
  }

  /// Calls another function of the app, a private one, too.
  ///
  /// - Throws: `AppError`, as clients get it.
  public func callFunction(_ name: String, _ arguments: [AnyBSON] = []) async throws -> AnyBSON {
    do throws(FunctionError) {
      return AnyBSON(try await call.callFunction(name, arguments.map(\.bson)))
    } catch {
      throw APIError(function: error).appError
    }
  }
}
#endif
