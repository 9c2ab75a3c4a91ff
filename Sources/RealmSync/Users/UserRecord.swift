// SPDX-License-Identifier: Apache-2.0

// A stored user.

package import RealmFormats

/// A user as the file of users has it.
package struct UserRecord: Hashable, Sendable {
  /// One of a user's identities.
  package struct Identity: Hashable, Sendable {
    package var id: String
    /// The server's name of the provider.
    package var provider: String

    package init(id: String, provider: String) {
      self.id = id
      self.provider = provider
    }
  }

  package var id: String
  package var state = UserState.loggedIn
  package var refreshToken: AppToken?
  package var accessToken: AppToken?
  package var deviceID: String?
  package var identities: [Identity] = []
  /// The data of the profile.
  package var profile: [BSONElement] = []

  package init(id: String) { self.id = id }

  /// Whether the user logged in without credentials, and has none for coming back.
  package var isAnonymous: Bool {
    identities.count == 1 && identities[0].provider == LoginCredentials.anonymous.provider
  }

  /// Without its tokens.
  mutating func end(_ state: UserState) {
    self.state = state
    refreshToken = nil
    accessToken = nil
  }
}

/// The state of a user, with its number in the file of users (P3 A).
package enum UserState: Int64, Hashable, Sendable {
  case loggedOut = 0
  case loggedIn = 1
  case removed = 2
}
