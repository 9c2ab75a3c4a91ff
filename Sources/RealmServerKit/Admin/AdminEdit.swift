// SPDX-License-Identifier: Apache-2.0

// A change of an object on the server's page, as the call of a collection.

#if Server
import RealmFormats
import RealmPages

/// A new object, other values of one, or the end of one.
struct AdminEdit {
  /// The name of the call.
  let call: String
  /// Its members, without the database.
  let arguments: [BSONElement]
  /// The user whose rights count; nil for the operator, who has all.
  let user: String?
  /// The member of the call's result that counts the found objects; nil for new ones.
  let count: String?

  /// - Parameter action: "insert", "update" or "delete".
  init(_ action: String, _ body: [UInt8]) throws(PageFailure) {
    guard let json = try? JSONParser.parse(body), let name = json["class"]?.string, !name.isEmpty
    else { throw PageFailure(400, "A change needs the name of a \"class\".") }
    let collection = BSONElement("collection", .string(name))
    user = json["user"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    switch action {
    case "insert":
      (call, count) = ("insertOne", nil)
      arguments = [collection, BSONElement("document", try Self.document("document", json))]
    case "update":
      (call, count) = ("updateOne", "matchedCount")
      arguments = [
        collection, try Self.query(json), BSONElement("update", try Self.update(json)),
      ]
    case "delete":
      (call, count) = ("deleteOne", "deletedCount")
      arguments = [collection, try Self.query(json)]
    default: throw PageFailure(404, "The server has no such page.")
    }
  }

  /// The condition that finds the object with the primary key.
  private static func query(_ json: JSONValue) throws(PageFailure) -> BSONElement {
    guard let json = json["key"], let key = try? ExtendedJSONReader.value(json) else {
      throw PageFailure(400, "A change needs the \"key\" of an object.")
    }
    // A key that is an object of JSON is no condition.
    return BSONElement(
      "query", .document([BSONElement("_id", .document([BSONElement("$eq", key)]))]))
  }

  /// The new values, and the properties that are to be empty. Others stay as they are, also where
  /// devices have changed them meanwhile.
  private static func update(_ json: JSONValue) throws(PageFailure) -> BSONValue {
    let changed = try json["set"].map { (_) throws(PageFailure) in try document("set", json) }
    let emptied = (json["unset"]?.array ?? []).compactMap(\.string)
    var operators: [BSONElement] = []
    if let changed, case .document(let elements) = changed, !elements.isEmpty {
      operators.append(BSONElement("$set", changed))
    }
    if !emptied.isEmpty {
      operators.append(
        BSONElement("$unset", .document(emptied.map { BSONElement($0, .string("")) })))
    }
    guard !operators.isEmpty else { throw PageFailure(400, "Nothing is to be changed.") }
    return .document(operators)
  }

  private static func document(
    _ name: String, _ json: JSONValue
  ) throws(PageFailure) -> BSONValue {
    guard let value = json[name].flatMap({ try? ExtendedJSONReader.value($0) }),
      case .document = value
    else { throw PageFailure(400, "\"\(name)\" needs to be an object of extended JSON.") }
    return value
  }
}
#endif
