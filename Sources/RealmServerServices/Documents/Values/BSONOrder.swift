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

#if Server
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
  ///
  /// For small values, as keys: others are compared as work of their call.
  static func compare(_ left: BSONValue, _ right: BSONValue) -> Int {
    var work = DocumentWork.endless
    return (try? compare(left, right, &work)) ?? 0
  }

  static func areEqual(_ left: BSONValue, _ right: BSONValue) -> Bool {
    compare(left, right) == 0
  }

  static func areEqual(
    _ left: BSONValue, _ right: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> Bool {
    try compare(left, right, &work) == 0
  }

  /// Whether one of some values equals another.
  static func contains(
    _ values: [BSONValue], _ wanted: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> Bool {
    for value in values where try areEqual(value, wanted, &work) { return true }
    return false
  }

  /// Less than 0 if the first value comes before the second, 0 if they are equal.
  static func compare(
    _ left: BSONValue, _ right: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> Int {
    try work.spend()
    let (first, second) = (rank(left), rank(right))
    guard first == second else { return first - second }
    switch (left, right) {
    case (.string(let left), .string(let right)):
      return try compare(left.utf8, right.utf8, &work)
    case (.document(let left), .document(let right)):
      return try compare(sorted(left, &work), sorted(right, &work), &work)
    case (.array(let left), .array(let right)): return try compare(left, right, &work)
    case (.binary(let leftType, let left), .binary(let rightType, let right)):
      if left.count != right.count { return left.count - right.count }
      if leftType != rightType { return Int(leftType) - Int(rightType) }
      return try compare(left, right, &work)
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
        ? try compare(leftOptions.utf8, options.utf8, &work)
        : try compare(left.utf8, right.utf8, &work)
    default: return number(left).compare(to: number(right))
    }
  }

  /// A value of the rank of numbers, or of one without a content, as a number. A decimal that a
  /// program has made of a text that is none is no number.
  private static func number(_ value: BSONValue) -> BSONNumber {
    rank(value) == 2 ? BSONNumber(value) ?? .double(.nan) : .int32(0)
  }

  private static func order<T: Comparable>(_ left: T, _ right: T) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  private static func compare<Bytes: Collection<UInt8>>(
    _ left: Bytes, _ right: Bytes, _ work: inout DocumentWork
  ) throws(DocumentError) -> Int {
    try work.spend(min(left.count, right.count) / 16)
    if left.lexicographicallyPrecedes(right) { return -1 }
    return right.lexicographicallyPrecedes(left) ? 1 : 0
  }

  private static func compare(
    _ left: [BSONValue], _ right: [BSONValue], _ work: inout DocumentWork
  ) throws(DocumentError) -> Int {
    for (first, second) in zip(left, right) {
      let order = try compare(first, second, &work)
      if order != 0 { return order }
    }
    return left.count - right.count
  }

  private static func compare(
    _ left: [BSONElement], _ right: [BSONElement], _ work: inout DocumentWork
  ) throws(DocumentError) -> Int {
    for (first, second) in zip(left, right) {
      let keys = try compare(first.key.utf8, second.key.utf8, &work)
      if keys != 0 { return keys }
      let order = try compare(first.value, second.value, &work)
      if order != 0 { return order }
    }
    return left.count - right.count
  }

  private static func sorted(
    _ elements: [BSONElement], _ work: inout DocumentWork
  ) throws(DocumentError) -> [BSONElement] {
    try work.spend(elements.count * 2)
    // By the bytes, as they are compared: strings of Swift are equal where only the composition of
    // their characters differs.
    return elements.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  /// Sorts by an order whose comparisons are work.
  static func sort<Element>(
    _ elements: inout [Element], _ work: inout DocumentWork,
    _ compare: (Element, Element, inout DocumentWork) throws(DocumentError) -> Int
  ) throws(DocumentError) {
    var problem: DocumentError?
    elements.sort { left, right in
      guard problem == nil else { return false }
      do throws(DocumentError) {
        return try compare(left, right, &work) < 0
      } catch {
        problem = error
        return false
      }
    }
    if let problem { throw problem }
  }

  /// One form for values that are equal, as the key of a group.
  static func normal(_ value: BSONValue) -> BSONValue {
    var work = DocumentWork.endless
    return (try? normal(value, &work)) ?? value
  }

  /// One form for values that are equal, as the key of a group.
  static func normal(
    _ value: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    try work.spend()
    switch value {
    case .int32, .int64, .double, .decimal: return BSONNumber(value)?.normal ?? .decimal("NaN")
    case .string(let text): return normal(text)
    case .array(let elements):
      var values: [BSONValue] = []
      for element in elements { values.append(try normal(element, &work)) }
      return .array(values)
    case .document(let elements): return try normal(elements, &work)
    default: return value
    }
  }

  // Strings of Swift with different bytes may be equal, so those with other than ASCII characters
  // become bytes, in a document that begins with a marker. No other normal document does.

  private static func normal(_ text: String) -> BSONValue {
    isPlain(text) ? .string(text) : .document([marker, BSONElement("", bytes(text))])
  }

  private static func normal(
    _ elements: [BSONElement], _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    let sorted = try sorted(elements, &work)
    let hasPlainKeys = sorted.allSatisfy { isPlain($0.key) } && sorted.first != marker
    var values = hasPlainKeys ? [] : [marker, marker]
    for element in sorted {
      let value = try normal(element.value, &work)
      if hasPlainKeys {
        values.append(BSONElement(element.key, value))
      } else {
        values.append(BSONElement("", bytes(element.key)))
        values.append(BSONElement("", value))
      }
    }
    return .document(values)
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
  var approximateByteCount: Int { approximateByteCount(upTo: .max) ?? .max }

  /// The memory of the value, about; nil if it is more than a limit. No more is walked then.
  func approximateByteCount(upTo limit: Int) -> Int? {
    var left = limit
    return count(&left) ? limit - left : nil
  }

  /// Takes the size from what is left; false if that is not enough.
  private func count(_ left: inout Int) -> Bool {
    left -= ownByteCount
    guard left >= 0 else { return false }
    switch self {
    case .array(let values):
      for value in values where !value.count(&left) { return false }
    case .document(let elements):
      for element in elements {
        left -= element.key.utf8.count + 8
        guard element.value.count(&left) else { return false }
      }
    default: break
    }
    return true
  }

  /// The size without the parts.
  private var ownByteCount: Int {
    switch self {
    case .string(let text), .decimal(let text): 16 + text.utf8.count
    case .binary(_, let bytes): 48 + bytes.count * 4 / 3
    case .regularExpression(let pattern, let options):
      64 + pattern.utf8.count + options.utf8.count
    case .array, .document: 32
    case .null, .bool, .int32, .int64, .double, .objectID, .date, .timestamp, .minKey, .maxKey: 40
    }
  }

  /// What the texts of the value take as JSON more than as they are: a control character has six.
  var escapedByteCount: Int {
    switch self {
    case .string(let text):
      text.utf8.reduce(0) { $0 + ($1 < 0x20 ? 5 : $1 == 0x22 || $1 == 0x5C ? 1 : 0) }
    case .array(let values): values.reduce(0) { $0 + $1.escapedByteCount }
    case .document(let elements): elements.reduce(0) { $0 + $1.value.escapedByteCount }
    default: 0
    }
  }

  /// Whether the value has at most so many levels of arrays and documents.
  func isNested(atMost depth: Int) -> Bool {
    switch self {
    case .array(let values):
      guard depth > 0 else { return false }
      return values.allSatisfy { $0.isNested(atMost: depth - 1) }
    case .document(let elements):
      guard depth > 0 else { return false }
      return elements.allSatisfy { $0.value.isNested(atMost: depth - 1) }
    default: return true
    }
  }
}
#endif
