// SPDX-License-Identifier: Apache-2.0

// Mails to users.

/// Delivers mails, or hands them to another program.
package protocol AccountMailer: Sendable {
  /// - Throws: Any error; the call for the mail fails then.
  func deliver(_ mail: AccountMail) async throws
}

/// A message to a user; the app's operator makes a mail with a link of it.
package struct AccountMail: Hashable, Sendable {
  package var purpose: MailedToken.Purpose
  package var address: String
  package var token: String
  package var tokenID: String
}
