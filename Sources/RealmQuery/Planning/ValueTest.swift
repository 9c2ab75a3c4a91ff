// SPDX-License-Identifier: Apache-2.0

// One value against a constant: the meaning of every operator, for values of any type.
//
// Null equals null and nothing else, and is in no order with anything. Values of different kinds
// are neither equal nor in order; numbers of all types are of one kind. NaN behaves as IEEE 754
// says.

import RealmStorage

/// An operator with its constant side.
struct ValueTest {
  enum Constant {
    case value(MixedValue)
    /// Ascending in the order of values.
    case oneOf([MixedValue])
    case range(MixedValue, MixedValue)
    /// A string, or bytes, to search for.
    case text(TextMatcher, isBinary: Bool)
    case words(TextSearch)
  }

  let operation: ComparisonOperator
  let constant: Constant
  /// The bytes to search for, if there are some.
  private(set) var needle: ByteView?
  /// Whether decimals and floating-point numbers are among several constants.
  private var hasDecimals = false
  private var hasFloatingNumbers = false

  init(_ operation: ComparisonOperator, value: MixedValue) {
    self.operation = operation
    constant = .value(value)
  }

  init(oneOf values: [MixedValue]) {
    operation = .in
    constant = .oneOf(
      values.filter { !$0.isNaN }.sorted { $0.isOrdered(before: $1) })
    hasDecimals = values.contains(where: \.isDecimal)
    hasFloatingNumbers = values.contains(where: \.isFloatingNumber)
  }

  init(from lower: MixedValue, through upper: MixedValue) {
    operation = .between
    constant = .range(lower, upper)
  }

  init(_ matcher: TextMatcher, _ operation: ComparisonOperator, isBinary: Bool, needle: ByteView) {
    self.operation = operation
    constant = .text(matcher, isBinary: isBinary)
    self.needle = needle
  }

  init(words: TextSearch) {
    operation = .text
    constant = .words(words)
  }

  func matches(_ value: MixedValue) -> Bool {
    switch constant {
    case .value(let other): return ValueTest.compare(value, operation, other)
    case .oneOf(let values):
      // Floats and doubles are rounded to be compared with decimals, so that two that differ can
      // both equal a third: no order leads to it.
      return (hasFloatingNumbers || value.isFloatingNumber) && (hasDecimals || value.isDecimal)
        ? !value.isNaN && values.contains { $0.kind == value.kind && $0.isEqual(to: value) }
        : ValueTest.contains(values, value)
    case .range(let lower, let upper):
      return ValueTest.compare(value, .greaterOrEqual, lower)
        && ValueTest.compare(value, .lessOrEqual, upper)
    case .text(let matcher, let isBinary):
      switch value {
      case .string(let bytes): return matcher.matches(isBinary ? nil : bytes)
      case .binary(let bytes): return matcher.matches(isBinary ? bytes : nil)
      default: return matcher.matches(nil)
      }
    case .words(let search):
      if case .string(let bytes) = value { return search.matches(bytes) }
      return false
    }
  }

  /// Whether `left` and `right` pass a comparison that is not textual.
  @inline(__always)
  static func compare(
    _ left: MixedValue, _ operation: ComparisonOperator, _ right: MixedValue
  ) -> Bool {
    if operation.isTextual { return compareText(left, operation, right) }
    let kind = left.kind
    guard kind == right.kind, !left.isNaN, !right.isNaN else { return operation == .notEqual }
    if operation == .equal { return left.isEqual(to: right) }
    if operation == .notEqual { return !left.isEqual(to: right) }
    guard kind != 0 else { return false }
    let order = left.compare(to: right)
    return switch operation {
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    default: order >= 0
    }
  }

  /// A comparison of two stored values: two nulls are level.
  static func comparePair(
    _ left: MixedValue, _ operation: ComparisonOperator, _ right: MixedValue
  ) -> Bool {
    if left.isNull, right.isNull, operation == .lessOrEqual || operation == .greaterOrEqual {
      return true
    }
    return compare(left, operation, right)
  }

  /// A comparison of two stored values, of strings as the options say.
  static func compare(
    _ left: MixedValue, _ operation: ComparisonOperator, _ right: MixedValue, _ options: TextOptions
  ) -> Bool {
    guard !options.isEmpty, case .string(let bytes) = left, case .string(let part) = right else {
      return compare(left, operation, right)
    }
    return unsafe FoldedText.withFolded(part, options) { part in
      unsafe FoldedText.withFolded(bytes, options) {
        unsafe TextMatcher.matches($0, operation, part)
      }
    }
  }

  /// A textual comparison of two stored values, exact.
  private static func compareText(
    _ left: MixedValue, _ operation: ComparisonOperator, _ right: MixedValue
  ) -> Bool {
    switch (left, right) {
    case (.string(let bytes), .string(let part)), (.binary(let bytes), .binary(let part)):
      unsafe TextMatcher.matches(bytes.bytes, operation, part.bytes)
    default: false
    }
  }

  /// Whether an ascending array holds a value equal to `value`.
  private static func contains(_ values: [MixedValue], _ value: MixedValue) -> Bool {
    guard !value.isNaN else { return false }
    var low = 0
    var high = values.count
    while low < high {
      let middle = (low &+ high) &>> 1
      if values[middle].isOrdered(before: value) { low = middle &+ 1 } else { high = middle }
    }
    return low < values.count && values[low].isEqual(to: value)
  }
}
