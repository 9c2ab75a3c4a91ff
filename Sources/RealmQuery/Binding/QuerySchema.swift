// SPDX-License-Identifier: Apache-2.0

// The part of the program that binding has to know: its classes, and how its values are stored.
// The layer above implements it.

package import RealmTables

/// The classes of a realm, and its values.
package protocol QuerySchema {
  /// The class of that name; nil if there is none.
  func queryClass(named name: String) -> (any QueryClass)?

  /// A value of the program as queries compare it; nil if they cannot.
  ///
  /// - Throws: `QueryError.invalid` for an object of another file.
  func constant(_ value: Any) throws(QueryError) -> QueryConstant?

  /// An argument of a query string, which may also be several values, a range or a region.
  func argument(_ value: Any) throws(QueryError) -> QueryConstant?

  /// A number with more digits than a `Double` keeps; nil if it is none.
  func decimal(_ digits: String) -> TableValue?

  /// The object of a class with a primary key. A missing one is one of no realm.
  ///
  /// - Throws: `QueryError.invalid` if there is no such class, or if it has no such keys.
  func object(ofClass name: String, primaryKey: TableValue) throws(QueryError) -> QueryConstant
}

/// A class whose properties key paths name.
package protocol QueryClass {
  var className: String { get }

  /// The property of that name; nil if there is none.
  func queryProperty(named name: String) -> QueryProperty?

  /// The names of all properties, for messages.
  var queryPropertyNames: [String] { get }
}

/// A property as key paths lead through it.
package struct QueryProperty {
  /// The name of the column; of backlinks, `@links.Class.column`.
  package let columnName: String
  /// The type of the values; `link` and `backlink` lead to objects.
  package let type: ColumnType
  package let collection: CollectionKind
  /// The class of the objects that the property leads to.
  package let target: (any QueryClass)?

  package init(
    columnName: String, type: ColumnType, collection: CollectionKind, target: (any QueryClass)?
  ) {
    self.columnName = columnName
    self.type = type
    self.collection = collection
    self.target = target
  }

  /// Whether the property has any number of values.
  var isMany: Bool { collection != .none || type == .backlink }
}

/// A value of the program as queries compare it.
package enum QueryConstant {
  case value(TableValue)
  /// An object, and the link to it; nil for one that the realm does not have, which equals none.
  /// The class is nil where it does not matter: in values of any type.
  case object(className: String?, TableValue?)
  /// An embedded object outside of the database, which equals those with the same values.
  case members([(name: String, value: Any)])
  /// A list or dictionary that a value of any type may be equal to: the name of its type, its
  /// elements, and how it is stored.
  case collection(type: String, elements: [(CollectionPart, Any)], stored: TableValue?)
  /// Several values, made when they are asked for.
  case list(() -> [Any])
  case range(QueryRange)
  case region(GeoRegion)
}

/// A range among the arguments of a query: `age BETWEEN %@` with `18...65`.
package struct QueryRange {
  package let lower: Any
  package let upper: Any
  /// Whether the upper end belongs to it.
  package let isClosed: Bool
  /// The elements, if they can be enumerated as those of ranges of integers can.
  package var elements: (any Sequence<Int>)?
}

extension QueryRange {
  /// The range that a value of the standard library is; nil for other values.
  package init?(_ value: Any) {
    guard let range = (value as? any RangeArgument)?.queryRange else { return nil }
    self = range
  }
}

/// Ranges of the standard library.
private protocol RangeArgument {
  var queryRange: QueryRange { get }
}

extension ClosedRange: RangeArgument {
  fileprivate var queryRange: QueryRange {
    QueryRange(
      lower: lowerBound, upper: upperBound, isClosed: true, elements: self as? ClosedRange<Int>)
  }
}

extension Range: RangeArgument {
  fileprivate var queryRange: QueryRange {
    guard let range = self as? Range<Int> else {
      return QueryRange(lower: lowerBound, upper: upperBound, isClosed: false)
    }
    if range.isEmpty {
      return QueryRange(lower: lowerBound, upper: upperBound, isClosed: false, elements: range)
    }
    return QueryRange(
      lower: range.lowerBound, upper: range.upperBound - 1, isClosed: true, elements: range)
  }
}

extension QueryClass {
  /// The names of the columns of properties, each of the class that the one before leads to. Names
  /// of no property stay as they are.
  package func columnNames(_ names: [String], in schema: any QuerySchema) -> [String] {
    var owner: (any QueryClass)? = self
    return names.map { name in
      let property = owner?.queryProperty(named: name)
      owner = property?.target
      if property == nil, name.hasPrefix("@links.") {
        // The path goes on with the class whose links these are.
        let origin = name.split(separator: ".", maxSplits: 2).dropFirst().first
        owner = origin.flatMap { schema.queryClass(named: String($0)) }
      }
      return property?.columnName ?? name
    }
  }
}
