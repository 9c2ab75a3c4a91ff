// SPDX-License-Identifier: Apache-2.0

// A user as the server stores it.

package import RealmFormats
package import RealmSyncProtocol

/// A user of an app.
package struct Account: Hashable, Sendable {
  /// 24 hexadecimal digits.
  package let id: String
  package var created: OriginTimestamp
  /// A disabled user can neither log in nor refresh tokens.
  package var isDisabled = false
  /// The document `user_data` of the user's tokens; nil if there is none.
  package var customData: BSONValue?
  /// The ways to log in, oldest first.
  package var identities: [IdentityName] = []

  package init(id: String, created: OriginTimestamp) {
    self.id = id
    self.created = created
  }
}
