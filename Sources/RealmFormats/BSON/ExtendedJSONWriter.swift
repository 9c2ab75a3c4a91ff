// SPDX-License-Identifier: Apache-2.0

// BSON becomes canonical extended JSON.

import RealmText

/// Writes extended JSON, version 2, in its canonical form: every type comes back as it was.
package enum ExtendedJSONWriter {
  /// The text of a value.
  package static func text(_ value: BSONValue) -> String { JSONWriter.text(json(value)) }

  /// The JSON of a value.
  package static func json(_ value: BSONValue) -> JSONValue {
    switch value {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .int32(let number): object("$numberInt", .string(String(number)))
    case .int64(let number): object("$numberLong", .string(String(number)))
    case .double(let number): object("$numberDouble", .string(text(number)))
    case .decimal(let text): object("$numberDecimal", .string(text))
    case .string(let text): .string(text)
    case .objectID(let id): object("$oid", .string(id.text))
    case .binary(let subtype, let bytes):
      object(
        "$binary",
        .object([
          JSONMember("base64", .string(Base64.encode(bytes))),
          JSONMember(
            "subType", .string(HexadecimalText.text(UInt64(subtype), digits: 2))),
        ]))
    case .date(let time):
      object("$date", object("$numberLong", .string(String(time))))
    case .timestamp(let seconds, let increment):
      object(
        "$timestamp",
        .object([
          JSONMember("t", .integer(Int64(seconds))), JSONMember("i", .integer(Int64(increment))),
        ]))
    case .regularExpression(let pattern, let options):
      object(
        "$regularExpression",
        .object([
          JSONMember("pattern", .string(pattern)), JSONMember("options", .string(options)),
        ]))
    case .minKey: object("$minKey", .integer(1))
    case .maxKey: object("$maxKey", .integer(1))
    case .array(let values): .array(values.map(json))
    case .document(let elements):
      .object(elements.map { JSONMember($0.key, json($0.value)) })
    }
  }

  private static func object(_ key: String, _ value: JSONValue) -> JSONValue {
    .object([JSONMember(key, value)])
  }

  private static func text(_ number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
    return "\(number)"
  }
}
