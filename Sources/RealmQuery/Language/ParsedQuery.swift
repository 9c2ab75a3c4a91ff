// SPDX-License-Identifier: Apache-2.0

// What a query string says, before anything is known of the schema or the arguments.

/// A query string, read.
package struct ParsedQuery: Hashable, Sendable {
  /// What changes the matches after they are found, in the order it was written.
  package enum Modifier: Hashable, Sendable {
    /// Key paths and whether each ascends.
    case sort([SortTerm])
    case distinct([ParsedKeyPath])
    case limit(ParsedOperand)
    case offset(ParsedOperand)
  }

  /// One part of an order.
  package struct SortTerm: Hashable, Sendable {
    package var keyPath: ParsedKeyPath
    package var isAscending: Bool
  }

  package var condition: ParsedCondition
  package var modifiers: [Modifier]
}

/// A condition as it was written.
package indirect enum ParsedCondition: Hashable, Sendable {
  case constant(Bool)
  case and([ParsedCondition])
  case or([ParsedCondition])
  case not(ParsedCondition)
  case comparison(ParsedComparison)
}

/// One comparison as it was written.
package struct ParsedComparison: Hashable, Sendable {
  /// For how many elements of a collection a comparison must be true.
  package enum Quantifier: Hashable, Sendable {
    case any, all, no
  }

  /// Nil where nothing is said, which means `any`.
  package var quantifier: Quantifier?
  package var left: ParsedOperand
  /// The operator if it is one that no type supports, in place of `operation`.
  package var unsupported: String?
  package var operation: ComparisonOperator
  package var options: TextOptions
  /// For how many elements of the right side; nil means `any`.
  package var rightQuantifier: Quantifier?
  package var right: ParsedOperand

  package init(
    quantifier: Quantifier?, left: ParsedOperand, operation: ComparisonOperator,
    options: TextOptions, rightQuantifier: Quantifier? = nil, right: ParsedOperand
  ) {
    self.quantifier = quantifier
    self.left = left
    self.operation = operation
    self.options = options
    self.rightQuantifier = rightQuantifier
    self.right = right
  }
}

/// What a comparison compares, as it was written.
package indirect enum ParsedOperand: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  /// The digits of a number that has more than a `Double` keeps.
  case longNumber(String)
  case string(String)
  /// Seconds and nanoseconds since 1970.
  case time(Int64, Int32)
  /// `oid(…)`: the digits of an object id.
  case objectId(String)
  /// `uuid(…)`.
  case uuid(String)
  /// `B64"…"`: bytes in base 64.
  case base64(String)
  /// `obj(Class, key)`: the object of a class with that primary key.
  case object(String, ParsedOperand)
  /// A region of the earth.
  case region(ParsedRegion)
  /// The argument of that number.
  case argument(Int)
  case list([ParsedOperand])
  case keyPath(ParsedKeyPath)
  /// The number of elements of a collection that match a condition on a variable.
  case matchCount(ParsedKeyPath, ParsedCondition)
  case arithmetic(ArithmeticOperator, ParsedOperand, ParsedOperand)
}

/// A region of the earth as it was written; points are longitude, latitude and perhaps altitude.
package indirect enum ParsedRegion: Hashable, Sendable {
  /// `geoBox([…], […])`
  case box([ParsedOperand], [ParsedOperand])
  /// `geoCircle([…], radius)`, with the radius in radians.
  case circle([ParsedOperand], ParsedOperand)
  /// `geoPolygon({[…], …}, …)`: the outer ring, and holes.
  case polygon([[[ParsedOperand]]])
}

/// A key path as it was written.
package struct ParsedKeyPath: Hashable, Sendable {
  /// One step of a key path.
  package enum Component: Hashable, Sendable {
    case name(String)
    /// The argument of that number is a key path of its own.
    case argument(Int)
    /// The objects that link here: class and property.
    case links(String, String)
    /// `@count`, `@min` and so on, without the sign.
    case function(String)
    /// What stands in brackets.
    case index(ParsedOperand)
    /// `[*]` and `[#any]`: every element.
    case anyIndex
    /// `[FIRST]` and `[LAST]`.
    case firstIndex, lastIndex
  }

  /// Empty for `SELF`.
  package var components: [Component]
  /// How many subqueries further out the path begins than those around it say: 0 for the variable
  /// of the innermost one, and for names alone.
  package var level = 0
}
