// SPDX-License-Identifier: Apache-2.0

// The operator's settings for logins.

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
  /// The time of validity of mailed tokens.
  package var mailedTokenMinutes = 30
  /// The most mails to one address in an hour.
  package var mailsPerHour = 5

  package init() {}
}
