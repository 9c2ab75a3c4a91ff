// SPDX-License-Identifier: Apache-2.0

// Values in rules: constants, and facts about a user.

#if Server
import RealmServerEngine
import RealmServerServices
public import RealmSwift

/// A value in a rule: a constant, or a fact about the user.
///
/// Texts, numbers, booleans, nil and arrays are constants by their literals.
public struct RuleValue: Hashable, Sendable {
  let term: RuleTerm

  /// A constant.
  public init(_ value: some BSON) { term = .value(value.anyBSON.bson) }

  init(term: RuleTerm) { self.term = term }

  /// The id of the user, a text.
  public static let userID = RuleValue(term: .userID)
  /// `normal`, or `server` for the user of an API key of the app.
  public static let userType = RuleValue(term: .userType)
  /// The address of the user, confirmed by a mail.
  public static let userEmail = RuleValue(term: .userEmail)
  /// The value of the partition: for rules of partitions.
  public static let partition = RuleValue(term: .partition)

  /// The custom data of the user, or a part of it.
  ///
  /// - Parameter path: Names with dots between them.
  public static func customData(_ path: String) -> RuleValue {
    RuleValue(term: .customData(path))
  }

  /// The value equals another one, or is a list with it.
  public func equals(_ other: RuleValue) -> UserCondition {
    UserCondition(rule: term.equals(other.term))
  }

  /// The value does not equal another one.
  public func differs(from other: RuleValue) -> UserCondition {
    UserCondition(rule: term.differs(from: other.term))
  }

  /// The value, or one of its elements, is an element of a list.
  public func isIn(_ list: RuleValue) -> UserCondition {
    UserCondition(rule: term.isIn(list.term))
  }

  /// The value is there, or not; null is a value.
  public func exists(_ expected: Bool = true) -> UserCondition {
    UserCondition(rule: term.exists(expected))
  }
}

extension RuleValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByNilLiteral
{
  /// A text.
  public init(stringLiteral text: String) { self.init(text) }

  /// A whole number.
  public init(integerLiteral number: Int64) { self.init(number) }

  /// A number.
  public init(floatLiteral number: Double) { self.init(number) }

  /// A boolean.
  public init(booleanLiteral truth: Bool) { self.init(truth) }

  /// A list.
  public init(arrayLiteral values: RuleValue...) { self.init(term: .list(values.map(\.term))) }

  /// Null.
  public init(nilLiteral: ()) { self.init(AnyBSON.null) }
}
#endif
