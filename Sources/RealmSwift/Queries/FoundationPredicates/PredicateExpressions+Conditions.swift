// SPDX-License-Identifier: Apache-2.0

// Logic, comparisons, ranges, and what depends on conditions: optionals and `? :`.

import Foundation
import RealmQuery
import RealmTables

extension PredicateExpressions.Conjunction: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    .condition(try scope.condition(lhs).both(scope.condition(rhs)))
  }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    .condition(try scope.condition(lhs).either(scope.condition(rhs)))
  }
}

extension PredicateExpressions.Negation: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    .condition(try scope.condition(wrapped).negated)
  }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    let condition = try scope.condition(test)
    return .choice(
      try scope.cases(trueBranch).map { $0.under(condition) }
        + scope.cases(falseBranch).map { $0.under(condition.negated) })
  }
}

// MARK: - Comparisons

extension PredicateExpressions.Equal: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try refuseCollections(LHS.Output.self)
    return try scope.comparison(lhs, .equal, rhs)
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try refuseCollections(LHS.Output.self)
    return try scope.comparison(lhs, .notEqual, rhs)
  }
}

private func refuseCollections(_ type: Any.Type) throws {
  guard type is any QueriedCollection.Type else { return }
  throw PredicateTranslationError(
    "Collections as a whole cannot be compared in a predicate that filters a Realm collection.")
}

extension PredicateExpressions.Comparison: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
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
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    let bounds = try bounds(in: scope)
    var condition = RealmQuery.Predicate.constant(true)
    if let lower = bounds.lower {
      condition = try scope.comparison(element, .greaterOrEqual, lower).condition(of: Self.self)
    }
    if let upper = bounds.upper {
      let operation = bounds.isClosed ? ComparisonOperator.lessOrEqual : .less
      condition = condition.both(
        try scope.comparison(element, operation, upper).condition(of: Self.self))
    }
    return .condition(condition)
  }

  private func bounds(in scope: PredicateScope) throws -> RangeBounds {
    if let range = range as? any RangeOperand { return try range.bounds }
    // A property of what the program captured.
    guard case .choice(let cases) = try scope.meaning(range), cases.count == 1,
      cases[0].condition == nil, let value = cases[0].value.constant,
      let range = value as? any RangeValue
    else { throw PredicateTranslationError(type(of: range)) }
    return range.bounds
  }
}

/// The ends of a range, as expressions.
struct RangeBounds {
  var lower: Any?
  var upper: Any?
  var isClosed: Bool
}

/// A range between two expressions, or between two values.
private protocol RangeOperand {
  var bounds: RangeBounds { get throws }
}

extension PredicateExpressions.Range: RangeOperand {
  fileprivate var bounds: RangeBounds { RangeBounds(lower: lower, upper: upper, isClosed: false) }
}

extension PredicateExpressions.ClosedRange: RangeOperand {
  fileprivate var bounds: RangeBounds { RangeBounds(lower: lower, upper: upper, isClosed: true) }
}

extension PredicateExpressions.Value: RangeOperand {
  fileprivate var bounds: RangeBounds {
    get throws {
      guard let range = value as? any RangeValue else {
        throw PredicateTranslationError(Output.self)
      }
      return range.bounds
    }
  }
}

/// A range among the values that a predicate captured.
private protocol RangeValue {
  var bounds: RangeBounds { get }
}

extension RangeValue {
  fileprivate func bounds<Bound>(_ lower: Bound?, _ upper: Bound?, isClosed: Bool) -> RangeBounds {
    RangeBounds(
      lower: lower.map { PredicateExpressions.Value($0) },
      upper: upper.map { PredicateExpressions.Value($0) }, isClosed: isClosed)
  }
}

extension Range: RangeValue {
  fileprivate var bounds: RangeBounds { bounds(lowerBound, upperBound, isClosed: false) }
}

extension ClosedRange: RangeValue {
  fileprivate var bounds: RangeBounds { bounds(lowerBound, upperBound, isClosed: true) }
}

extension PartialRangeFrom: RangeValue {
  fileprivate var bounds: RangeBounds { bounds(lowerBound, nil, isClosed: true) }
}

extension PartialRangeUpTo: RangeValue {
  fileprivate var bounds: RangeBounds { bounds(nil, upperBound, isClosed: false) }
}

extension PartialRangeThrough: RangeValue {
  fileprivate var bounds: RangeBounds { bounds(nil, upperBound, isClosed: true) }
}

// MARK: - Optionals

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try scope.meaning(wrapped).mapped(Self.self) { value in
      if let constant = value.constant, unwrapped(constant) == nil { return .null }
      let inner = try scope.binding(variable.key, to: value).meaning(transform)
      // A property of what a null link leads to is null by itself.
      if let start = value.path, case .choice(let cases) = inner, cases.count == 1,
        cases[0].condition == nil, let path = cases[0].value.path, path.function == nil,
        path.firstMany() == nil, path.components.count > start.components.count
      {
        return inner
      }
      let isNull = value.isNull
      return .choice(
        [TranslatedCase(condition: isNull, value: .value(.null))]
          + (try inner.cases(of: Self.self).map { $0.under(isNull.negated) }))
    }
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    let fallback = try scope.cases(rhs)
    return try scope.meaning(lhs).mapped(Self.self) { value in
      if let constant = value.constant {
        return unwrapped(constant) == nil ? .choice(fallback) : .value(value)
      }
      let isNull = value.isNull
      return .choice(
        [TranslatedCase(condition: isNull.negated, value: value)]
          + fallback.map { $0.under(isNull) })
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression { try scope.meaning(inner) }
}

// MARK: - Types

/// Queries know types of properties only as they are declared: a cast that changes nothing is left
/// out, every other one is refused.
private func isOfType(_ type: Any.Type, _ other: Any.Type, optional: Any.Type) -> Bool {
  type == other || type == optional
}

extension PredicateExpressions.ConditionalCast: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    guard isOfType(Input.Output.self, Desired.self, optional: Desired?.self) else {
      throw PredicateTranslationError(Self.self)
    }
    return try scope.meaning(input)
  }
}

extension PredicateExpressions.ForceCast: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    guard isOfType(Input.Output.self, Desired.self, optional: Desired?.self) else {
      throw PredicateTranslationError(Self.self)
    }
    return try scope.meaning(input)
  }
}

extension PredicateExpressions.TypeCheck: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    guard isOfType(Input.Output.self, Desired.self, optional: Desired?.self) else {
      throw PredicateTranslationError(Self.self)
    }
    var isValue = RealmQuery.Predicate.constant(false)
    for one in try scope.cases(input) {
      let notNull = one.value.isNull.negated
      isValue = isValue.either(RealmQuery.Predicate.both(one.condition, notNull) ?? notNull)
    }
    return .condition(isValue)
  }
}
