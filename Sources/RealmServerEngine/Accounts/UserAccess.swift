// SPDX-License-Identifier: Apache-2.0

// The user of an access token.

/// A logged-in user, with the session of the token.
package struct UserAccess: Hashable, Sendable {
  package let account: Account
  /// 24 hexadecimal digits.
  package let session: String
}
