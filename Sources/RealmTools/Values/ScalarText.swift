// SPDX-License-Identifier: Apache-2.0

// Single values as texts, and the other way round.

import Foundation
import RealmFormats
import RealmStorage
package import RealmTables

/// Conversion of single values to and from their texts in tables, CSV and JSON.
package enum ScalarText {
  /// The text of a value; nil for links, collections and null.
  package static func text(_ value: TableValue) -> String? {
    switch value {
    case .null, .link, .typedLink, .list, .dictionary: nil
    case .int(let number): "\(number)"
    case .bool(let truth): "\(truth)"
    case .float(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): text
    case .binary(let bytes): Data(bytes).base64EncodedString()
    case .timestamp(let time): DateText.text(time)
    case .decimal(let number): text(number)
    case .objectId(let id): ObjectIDBits(high: id.high, low: id.low).text
    case .uuid(let id): UUIDBits(high: id.high, low: id.low).text
    }
  }

  /// The value of a type in a text; nil if there is none.
  package static func value(_ text: String, of type: ColumnType) -> TableValue? {
    switch type {
    case .int: Int64(text).map { .int($0) }
    case .bool:
      switch text.lowercased() {
      case "true", "1", "yes": .bool(true)
      case "false", "0", "no": .bool(false)
      default: nil
      }
    case .float: Float(text).map { .float($0) }
    case .double: Double(text).map { .double($0) }
    case .string: .string(text)
    case .binary: Data(base64Encoded: text).map { .binary(Array($0)) }
    case .timestamp: DateText.date(text).map { .timestamp($0) }
    case .decimal: DecimalBits(text: text).map { .decimal($0) }
    case .objectId:
      ObjectIDBits(text: text).map { .objectId(Bytes12(high: $0.high, low: $0.low)) }
    case .uuid: UUIDBits(text: text).map { .uuid(Bytes16(high: $0.high, low: $0.low)) }
    case .mixed, .link, .backlink, .typedLink: nil
    }
  }

  private static func text(_ number: DecimalBits) -> String {
    switch number.parts {
    case .nan: return "NaN"
    case .infinity(let isNegative): return isNegative ? "-Inf" : "Inf"
    case .finite(let isNegative, let coefficient, let exponent):
      let sign = isNegative ? "-" : ""
      var digits = "\(coefficient)"
      guard exponent < 0, exponent > -34 else {
        return sign + digits + (exponent == 0 ? "" : "E\(exponent)")
      }
      digits = String(repeating: "0", count: max(1 - exponent - digits.count, 0)) + digits
      return sign + digits.dropLast(-exponent) + "." + digits.suffix(-exponent)
    }
  }
}
