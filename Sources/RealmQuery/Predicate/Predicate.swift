// SPDX-License-Identifier: Apache-2.0

// What a query asks, whichever language it was written in.
//
// The tree names properties; `Selection` binds it to the columns of one version. So it may be kept
// for as long as a live result lives, across versions and schema changes.

package import RealmTables

/// A condition on the objects of one table.
package indirect enum Predicate: Hashable, Sendable {
  /// Matches every object, or none.
  case constant(Bool)
  /// Matches where all of the conditions do; an empty list matches everything.
  case all([Predicate])
  /// Matches where at least one of the conditions does; an empty list matches nothing.
  case any([Predicate])
  case not(Predicate)
  case comparison(Comparison)
  /// The place that a path leads to is in a region.
  case within(PropertyPath, GeoRegion)
}

/// Two operands and what to hold them against each other for.
///
/// Where an operand leads through a collection, or is a list of values, quantifiers say for how
/// many of its elements the comparison must be true: for some, unless another one is given.
package struct Comparison: Hashable, Sendable {
  /// For how many elements something must be true.
  package enum Quantifier: Hashable, Sendable {
    case any, all, none
  }

  package var left: Operand
  package var operation: ComparisonOperator
  package var right: Operand
  /// How strings are compared; other types ignore it.
  package var options: TextOptions
  package var leftQuantifier = Quantifier.any
  /// For how many values on the right an element on the left must pass.
  package var rightQuantifier = Quantifier.any

  package init(
    _ left: Operand, _ operation: ComparisonOperator, _ right: Operand, options: TextOptions = []
  ) {
    self.left = left
    self.operation = operation
    self.right = right
    self.options = options
  }
}

/// What a comparison compares.
package indirect enum Operand: Hashable, Sendable {
  case value(TableValue)
  /// The right side of `in`, the two ends of `between`, and either side of comparisons of lists.
  case values([TableValue])
  case property(PropertyPath)
  /// The number of elements of a collection that match a condition of their own; values are called
  /// by the empty path in it.
  case matchCount(PropertyPath, Predicate)
  /// Within the condition of a `matchCount`: a property of the object whose collection is counted,
  /// or, from two levels on, of one whose collection that object was found in.
  case outer(Int, PropertyPath)
  /// What is computed from two numbers.
  case arithmetic(ArithmeticOperator, Operand, Operand)
}

extension Predicate {
  /// Whether the condition is about other objects than those whose elements it counts.
  var looksOut: Bool {
    switch self {
    case .constant, .within: false
    case .all(let parts), .any(let parts): parts.contains(where: \.looksOut)
    case .not(let part): part.looksOut
    case .comparison(let comparison): comparison.left.looksOut || comparison.right.looksOut
    }
  }
}

extension Predicate {
  /// Whether some condition is about a place.
  package var asksForPlaces: Bool {
    switch self {
    case .constant: false
    case .within: true
    case .all(let parts), .any(let parts): parts.contains(where: \.asksForPlaces)
    case .not(let part): part.asksForPlaces
    case .comparison(let comparison):
      comparison.left.asksForPlaces || comparison.right.asksForPlaces
    }
  }
}

extension Operand {
  fileprivate var asksForPlaces: Bool {
    switch self {
    case .value, .values, .property, .outer: false
    case .matchCount(_, let predicate): predicate.asksForPlaces
    case .arithmetic(_, let left, let right): left.asksForPlaces || right.asksForPlaces
    }
  }
}

extension Operand {
  fileprivate var looksOut: Bool {
    switch self {
    case .value, .values, .property: false
    case .outer: true
    // What looks two levels out passes through here.
    case .matchCount(_, let predicate): predicate.looksOut
    case .arithmetic(_, let left, let right): left.looksOut || right.looksOut
    }
  }
}

/// A number computed from a collection.
package enum CollectionFunction: String, Hashable, Sendable {
  case count, min, max, sum
  case average = "avg"
}

/// What a comparison asks.
package enum ComparisonOperator: Hashable, Sendable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  /// Within two values, both included.
  case between
  /// Equal to one of several values.
  case `in`
  case beginsWith, endsWith, contains
  /// Matches a pattern: `?` stands for one character, `*` for any number, and what is behind a
  /// backslash for itself.
  case like
  /// Has certain words; needs a full-text index.
  case text

  /// Whether the operator looks at parts of a string.
  package var isTextual: Bool {
    switch self {
    case .beginsWith, .endsWith, .contains, .like: true
    default: false
    }
  }

  /// The operator with its sides exchanged; nil if it has none.
  package var mirrored: ComparisonOperator? {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .between, .in, .beginsWith, .endsWith, .contains, .like, .text: nil
    }
  }
}

/// How strings are compared.
package struct TextOptions: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Upper and lower case are the same, accented letters included.
  package static let caseInsensitive = TextOptions(rawValue: 1)
  /// Letters with and without marks are the same.
  package static let diacriticInsensitive = TextOptions(rawValue: 2)
}
