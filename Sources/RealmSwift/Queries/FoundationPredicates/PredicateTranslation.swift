// SPDX-License-Identifier: Apache-2.0

// Foundation's `#Predicate` as a query: its tree is public, so nothing is evaluated object by
// object.
//
// Each kind of expression that can be translated conforms to `TranslatableExpression`. All others
// are refused by name.

public import Foundation

extension RealmCollection {
  /// The elements that match a predicate of Foundation.
  ///
  /// ```swift
  /// let adults = try people.filter(#Predicate { $0.age >= 18 && $0.name.starts(with: "A") })
  /// ```
  ///
  /// The predicate becomes a query, with the speed of one: comparisons, `&&`, `||`, `!`, `? :`,
  /// `nil`, `??`, optional chaining through links, arithmetic and ranges; `contains`,
  /// `starts(with:)`, `localizedStandardContains` and `caseInsensitiveCompare` of strings; `count`,
  /// `isEmpty`, `first`, `last`, `contains`, `contains(where:)`, `allSatisfy`,
  /// `filter(_:).count`, `min()` and `max()` of collections, elements of lists by position and of
  /// maps by key. Strings are compared by their bytes. The results are live.
  ///
  /// Foundation admits captured values that are `Codable` only: compare `choice.rawValue` of an
  /// enumeration that is not, and the primary key of an object instead of the object.
  ///
  /// Traps for a collection that no realm manages.
  ///
  /// - Throws: `PredicateTranslationError` for what has no query.
  public func filter(_ predicate: Foundation.Predicate<Element>) throws -> Results<Element> {
    let condition = try PredicateScope(predicate.variable).condition(predicate.expression)
    return _resultsSource.filtered(by: condition, isChecked: true)
  }
}

/// A predicate has no query that means the same.
public struct PredicateTranslationError: Error, CustomStringConvertible {
  /// The reason: the expression that cannot be translated.
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

/// An expression of Foundation that has a query.
protocol TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression
}
