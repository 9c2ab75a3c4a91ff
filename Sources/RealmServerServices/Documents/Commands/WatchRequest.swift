// SPDX-License-Identifier: Apache-2.0

// The call `watch` of a collection (P1 A.3).

#if Server
package import RealmFormats

/// What a stream of changes is about.
package struct WatchRequest: Sendable {
  package let database: String
  package let collection: String
  /// The ids of the documents; nil for all.
  let ids: [BSONValue]?
  /// A condition on events; nil for all.
  let filter: DocumentQuery?
  /// Where the stream goes on; nil for changes from now on.
  let token: ChangeToken?

  package init(_ arguments: BSONValue) throws(DocumentError) {
    func text(_ key: String) throws(DocumentError) -> String {
      guard let value = arguments[key] else { throw .missing(key) }
      guard let text = value.text, !text.isEmpty else {
        throw .badArgument("'\(key)' needs to be a name")
      }
      return text
    }
    database = try text("database")
    collection = try text("collection")
    switch arguments["ids"] {
    case nil, .null: ids = nil
    case .array(let values): ids = values
    default: throw .badArgument("'ids' needs to be an array")
    }
    switch arguments["filter"] {
    case nil, .null: filter = nil
    case let value?: filter = try DocumentQuery(value)
    }
    switch arguments["resumeAfter"] {
    case nil, .null: token = nil
    case let value?:
      guard let token = ChangeToken(value) else {
        throw .badArgument("'resumeAfter' is no token of a change")
      }
      self.token = token
    }
  }

  /// Whether an event is one of the stream.
  func includes(
    _ event: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> Bool {
    if let ids {
      let id = event["documentKey"]?["_id"] ?? .null
      guard try BSONOrder.contains(ids, id, &work) else { return false }
    }
    return try filter?.matches(event, &work) ?? true
  }
}
#endif
