// SPDX-License-Identifier: Apache-2.0

// Extended JSON becomes BSON.

import RealmText

/// Reads extended JSON, version 2, canonical or relaxed.
///
/// Numbers that are bare become 64-bit integers and doubles. Objects with keys like `$gt`, which
/// stand for no value, are documents. What is no value of the type that its key names is an error
/// that says where it is.
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
    case .array(let values): return .array(try array(values))
    case .object(let members):
      if let first = members.first, wrappers.contains(first.key) {
        guard members.count == 1, let value = wrapped(first.key, first.value) else {
          throw .badValue(key: first.key, path: "")
        }
        return value
      }
      return .document(try document(members))
    }
  }

  private static func array(_ values: [JSONValue]) throws(BSONError) -> [BSONValue] {
    var elements: [BSONValue] = []
    elements.reserveCapacity(values.count)
    do throws(BSONError) {
      for json in values { elements.append(try value(json)) }
    } catch {
      throw error.inside(index: elements.count)
    }
    return elements
  }

  private static func document(_ members: [JSONMember]) throws(BSONError) -> [BSONElement] {
    var elements: [BSONElement] = []
    elements.reserveCapacity(members.count)
    do throws(BSONError) {
      for member in members {
        elements.append(BSONElement(member.key, try value(member.value)))
      }
    } catch {
      throw error.inside(key: members[elements.count].key)
    }
    return elements
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
    case "$numberDecimal":
      json.string.flatMap { DecimalText.isDecimal($0) ? .decimal($0) : nil }
    case "$oid": json.string.flatMap { ObjectIDBits(text: $0) }.map { .objectID($0) }
    case "$uuid": json.string.flatMap { UUIDBits(text: $0) }.map { .uuid($0) }
    case "$date":
      (json.integer ?? json.string.flatMap(RelaxedDate.unixMilliseconds) ?? longDate(json))
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
      // The function of the library knows more words for these, and numbers to the base of 16.
      guard text.utf8.allSatisfy(isOfNumber), let number = Double(text), number.isFinite else {
        return nil
      }
      return number
    }
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// The members of an object that has exactly these keys; nil for other values.
  private static func members(_ json: JSONValue, _ keys: Set<String>) -> [JSONMember]? {
    guard case .object(let members) = json, members.count == keys.count,
      Set(members.map(\.key)) == keys
    else { return nil }
    return members
  }

  private static func longDate(_ json: JSONValue) -> Int64? {
    members(json, ["$numberLong"])?.first?.value.string.flatMap { Int64($0) }
  }

  private static func binary(_ json: JSONValue) -> BSONValue? {
    guard members(json, ["base64", "subType"]) != nil,
      let bytes = json["base64"]?.string.flatMap(Base64.decode),
      let type = json["subType"]?.string, type.utf8.count <= 2,
      let subtype = HexadecimalText.value(type[...])
    else { return nil }
    return .binary(subtype: UInt8(truncatingIfNeeded: subtype), bytes: bytes)
  }

  private static func regularExpression(_ json: JSONValue) -> BSONValue? {
    // In BSON a zero ends either text.
    guard members(json, ["pattern", "options"]) != nil, let pattern = json["pattern"]?.string,
      let options = json["options"]?.string, !pattern.utf8.contains(0), !options.utf8.contains(0)
    else { return nil }
    return .regularExpression(pattern: pattern, options: options)
  }

  private static func timestamp(_ json: JSONValue) -> BSONValue? {
    guard members(json, ["t", "i"]) != nil,
      let seconds = json["t"]?.unsigned.flatMap({ UInt32(exactly: $0) }),
      let increment = json["i"]?.unsigned.flatMap({ UInt32(exactly: $0) })
    else { return nil }
    return .timestamp(seconds: seconds, increment: increment)
  }
}
