// SPDX-License-Identifier: Apache-2.0

// Comparisons with the types of values: `any.@type == 'numeric'`.

import RealmQuery

extension QueryBinder {
  /// The comparison with the names of types that stand for several spelled out; nil for others.
  func typeTest(_ comparison: ParsedComparison) throws -> QueryNode? {
    guard [.equal, .notEqual, .in].contains(comparison.operation),
      case .keyPath(let parsed) = comparison.left, try paths.path(parsed).lastParts.last == .type
    else { return nil }
    let names: [Any]
    switch comparison.right {
    case .keyPath, .matchCount, .arithmetic: return nil
    case _ where isList(comparison.right):
      names = try values(comparison.right, beside: comparison.left)
    default: names = [try fitting(value(comparison.right), beside: comparison.left)]
    }
    var types: [String] = []
    for name in names {
      // What is no text is refused as such.
      guard let name = name as? String else { return nil }
      types += try QueryBinder.types(called: name)
    }
    let left = try operand(comparison.left, beside: nil)
    let isOther = comparison.operation == .notEqual
    let right = comparison.rightQuantifier ?? (isOther ? .all : .any)
    if right == .any, !isOther, comparison.quantifier != .all {
      let isOne = QueryNode.oneOf(left, types)
      return comparison.quantifier == .no ? .not(isOne) : isOne
    }
    if isOther, right == .all, comparison.quantifier == nil, try isSingle(paths.path(parsed)) {
      return .not(.oneOf(left, types))
    }
    return .quantified(
      QuantifiedComparison(
        leftQuantifier: quantifier(comparison.quantifier), left: left,
        operation: isOther ? .notEqual : .equal, options: [], rightQuantifier: quantifier(right),
        right: .list(types)))
  }

  /// Whether a path leads to one value, whatever the object.
  private func isSingle(_ path: QueryPath) -> Bool {
    path.collectionLength == nil
      && !path.parts.values.joined().contains { [.any, .keys, .values].contains($0) }
  }

  /// The types that a name stands for.
  private static func types(called name: String) throws -> [String] {
    switch name {
    case "numeric": return ["int", "float", "double", "decimal128"]
    case "collection": return ["list", "dictionary"]
    case _ where names.contains(name): return [name]
    default:
      throw QueryMistake(
        "Invalid predicate: there is no type '\(name)' of values; there are numeric, collection, "
          + names.joined(separator: ", "))
    }
  }

  /// As the engine calls them.
  private static let names = [
    "null", "int", "bool", "float", "double", "decimal128", "string", "data", "date", "objectId",
    "uuid", "object", "list", "dictionary",
  ]

  /// The name that the engine has for a type.
  static func typeName(_ name: String) -> String {
    switch name.lowercased() {
    case "integer": "int"
    case "boolean": "bool"
    case "binary": "data"
    case "timestamp": "date"
    case "decimal": "decimal128"
    case "objectid", "object id": "objectId"
    case "link", "typedlink", "objectlink": "object"
    case "array": "list"
    case "nil": "null"
    default: name.lowercased()
    }
  }
}
