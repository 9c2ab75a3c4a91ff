// SPDX-License-Identifier: Apache-2.0

// Comparisons of lists in query strings: `ALL items.price > 5`, `age == {18, 21}`,
// `ANY {1, 2} > ALL scores`.

import RealmQuery

extension QueryBinder {
  /// The comparison, if more than one element of a side counts, or if a side is a list; else nil.
  func lists(_ comparison: ParsedComparison) throws -> QueryNode? {
    var operation = comparison.operation
    let isRightList = isList(comparison.right) && operation != .in && operation != .between
    guard
      comparison.quantifier == .all || comparison.rightQuantifier != nil || isRightList
        || isList(comparison.left) || isMembership(comparison)
    else { return nil }
    guard operation != .between, operation != .text else {
      throw QueryMistake("Operator '\(operation.text)' cannot compare lists.")
    }
    if operation == .in { operation = .equal }
    let left = try side(comparison.left, beside: comparison.right)
    let right = try side(comparison.right, beside: comparison.left)
    if comparison.rightQuantifier != nil || comparison.operation == .in { try checkSide(right) }
    // What is one of several values can be found faster.
    if case .list(let values) = right, isPath(left), operation == .equal,
      comparison.options.isEmpty, comparison.quantifier != .all,
      comparison.rightQuantifier ?? .any == .any
    {
      let isOne = QueryNode.oneOf(left, values)
      return comparison.quantifier == .no ? .not(isOne) : isOne
    }
    return .quantified(
      QuantifiedComparison(
        leftQuantifier: quantifier(comparison.quantifier), left: left, operation: operation,
        options: comparison.options, rightQuantifier: quantifier(comparison.rightQuantifier),
        right: right))
  }

  /// `ALL` with an operator that has no right side to go through value by value: what must be true
  /// of each end of a range, or of no element the other way round.
  func eachElement(_ comparison: ParsedComparison) throws -> QueryNode? {
    guard comparison.quantifier == .all, comparison.rightQuantifier == nil else { return nil }
    switch comparison.operation {
    case .between:
      let left = try operand(comparison.left, beside: comparison.right)
      let range =
        try range(comparison.right)
        ?? ends(comparison.right, beside: comparison.left).map {
          QueryRange(lower: $0.lower, upper: $0.upper, isClosed: true, isCountable: false)
        }
      guard let range else { return nil }
      func all(_ operation: ComparisonOperator, _ end: Any) -> QueryNode {
        .quantified(
          QuantifiedComparison(
            leftQuantifier: .all, left: left, operation: operation, options: [],
            rightQuantifier: .any, right: .constant(end)))
      }
      return .and(
        all(.greaterOrEqual, range.lower), all(range.isClosed ? .lessOrEqual : .less, range.upper))
    case .text:
      guard case .keyPath(let path) = comparison.left else { return nil }
      return try allHaveWords(path, comparison)
    default: return nil
    }
  }

  /// `ALL list.text TEXT words`: as many elements have the words as there are.
  private func allHaveWords(
    _ parsed: ParsedKeyPath, _ comparison: ParsedComparison
  ) throws -> QueryNode? {
    guard case .path(let path) = try operand(comparison.left, beside: nil),
      let length = path.collectionLength, path.names.count > length, path.parts.isEmpty,
      !path.hasSeveralCollections
    else { return nil }
    let words = try operand(comparison.right, beside: comparison.left)
    var element = path
    element.base = length
    return .comparison(
      .matchCount(path, .not(.comparison(.path(element), .text, words, []))), .equal, .constant(0),
      [])
  }

  /// Whether a value of one path is looked for among those of another one.
  private func isMembership(_ comparison: ParsedComparison) -> Bool {
    guard comparison.operation == .in, case .keyPath = comparison.left,
      case .keyPath = comparison.right
    else { return false }
    return true
  }

  func quantifier(_ quantifier: ParsedComparison.Quantifier?) -> Comparison.Quantifier {
    switch quantifier {
    case nil, .any: .any
    case .all: .all
    case .no: .none
    }
  }

  /// Whether a side is a list of values, or an argument that is a collection of values.
  func isList(_ operand: ParsedOperand) -> Bool {
    switch operand {
    case .list: true
    case .argument(let number) where number < arguments.count:
      enumerable(QueryBinder.plain(arguments[number])) != nil
    default: false
    }
  }

  private func side(_ operand: ParsedOperand, beside other: ParsedOperand) throws -> QueryNode {
    isList(operand)
      ? .list(try values(operand, beside: other)) : try self.operand(operand, beside: other)
  }

  private func checkSide(_ node: QueryNode) throws {
    switch node {
    case .list: return
    case .path(let path) where path.collectionLength != nil || !path.parts.isEmpty: return
    default:
      throw QueryMistake(
        "Aggregate operations can only be used on key paths that include an collection property")
    }
  }
}
