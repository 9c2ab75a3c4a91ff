// SPDX-License-Identifier: Apache-2.0

// Conditions on users, and on partitions.

#if Server
import RealmServerEngine
import RealmServerServices

/// A condition on the user, and on the partition where there is one.
///
/// ```swift
/// let isEditor: UserCondition = .customData("editor").equals(true)
/// settings.rules = .partitions(
///   read: .partition.equals("public"), write: .partition.equals(.userID) || isEditor)
/// ```
public struct UserCondition: Hashable, Sendable {
  let rule: RuleExpression

  init(rule: RuleExpression) { self.rule = rule }

  /// Holds for all users and partitions.
  public static let always = UserCondition(rule: .always)
  /// Holds for none.
  public static let never = UserCondition(rule: .never)

  /// The id of the user, a text.
  public static var userID: RuleValue { .userID }
  /// `normal`, or `server` for the user of an API key of the app.
  public static var userType: RuleValue { .userType }
  /// The address of the user, confirmed by a mail.
  public static var userEmail: RuleValue { .userEmail }
  /// The value of the partition.
  public static var partition: RuleValue { .partition }

  /// The custom data of the user, or a part of it.
  ///
  /// - Parameter path: Names with dots between them.
  public static func customData(_ path: String) -> RuleValue { .customData(path) }

  /// Both conditions hold.
  public static func && (left: UserCondition, right: UserCondition) -> UserCondition {
    UserCondition(rule: left.rule && right.rule)
  }

  /// One of the conditions holds.
  public static func || (left: UserCondition, right: UserCondition) -> UserCondition {
    UserCondition(rule: left.rule || right.rule)
  }
}
#endif
