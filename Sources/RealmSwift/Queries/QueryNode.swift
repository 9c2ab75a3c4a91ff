// SPDX-License-Identifier: Apache-2.0

// What a `where` closure built: a tree of our own, from which the predicate and its text are made.

import RealmQuery
import RealmSession
import RealmTables

/// A part of a query.
///
/// Kept apart from `Predicate`, because objects among the constants turn into keys only when the
/// realm is known, and because the text names the constants by their Swift values.
indirect enum QueryNode {
  /// The object, or the element of a collection of values, that is asked about.
  case root
  case path(QueryPath)
  case constant(Any)
  case comparison(QueryNode, ComparisonOperator, QueryNode, TextOptions)
  /// A closed range; both ends are included.
  case between(QueryNode, Any, Any)
  /// Equality with one of several values.
  case oneOf(QueryNode, [Any])
  /// A collection that holds a value.
  case contains(QueryPath, Any)
  case and(QueryNode, QueryNode)
  case or(QueryNode, QueryNode)
  case not(QueryNode)
  /// The number of elements of the collection at the path's start that match all of a condition.
  case matchCount(QueryPath, QueryNode)
  case arithmetic(ArithmeticOperator, QueryNode, QueryNode)
  /// Values to compare with, each by itself.
  case list([Any])
  /// A comparison that must be true for more than one element.
  case quantified(QuantifiedComparison)
  /// The place that the path leads to is in a region; the shape is what the program gave.
  case within(QueryPath, GeoRegion, shape: Any)
}

/// A comparison of two nodes and for how many of their elements it must be true.
struct QuantifiedComparison {
  var leftQuantifier: Comparison.Quantifier
  var left: QueryNode
  var operation: ComparisonOperator
  var options: TextOptions
  var rightQuantifier: Comparison.Quantifier
  var right: QueryNode
}

extension QueryNode {
  /// The conditions that a chain of `&&` joins, from left to right, as one list: one within the
  /// other they would be as deep as the chain is long.
  var conjuncts: [QueryNode] {
    var rights: [QueryNode] = []
    var first = self
    while case .and(let left, let right) = first {
      rights.append(right)
      first = left
    }
    return [first] + rights.reversed()
  }

  /// The conditions that a chain of `||` joins, from left to right.
  var disjuncts: [QueryNode] {
    var rights: [QueryNode] = []
    var first = self
    while case .or(let left, let right) = first {
      rights.append(right)
      first = left
    }
    return [first] + rights.reversed()
  }

  /// The path of a node that is one.
  var path: QueryPath {
    switch self {
    case .path(let path): path
    case .root: QueryPath(names: [])
    default: throwRealmException("Key paths can only be applied to properties.")
    }
  }

  /// The node, about the elements of a collection instead of about an object by itself.
  ///
  /// Paths that begin further out stay as they are, one step nearer to where they begin.
  func prefixed(by collection: QueryPath) -> QueryNode {
    func prefixed(_ path: QueryPath) -> QueryPath {
      let base = path.base ?? 0
      if base < 0 {
        var path = path
        path.base = base + 1
        return path
      }
      var parts = collection.parts
      for (index, part) in path.parts { parts[collection.names.count + index] = part }
      return QueryPath(
        names: collection.names + path.names, base: base + collection.names.count,
        collectionLength: collection.names.count, function: path.function, parts: parts)
    }
    /// The collection of a subquery within another one.
    func inner(_ path: QueryPath) -> QueryPath {
      var inner = prefixed(path)
      inner.collectionLength =
        collection.names.count + (path.collectionLength ?? path.names.count)
      return inner
    }
    switch self {
    case .root: return .path(prefixed(QueryPath(names: [])))
    case .path(let path): return .path(prefixed(path))
    case .constant, .list: return self
    case .quantified(var comparison):
      comparison.left = comparison.left.prefixed(by: collection)
      comparison.right = comparison.right.prefixed(by: collection)
      return .quantified(comparison)
    case .comparison(let left, let operation, let right, let options):
      return .comparison(
        left.prefixed(by: collection), operation, right.prefixed(by: collection), options)
    case .between(let node, let lower, let upper):
      return .between(node.prefixed(by: collection), lower, upper)
    case .oneOf(let node, let values): return .oneOf(node.prefixed(by: collection), values)
    case .contains(let path, let value): return .contains(prefixed(path), value)
    case .and(let left, let right):
      return .and(left.prefixed(by: collection), right.prefixed(by: collection))
    case .or(let left, let right):
      return .or(left.prefixed(by: collection), right.prefixed(by: collection))
    case .not(let node): return .not(node.prefixed(by: collection))
    case .matchCount(let path, let condition):
      return .matchCount(inner(path), condition.prefixed(by: collection))
    case .arithmetic(let operation, let left, let right):
      return .arithmetic(operation, left.prefixed(by: collection), right.prefixed(by: collection))
    case .within(let path, let region, let shape):
      return .within(prefixed(path), region, shape: shape)
    }
  }
}
