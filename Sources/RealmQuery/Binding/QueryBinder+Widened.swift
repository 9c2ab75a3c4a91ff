// SPDX-License-Identifier: Apache-2.0

// Conditions for readers that compare Floats with Doubles, as texts of subscriptions have: servers
// that are deployed compare so.

import RealmTables

extension QueryBinder {
  /// The condition in which each number beside Float values is the Double that equals the Float it
  /// is compared as. So it selects the same objects whether or not numbers become Floats first.
  ///
  /// Paths that lead nowhere, and values that are no numbers, stay as they are.
  package func widened(_ predicate: Predicate) -> Predicate {
    predicate.replacing(widened) { $0 }
  }

  private func widened(_ comparison: Comparison) -> Comparison {
    var comparison = comparison
    let isLeftFloat = isFloat(comparison.left)
    if isFloat(comparison.right) { comparison.left = widened(comparison.left) }
    if isLeftFloat { comparison.right = widened(comparison.right) }
    comparison.left = inside(comparison.left)
    comparison.right = inside(comparison.right)
    return comparison
  }

  private func isFloat(_ operand: Operand) -> Bool {
    guard let path = operand.path, let bound = try? self.path(path) else { return false }
    return bound.comparedType == .float
  }

  /// The operand with the conditions of a subquery widened.
  private func inside(_ operand: Operand) -> Operand {
    guard case .matchCount(let collection, let condition) = operand,
      let path = try? self.path(collection)
    else { return operand }
    return .matchCount(collection, around(path).widened(condition))
  }

  /// A constant, or a list of them, beside Floats.
  private func widened(_ operand: Operand) -> Operand {
    switch operand {
    case .value(let value): .value(value.widened)
    case .longNumber(let digits): Float(digits).map { .value(.double(Double($0))) } ?? operand
    case .list(let elements): .list(elements.map { widened($0) })
    case .constant(let value), .argument(let value): widened(value).map { $0 } ?? operand
    case .path, .object, .region, .matchCount, .arithmetic, .condition: operand
    }
  }

  /// A value of the program as an operand; nil for one that is no number.
  private func widened(_ value: Any) -> Operand? {
    switch try? schema.argument(value) {
    case .value(let value): return .value(value.widened)
    case .list(let values): return .list(values().map { widened($0) ?? .constant($0) })
    case .range(let range) where range.isClosed:
      guard let lower = widened(range.lower), let upper = widened(range.upper) else { return nil }
      return .list([lower, upper])
    default: return nil
    }
  }
}

extension TableValue {
  /// The Double that equals the number as a Float; other values, and integers that Floats hold, as
  /// they are.
  fileprivate var widened: TableValue {
    guard case .float(let float) = converted(to: .float) else { return self }
    if case .int(let number) = self, Int64(exactly: float) == number { return self }
    return .double(Double(float))
  }
}

extension Predicate {
  /// The same condition, joined as it was, with other comparisons. It may be long, so it is gone
  /// through in a loop.
  ///
  /// - Parameter alone: Replaces the operands without a comparison.
  func replacing(
    _ replace: (Comparison) -> Comparison, alone: (Operand) -> Operand
  ) -> Predicate {
    enum Step {
      case visit(Predicate)
      case join(PredicateNode.Kind)
    }
    var steps = [Step.visit(self)]
    var done: [Predicate] = []
    while let step = steps.popLast() {
      switch step {
      case .visit(.node(let node)):
        steps.append(.join(node.kind))
        if node.kind != .not { steps.append(.visit(node.right)) }
        steps.append(.visit(node.left))
      case .visit(.comparison(let comparison)): done.append(.comparison(replace(comparison)))
      case .visit(.isTrue(let operand)): done.append(.isTrue(alone(operand)))
      case .visit(let other): done.append(other)
      case .join(.not): done.append(.not(done.removeLast()))
      case .join(let kind):
        let right = done.removeLast()
        let left = done.removeLast()
        done.append(kind == .and ? .and(left, right) : .or(left, right))
      }
    }
    return done[0]
  }
}
