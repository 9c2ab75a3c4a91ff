// SPDX-License-Identifier: Apache-2.0

// A condition after binding: by the names of columns, and with values as they are stored.
//
// `Selection` binds it to the columns of one version. So it may be kept for as long as a live
// result lives, across versions and schema changes, and be used by any thread.

package import RealmTables

/// A condition on the objects of one table, or on values.
package indirect enum BoundPredicate: Hashable, Sendable {
  /// Matches every object, or none.
  case constant(Bool)
  /// Matches where all of the conditions do; an empty list matches everything.
  case all([BoundPredicate])
  /// Matches where at least one of the conditions does; an empty list matches nothing.
  case any([BoundPredicate])
  case not(BoundPredicate)
  case comparison(BoundComparison)
  /// The position on the earth that a path leads to is in a region.
  case within(ColumnPath, GeoRegion)
}

/// Two operands and how they are compared.
///
/// Where an operand leads through a collection, or is a list of values, quantifiers say for how
/// many of its elements the comparison must be true: for some, unless another one is given.
package struct BoundComparison: Hashable, Sendable {
  package var left: BoundOperand
  package var operation: ComparisonOperator
  package var right: BoundOperand
  /// The comparison of strings; other types ignore it.
  package var options: TextOptions
  package var leftQuantifier = Quantifier.any
  /// For how many values on the right an element on the left must pass.
  package var rightQuantifier = Quantifier.any

  package init(
    _ left: BoundOperand, _ operation: ComparisonOperator, _ right: BoundOperand,
    options: TextOptions = .none
  ) {
    self.left = left
    self.operation = operation
    self.right = right
    self.options = options
  }
}

/// One side of a comparison.
package indirect enum BoundOperand: Hashable, Sendable {
  case value(TableValue)
  /// The right side of `in`, the two ends of `between`, and either side of comparisons of lists.
  case values([TableValue])
  case property(ColumnPath)
  /// The number of elements of a collection that match a condition of their own; values are called
  /// by the empty path in it. The path begins so many levels out, as that of `outer`.
  case matchCount(ColumnPath, BoundPredicate, level: Int = 0)
  /// Within the condition of a `matchCount`: a property of the object whose collection is counted,
  /// or, from two levels on, of one whose collection that object was found in.
  case outer(Int, ColumnPath)
  case arithmetic(ArithmeticOperator, BoundOperand, BoundOperand)
}

extension BoundPredicate {
  /// Both conditions, in one list: filters of filters nest no deeper.
  func and(_ other: BoundPredicate) -> BoundPredicate {
    var parts: [BoundPredicate] = []
    for condition in [self, other] {
      if case .all(let own) = condition { parts += own } else { parts.append(condition) }
    }
    return .all(parts)
  }

  /// Whether the condition is about other objects than those whose elements it counts.
  var usesOuterScope: Bool {
    switch self {
    case .constant, .within: false
    case .all(let parts), .any(let parts): parts.contains(where: \.usesOuterScope)
    case .not(let part): part.usesOuterScope
    case .comparison(let comparison):
      comparison.left.usesOuterScope || comparison.right.usesOuterScope
    }
  }

  /// Whether some condition is about a position on the earth.
  package var asksForPositions: Bool {
    switch self {
    case .constant: false
    case .within: true
    case .all(let parts), .any(let parts): parts.contains(where: \.asksForPositions)
    case .not(let part): part.asksForPositions
    case .comparison(let comparison):
      comparison.left.asksForPositions || comparison.right.asksForPositions
    }
  }
}

extension BoundOperand {
  fileprivate var usesOuterScope: Bool {
    switch self {
    case .value, .values, .property: false
    case .outer: true
    // An operand of two levels further out passes through here.
    case .matchCount(_, let predicate, let level): level > 0 || predicate.usesOuterScope
    case .arithmetic(_, let left, let right): left.usesOuterScope || right.usesOuterScope
    }
  }

  fileprivate var asksForPositions: Bool {
    switch self {
    case .value, .values, .property, .outer: false
    case .matchCount(_, let predicate, _): predicate.asksForPositions
    case .arithmetic(_, let left, let right): left.asksForPositions || right.asksForPositions
    }
  }
}
