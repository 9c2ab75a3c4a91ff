// SPDX-License-Identifier: Apache-2.0

// What a trigger about objects hands to the app's code.

#if Server
public import Foundation
public import RealmSwift

/// A change of an object, as a trigger hands it to code.
public struct TriggerEvent: Sendable {
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
  /// The number of this attempt to deliver it, from 1. Code may see a change again: after it
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

extension Document {
  func value(_ key: String) -> AnyBSON? { self[key] ?? nil }

  func document(_ key: String) -> Document? { value(key)?.documentValue }

  func text(_ key: String) -> String? { value(key)?.stringValue }
}
#endif
