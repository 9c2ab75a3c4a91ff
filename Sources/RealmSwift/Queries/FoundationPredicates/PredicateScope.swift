// SPDX-License-Identifier: Apache-2.0

// Translates the expressions of one predicate.

import Foundation
import RealmQuery

/// The values of the variables of a predicate.
struct PredicateScope {
  private var meanings: [PredicateExpressions.VariableID: TranslatedExpression] = [:]

  /// - Parameter variable: What the predicate is about.
  init<Input>(_ variable: PredicateExpressions.Variable<Input>) {
    meanings[variable.key] = .value(.path(PropertyPath()))
  }

  /// The scope in which a variable has a value.
  func binding(_ variable: PredicateExpressions.VariableID, to value: Operand) -> PredicateScope {
    var scope = self
    scope.meanings[variable] = .value(value)
    return scope
  }

  func meaning(of variable: PredicateExpressions.VariableID) throws -> TranslatedExpression {
    guard let meaning = meanings[variable] else {
      throw PredicateTranslationError("A predicate can only ask about the collection's elements.")
    }
    return meaning
  }

  func meaning(_ expression: Any) throws -> TranslatedExpression {
    guard let expression = expression as? any TranslatableExpression else {
      throw PredicateTranslationError(type(of: expression))
    }
    return try expression.meaning(in: self)
  }

  /// The values that an expression may have.
  func cases(_ expression: Any) throws -> [TranslatedCase] {
    try meaning(expression).cases(of: type(of: expression))
  }

  func condition(_ expression: Any) throws -> RealmQuery.Predicate {
    try meaning(expression).condition(of: type(of: expression))
  }

  /// A condition on two expressions, from those on each pair of values.
  func pairs(
    _ left: Any, _ right: Any, _ condition: (Operand, Operand) throws -> RealmQuery.Predicate
  ) throws -> RealmQuery.Predicate {
    let others = try cases(right)
    let all = try cases(left)
    guard all.count * others.count <= TranslatedExpression.maximumCaseCount else {
      throw PredicateTranslationError("A predicate distinguishes too many cases.")
    }
    var result = RealmQuery.Predicate.constant(false)
    for one in all {
      for other in others {
        let holds = try condition(one.value, other.value)
        let isCase = RealmQuery.Predicate.both(one.condition, other.condition)
        result = result.either(RealmQuery.Predicate.both(isCase, holds) ?? holds)
      }
    }
    return result
  }

  /// A comparison of two expressions.
  func comparison(
    _ left: Any, _ operation: ComparisonOperator, _ right: Any
  ) throws -> TranslatedExpression {
    .condition(
      try pairs(left, right) { try PredicateScope.comparison($0, operation, $1) })
  }

  /// A comparison of two values.
  static func comparison(
    _ left: Operand, _ operation: ComparisonOperator, _ right: Operand,
    _ options: TextOptions = .none
  ) throws -> RealmQuery.Predicate {
    switch (left.constant, right.constant) {
    case (let first?, let second?):
      return .constant(try ConstantComparison.holds(first, operation, second))
    case (_?, nil):
      guard let mirrored = operation.mirrored else {
        // A list of one value may stand on the left side of every operator.
        return .comparison(Comparison(.list([left]), operation, right, options: options))
      }
      return .comparison(Comparison(right, mirrored, left, options: options))
    default: return .comparison(Comparison(left, operation, right, options: options))
    }
  }
}

/// Comparisons that no object can change.
private enum ConstantComparison {
  static func holds(_ left: Any, _ operation: ComparisonOperator, _ right: Any) throws -> Bool {
    let (first, second) = (unwrapped(left), unwrapped(right))
    switch operation {
    case .equal: return try areEqual(first, second)
    case .notEqual: return try !areEqual(first, second)
    case .less: return try isLess(first, second)
    case .greater: return try isLess(second, first)
    case .lessOrEqual: return try !isLess(second, first)
    case .greaterOrEqual: return try !isLess(first, second)
    default: throw PredicateTranslationError("'\(operation.text)' cannot compare two constants.")
    }
  }

  private static func areEqual(_ left: Any?, _ right: Any?) throws -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    if left is UnequalOrder || right is UnequalOrder {
      guard [left, right].contains(where: { $0 as? ComparisonResult == .orderedSame }) else {
        throw PredicateTranslationError(
          "Of 'caseInsensitiveCompare' only '.orderedSame' can be asked in a predicate that "
            + "filters a Realm collection.")
      }
      return false
    }
    guard let first = left as? AnyHashable, let second = right as? AnyHashable else {
      throw PredicateTranslationError("'\(left)' and '\(right)' cannot be compared.")
    }
    return first == second
  }

  private static func isLess(_ left: Any?, _ right: Any?) throws -> Bool {
    func isLess<Value: Comparable>(_ value: Value, _ other: Any) -> Bool? {
      (other as? Value).map { value < $0 }
    }
    guard let left = left as? any Comparable, let right, let answer = isLess(left, right) else {
      throw PredicateTranslationError("Constants cannot be compared.")
    }
    return answer
  }
}

/// The order of two texts that are not the same, where it is not known which comes first.
struct UnequalOrder: Hashable {}
