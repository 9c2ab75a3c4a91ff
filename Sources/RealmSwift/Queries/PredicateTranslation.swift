// SPDX-License-Identifier: Apache-2.0

// Foundation's `#Predicate` as a query: its tree is public, so nothing is evaluated object by
// object.
//
// Each kind of expression that can be translated conforms to `TranslatableExpression`. All others
// are refused by name.

public import Foundation
import RealmQuery

extension RealmCollection where Element: ObjectBase {
  /// The objects that match a predicate of Foundation.
  ///
  /// ```swift
  /// let adults = try people.filter(#Predicate { $0.age >= 18 && $0.name.starts(with: "A") })
  /// ```
  ///
  /// The predicate becomes a query, with the speed of one: comparisons, `&&`, `||`, `!`, `nil`,
  /// `??`, optional chaining through links, `contains`, `starts(with:)`, ranges, and `count`,
  /// `isEmpty`, `contains(where:)`, `allSatisfy` and `filter(_:).count` of collections. Strings are
  /// compared by their bytes. The results are live.
  ///
  /// Ends the process for a collection that no realm manages.
  ///
  /// - Throws: `PredicateTranslationError` for what has no query.
  public func filter(_ predicate: Foundation.Predicate<Element>) throws -> Results<Element> {
    let scope = PredicateScope(predicate.variable)
    let node = try scope.node(predicate.expression)
    return _resultsSource.filtered(by: BoundQuery(condition: node, steps: []))
  }
}

/// A predicate has no query that means the same.
public struct PredicateTranslationError: Error, CustomStringConvertible {
  /// What cannot be translated.
  public let description: String

  init(_ type: Any.Type) {
    // The type's arguments are the whole tree below.
    let name = "\(type)".prefix { $0 != "<" }
    description =
      "'\(name)' cannot be used in a predicate that filters a Realm collection. Filter by the "
      + "other conditions, and apply this one to the elements of the results."
  }

  init(_ text: String) { description = text }
}

extension PredicateTranslationError: LocalizedError {
  /// The same as the description.
  public var errorDescription: String? { description }
}

/// What the variables of a predicate stand for.
struct PredicateScope {
  private var paths: [PredicateExpressions.VariableID: QueryPath] = [:]

  init<each Input>(_ variables: repeat PredicateExpressions.Variable<each Input>) {
    for variable in repeat each variables { paths[variable.key] = QueryPath(names: []) }
  }

  /// The scope in which `variable` is what `path` leads to.
  func binding(_ variable: PredicateExpressions.VariableID, to path: QueryPath) -> PredicateScope {
    var scope = self
    scope.paths[variable] = path
    return scope
  }

  func path(of variable: PredicateExpressions.VariableID) throws -> QueryPath {
    guard let path = paths[variable] else {
      throw PredicateTranslationError("A predicate can only ask about the collection's elements.")
    }
    return path
  }

  /// The query that an expression is.
  func node(_ expression: Any) throws -> QueryNode {
    guard let expression = expression as? any TranslatableExpression else {
      throw PredicateTranslationError(type(of: expression))
    }
    return try expression.node(in: self)
  }

  /// The path that an expression is.
  func path(_ expression: Any) throws -> QueryPath {
    switch try node(expression) {
    case .path(let path): return path
    case .root: return QueryPath(names: [])
    default: throw PredicateTranslationError(type(of: expression))
    }
  }

  /// A comparison of two expressions. Where one gives a value for nil, that value is compared too.
  func comparison(
    _ left: Any, _ operation: ComparisonOperator, _ right: Any
  ) throws -> QueryNode {
    if let coalesce = left as? any CoalescingExpression {
      let (value, fallback) = try coalesce.parts(in: self)
      let other = try node(right)
      let isNull = QueryNode.comparison(value, .equal, .constant(Any?.none as Any), [])
      return .or(
        .and(.not(isNull), .comparison(value, operation, other, [])),
        .and(isNull, .comparison(fallback, operation, other, [])))
    }
    if let chain = left as? any ChainingExpression, operation == .equal,
      case .constant(let truth as Bool) = try node(right), truth,
      let condition = try chain.condition(in: self)
    {
      return condition
    }
    let left = try node(left)
    let right = try node(right)
    if case .constant = left {
      guard let mirrored = operation.mirrored else {
        throw PredicateTranslationError("The left side of '\(operation.text)' must be a property.")
      }
      return .comparison(right, mirrored, left, [])
    }
    return .comparison(left, operation, right, [])
  }
}

/// An expression of Foundation that has a query.
protocol TranslatableExpression {
  func node(in scope: PredicateScope) throws -> QueryNode
}

/// `a ?? b`.
protocol CoalescingExpression {
  func parts(in scope: PredicateScope) throws -> (QueryNode, QueryNode)
}

/// `a?.b`, and `a.map { … }`.
protocol ChainingExpression {
  /// The condition on the wrapped value, if the expression is one, and nil makes it false.
  func condition(in scope: PredicateScope) throws -> QueryNode?
}
