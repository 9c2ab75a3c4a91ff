// SPDX-License-Identifier: Apache-2.0

// What the expressions of Foundation's predicates stand for in terms of queries.
//
// Queries know no `a ? b : c` and no `a ?? b`. So a value is a choice between several, each with
// the condition under which it is the one, and what is asked of it is asked of each of them.

import RealmQuery

/// What an expression of a predicate stands for.
indirect enum PredicateMeaning {
  /// True or false.
  case condition(QueryNode)
  /// One of several values; their conditions exclude each other.
  case choice([PredicateCase])
  /// Those elements of a collection that meet a condition.
  case elements(QueryPath, QueryNode)

  /// One value, whatever the object.
  static func value(_ node: QueryNode) -> PredicateMeaning {
    .choice([PredicateCase(condition: nil, value: node)])
  }

  static var null: PredicateMeaning { value(.null) }
}

/// One value that an expression may have.
struct PredicateCase {
  /// When it has it; nil means always.
  var condition: QueryNode?
  /// A path, a constant, or what is computed from them.
  var value: QueryNode

  /// The case under one more condition.
  func under(_ other: QueryNode?) -> PredicateCase {
    PredicateCase(condition: QueryNode.both(other, condition), value: value)
  }
}

extension PredicateMeaning {
  /// So many cases are more than anybody writes by hand.
  static let maximumCaseCount = 256

  /// The values, of which a condition has two.
  func cases(of type: Any.Type) throws -> [PredicateCase] {
    switch self {
    case .condition(let condition):
      [
        PredicateCase(condition: condition, value: .constant(true)),
        PredicateCase(condition: condition.negated, value: .constant(false)),
      ]
    case .choice(let cases): cases
    case .elements: throw PredicateTranslationError(type)
    }
  }

  /// The condition that the value is true.
  func condition(of type: Any.Type) throws -> QueryNode {
    if case .condition(let condition) = self { return condition }
    var result = QueryNode.constant(false)
    for one in try cases(of: type) {
      let isTrue: QueryNode
      switch one.value {
      case .constant(let value): isTrue = .constant(unwrapped(value) as? Bool ?? false)
      case .path, .root: isTrue = .comparison(one.value, .equal, .constant(true), [])
      default: throw PredicateTranslationError(type)
      }
      result = result.either(QueryNode.both(one.condition, isTrue) ?? isTrue)
    }
    return result
  }

  /// What becomes of each value.
  func mapped(
    _ type: Any.Type, _ transform: (QueryNode) throws -> PredicateMeaning
  ) throws -> PredicateMeaning {
    let cases = try cases(of: type)
    if cases.count == 1, cases[0].condition == nil { return try transform(cases[0].value) }
    var results: [PredicateCase] = []
    for one in cases {
      results += try transform(one.value).cases(of: type).map { $0.under(one.condition) }
    }
    guard results.count <= PredicateMeaning.maximumCaseCount else {
      throw PredicateTranslationError("A predicate distinguishes too many cases.")
    }
    return .choice(results)
  }
}

extension QueryNode {
  static var null: QueryNode { .constant(Any?.none as Any) }

  /// Whether a condition is known to be true, or false, whatever the object.
  private var truth: Bool? {
    guard case .constant(let value) = self else { return nil }
    return value as? Bool
  }

  /// Both conditions; nil means that there is none.
  static func both(_ left: QueryNode?, _ right: QueryNode?) -> QueryNode? {
    guard let left, left.truth != true else { return right }
    guard let right, right.truth != true else { return left }
    return left.truth == false || right.truth == false
      ? .constant(false) : .and(left, right)
  }

  func both(_ other: QueryNode) -> QueryNode {
    QueryNode.both(self, other) ?? .constant(true)
  }

  func either(_ other: QueryNode) -> QueryNode {
    if truth == true || other.truth == false { return self }
    if other.truth == true || truth == false { return other }
    return .or(self, other)
  }

  var negated: QueryNode { truth.map { .constant(!$0) } ?? .not(self) }

  /// The condition that a value is nil.
  var isNull: QueryNode {
    switch self {
    case .constant(let value): .constant(unwrapped(value) == nil)
    case .matchCount: .constant(false)
    default: .comparison(self, .equal, .null, [])
    }
  }

  /// Whether this is an element of a collection by itself, and not a property of it.
  func isElement(of collection: QueryPath) -> Bool {
    guard case .path(let path) = self else { return false }
    return path.isElement && path.names == collection.names
  }

  /// Whether this is the object of the query by itself.
  var isWhatIsAsked: Bool {
    switch self {
    case .root: true
    case .path(let path): path.names.isEmpty && path.lastParts.isEmpty
    default: false
    }
  }

  /// Whether this is a path that leads through no collection.
  var isSingle: Bool {
    guard case .path(let path) = self else { return false }
    return path.collectionLength == nil
  }

  /// Whether the condition is about an element of a collection by itself, or about an object by
  /// itself whose collection, or within whose collections, that is.
  func namesObjects(around collection: QueryPath) -> Bool {
    paths.contains { $0.isElement && collection.names.starts(with: $0.names) }
  }

  /// Whether the condition is about the elements of a collection and nothing else.
  func isAbout(elementsOf collection: QueryPath) -> Bool {
    paths.allSatisfy {
      $0.base == collection.names.count && $0.names.starts(with: collection.names)
    }
  }

  /// The collections whose elements the condition counts, but for those of conditions on elements.
  var countedCollections: [QueryPath] {
    switch self {
    case .matchCount(let path, _): [path]
    case .root, .path, .constant, .list, .contains, .within: []
    case .comparison(let left, _, let right, _), .and(let left, let right),
      .or(let left, let right), .arithmetic(_, let left, let right):
      left.countedCollections + right.countedCollections
    case .between(let node, _, _), .oneOf(let node, _), .not(let node): node.countedCollections
    case .quantified(let comparison):
      comparison.left.countedCollections + comparison.right.countedCollections
    }
  }

  /// All paths that a condition or a value names, but for those of conditions on elements.
  var paths: [QueryPath] {
    switch self {
    case .root: [QueryPath(names: [], base: 0)]
    case .path(let path), .contains(let path, _), .within(let path, _, _), .matchCount(let path, _):
      [path]
    case .constant, .list: []
    case .comparison(let left, _, let right, _), .and(let left, let right),
      .or(let left, let right), .arithmetic(_, let left, let right):
      left.paths + right.paths
    case .between(let node, _, _), .oneOf(let node, _), .not(let node): node.paths
    case .quantified(let comparison): comparison.left.paths + comparison.right.paths
    }
  }
}

extension QueryPath {
  /// Whether the path ends where it begins: at the object, or the element, by itself.
  var isElement: Bool { names.count == base && function == nil && lastParts.isEmpty }
}
