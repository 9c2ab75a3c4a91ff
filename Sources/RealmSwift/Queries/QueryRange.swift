// SPDX-License-Identifier: Apache-2.0

// Ranges among the arguments of query strings: `age BETWEEN %@` with `18...65`.

import RealmQuery

/// A range of the program as an argument of a query.
struct QueryRange {
  let lower: Any
  let upper: Any
  /// Whether the upper end belongs to it.
  let isClosed: Bool
  /// Whether it could be enumerated, as ranges of integers can.
  let isCountable: Bool

  /// The condition that values lie in the range.
  func condition(_ values: QueryNode) -> QueryNode {
    if isClosed { return .between(values, lower, upper) }
    return .and(
      .comparison(values, .greaterOrEqual, .constant(lower), []),
      .comparison(values, .less, .constant(upper), []))
  }

  /// Whether the condition means the same as being one of the values, and there need not be as many
  /// constants: between integers there are no others, and of others there is no end.
  func isCheaper(than operand: ParsedOperand, _ paths: QueryPathBinder) throws -> Bool {
    guard isCountable else { return true }
    guard isClosed, case .keyPath(let path) = operand else { return false }
    return try paths.type(path) == .int
  }
}

extension QueryBinder {
  /// The range that an argument is.
  func range(_ operand: ParsedOperand) -> QueryRange? {
    guard case .argument(let number) = operand, number < arguments.count,
      let range = unwrapped(arguments[number]) as? any RangeArgument
    else { return nil }
    return range.queryRange
  }
}

/// Ranges of the standard library.
private protocol RangeArgument {
  var queryRange: QueryRange { get }
}

extension ClosedRange: RangeArgument {
  fileprivate var queryRange: QueryRange {
    QueryRange(
      lower: lowerBound, upper: upperBound, isClosed: true, isCountable: Bound.self is Int.Type)
  }
}

extension Range: RangeArgument {
  fileprivate var queryRange: QueryRange {
    if let lower = lowerBound as? Int, let upper = upperBound as? Int, lower < upper {
      return QueryRange(lower: lower, upper: upper - 1, isClosed: true, isCountable: true)
    }
    return QueryRange(
      lower: lowerBound, upper: upperBound, isClosed: false, isCountable: Bound.self is Int.Type)
  }
}
