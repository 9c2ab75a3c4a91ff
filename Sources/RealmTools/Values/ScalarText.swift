// SPDX-License-Identifier: Apache-2.0

// Single values as texts, and the other way round.

import Foundation
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
    case .objectId(let id): ByteText.hexadecimal(id.high) + ByteText.hexadecimal(id.low)
    case .uuid(let id): text(id)
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
      text.utf8.count == 24 ? ByteText.bytes(hexadecimal: text).map(objectId) : nil
    case .uuid: uuid(text)
    case .mixed, .link, .backlink, .typedLink: nil
    }
  }

  private static func objectId(_ bytes: [UInt8]) -> TableValue {
    let high = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let low = bytes[8...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return .objectId(Bytes12(high: high, low: low))
  }

  private static func uuid(_ text: String) -> TableValue? {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
      let bytes = ByteText.bytes(hexadecimal: groups.joined())
    else { return nil }
    return .uuid(
      Bytes16(
        high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
        low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }))
  }

  private static func text(_ id: Bytes16) -> String {
    var digits = (ByteText.hexadecimal(id.high) + ByteText.hexadecimal(id.low))[...]
    var groups: [Substring] = []
    for count in [8, 4, 4, 4, 12] {
      groups.append(digits.prefix(count))
      digits = digits.dropFirst(count)
    }
    return groups.joined(separator: "-")
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
