// SPDX-License-Identifier: Apache-2.0

// What each kind of expression of `#Predicate` means as a query.

import Foundation
import RealmQuery

// MARK: - Values and paths

extension PredicateExpressions.Variable: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode {
    let path = try scope.path(of: key)
    return path.names.isEmpty ? .root : .path(path)
  }
}

extension PredicateExpressions.Value: TranslatableExpression {
  func node(in scope: PredicateScope) -> QueryNode { .constant(value) }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  func node(in scope: PredicateScope) -> QueryNode { .constant(Any?.none as Any) }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode {
    if let kind = kind ?? collectionKind { return try node(kind, in: scope) }
    guard let owner = Root.Output.self as? ObjectBase.Type else {
      throw PredicateTranslationError(
        "The key path \(keyPath) does not name a property of a model.")
    }
    let name = _name(for: keyPath, of: owner)
    guard !name.isEmpty, let type = Output.self as? any _Persistable.Type else {
      throw PredicateTranslationError(
        "The key path \(keyPath) does not name a property of a model.")
    }
    let shape = type._shape
    let isCollection = shape.collection != .none || shape.type == .linkingObjects
    return .path(try scope.path(root).appending(name, isCollection: isCollection))
  }

  /// Foundation knows the members of collections by the standard library's declarations only.
  private var collectionKind: CommonKeyPathKind? {
    guard let collection = Root.Output.self as? any KnownByKeyPaths.Type else { return nil }
    if collection.countKeyPath == keyPath { return .collectionCount }
    return collection.isEmptyKeyPath == keyPath ? .collectionIsEmpty : nil
  }

  /// `count` and `isEmpty`, of collections and strings.
  private func node(
    _ kind: CommonKeyPathKind, in scope: PredicateScope
  ) throws -> QueryNode {
    let base = try (root as? any FilteringExpression)?.matchCount(in: scope) ?? scope.node(root)
    switch (kind, base) {
    case (.collectionCount, .matchCount): return base
    case (.collectionIsEmpty, .matchCount): return .comparison(base, .equal, .constant(0), [])
    case (.collectionCount, .path(let path)) where path.collectionLength != nil:
      return .path(path.applying(.count))
    case (.collectionIsEmpty, .path(let path)) where path.collectionLength != nil:
      return .comparison(.path(path.applying(.count)), .equal, .constant(0), [])
    case (.collectionIsEmpty, .path) where Root.Output.self is String.Type:
      return .comparison(base, .equal, .constant(""), [])
    default: throw PredicateTranslationError("The key path \(keyPath) has no query.")
    }
  }
}

/// A collection whose members can be told apart in a predicate.
private protocol KnownByKeyPaths {
  static var countKeyPath: AnyKeyPath { get }
  static var isEmptyKeyPath: AnyKeyPath { get }
}

extension List: KnownByKeyPaths {
  fileprivate static var countKeyPath: AnyKeyPath { \List.count }
  fileprivate static var isEmptyKeyPath: AnyKeyPath { \List.isEmpty }
}

extension MutableSet: KnownByKeyPaths {
  fileprivate static var countKeyPath: AnyKeyPath { \MutableSet.count }
  fileprivate static var isEmptyKeyPath: AnyKeyPath { \MutableSet.isEmpty }
}

extension Map: KnownByKeyPaths {
  fileprivate static var countKeyPath: AnyKeyPath { \Map.count }
  fileprivate static var isEmptyKeyPath: AnyKeyPath { \Map.isEmpty }
}

extension LinkingObjects: KnownByKeyPaths {
  fileprivate static var countKeyPath: AnyKeyPath { \LinkingObjects.count }
  fileprivate static var isEmptyKeyPath: AnyKeyPath { \LinkingObjects.isEmpty }
}

// MARK: - Logic

extension PredicateExpressions.Conjunction: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode {
    .and(try scope.node(lhs), try scope.node(rhs))
  }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode {
    .or(try scope.node(lhs), try scope.node(rhs))
  }
}

extension PredicateExpressions.Negation: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode { .not(try scope.node(wrapped)) }
}

// MARK: - Comparisons

extension PredicateExpressions.Equal: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode {
    try scope.comparison(lhs, .equal, rhs)
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode {
    try scope.comparison(lhs, .notEqual, rhs)
  }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode {
    let operation: ComparisonOperator =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw PredicateTranslationError(Self.self)
      }
    return try scope.comparison(lhs, operation, rhs)
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode {
    guard let range = range as? any RangeOperand else {
      throw PredicateTranslationError(type(of: range))
    }
    let (lower, upper, isClosed) = try range.bounds(in: scope)
    let element = try scope.node(element)
    return .and(
      .comparison(element, .greaterOrEqual, lower, []),
      .comparison(element, isClosed ? .lessOrEqual : .less, upper, []))
  }
}

/// A range between two expressions, or between two values.
protocol RangeOperand {
  func bounds(in scope: PredicateScope) throws -> (QueryNode, QueryNode, isClosed: Bool)
}

extension PredicateExpressions.Range: RangeOperand {
  func bounds(in scope: PredicateScope) throws -> (QueryNode, QueryNode, isClosed: Bool) {
    (try scope.node(lower), try scope.node(upper), false)
  }
}

extension PredicateExpressions.ClosedRange: RangeOperand {
  func bounds(in scope: PredicateScope) throws -> (QueryNode, QueryNode, isClosed: Bool) {
    (try scope.node(lower), try scope.node(upper), true)
  }
}

extension PredicateExpressions.Value: RangeOperand {
  func bounds(in scope: PredicateScope) throws -> (QueryNode, QueryNode, isClosed: Bool) {
    guard let range = value as? any RangeValue else { throw PredicateTranslationError(Output.self) }
    return range.bounds
  }
}

/// A range among the values that a predicate captured.
private protocol RangeValue {
  var bounds: (QueryNode, QueryNode, isClosed: Bool) { get }
}

extension Range: RangeValue {
  fileprivate var bounds: (QueryNode, QueryNode, isClosed: Bool) {
    (.constant(lowerBound), .constant(upperBound), false)
  }
}

extension ClosedRange: RangeValue {
  fileprivate var bounds: (QueryNode, QueryNode, isClosed: Bool) {
    (.constant(lowerBound), .constant(upperBound), true)
  }
}

// MARK: - Optionals

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression, ChainingExpression {
  func node(in scope: PredicateScope) throws -> QueryNode {
    try inner(scope).node(transform)
  }

  func condition(in scope: PredicateScope) throws -> QueryNode? {
    guard RHS.Output.self is Bool.Type || RHS.Output.self is Bool?.Type else { return nil }
    let isNull = QueryNode.comparison(
      try scope.node(wrapped), .equal, .constant(Any?.none as Any), [])
    let inner = try inner(scope).node(transform)
    if case .path = inner { return nil }
    return .and(.not(isNull), inner)
  }

  private func inner(_ scope: PredicateScope) throws -> PredicateScope {
    scope.binding(variable.key, to: try scope.path(wrapped))
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression, CoalescingExpression {
  /// Alone it must be a condition: `a ?? false`.
  func node(in scope: PredicateScope) throws -> QueryNode {
    guard RHS.Output.self is Bool.Type else { throw PredicateTranslationError(Self.self) }
    if let condition = try (lhs as? any ChainingExpression)?.condition(in: scope),
      case .constant(let fallback as Bool) = try scope.node(rhs), !fallback
    {
      return condition
    }
    return try scope.comparison(self, .equal, PredicateExpressions.Value(true))
  }

  func parts(in scope: PredicateScope) throws -> (QueryNode, QueryNode) {
    (try scope.node(lhs), try scope.node(rhs))
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode { try scope.node(inner) }
}

// MARK: - Strings

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode {
    try scope.text(base, .contains, other, Base.Output.self)
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode {
    try scope.text(base, .beginsWith, prefix, Base.Output.self)
  }
}

extension PredicateScope {
  /// A condition on a part of a string. The empty string is a part of every string here, which it
  /// is not in queries.
  fileprivate func text(
    _ base: Any, _ operation: ComparisonOperator, _ part: Any, _ type: Any.Type
  ) throws -> QueryNode {
    guard type is String.Type, case .constant(let text as String) = try node(part) else {
      throw PredicateTranslationError(
        "'\(operation.text)' in a predicate must look for a constant in a string.")
    }
    return text.isEmpty
      ? .constant(true) : .comparison(try node(base), operation, .constant(text), [])
  }
}

// MARK: - Collections

extension PredicateExpressions.SequenceContains: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode {
    switch (try scope.node(sequence), try scope.node(element)) {
    case (.path(let path), .constant(let value)): return .contains(path, value)
    case (.constant(let values), let element):
      guard let values = values as? any Sequence else {
        throw PredicateTranslationError(LHS.Output.self)
      }
      func all<S: Sequence>(_ sequence: S) -> [Any] { sequence.map { $0 as Any } }
      return .oneOf(element, all(values))
    default: throw PredicateTranslationError(Self.self)
    }
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode {
    let (path, condition) = try scope.elements(sequence, variable.key, test)
    return .comparison(.matchCount(path, condition), .greater, .constant(0), [])
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode {
    let (path, condition) = try scope.elements(sequence, variable.key, test)
    return .comparison(.matchCount(path, .not(condition)), .equal, .constant(0), [])
  }
}

/// `collection.filter { … }`, which can be counted.
protocol FilteringExpression {
  func matchCount(in scope: PredicateScope) throws -> QueryNode
}

extension PredicateExpressions.Filter: FilteringExpression {
  func matchCount(in scope: PredicateScope) throws -> QueryNode {
    let (path, condition) = try scope.elements(sequence, variable.key, filter)
    return .matchCount(path, condition)
  }
}

extension PredicateScope {
  /// A collection of objects and the condition on its elements.
  fileprivate func elements(
    _ sequence: Any, _ variable: PredicateExpressions.VariableID, _ test: Any
  ) throws -> (QueryPath, QueryNode) {
    let path = try path(sequence)
    guard path.collectionLength == path.names.count, path.function == nil else {
      throw PredicateTranslationError(
        "Only the elements of a list, a set or linking objects can be asked about.")
    }
    return (path, try binding(variable, to: path).node(test))
  }
}
