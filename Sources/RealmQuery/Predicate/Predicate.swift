// SPDX-License-Identifier: Apache-2.0

// A condition as it was written: the one tree that query strings, the `where` DSL and Foundation's
// `#Predicate` are turned into.
//
// It names properties and has the values of the program as they are. `QueryBinder` resolves both
// against the classes of a realm, into a `BoundPredicate`.

/// A condition on the objects of a class, or on values.
package enum Predicate {
  /// Matches everything, or nothing.
  case constant(Bool)
  case comparison(Comparison)
  /// A property alone, which must be true.
  case isTrue(Operand)
  /// Conditions that are joined, or one that is negated.
  case node(PredicateNode)

  /// Both conditions. Constant time, also where a chain gets longer.
  package static func and(_ left: Predicate, _ right: Predicate) -> Predicate {
    .node(PredicateNode(.and, left, right))
  }

  /// At least one of two conditions. Constant time, also where a chain gets longer.
  package static func or(_ left: Predicate, _ right: Predicate) -> Predicate {
    .node(PredicateNode(.or, left, right))
  }

  /// The opposite of a condition.
  package static func not(_ part: Predicate) -> Predicate { .node(PredicateNode(.not, part)) }
}

/// Two operands, how they are compared, and for how many of their elements that must be true.
package struct Comparison {
  package var leftQuantifier: Quantifier?
  package var left: Operand
  package var operation: ComparisonOperator
  /// The comparison of strings; other types ignore it.
  package var options: TextOptions
  package var rightQuantifier: Quantifier?
  package var right: Operand

  package init(
    _ left: Operand, _ operation: ComparisonOperator, _ right: Operand,
    options: TextOptions = .none,
    leftQuantifier: Quantifier? = nil, rightQuantifier: Quantifier? = nil
  ) {
    self.leftQuantifier = leftQuantifier
    self.left = left
    self.operation = operation
    self.options = options
    self.rightQuantifier = rightQuantifier
    self.right = right
  }
}

/// For how many elements of a collection a comparison must be true: for some, where none is given.
///
/// Query strings have to name one, unless the operator is about the collection as a whole.
package enum Quantifier: Hashable, Sendable {
  case any, all, none
}

extension Predicate {
  /// The conditions joined, from left to right; nil if there are none.
  package static func joined(
    _ conditions: some Sequence<Predicate>, _ join: (Predicate, Predicate) -> Predicate
  ) -> Predicate? {
    var result: Predicate?
    for condition in conditions { result = result.map { join($0, condition) } ?? condition }
    return result
  }

  /// The conditions that a chain of `and`, or of `or`, joins, from left to right, whichever were
  /// joined first; the condition itself if it is no such chain.
  package func parts(of kind: PredicateNode.Kind) -> [Predicate] {
    var parts: [Predicate] = []
    var waiting = [self]
    while let next = waiting.popLast() {
      if case .node(let node) = next, node.kind == kind {
        waiting.append(node.right)
        waiting.append(node.left)
      } else {
        parts.append(next)
      }
    }
    return parts
  }

  /// The comparisons and constants that the condition consists of, from left to right.
  package var leaves: [Predicate] {
    var leaves: [Predicate] = []
    var waiting = [self]
    while let next = waiting.popLast() {
      guard case .node(let node) = next else {
        leaves.append(next)
        continue
      }
      if node.kind != .not { waiting.append(node.right) }
      waiting.append(node.left)
    }
    return leaves
  }
}
