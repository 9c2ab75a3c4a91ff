// SPDX-License-Identifier: Apache-2.0

// The way of mails to users.

/// Delivers mails, or hands them to another program.
package protocol AccountMailer: Sendable {
  /// - Throws: Any error; the call for the mail fails then.
  func deliver(_ mail: AccountMail) async throws
}
