// SPDX-License-Identifier: Apache-2.0

// The order of values of all types.
//
// Documents are compared by their keys in alphabetic order: those of a program in Swift have no
// other.
//
// Invariants:
// 1. The order is total: of two values one comes first, or they are equal, and what is equal to one
//    value is equal to each other one.
// 2. Two values have one normal form exactly if they are equal.

import RealmFormats
import RealmQuery
import RealmStorage
import RealmText

/// Compares values.
enum BSONOrder {
  /// The place of a type among all types. Numbers of all types have one.
  static func rank(_ value: BSONValue) -> Int {
    switch value {
    case .minKey: 0
    case .null: 1
    case .int32, .int64, .double, .decimal: 2
    case .string: 3
    case .document: 4
    case .array: 5
    case .binary: 6
    case .objectID: 7
    case .bool: 8
    case .date: 9
    case .timestamp: 10
    case .regularExpression: 11
    case .maxKey: 12
    }
  }

  /// Less than 0 if the first value comes before the second, 0 if they are equal.
  static func compare(_ left: BSONValue, _ right: BSONValue) -> Int {
    let (first, second) = (rank(left), rank(right))
    guard first == second else { return first - second }
    switch (left, right) {
    case (.string(let left), .string(let right)): return compare(left.utf8, right.utf8)
    case (.document(let left), .document(let right)): return compare(sorted(left), sorted(right))
    case (.array(let left), .array(let right)): return compare(left, right)
    case (.binary(let leftType, let left), .binary(let rightType, let right)):
      if left.count != right.count { return left.count - right.count }
      if leftType != rightType { return Int(leftType) - Int(rightType) }
      return compare(left, right)
    case (.objectID(let left), .objectID(let right)):
      return left.high == right.high
        ? order(left.low, right.low) : order(left.high, right.high)
    case (.bool(let left), .bool(let right)): return left == right ? 0 : left ? 1 : -1
    case (.date(let left), .date(let right)): return order(left, right)
    case (.timestamp(let left, let leftNumber), .timestamp(let right, let rightNumber)):
      return left == right ? order(leftNumber, rightNumber) : order(left, right)
    case (
      .regularExpression(let left, let leftOptions), .regularExpression(let right, let options)
    ):
      return left == right
        ? compare(leftOptions.utf8, options.utf8) : compare(left.utf8, right.utf8)
    default: return number(left).compare(to: number(right))
    }
  }

  /// A value of the rank of numbers, or of one without a content, as a number. A decimal that a
  /// program has made of a text that is none is no number.
  private static func number(_ value: BSONValue) -> BSONNumber {
    rank(value) == 2 ? BSONNumber(value) ?? .double(.nan) : .int32(0)
  }

  static func areEqual(_ left: BSONValue, _ right: BSONValue) -> Bool {
    compare(left, right) == 0
  }

  private static func order<T: Comparable>(_ left: T, _ right: T) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  private static func compare<Bytes: Sequence<UInt8>>(_ left: Bytes, _ right: Bytes) -> Int {
    if left.lexicographicallyPrecedes(right) { return -1 }
    return right.lexicographicallyPrecedes(left) ? 1 : 0
  }

  private static func compare(_ left: [BSONValue], _ right: [BSONValue]) -> Int {
    for (first, second) in zip(left, right) {
      let order = compare(first, second)
      if order != 0 { return order }
    }
    return left.count - right.count
  }

  private static func compare(_ left: [BSONElement], _ right: [BSONElement]) -> Int {
    for (first, second) in zip(left, right) {
      let keys = compare(first.key.utf8, second.key.utf8)
      if keys != 0 { return keys }
      let order = compare(first.value, second.value)
      if order != 0 { return order }
    }
    return left.count - right.count
  }

  private static func sorted(_ elements: [BSONElement]) -> [BSONElement] {
    // By the bytes, as they are compared: strings of Swift are equal where only the composition of
    // their characters differs.
    elements.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  /// One form for values that are equal, as the key of a group.
  static func normal(_ value: BSONValue) -> BSONValue {
    switch value {
    case .int32, .int64, .double, .decimal: BSONNumber(value)?.normal ?? .decimal("NaN")
    case .string(let text): normal(text)
    case .array(let elements): .array(elements.map(normal))
    case .document(let elements): normal(elements)
    default: value
    }
  }

  // Strings of Swift with different bytes may be equal, so those with other than ASCII characters
  // become bytes, in a document that begins with a marker. No other normal document does.

  private static func normal(_ text: String) -> BSONValue {
    isPlain(text) ? .string(text) : .document([marker, BSONElement("", bytes(text))])
  }

  private static func normal(_ elements: [BSONElement]) -> BSONValue {
    let sorted = sorted(elements)
    guard !sorted.allSatisfy({ isPlain($0.key) }) || sorted.first == marker else {
      return .document(sorted.map { BSONElement($0.key, normal($0.value)) })
    }
    return .document(
      [marker, marker]
        + sorted.flatMap { [BSONElement("", bytes($0.key)), BSONElement("", normal($0.value))] })
  }

  /// The first element of the forms with bytes.
  private static let marker = BSONElement("", .minKey)

  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

  private static func bytes(_ text: String) -> BSONValue {
    .binary(subtype: 0, bytes: Array(text.utf8))
  }
}

extension BSONValue {
  /// The memory of the value, about, which is about its size as JSON, too.
  var approximateByteCount: Int {
    switch self {
    case .string(let text), .decimal(let text): 16 + text.utf8.count
    case .binary(_, let bytes): 48 + bytes.count * 4 / 3
    case .regularExpression(let pattern, let options):
      64 + pattern.utf8.count + options.utf8.count
    case .array(let values): values.reduce(32) { $0 + $1.approximateByteCount }
    case .document(let elements):
      elements.reduce(32) { $0 + $1.key.utf8.count + 8 + $1.value.approximateByteCount }
    case .null, .bool, .int32, .int64, .double, .objectID, .date, .timestamp, .minKey, .maxKey: 40
    }
  }
}
