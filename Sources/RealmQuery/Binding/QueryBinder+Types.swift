// SPDX-License-Identifier: Apache-2.0

// Comparisons with the types of values: `any.@type == 'numeric'`.

import RealmTables

extension QueryBinder {
  /// The comparison with names that may each be those of several types; nil for others.
  func typeTest(_ comparison: Comparison, _ sides: Sides) throws(QueryError) -> BoundPredicate? {
    guard [.equal, .notEqual, .in].contains(comparison.operation), let path = sides.left,
      path.lastPart == .type, !comparison.right.isComputed
    else { return nil }
    var types: [TableValue] = []
    let names =
      try isList(comparison.right)
      ? values(comparison.right, beside: path) ?? []
      : [constant(comparison.right, beside: path)]
    for name in names {
      // Other values are refused as such.
      guard case .value(.string(let name)) = name else { return nil }
      types += try QueryBinder.types(called: name).map { .string($0) }
    }
    let left = try operand(comparison.left)
    let isOther = comparison.operation == .notEqual
    let right = comparison.rightQuantifier ?? (isOther ? .all : .any)
    let isOne = BoundPredicate.comparison(BoundComparison(left, .in, .values(types)))
    if right == .any, !isOther, comparison.leftQuantifier != .all {
      return comparison.leftQuantifier == Quantifier.none ? .not(isOne) : isOne
    }
    if isOther, right == .all, comparison.leftQuantifier == nil, path.isSingle,
      !path.leadsIntoValues
    {
      return .not(isOne)
    }
    var bound = BoundComparison(left, isOther ? .notEqual : .equal, .values(types))
    bound.leftQuantifier = comparison.leftQuantifier ?? .any
    bound.rightQuantifier = right
    return .comparison(bound)
  }

  private static func types(called name: String) throws(QueryError) -> [String] {
    switch name {
    case "numeric": return ["int", "float", "double", "decimal128"]
    case "collection": return ["list", "dictionary"]
    case _ where names.contains(name): return [name]
    default:
      throw .invalid(
        "Invalid predicate: there is no type '\(name)' of values; there are numeric, collection, "
          + names.joined(separator: ", "))
    }
  }

  /// The names by which conditions are answered.
  private static let names = [
    "null", "int", "bool", "float", "double", "decimal128", "string", "data", "date", "objectId",
    "uuid", "object", "list", "dictionary",
  ]

  /// The name by which conditions are answered for any name of a type.
  static func typeName(_ name: String) -> String {
    switch name.lowercased() {
    case "integer": "int"
    case "boolean": "bool"
    case "binary": "data"
    case "timestamp": "date"
    case "decimal": "decimal128"
    case "objectid", "object id": "objectId"
    // Links to objects have the name "object" in conditions, where documents are dictionaries.
    case "link", "typedlink", "objectlink": "object"
    case "object": "dictionary"
    case "array": "list"
    case "nil": "null"
    default: name.lowercased()
    }
  }
}
