// SPDX-License-Identifier: Apache-2.0

// A user of an app, with what is stored of it.

package import RealmFormats
import RealmStorage
import RealmText

/// A user. There is one object of each user of an app's client.
///
/// Thread-safe.
package final class AppUser: Sendable {
  package let id: String
  private let state: Locked<UserRecord>
  /// Those who want to know of changes of the user.
  package let observers = ChangeObservers()

  init(_ record: UserRecord) {
    id = record.id
    state = Locked(record)
  }

  /// The present knowledge of the user.
  package var record: UserRecord { state.withLock { $0 } }

  package var isLoggedIn: Bool { state.withLock { $0.state == .loggedIn } }

  /// Changes the knowledge of the user, and tells the observers.
  func update(_ body: (inout UserRecord) -> Void) {
    state.withLock { body(&$0) }
    observers.notify()
  }

  /// Replaces the knowledge of the user. The caller tells the observers, when it holds no lock.
  func replace(by record: UserRecord) { state.withLock { $0 = record } }
}

/// A user as the file of users has it.
package struct UserRecord: Hashable, Sendable {
  /// One of a user's identities.
  package struct Identity: Hashable, Sendable {
    package var id: String
    /// The server's name of the provider.
    package var provider: String
  }

  package var id: String
  package var state = StoredUserState.loggedIn
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
  mutating func end(_ state: StoredUserState) {
    self.state = state
    refreshToken = nil
    accessToken = nil
  }
}

/// The state of a user, with its number in the file of users (P3 A).
package enum StoredUserState: Int64, Hashable, Sendable {
  case loggedOut = 0
  case loggedIn = 1
  case removed = 2
}

/// The parts of a JSON Web Token for clients. The signature is the server's business.
package struct AppToken: Hashable, Sendable {
  package let text: String
  /// Seconds since 1970.
  package let expires: Int64
  package let issued: Int64
  /// The custom data of the user; nil if the token has none.
  package let userData: BSONValue?

  /// The token of a text; nil if it is none.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Base64.decode(String(parts[1])),
      let json = try? JSONParser.parse(payload), let expires = json["exp"]?.integer,
      let issued = json["iat"]?.integer
    else { return nil }
    self.text = text
    self.expires = expires
    self.issued = issued
    userData = json["user_data"].flatMap { try? ExtendedJSONReader.value($0) }
  }
}
