// SPDX-License-Identifier: Apache-2.0

// Functions of texts in predicates that Foundation declares for Darwin only. What `#Predicate`
// calls for them is found here instead.

#if !canImport(Darwin)
public import Foundation

extension PredicateExpressions {
  /// `text.localizedStandardContains(other)` in a predicate: without regard to case and marks.
  public struct _StandardContains<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The type of the result.
    public typealias Output = Bool

    let root: Root
    let other: Other

    /// The result for the objects that are the values of the variables.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try root.evaluate(bindings).localizedStandardContains(other.evaluate(bindings))
    }
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The expression that `#Predicate` makes of `text.localizedStandardContains(other)`.
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> _StandardContains<Root, Other> {
    _StandardContains(root: root, other: other)
  }

  /// `text.caseInsensitiveCompare(other)` in a predicate.
  public struct _CaselessOrder<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The type of the result.
    public typealias Output = ComparisonResult

    /// One text.
    let root: Root
    let other: Other

    /// The result for the objects that are the values of the variables.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      try root.evaluate(bindings).caseInsensitiveCompare(other.evaluate(bindings))
    }
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The expression that `#Predicate` makes of `text.caseInsensitiveCompare(other)`.
  public static func build_caseInsensitiveCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> _CaselessOrder<Root, Other> {
    _CaselessOrder(root: root, other: other)
  }
}

extension PredicateExpressions._StandardContains: Sendable
where Root: Sendable, Other: Sendable {}
extension PredicateExpressions._StandardContains: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions._StandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions._CaselessOrder: Sendable
where Root: Sendable, Other: Sendable {}
extension PredicateExpressions._CaselessOrder: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions._CaselessOrder: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
