// SPDX-License-Identifier: Apache-2.0

// Users of another server, with their ids.

#if Server
package import RealmFormats
package import RealmSyncProtocol

/// A user of another server.
package struct MovedUser: Hashable, Sendable {
  /// 24 hexadecimal digits.
  package let id: String
  package var created: OriginTimestamp
  package var isDisabled = false
  package var identities: [Identity] = []

  /// A way to log in.
  package struct Identity: Hashable, Sendable {
    package var name: IdentityName
    /// The identifier for clients.
    package var id: String
    /// The data of the user at the provider, for the profile.
    package var profile: [BSONElement] = []
  }

  /// Nil if the id is none of a user.
  package init?(id: String, created: OriginTimestamp) {
    guard RandomBytes.isIdentifier(id) else { return nil }
    self.id = id
    self.created = created
  }
}
#endif
