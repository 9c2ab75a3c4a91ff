// SPDX-License-Identifier: Apache-2.0

// Tokens that users get by mail.

package import RealmSyncProtocol

/// A token that confirms an address, or allows a new password.
package struct MailedToken: Hashable, Sendable {
  /// What a token is for.
  package enum Purpose: String, CaseIterable, Hashable, Sendable {
    case confirmation
    case passwordReset
  }

  /// 24 hexadecimal digits.
  package let id: String
  package let purpose: Purpose
  package let identity: IdentityName
  /// The signature of the token, from which the token does not follow.
  let signature: [UInt8]
  package let expires: OriginTimestamp
  /// The password of the registration that the token confirms; nil for other tokens.
  let password: StoredPassword?
}
