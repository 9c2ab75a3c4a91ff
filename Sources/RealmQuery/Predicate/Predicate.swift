// SPDX-License-Identifier: Apache-2.0

// A condition as it was written: the one tree that query strings, the `where` DSL and Foundation's
// `#Predicate` are turned into.
//
// It names properties and has the values of the program as they are. `QueryBinder` resolves both
// against the classes of a realm, into a `BoundPredicate`.

/// A condition on the objects of a class, or on values.
///
/// Chains of `and` and `or` are as deep as they are long, so that adding a condition costs the same
/// for any length; `conjuncts` and `disjuncts` flatten them.
package indirect enum Predicate {
  /// Matches everything, or nothing.
  case constant(Bool)
  case and(Predicate, Predicate)
  case or(Predicate, Predicate)
  case not(Predicate)
  case comparison(Comparison)
  /// A property alone, which must be true.
  case isTrue(Operand)
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
    _ left: Operand, _ operation: ComparisonOperator, _ right: Operand, options: TextOptions = [],
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

  /// The conditions that a chain of `and` joins, from left to right.
  var conjuncts: [Predicate] {
    var rights: [Predicate] = []
    var first = self
    while case .and(let left, let right) = first {
      rights.append(right)
      first = left
    }
    return [first] + rights.reversed()
  }

  /// The conditions that a chain of `or` joins, from left to right.
  var disjuncts: [Predicate] {
    var rights: [Predicate] = []
    var first = self
    while case .or(let left, let right) = first {
      rights.append(right)
      first = left
    }
    return [first] + rights.reversed()
  }
}
