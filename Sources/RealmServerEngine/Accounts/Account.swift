// SPDX-License-Identifier: Apache-2.0

// Users and their belongings, as they are stored.

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

/// A way to log in.
package struct Identity: Hashable, Sendable {
  package let name: IdentityName
  /// The identifier for clients: 24 hexadecimal digits.
  package let id: String
  /// The user of the identity; nil before the first login with it.
  package var account: String?
  /// Nil if the provider has no passwords.
  package var password: StoredPassword?
  /// Whether the user has proved the e-mail address.
  package var isConfirmed = true
  /// The time of the registration; nil if it is not known.
  package var created: OriginTimestamp?

  package init(_ name: IdentityName, id: String) {
    self.name = name
    self.id = id
  }
}

/// A user's name at a provider.
package struct IdentityName: Hashable, Sendable {
  /// The provider's name in requests, like `local-userpass`.
  package var provider: String
  /// The name among the users of the provider: an e-mail address, or a random identifier.
  package var name: String

  package init(provider: String, name: String) {
    self.provider = provider
    self.name = name
  }

  /// The two in one text. Names of providers have no spaces.
  var text: String { provider + " " + name }

  init?(text: String) {
    guard let space = text.firstIndex(of: " ") else { return nil }
    self.init(
      provider: String(text[..<space]), name: String(text[text.index(after: space)...]))
  }
}

/// A login of a user. Its refresh token is valid as long as the session is stored.
package struct AccountSession: Hashable, Sendable {
  /// 24 hexadecimal digits.
  package let id: String
  package let account: String
  package let device: String
  package let expires: OriginTimestamp
}

/// The hash of a password with its salt.
package struct StoredPassword: Hashable, Sendable {
  package var salt: [UInt8]
  package var hash: [UInt8]

  package init(salt: [UInt8], hash: [UInt8]) {
    self.salt = salt
    self.hash = hash
  }
}

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
