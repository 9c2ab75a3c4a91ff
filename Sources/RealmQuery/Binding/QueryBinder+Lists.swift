// SPDX-License-Identifier: Apache-2.0

// Comparisons of lists: `ALL items.price > 5`, `age == {18, 21}`, `ANY {1, 2} > ALL scores`.

import RealmTables

extension QueryBinder {
  /// The comparison, if more than one element of a side counts, or if a side is a list; else nil.
  func lists(_ comparison: Comparison, _ sides: Sides) throws(QueryError) -> BoundPredicate? {
    var operation = comparison.operation
    guard try isOfLists(comparison, sides) else { return nil }
    guard operation != .between, operation != .text else {
      throw .invalid("Operator '\(operation.text)' cannot compare lists.")
    }
    if operation == .in { operation = .equal }
    let left = try side(comparison.left, beside: sides.right)
    let right = try side(comparison.right, beside: sides.left)
    if comparison.rightQuantifier != nil || comparison.operation == .in {
      try requireMany(right, sides.right)
    }
    // One of several values can be found faster.
    if case .values = right, comparison.left.isComputed, operation == .equal,
      comparison.options.isEmpty, comparison.leftQuantifier != .all,
      comparison.rightQuantifier ?? .any == .any
    {
      let isOne = BoundPredicate.comparison(BoundComparison(left, .in, right))
      return comparison.leftQuantifier == Quantifier.none ? .not(isOne) : isOne
    }
    var bound = BoundComparison(left, operation, right, options: comparison.options)
    bound.leftQuantifier = comparison.leftQuantifier ?? .any
    bound.rightQuantifier = comparison.rightQuantifier ?? .any
    return .comparison(bound)
  }

  private func isOfLists(_ comparison: Comparison, _ sides: Sides) throws(QueryError) -> Bool {
    if comparison.leftQuantifier == .all || comparison.rightQuantifier != nil { return true }
    if isOfContents(comparison, sides) { return false }
    if try isList(comparison.left) { return true }
    switch comparison.operation {
    // A value of one path is among those of another one.
    case .in: return sides.left != nil && sides.right != nil
    case .between: return false
    default: return try isList(comparison.right)
    }
  }

  /// Whether a value of any type is compared with an argument, which may be a list that equals it.
  private func isOfContents(_ comparison: Comparison, _ sides: Sides) -> Bool {
    guard comparison.operation == .equal || comparison.operation == .notEqual else { return false }
    return switch (comparison.left, comparison.right) {
    case (_, .argument): sides.left?.mayBeList ?? false
    case (.argument, _): sides.right?.mayBeList ?? false
    default: false
    }
  }

  private func side(
    _ operand: Operand, beside other: BoundPath?
  ) throws(QueryError) -> BoundOperand {
    if operand.isComputed { return try self.operand(operand) }
    if let values = try values(operand, beside: other) { return .values(try known(values)) }
    return .value(try stored(constant(operand, beside: other)))
  }

  private func requireMany(_ side: BoundOperand, _ path: BoundPath?) throws(QueryError) {
    if case .values = side { return }
    if let path, path.collectionLength != nil || !path.hasNoParts { return }
    throw QueryBinder.needsCollection
  }

  /// `ALL` with an operator that has no right side to go through value by value: a comparison with
  /// each end of a range, or one that no element fails.
  func eachElement(_ comparison: Comparison, _ sides: Sides) throws(QueryError) -> BoundPredicate? {
    guard comparison.leftQuantifier == .all, comparison.rightQuantifier == nil else { return nil }
    switch comparison.operation {
    case .between:
      let left = try operand(comparison.left)
      func all(
        _ operation: ComparisonOperator, _ end: QueryConstant
      ) throws(QueryError)
        -> BoundPredicate
      {
        var bound = BoundComparison(left, operation, .value(try stored(end)))
        bound.leftQuantifier = .all
        return .comparison(bound)
      }
      if let range = try range(comparison.right) {
        return .all([
          try all(.greaterOrEqual, constant(range.lower)),
          try all(range.isClosed ? .lessOrEqual : .less, constant(range.upper)),
        ])
      }
      guard let ends = try values(comparison.right, beside: sides.left), ends.count == 2 else {
        return nil
      }
      return .all([try all(.greaterOrEqual, ends[0]), try all(.lessOrEqual, ends[1])])
    case .text:
      guard let path = sides.left else { return nil }
      return try allHaveWords(path, comparison.right)
    default: return nil
    }
  }

  /// `ALL list.text TEXT words`: no element fails to have the words.
  private func allHaveWords(
    _ path: BoundPath, _ words: Operand
  ) throws(QueryError) -> BoundPredicate? {
    guard let (collection, element) = path.columnsAtCollection, !element.names.isEmpty,
      path.hasNoParts, !path.hasSeveralCollections
    else { return nil }
    let words = BoundOperand.value(try stored(constant(words, beside: path)))
    let fails = BoundPredicate.not(.comparison(BoundComparison(.property(element), .text, words)))
    return .comparison(
      BoundComparison(.matchCount(collection, fails), .equal, .value(.int(0))))
  }
}
