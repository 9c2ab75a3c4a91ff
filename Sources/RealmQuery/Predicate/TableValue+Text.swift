// SPDX-License-Identifier: Apache-2.0

// Stored values in messages, in what `explain()` says, and in query strings.

import RealmFormats
import RealmStorage
package import RealmTables

extension TableValue {
  /// The value as messages show it.
  var text: String {
    switch self {
    case .null: "nil"
    case .int(let number): "\(number)"
    case .bool(let truth): "\(truth)"
    case .float(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): text
    case .timestamp(let time): time.text
    case .decimal(let number): number.text
    case .binary(let bytes): "\(bytes.count) bytes"
    case .objectId(let id): ObjectIDBits(high: id.high, low: id.low).text
    case .uuid(let id): UUIDBits(high: id.high, low: id.low).text
    case .link(let key), .typedLink(_, let key): "object \(key.rawValue)"
    case .list: "a list"
    case .dictionary: "a dictionary"
    }
  }

  /// The value as query strings spell it.
  package var literal: String {
    switch self {
    case .string(let text):
      "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    case .objectId: "oid(\(text))"
    case .uuid: "uuid(\(text))"
    case .binary(let bytes): "B64\"\(Base64.encode(bytes))\""
    default: text
    }
  }

  var typeName: String {
    switch self {
    case .null: "null"
    case .int: "int"
    case .bool: "bool"
    case .float: "float"
    case .double: "double"
    case .string: "string"
    case .binary: "data"
    case .timestamp: "date"
    case .decimal: "decimal128"
    case .objectId: "object id"
    case .uuid: "uuid"
    case .link, .typedLink: "object"
    case .list: "list"
    case .dictionary: "dictionary"
    }
  }
}

extension Timestamp {
  /// As strings write it: `2020-02-28@13:05:00`, with the nanoseconds if there are some;
  /// `T1600000000:0` beyond the years that are written so.
  fileprivate var text: String {
    guard let time = CalendarTime(seconds: seconds, nanoseconds: nanoseconds) else {
      return "T\(seconds):\(nanoseconds)"
    }
    return "\(time.day.text)@\(time.timeOfDay)"
      + (time.nanoseconds == 0 ? "" : ":\(time.nanoseconds)")
  }
}

extension DecimalBits {
  fileprivate var text: String {
    switch parts {
    case .nan: return "nan"
    case .infinity(let isNegative): return isNegative ? "-inf" : "inf"
    case .finite(let isNegative, let coefficient, let exponent):
      let sign = isNegative ? "-" : ""
      var digits = "\(coefficient)"
      guard exponent < 0, exponent > -34 else {
        return sign + digits + (exponent == 0 ? "" : "e\(exponent)")
      }
      digits = String(repeating: "0", count: max(1 - exponent - digits.count, 0)) + digits
      return sign + digits.dropLast(-exponent) + "." + digits.suffix(-exponent)
    }
  }
}
