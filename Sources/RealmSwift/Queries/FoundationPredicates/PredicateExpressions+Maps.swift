// SPDX-License-Identifier: Apache-2.0

// Values of maps by key, which Foundation knows of dictionaries only.

public import Foundation
import RealmQuery

extension PredicateExpressions {
  /// `map["key"]` of a realm's map in a predicate.
  public struct _MapSubscript<Wrapped: PredicateExpression, Key: PredicateExpression>:
    PredicateExpression
  where Wrapped.Output: RealmKeyedCollection, Key.Output == Wrapped.Output.Key {
    /// The type of the result.
    public typealias Output = Wrapped.Output.Value?

    let wrapped: Wrapped
    let key: Key

    /// The result for the objects that are the values of the variables.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output {
      try wrapped.evaluate(bindings)[key.evaluate(bindings)]
    }
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The expression that `#Predicate` makes of `map["key"]`.
  public static func build_subscript<Wrapped, Key>(
    _ wrapped: Wrapped, _ key: Key
  ) -> _MapSubscript<Wrapped, Key> {
    _MapSubscript(wrapped: wrapped, key: key)
  }
}

extension PredicateExpressions._MapSubscript: Sendable where Wrapped: Sendable, Key: Sendable {}
extension PredicateExpressions._MapSubscript: Codable where Wrapped: Codable, Key: Codable {}
extension PredicateExpressions._MapSubscript: StandardPredicateExpression
where Wrapped: StandardPredicateExpression, Key: StandardPredicateExpression {}

extension PredicateExpressions._MapSubscript: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    let keys = try scope.meaning(key)
    return try scope.meaning(wrapped).mapped(Self.self) { map in
      try keys.mapped(Self.self) { key in
        guard let path = map.path, let key = key.constant as? any _MapKey else {
          throw PredicateTranslationError(Self.self)
        }
        return .value(.path(path.taking(.value(of: key._text))))
      }
    }
  }
}
