// SPDX-License-Identifier: Apache-2.0

// Extended JSON becomes BSON.

import RealmText

/// Reads extended JSON, version 2, canonical or relaxed.
///
/// Numbers that are bare become 64-bit integers and doubles. Objects with keys like `$gt`, which
/// stand for no value, are documents.
package enum ExtendedJSONReader {
  /// The value that the text is.
  package static func parse(_ text: String) throws(BSONError) -> BSONValue {
    try parse(Array(text.utf8))
  }

  /// The value that the UTF-8 is.
  package static func parse(_ bytes: [UInt8]) throws(BSONError) -> BSONValue {
    let json: JSONValue
    do {
      json = try JSONParser.parse(bytes)
    } catch {
      throw .json(error)
    }
    return try value(json)
  }

  /// The value that the JSON is.
  package static func value(_ json: JSONValue) throws(BSONError) -> BSONValue {
    switch json {
    case .null: return .null
    case .bool(let flag): return .bool(flag)
    case .integer(let number): return .int64(number)
    case .double(let number): return .double(number)
    case .string(let text): return .string(text)
    case .array(let values): return .array(try values.map(value))
    case .object(let members):
      if let first = members.first, wrappers.contains(first.key) {
        guard members.count == 1, let value = wrapped(first.key, first.value) else {
          throw .badValue(key: first.key)
        }
        return value
      }
      var elements: [BSONElement] = []
      for member in members {
        elements.append(BSONElement(member.key, try value(member.value)))
      }
      return .document(elements)
    }
  }

  private static let wrappers: Set<String> = [
    "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal", "$oid", "$date", "$binary",
    "$uuid", "$regularExpression", "$timestamp", "$minKey", "$maxKey",
  ]

  /// The value that an object with one key represents, nil if it does not fit the key.
  private static func wrapped(_ key: String, _ json: JSONValue) -> BSONValue? {
    switch key {
    case "$numberInt": json.string.flatMap { Int32($0) }.map { .int32($0) }
    case "$numberLong": json.string.flatMap { Int64($0) }.map { .int64($0) }
    case "$numberDouble": json.string.flatMap(double).map { .double($0) }
    case "$numberDecimal": json.string.map { .decimal($0) }
    case "$oid": json.string.flatMap { ObjectIDBits(text: $0) }.map { .objectID($0) }
    case "$uuid": json.string.flatMap { UUIDBits(text: $0) }.map { .uuid($0) }
    case "$date":
      (json.integer ?? json["$numberLong"]?.string.flatMap { Int64($0) }
        ?? json.string.flatMap(RelaxedDate.unixMilliseconds))
        .map { .date(unixMilliseconds: $0) }
    case "$binary": binary(json)
    case "$regularExpression": regularExpression(json)
    case "$timestamp": timestamp(json)
    case "$minKey": json.integer == 1 ? .minKey : nil
    case "$maxKey": json.integer == 1 ? .maxKey : nil
    default: nil
    }
  }

  private static func double(_ text: String) -> Double? {
    switch text {
    case "NaN": return .nan
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    default:
      // The function of the library knows more words for these.
      guard let number = Double(text), number.isFinite else { return nil }
      return number
    }
  }

  private static func binary(_ json: JSONValue) -> BSONValue? {
    guard let bytes = json["base64"]?.string.flatMap(Base64.decode),
      let type = json["subType"]?.string, type.utf8.count <= 2,
      let subtype = HexadecimalText.value(type[...])
    else { return nil }
    return .binary(subtype: UInt8(truncatingIfNeeded: subtype), bytes: bytes)
  }

  private static func regularExpression(_ json: JSONValue) -> BSONValue? {
    guard let pattern = json["pattern"]?.string, let options = json["options"]?.string else {
      return nil
    }
    return .regularExpression(pattern: pattern, options: options)
  }

  private static func timestamp(_ json: JSONValue) -> BSONValue? {
    guard let seconds = json["t"]?.unsigned.flatMap({ UInt32(exactly: $0) }),
      let increment = json["i"]?.unsigned.flatMap({ UInt32(exactly: $0) })
    else { return nil }
    return .timestamp(seconds: seconds, increment: increment)
  }
}
