// SPDX-License-Identifier: Apache-2.0

// The sides of comparisons, as they were written.

package import RealmTables

/// A property, a constant, or a value that is computed from them.
package indirect enum Operand {
  /// The object, or the value of a collection, itself is the empty path.
  case path(PropertyPath)
  /// A literal of a query string.
  case value(TableValue)
  /// The digits of a literal that has more than a `Double` keeps.
  case longNumber(String)
  /// `obj(Class, key)`: the object of a class with that primary key.
  case object(String, Operand)
  case region(RegionLiteral)
  /// A value of the program.
  case constant(Any)
  /// An argument of a query string: a value, several values, a range, or a region of the earth.
  case argument(Any)
  case list([Operand])
  /// The number of elements of a collection that match a condition of their own. A path in it that
  /// has no level begins at the element.
  case matchCount(PropertyPath, Predicate)
  case arithmetic(ArithmeticOperator, Operand, Operand)
  /// A condition used as a value, which is a mistake where it is compared.
  case condition(Predicate)
}

/// A region of the earth as a query string spells it; points are longitude, latitude and perhaps
/// altitude.
package enum RegionLiteral {
  /// `geoBox([…], […])`
  case box([Operand], [Operand])
  /// `geoCircle([…], radius)`, with the radius in radians.
  case circle([Operand], Operand)
  /// `geoPolygon({[…], …}, …)`: the outer ring, and holes.
  case polygon([[[Operand]]])
}

/// A number computed from a collection.
package enum CollectionFunction: String, Hashable, Sendable {
  case count, min, max, sum
  case average = "avg"
}

/// An operation on two numbers.
package enum ArithmeticOperator: String, Hashable, Sendable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  /// The remainder of an integer division.
  case remainder = "%"
}

extension Operand {
  /// The path that the operand is; nil for others.
  package var path: PropertyPath? {
    if case .path(let path) = self { path } else { nil }
  }
}
