// SPDX-License-Identifier: Apache-2.0

// Documents without an object.

#if Server
package import RealmFormats

/// A document without an object, and the reason.
package struct RejectedDocument: Hashable, Sendable, CustomStringConvertible {
  package let collection: String
  /// Nil where there is none, or where it cannot be read.
  package let id: BSONValue?
  /// The path of the field; nil if the whole document is meant.
  package let field: String?
  package let reason: String

  package var description: String {
    let id = id.map { ExtendedJSONWriter.text($0) } ?? "(no _id)"
    return "\(collection) \(id)\(field.map { ", \($0)" } ?? ""): \(reason)"
  }

  /// The line of the file with rejected documents.
  ///
  /// - Parameter document: Nil if it cannot be read.
  func line(_ document: BSONValue?) -> [UInt8] {
    var members = [JSONMember("collection", .string(collection))]
    if let id { members.append(JSONMember("_id", ExtendedJSONWriter.json(id))) }
    if let field { members.append(JSONMember("field", .string(field))) }
    members.append(JSONMember("reason", .string(reason)))
    if let document { members.append(JSONMember("document", ExtendedJSONWriter.json(document))) }
    return JSONWriter.bytes(.object(members)) + [UInt8(ascii: "\n")]
  }
}
#endif
