// SPDX-License-Identifier: Apache-2.0

// Mails to users.

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
      ?? (purpose == .confirmation ? "Confirm your e-mail address" : "Reset your password")
  }

  /// The text of the mail.
  package func text(by settings: MailSettings) -> String {
    let goal =
      purpose == .confirmation ? "confirm your e-mail address" : "choose another password"
    return """
      Open this link to \(goal):

      \(link(by: settings) ?? "")

      The link is valid for \(minutes) minutes. If you did not ask for it, ignore this message.

      """
  }
}
