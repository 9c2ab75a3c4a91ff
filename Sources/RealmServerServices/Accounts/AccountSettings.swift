// SPDX-License-Identifier: Apache-2.0

// The operator's settings for logins.

#if Server
/// The settings of an app's logins.
package struct AccountSettings: Hashable, Sendable {
  /// How e-mail addresses are confirmed.
  package enum Confirmation: String, CaseIterable, Hashable, Sendable {
    /// Not at all.
    case auto
    /// By a token in a mail.
    case mail
    /// By the app's own code.
    case function
  }

  package var allowsAnonymous = true
  /// Nil if there are no users with passwords.
  package var confirmation: Confirmation? = .auto
  /// Decides about registrations if `confirmation` is `.function`.
  package var confirmationHook: LoginHook?
  /// Decides about new passwords; nil if they need a mail.
  package var resetHook: LoginHook?
  package var allowsKeys = false
  /// The events about users for triggers.
  package var recordedEvents: Set<AccountEvent.Kind> = []
  /// The accepted tokens of others, by the names of their providers in requests.
  package var tokenProviders: [String: TokenProvider] = [:]
  /// How authorization codes of Google are exchanged; nil if they are not.
  package var googleCodes: GoogleCodes?
  /// How tokens of Facebook are checked; nil if there are no such logins.
  package var facebook: FacebookProvider?
  /// Decides about logins with documents of the app; nil if there are none.
  package var loginHook: LoginHook?
  package var mail = MailSettings()
  package var accessMinutes = 30
  package var refreshDays = 60
  /// The time of validity of mailed tokens.
  package var mailedTokenMinutes = 30
  /// The time of validity of mails to users of another server: a week.
  static let invitationMinutes = 7 * 24 * 60
  /// The most mails to one address in an hour.
  package var mailsPerHour = 5

  package init() {}
}
#endif
