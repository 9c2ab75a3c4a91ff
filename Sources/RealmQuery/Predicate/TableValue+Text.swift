// SPDX-License-Identifier: Apache-2.0

// Stored values in messages, in what `explain()` says, and in query strings.

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
    case .objectId(let id): id.high.hexadecimal(16) + UInt64(id.low).hexadecimal(8)
    case .uuid(let id): id.text
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
    case .binary(let bytes): "B64\"\(Base64.text(of: bytes))\""
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
    guard (-62_135_596_800...253_402_300_799).contains(seconds) else {
      return "T\(seconds):\(nanoseconds)"
    }
    let nanoseconds = nanoseconds < 0 ? Int64(nanoseconds) + 1_000_000_000 : Int64(nanoseconds)
    let seconds = self.nanoseconds < 0 ? seconds - 1 : seconds
    let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let rest = seconds - day * 86_400
    // Years begin in March, so that the leap day is the last; an era has 400 of them.
    let (era, dayOfEra) = (day + 719_468).dividedDown(by: 146_097)
    let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let isNextYear = month >= 10
    let parts = [
      isNextYear ? month - 9 : month + 3, dayOfYear - (153 * month + 2) / 5 + 1, rest / 3600,
      rest / 60 % 60, rest % 60,
    ].map { $0 < 10 ? "0\($0)" : "\($0)" }
    let digits = "\(era * 400 + year + (isNextYear ? 1 : 0))"
    let date =
      String(repeating: "0", count: max(4 - digits.count, 0)) + digits + "-\(parts[0])-\(parts[1])"
    return "\(date)@\(parts[2...].joined(separator: ":"))"
      + (nanoseconds == 0 ? "" : ":\(nanoseconds)")
  }
}

extension Int64 {
  /// The quotient towards minus infinity, and what is left over.
  fileprivate func dividedDown(by divisor: Int64) -> (quotient: Int64, rest: Int64) {
    let quotient = self >= 0 ? self / divisor : (self - divisor + 1) / divisor
    return (quotient, self - quotient * divisor)
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

extension UInt64 {
  fileprivate func hexadecimal(_ count: Int) -> String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: count - digits.count) + digits
  }
}

extension Bytes16 {
  /// As strings write UUIDs.
  fileprivate var text: String {
    var text = (high.hexadecimal(16) + low.hexadecimal(16))[...]
    var groups: [Substring] = []
    for length in [8, 4, 4, 4, 12] {
      groups.append(text.prefix(length))
      text = text.dropFirst(length)
    }
    return groups.joined(separator: "-")
  }
}
