// SPDX-License-Identifier: Apache-2.0

// Parts of strings and data, and comparisons without regard to case.

import Foundation
import RealmQuery

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> PredicateMeaning {
    try scope.part(base, .contains, other, of: Base.Output.self)
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> PredicateMeaning {
    if Base.Output.self is any QueriedCollection.Type { return try elements(in: scope) }
    return try scope.part(base, .beginsWith, prefix, of: Base.Output.self)
  }

  /// A list that begins with certain elements.
  private func elements(in scope: PredicateScope) throws -> PredicateMeaning {
    let elements = try scope.constants(prefix)
    return try scope.meaning(base).mapped(Self.self) { list in
      guard case .path(let path) = list, Base.Output.self is any OrderedCollection.Type else {
        throw PredicateTranslationError(Self.self)
      }
      var condition = QueryNode.comparison(
        .path(path.applying(.count)), .greaterOrEqual, .constant(elements.count), [])
      for (index, element) in elements.enumerated() {
        condition = condition.both(
          .comparison(.path(path.taking(.index(index))), .equal, .constant(element), []))
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
    _ options: TextOptions = []
  ) throws -> PredicateMeaning {
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
        switch (base, part) {
        case (.constant(let text as String), .constant(let part as String)):
          return .constant(try isPart(part, of: text, operation, options))
        case (.constant, .constant):
          throw PredicateTranslationError("'\(operation.text)' cannot compare two constants.")
        case (_, .constant(let part)):
          // What data begin with may be written as an array of bytes.
          let part = (part as? [UInt8]).map { Data($0) as Any } ?? part
          return part as? String == "" || part as? Data == Data()
            ? .constant(true) : .comparison(base, operation, .constant(part), options)
        default:
          return QueryNode.comparison(part, .equal, .constant(empty), [])
            .either(.comparison(base, operation, part, options))
        }
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
  func meaning(in scope: PredicateScope) throws -> PredicateMeaning {
    try scope.part(
      root, .contains, other, of: String.self, [.caseInsensitive, .diacriticInsensitive])
  }
}

extension PredicateExpressions._CaselessOrder: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> PredicateMeaning {
    try scope.caselessOrder(root, other)
  }
}
#else
extension PredicateExpressions.StringLocalizedStandardContains: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> PredicateMeaning {
    try scope.part(
      root, .contains, other, of: String.self, [.caseInsensitive, .diacriticInsensitive])
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> PredicateMeaning {
    try scope.caselessOrder(root, other)
  }
}
#endif

extension PredicateScope {
  /// The order of two texts, of which queries know only whether they are the same.
  fileprivate func caselessOrder(_ left: Any, _ right: Any) throws -> PredicateMeaning {
    let isSame = try pairs(left, right) { left, right in
      if case .constant(let first as String) = left, case .constant(let second as String) = right {
        return .constant(first.caseInsensitiveCompare(second) == .orderedSame)
      }
      return try PredicateScope.comparison(left, .equal, right, .caseInsensitive)
    }
    return .choice([
      PredicateCase(condition: isSame, value: .constant(ComparisonResult.orderedSame)),
      PredicateCase(condition: isSame.negated, value: .constant(UnequalOrder())),
    ])
  }
}
