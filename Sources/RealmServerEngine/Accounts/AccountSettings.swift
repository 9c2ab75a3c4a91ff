// SPDX-License-Identifier: Apache-2.0

// What an app's operator decides about logins.

/// The settings of an app's logins.
package struct AccountSettings: Hashable, Sendable {
  /// How e-mail addresses are confirmed.
  package enum Confirmation: String, Hashable, Sendable {
    /// Not at all.
    case auto
    /// By a token in a mail.
    case mail
  }

  package var allowsAnonymous = true
  /// Nil if there are no users with passwords.
  package var confirmation: Confirmation? = .auto
  package var accessMinutes = 30
  package var refreshDays = 60
  /// The time for which mailed tokens are valid.
  package var mailedTokenMinutes = 30
  /// The mails that one address gets in an hour.
  package var mailsPerHour = 5

  package init() {}
}
