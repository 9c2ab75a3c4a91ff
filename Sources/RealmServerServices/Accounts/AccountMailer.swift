// SPDX-License-Identifier: Apache-2.0

// Mails to users.

#if Server
/// Delivers mails, or hands them to another program.
package protocol AccountMailer: Sendable {
  /// - Throws: Any error; the call for the mail fails then.
  func deliver(_ mail: AccountMail, by settings: MailSettings) async throws
}

/// A message to a user with a token, for the operator's page or the app.
package struct AccountMail: Hashable, Sendable {
  package var purpose: MailedToken.Purpose
  package var address: String
  package var token: String
  package var tokenID: String
  /// How long the token is valid.
  package var minutes: Int
  /// Whether the user has never had a password here, as the app comes from another server.
  package var isInvitation = false

  /// The address of the operator's page with the token; nil if the app's file names no page.
  package func link(by settings: MailSettings) -> String? {
    settings.links[purpose].map { page in
      // Both are hexadecimal digits, and need no escapes.
      page + (page.contains("?") ? "&" : "?") + "token=\(token)&tokenId=\(tokenID)"
    }
  }

  /// The subject of the mail.
  package func subject(by settings: MailSettings) -> String {
    settings.subjects[purpose]
      ?? (isInvitation
        ? "Choose a new password"
        : purpose == .confirmation ? "Confirm your e-mail address" : "Reset your password")
  }

  /// The text of the mail.
  package func text(by settings: MailSettings) -> String {
    if isInvitation {
      return """
        The app that you use has moved to another server, which does not know your password. Open \
        this link to choose one:

        \(link(by: settings) ?? "")

        The link is valid for \(minutes / 60 / 24) days. Your data has moved with the app.

        """
    }
    let goal =
      purpose == .confirmation ? "confirm your e-mail address" : "choose another password"
    return """
      Open this link to \(goal):

      \(link(by: settings) ?? "")

      The link is valid for \(minutes) minutes. If you did not ask for it, ignore this message.

      """
  }
}
#endif
