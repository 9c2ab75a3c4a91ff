// SPDX-License-Identifier: Apache-2.0

// Parts of strings and data, and comparisons without regard to case.

import Foundation
import RealmQuery

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try scope.part(base, .contains, other, of: Base.Output.self)
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    if Base.Output.self is any QueriedCollection.Type { return try elements(in: scope) }
    return try scope.part(base, .beginsWith, prefix, of: Base.Output.self)
  }

  /// A list that begins with certain elements.
  private func elements(in scope: PredicateScope) throws -> TranslatedExpression {
    let elements = try scope.constants(prefix)
    return try scope.meaning(base).mapped(Self.self) { list in
      guard let path = list.path, Base.Output.self is any OrderedCollection.Type else {
        throw PredicateTranslationError(Self.self)
      }
      var condition = RealmQuery.Predicate.comparison(
        Comparison(.path(path.applying(.count)), .greaterOrEqual, .constant(elements.count)))
      for (index, element) in elements.enumerated() {
        condition = condition.both(
          Operand.path(path.taking(.index(index))).equals(.constant(element)))
      }
      return .condition(condition)
    }
  }
}

/// Collections of a realm whose elements have positions.
protocol OrderedCollection {}

extension List: OrderedCollection {}

extension PredicateScope {
  /// A condition on a part of a string or of data. What is empty is a part of everything here,
  /// which it is not in queries.
  fileprivate func part(
    _ base: Any, _ operation: ComparisonOperator, _ part: Any, of type: Any.Type,
    _ options: TextOptions = .none
  ) throws -> TranslatedExpression {
    let empty: Any
    switch type {
    case is String.Type: empty = ""
    case is Data.Type: empty = Data()
    default:
      throw PredicateTranslationError(
        "'\(operation.text)' in a predicate must look for a part of a string, or of data.")
    }
    return .condition(
      try pairs(base, part) { base, part in
        guard let constant = part.constant else {
          return part.equals(.constant(empty))
            .either(try PredicateScope.comparison(base, operation, part, options))
        }
        if let text = base.constant {
          guard let text = text as? String, let part = constant as? String else {
            throw PredicateTranslationError("'\(operation.text)' cannot compare two constants.")
          }
          return .constant(try isPart(part, of: text, operation, options))
        }
        // The beginning of data may be written as an array of bytes.
        let part = (constant as? [UInt8]).map { Data($0) as Any } ?? constant
        return part as? String == "" || part as? Data == Data()
          ? .constant(true)
          : .comparison(Comparison(base, operation, .constant(part), options: options))
      })
  }

  private func isPart(
    _ part: String, of text: String, _ operation: ComparisonOperator, _ options: TextOptions
  ) throws -> Bool {
    if part.isEmpty { return true }
    guard options.isEmpty else { return text.localizedStandardContains(part) }
    return operation == .beginsWith ? text.hasPrefix(part) : text.contains(part)
  }
}

#if !canImport(Darwin)
extension PredicateExpressions._StandardContains: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try scope.part(
      root, .contains, other, of: String.self, [.caseInsensitive, .diacriticInsensitive])
  }
}

extension PredicateExpressions._CaselessOrder: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try scope.caselessOrder(root, other)
  }
}
#else
extension PredicateExpressions.StringLocalizedStandardContains: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try scope.part(
      root, .contains, other, of: String.self, [.caseInsensitive, .diacriticInsensitive])
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try scope.caselessOrder(root, other)
  }
}
#endif

extension PredicateScope {
  /// The order of two texts, of which queries know only whether they are the same.
  fileprivate func caselessOrder(_ left: Any, _ right: Any) throws -> TranslatedExpression {
    let isSame = try pairs(left, right) { left, right in
      if let first = left.constant as? String, let second = right.constant as? String {
        return .constant(first.caseInsensitiveCompare(second) == .orderedSame)
      }
      return try PredicateScope.comparison(left, .equal, right, .caseInsensitive)
    }
    return .choice([
      TranslatedCase(condition: isSame, value: .constant(ComparisonResult.orderedSame)),
      TranslatedCase(condition: isSame.negated, value: .constant(UnequalOrder())),
    ])
  }
}
