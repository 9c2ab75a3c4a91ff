// SPDX-License-Identifier: Apache-2.0

// Changes of objects as the events of a stream.

#if Server
import RealmFormats
import RealmServerEngine
import RealmStorage
import RealmTables
import RealmText

/// Makes the events about the documents of a collection.
struct ChangeEvents {
  let request: WatchRequest
  let collection: DocumentCollection
  /// The token of all events but the last: a stream that ends among them gets all of them again.
  let before: ChangeToken
  /// The token of the last event.
  let after: ChangeToken

  /// The events of the stream's user.
  func events(
    _ changes: [(object: ObjectIdentity, change: ViewChanges.Change)], _ work: inout DocumentWork
  ) throws(DocumentError) -> [BSONValue] {
    var events: [[BSONElement]] = []
    for (object, change) in changes {
      let elements = try event(object, change)
      guard try request.includes(.document(elements), &work) else { continue }
      try work.keep(.document(elements))
      events.append(elements)
    }
    return events.enumerated().map { (number, elements) in
      let token = number == events.count - 1 ? after : before
      return .document([BSONElement("_id", token.value)] + elements)
    }
  }

  private func event(
    _ object: ObjectIdentity, _ change: ViewChanges.Change
  ) throws(DocumentError) -> [BSONElement] {
    var document: BSONValue?
    if case .value(let key) = object.key, let found = try collection.key(of: key) {
      document = try collection.document(of: found)
    }
    let id = document?["_id"] ?? Self.id(object)
    var elements = [
      BSONElement("operationType", .string(Self.name(change))),
      BSONElement(
        "ns",
        .document([
          BSONElement("db", .string(request.database)),
          BSONElement("coll", .string(request.collection)),
        ])),
      BSONElement("documentKey", .document([BSONElement("_id", id)])),
    ]
    if change != .gone { elements.append(BSONElement("fullDocument", document ?? .null)) }
    if case .changed(let fields) = change {
      elements.append(
        BSONElement("updateDescription", Self.description(of: fields.sorted(), document)))
    }
    return elements
  }

  private static func name(_ change: ViewChanges.Change) -> String {
    switch change {
    case .appeared: "insert"
    case .changed: "update"
    case .replaced: "replace"
    case .gone: "delete"
    }
  }

  /// What became of some properties of a document.
  static func description(of fields: [String], _ document: BSONValue?) -> BSONValue {
    var updated: [BSONElement] = []
    var removed: [BSONValue] = []
    for name in fields {
      if let value = document?[name] {
        updated.append(BSONElement(name, value))
      } else {
        removed.append(.string(name))
      }
    }
    return .document([
      BSONElement("updatedFields", .document(updated)),
      BSONElement("removedFields", .array(removed)),
    ])
  }

  /// The `_id` of an object, which may be gone.
  static func id(_ object: ObjectIdentity) -> BSONValue {
    guard case .value(let key) = object.key else { return .null }
    return switch key {
    case .int(let number): .int64(number)
    case .string(let text): .string(text)
    case .objectId(let id): .objectID(ObjectIDBits(high: id.high, low: id.low))
    case .uuid(let id): .uuid(UUIDBits(high: id.high, low: id.low))
    default: .null
    }
  }
}
#endif
