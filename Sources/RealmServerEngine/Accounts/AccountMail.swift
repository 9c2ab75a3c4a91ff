// SPDX-License-Identifier: Apache-2.0

// Messages of the server to its users outside of the app.

/// A message to a user; the app's operator makes a mail with a link of it.
package struct AccountMail: Hashable, Sendable {
  package var purpose: MailedToken.Purpose
  package var address: String
  package var token: String
  package var tokenID: String
}
