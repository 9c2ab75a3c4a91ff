// SPDX-License-Identifier: Apache-2.0

// Conditions of rules about a user and a partition (P4 C.1).
//
// Invariants:
// 1. A missing value equals nothing, not even another missing one: a rule comparing two
//    of them grants nothing.

package import RealmFormats

/// A condition about a user and a partition.
package indirect enum RuleExpression: Hashable, Sendable {
  case constant(Bool)
  case all([RuleExpression])
  case any([RuleExpression])
  case comparison(RuleTerm, RuleOperator)

  /// Whether the condition holds.
  package func holds(in context: RuleContext) -> Bool {
    switch self {
    case .constant(let value): value
    case .all(let parts): parts.allSatisfy { $0.holds(in: context) }
    case .any(let parts): parts.contains { $0.holds(in: context) }
    case .comparison(let term, let comparison):
      comparison.holds(for: term.value(in: context), in: context)
    }
  }

  /// Whether the expression reads an expansion.
  package func reads(_ expansion: RuleExpansion) -> Bool {
    switch self {
    case .constant: false
    case .all(let parts), .any(let parts): parts.contains { $0.reads(expansion) }
    case .comparison(let term, let comparison):
      term.reads(expansion) || comparison.reads(expansion)
    }
  }
}

/// The right side of a comparison.
package enum RuleOperator: Hashable, Sendable {
  case equal(RuleTerm)
  case notEqual(RuleTerm)
  /// The value, or one of its elements, is an element of a list.
  case isIn(RuleTerm)
  case exists(Bool)

  func holds(for value: BSONValue?, in context: RuleContext) -> Bool {
    switch self {
    case .equal(let term): RuleComparison.isEqual(value, term.value(in: context))
    case .notEqual(let term): !RuleComparison.isEqual(value, term.value(in: context))
    case .isIn(let term):
      if case .array(let elements)? = term.value(in: context) {
        elements.contains { RuleComparison.isEqual(value, $0) }
      } else {
        false
      }
    case .exists(let expected): (value != nil) == expected
    }
  }

  func reads(_ expansion: RuleExpansion) -> Bool {
    switch self {
    case .equal(let term), .notEqual(let term), .isIn(let term): term.reads(expansion)
    case .exists: false
    }
  }
}

/// A side of a comparison.
package enum RuleTerm: Hashable, Sendable {
  case value(BSONValue)
  case expansion(RuleExpansion)
  case list([RuleTerm])

  /// The value; nil if it is missing. A list lacks its missing elements.
  func value(in context: RuleContext) -> BSONValue? {
    switch self {
    case .value(let value): value
    case .expansion(let expansion): context.value(of: expansion)
    case .list(let terms): .array(terms.compactMap { $0.value(in: context) })
    }
  }

  func reads(_ expansion: RuleExpansion) -> Bool {
    switch self {
    case .value: false
    case .expansion(let other): other == expansion
    case .list(let terms): terms.contains { $0.reads(expansion) }
    }
  }
}

/// Values compared by rules.
package enum RuleComparison {
  /// Whether two values are equal, or the first is an array with an element equal to the second.
  static func isEqual(_ left: BSONValue?, _ right: BSONValue?) -> Bool {
    guard let left, let right else { return false }
    if normal(left) == normal(right) { return true }
    if case .array = right { return false }
    guard case .array(let elements) = left else { return false }
    return elements.contains { normal($0) == normal(right) }
  }

  /// One form for equal numbers of different types.
  package static func normal(_ value: BSONValue) -> BSONValue {
    switch value {
    case .int32(let number): .int64(Int64(number))
    case .double(let number): Int64(exactly: number).map { .int64($0) } ?? value
    case .array(let elements): .array(elements.map(normal))
    default: value
    }
  }
}
