// SPDX-License-Identifier: Apache-2.0

// What the server has to tell its users outside of the app.

/// A message to a user, from which the app's operator makes a mail with a link.
package struct AccountMail: Hashable, Sendable {
  package var purpose: MailedToken.Purpose
  package var address: String
  package var token: String
  package var tokenID: String
}
