// SPDX-License-Identifier: Apache-2.0

// Stored logins.

package import RealmSyncProtocol

/// A login of a user. Its refresh token is valid as long as the session is stored.
package struct AccountSession: Hashable, Sendable {
  /// 24 hexadecimal digits.
  package let id: String
  package let account: String
  package let device: String
  package let expires: OriginTimestamp
}
