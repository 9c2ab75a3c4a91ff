// SPDX-License-Identifier: Apache-2.0

// The news of triggers for the app's code.

#if Server
public import Foundation
public import RealmSwift

/// A change of an object, as a trigger tells it.
public struct ObjectChange: Sendable {
  /// The fate of the object.
  public enum Operation: String, CaseIterable, Hashable, Sendable {
    /// It was made.
    case insert
    /// Some of its properties have other values.
    case update
    /// It was deleted, and made again, at once.
    case replace
    /// It was deleted.
    case delete
  }

  /// The fate of the object.
  public let operation: Operation
  /// The primary key of the object.
  public let id: AnyBSON
  /// The object as it is; nil if it is gone.
  public let document: Document?
  /// The object as it was before; nil if the trigger does not ask for it, or it was made.
  public let documentBefore: Document?
  /// The properties with other values.
  public let updatedFields: Document
  /// The properties without a value from now on.
  public let removedFields: [String]
  /// The value of the partition; nil in flexible mode.
  public let partition: AnyBSON?
  /// When the change came to the server.
  public let time: Date
  /// The number of this attempt to tell the change, from 1. Code may see a change again: after it
  /// failed, and after a crash of the server.
  public let attempt: Int

  init(_ event: Document) {
    operation = event.text("operationType").flatMap { Operation(rawValue: $0) } ?? .update
    id = event.document("documentKey")?.value("_id") ?? .null
    document = event.document("fullDocument")
    documentBefore = event.document("fullDocumentBeforeChange")
    let description = event.document("updateDescription")
    updatedFields = description?.document("updatedFields") ?? [:]
    removedFields = (description?.value("removedFields")?.arrayValue ?? [])
      .compactMap { $0?.stringValue }
    partition = event.value("partition")
    time = event.value("wallTime")?.dateValue ?? Date(timeIntervalSince1970: 0)
    attempt = event.value("attempt")?.asInt() ?? 1
  }

  /// The object as a structure of the program; nil if it is gone.
  ///
  /// - Throws: `DecodingError` if the type has other members.
  public func decode<T: Decodable>(_ type: T.Type) throws -> T? {
    try document.map { try ValueDecoder.decode(type, from: .document($0)) }
  }
}

/// An event about a user, as a trigger tells it.
public struct UserEvent: Sendable {
  /// The kinds of events.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// It was made, by its first login.
    case create = "CREATE"
    /// It has logged in.
    case login = "LOGIN"
    /// It was deleted.
    case delete = "DELETE"
  }

  /// The kind of the event.
  public let kind: Kind
  /// The id of the user.
  public let userID: String
  /// What the providers of its logins tell of the user: `email`, `name` …
  public let data: Document
  /// The custom data of the user; nil if there is none.
  public let customData: Document?
  /// The names of its providers.
  public let providers: [String]
  /// When it was.
  public let time: Date
  /// The number of this attempt to tell the event, from 1.
  public let attempt: Int

  init(_ event: Document) {
    kind = event.text("operationType").flatMap { Kind(rawValue: $0) } ?? .login
    let user = event.document("user")
    userID = user?.text("id") ?? ""
    data = user?.document("data") ?? [:]
    customData = user?.document("custom_data")
    providers = (event.value("providers")?.arrayValue ?? []).compactMap { $0?.stringValue }
    time = event.value("time")?.dateValue ?? Date(timeIntervalSince1970: 0)
    attempt = event.value("attempt")?.asInt() ?? 1
  }
}

/// A run of a schedule.
public struct ScheduledRun: Sendable {
  /// The minute of the schedule.
  public let scheduledTime: Date
  /// When the run began.
  public let time: Date
  /// The number of this attempt, from 1.
  public let attempt: Int

  init(_ event: Document) {
    scheduledTime = event.value("scheduledTime")?.dateValue ?? Date(timeIntervalSince1970: 0)
    time = event.value("time")?.dateValue ?? scheduledTime
    attempt = event.value("attempt")?.asInt() ?? 1
  }
}

extension Document {
  fileprivate func value(_ key: String) -> AnyBSON? { self[key] ?? nil }

  fileprivate func document(_ key: String) -> Document? { value(key)?.documentValue }

  fileprivate func text(_ key: String) -> String? { value(key)?.stringValue }
}
#endif
