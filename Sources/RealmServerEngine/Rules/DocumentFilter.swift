// SPDX-License-Identifier: Apache-2.0

// The document filters of a role as `app.json` has them (P4 C.1).

import RealmFormats

/// A condition on objects and on the user.
package indirect enum DocumentFilter: Hashable, Sendable {
  case all([DocumentFilter])
  case any([DocumentFilter])
  /// A condition on the user alone.
  case user(RuleExpression)
  case comparison(field: String, FilterOperator, RuleTerm)
  /// The property equals an element of a list.
  case isIn(field: String, RuleTerm)
  /// The property equals no element of a list.
  case isNotIn(field: String, RuleTerm)

  /// The condition for one user.
  ///
  /// A missing value of a user equals nothing, and is in no order (`RuleExpression` 1).
  func resolved(in context: RuleContext) -> ObjectFilter {
    switch self {
    case .all(let parts): return .joined(all: parts.map { $0.resolved(in: context) })
    case .any(let parts): return .joined(any: parts.map { $0.resolved(in: context) })
    case .user(let rule): return .constant(rule.holds(in: context))
    case .comparison(let field, let operation, let term):
      guard let value = term.value(in: context) else { return .constant(operation == .notEqual) }
      return .comparison(field: field, operation, RuleComparison.normal(value))
    case .isIn(let field, let term):
      return .joined(
        any: Self.elements(of: term, in: context).map { .comparison(field: field, .equal, $0) })
    case .isNotIn(let field, let term):
      return .joined(
        all: Self.elements(of: term, in: context).map { .comparison(field: field, .notEqual, $0) })
    }
  }

  /// The elements of a list; none of another value.
  private static func elements(of term: RuleTerm, in context: RuleContext) -> [BSONValue] {
    guard case .array(let elements)? = term.value(in: context) else { return [] }
    return elements.map(RuleComparison.normal)
  }

  /// The properties in the condition.
  var fieldNames: Set<String> {
    switch self {
    case .all(let parts), .any(let parts):
      parts.reduce(into: []) { names, part in names.formUnion(part.fieldNames) }
    case .user: []
    case .comparison(let field, _, _), .isIn(let field, _), .isNotIn(let field, _): [field]
    }
  }

  /// Whether the condition depends on an expansion.
  func reads(_ expansion: RuleExpansion) -> Bool {
    switch self {
    case .all(let parts), .any(let parts): parts.contains { $0.reads(expansion) }
    case .user(let rule): rule.reads(expansion)
    case .comparison(_, _, let term), .isIn(_, let term), .isNotIn(_, let term):
      term.reads(expansion)
    }
  }
}
