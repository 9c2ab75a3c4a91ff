// SPDX-License-Identifier: Apache-2.0

// The way of mails to users.

/// Delivers mails, or hands them to what does.
package protocol AccountMailer: Sendable {
  /// - Throws: Any error; the call that wanted the mail fails then.
  func deliver(_ mail: AccountMail) async throws
}
