// SPDX-License-Identifier: Apache-2.0

// Rules in Swift: conditions about users and partitions.
//
//     let isEditor: RuleExpression = .customData("editor").equals(true)
//     PartitionPermissions(
//       read: .partition.equals("public"), write: .partition.equals(.userID) || isEditor)

import RealmFormats

extension RuleTerm {
  /// The id of the user, a text.
  package static let userID = RuleTerm.expansion(.userID)
  /// "normal", or "server" for the user of an API key of the app.
  package static let userType = RuleTerm.expansion(.userType)
  /// The confirmed address of the user's login.
  package static let userEmail = RuleTerm.expansion(.userEmail)
  /// The value of the partition.
  package static let partition = RuleTerm.expansion(.partition)

  /// The custom data of the user, or a part of it.
  ///
  /// - Parameter path: Names with dots between them.
  package static func customData(_ path: String) -> RuleTerm {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    return .expansion(.customData(names))
  }

  /// The value equals another one, or is a list with it.
  package func equals(_ other: RuleTerm) -> RuleExpression { .comparison(self, .equal(other)) }

  /// The value does not equal another one.
  package func differs(from other: RuleTerm) -> RuleExpression {
    .comparison(self, .notEqual(other))
  }

  /// The value, or one of its elements, is an element of a list.
  package func isIn(_ list: RuleTerm) -> RuleExpression { .comparison(self, .isIn(list)) }

  /// The value is there, or not; null is a value.
  package func exists(_ expected: Bool = true) -> RuleExpression {
    .comparison(self, .exists(expected))
  }
}

extension RuleExpression {
  /// Holds for all users and partitions.
  package static let always = RuleExpression.constant(true)
  /// Holds for none.
  package static let never = RuleExpression.constant(false)

  /// The id of the user, a text.
  package static var userID: RuleTerm { .userID }
  /// The confirmed address of the user's login.
  package static var userEmail: RuleTerm { .userEmail }
  /// The value of the partition.
  package static var partition: RuleTerm { .partition }

  /// The custom data of the user, or a part of it.
  package static func customData(_ path: String) -> RuleTerm { .customData(path) }

  /// Both rules hold.
  package static func && (left: RuleExpression, right: RuleExpression) -> RuleExpression {
    .all([left, right])
  }

  /// One of the rules holds.
  package static func || (left: RuleExpression, right: RuleExpression) -> RuleExpression {
    .any([left, right])
  }
}

// MARK: Constants

extension RuleTerm: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByNilLiteral
{
  package init(stringLiteral text: String) { self = .value(.string(text)) }

  package init(integerLiteral number: Int64) { self = .value(.int64(number)) }

  package init(floatLiteral number: Double) { self = .value(.double(number)) }

  package init(booleanLiteral truth: Bool) { self = .value(.bool(truth)) }

  package init(arrayLiteral terms: RuleTerm...) { self = .list(terms) }

  package init(nilLiteral: ()) { self = .value(.null) }
}
