// SPDX-License-Identifier: Apache-2.0

// A way to log in as the server stores it.

package import RealmSyncProtocol

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
