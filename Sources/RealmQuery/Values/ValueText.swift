// SPDX-License-Identifier: Apache-2.0

// Scalars as strings, and strings as scalars.

import RealmStorage
package import RealmTables
import RealmText

/// A notation of scalars. They differ in dates, and in the letters of decimals.
package enum ValueText: Sendable {
  /// The notation of files and of tables for people: dates are ISO 8601, decimals have `NaN`, `Inf`
  /// and `E`.
  case file
  /// The notation of query strings and messages: `2020-02-28@13:05:00`, `nan`, `inf` and `e`.
  case query
  /// As `query`, but dates are the seconds and nanoseconds since 1970: `1600000000:5`.
  case seconds

  /// The string of a value; nil for null, links and collections.
  package func string(_ value: TableValue) -> String? {
    switch value {
    case .null, .link, .typedLink, .list, .dictionary: nil
    case .int(let number): "\(number)"
    case .bool(let truth): "\(truth)"
    case .float(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let string): string
    case .binary(let bytes): Base64.encode(bytes)
    case .timestamp(let date): DateText.string(date, self)
    case .decimal(let number): string(number)
    case .objectId(let id): ObjectIDBits(high: id.high, low: id.low).text
    case .uuid(let id): UUIDBits(high: id.high, low: id.low).text
    }
  }

  /// The value of a type that a string spells; nil if it spells none.
  ///
  /// Booleans of files may also be `1`, `0`, `yes` and `no`.
  package func value(_ string: String, of type: ColumnType) -> TableValue? {
    switch type {
    case .int: Int64(string).map { .int($0) }
    case .bool: boolean(string).map { .bool($0) }
    case .float: Float(string).map { .float($0) }
    case .double: Double(string).map { .double($0) }
    case .string: .string(string)
    case .binary: Base64.decodePadded(string).map { .binary($0) }
    case .timestamp: DateText.date(string, self).map { .timestamp($0) }
    case .decimal: DecimalBits(text: string).map { .decimal($0) }
    case .objectId:
      ObjectIDBits(text: string).map { .objectId(Bytes12(high: $0.high, low: $0.low)) }
    case .uuid: UUIDBits(text: string).map { .uuid(Bytes16(high: $0.high, low: $0.low)) }
    case .mixed, .link, .backlink, .typedLink: nil
    }
  }

  private func boolean(_ string: String) -> Bool? {
    guard self == .file else { return Bool(string) }
    return switch string.lowercased() {
    case "true", "1", "yes": true
    case "false", "0", "no": false
    default: nil
    }
  }

  private func string(_ number: DecimalBits) -> String {
    let isFile = self == .file
    switch number.parts {
    case .nan: return isFile ? "NaN" : "nan"
    case .infinity(let isNegative):
      return (isNegative ? "-" : "") + (isFile ? "Inf" : "inf")
    case .finite(let isNegative, let coefficient, let exponent):
      let sign = isNegative ? "-" : ""
      var digits = "\(coefficient)"
      guard exponent < 0, exponent > -34 else {
        return sign + digits + (exponent == 0 ? "" : (isFile ? "E" : "e") + "\(exponent)")
      }
      digits = String(repeating: "0", count: max(1 - exponent - digits.count, 0)) + digits
      return sign + digits.dropLast(-exponent) + "." + digits.suffix(-exponent)
    }
  }
}
