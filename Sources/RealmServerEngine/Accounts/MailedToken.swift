// SPDX-License-Identifier: Apache-2.0

// Tokens in mails to users.

package import RealmSyncProtocol

/// A token for confirming an address, or for a new password.
package struct MailedToken: Hashable, Sendable {
  /// The purpose of a token.
  package enum Purpose: String, CaseIterable, Hashable, Sendable {
    case confirmation
    case passwordReset
  }

  /// 24 hexadecimal digits.
  package let id: String
  package let purpose: Purpose
  package let identity: IdentityName
  /// The signature of the token; the token does not follow from it.
  let signature: [UInt8]
  package let expires: OriginTimestamp
  /// The password of the registration to confirm; nil for other tokens.
  let password: StoredPassword?
}
