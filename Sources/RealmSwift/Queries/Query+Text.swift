// SPDX-License-Identifier: Apache-2.0

// Conditions on parts of strings and data.

public import Foundation
import RealmQuery

/// Options of comparisons of strings in queries.
public struct StringOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int8

  /// Options of the given bits.
  public init(rawValue: Int8) { self.rawValue = rawValue }

  /// Upper and lower case letters are the same.
  public static let caseInsensitive = StringOptions(rawValue: 1)

  /// Letters with and without diacritical marks are the same.
  public static let diacriticInsensitive = StringOptions(rawValue: 2)

  var textOptions: TextOptions {
    var options: TextOptions = []
    if contains(.caseInsensitive) { options.insert(.caseInsensitive) }
    if contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
    return options
  }
}

/// Stored types whose properties queries can search for parts: strings and data.
public protocol _QueryBinary: _QueryOrdered {}

extension Data: _QueryBinary {}
extension String: _QueryString {}
extension Optional: _QueryBinary where Wrapped: _QueryBinary {}

/// Stored types whose properties queries can compare with patterns, besides all that they can do
/// with data.
public protocol _QueryString: _QueryBinary {}

extension Optional: _QueryString where Wrapped: _QueryString {}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
  /// Whether the property has `value` somewhere in it. Nothing contains an empty value.
  public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
    compared(.contains, value, options.textOptions)
  }

  /// Whether the property has the other property's value somewhere in it.
  public func contains<U: _HasPersistedType>(
    _ other: Query<U>, options: StringOptions = []
  ) -> Query<Bool> where U.PersistedType: _QueryBinary {
    compared(.contains, to: other, options.textOptions)
  }

  /// Whether the property begins with `value`.
  public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
    compared(.beginsWith, value, options.textOptions)
  }

  /// Whether the property begins with the other property's value.
  public func starts<U: _HasPersistedType>(
    with other: Query<U>, options: StringOptions = []
  ) -> Query<Bool> where U.PersistedType: _QueryBinary {
    compared(.beginsWith, to: other, options.textOptions)
  }

  /// Whether the property ends with `value`.
  public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
    compared(.endsWith, value, options.textOptions)
  }

  /// Whether the property ends with the other property's value.
  public func ends<U: _HasPersistedType>(
    with other: Query<U>, options: StringOptions = []
  ) -> Query<Bool> where U.PersistedType: _QueryBinary {
    compared(.endsWith, to: other, options.textOptions)
  }

  /// Whether the property equals `value`, compared as the options say.
  public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
    compared(.equal, value, options.textOptions)
  }

  /// Whether the property equals the other property's value, compared as the options say.
  public func equals<U: _HasPersistedType>(
    _ other: Query<U>, options: StringOptions = []
  ) -> Query<Bool> where U.PersistedType: _QueryBinary {
    compared(.equal, to: other, options.textOptions)
  }

  /// Whether the property differs from the other property's value, compared as the options say.
  public func notEquals<U: _HasPersistedType>(
    _ other: Query<U>, options: StringOptions = []
  ) -> Query<Bool> where U.PersistedType: _QueryBinary {
    compared(.notEqual, to: other, options.textOptions)
  }

  /// Whether the property differs from `value`, compared as the options say.
  public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
    compared(.notEqual, value, options.textOptions)
  }
}

extension Query where T: _HasPersistedType, T.PersistedType: _TextIndexable {
  /// Whether the text has certain words, which a full-text index finds.
  ///
  /// ```swift
  /// let found = articles.where { $0.body.text(matching: "swift data* -java") }
  /// ```
  /// All words must be there; `data*` represents any word that begins so, and what begins with `-`
  /// must not be there. Case and marks of Latin letters do not count. Null has no words.
  ///
  /// Traps where the results are used if the property is not declared with
  /// `@Persisted(indexed: .fullText)`.
  public func text(matching terms: String) -> Query<Bool> { compared(.text, terms) }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
  /// Whether the property matches a pattern in which `?` represents one character and `*` any
  /// number of them.
  public func like(_ pattern: T, caseInsensitive: Bool = false) -> Query<Bool> {
    compared(.like, pattern, caseInsensitive ? .caseInsensitive : [])
  }

  /// Whether the property matches the other property's value as a pattern.
  public func like<U: _HasPersistedType>(
    _ pattern: Query<U>, caseInsensitive: Bool = false
  ) -> Query<Bool> where U.PersistedType: _QueryString {
    compared(.like, to: pattern, caseInsensitive ? .caseInsensitive : [])
  }
}
