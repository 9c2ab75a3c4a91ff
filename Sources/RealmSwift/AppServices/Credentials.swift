// SPDX-License-Identifier: Apache-2.0

// What users log in with.

#if Sync
import RealmSync

/// The credentials of a login.
public enum Credentials: Sendable {
  /// A token of Facebook.
  case facebook(accessToken: String)
  /// A code that the app's server exchanges for the user's identity.
  case google(serverAuthCode: String)
  /// A token of Google.
  case googleId(token: String)
  /// A token of Apple.
  case apple(idToken: String)
  /// An e-mail address and a password.
  case emailPassword(email: String, password: String)
  /// A token of the app's own authentication service.
  case jwt(token: String)
  /// The argument of the app's own login function.
  case function(payload: Document)
  /// An API key of a user.
  case userAPIKey(String)
  /// An API key of the app.
  case serverAPIKey(String)
  /// No credentials: a new user, of this device.
  case anonymous

  var login: LoginCredentials {
    switch self {
    case .facebook(let token): .facebook(accessToken: token)
    case .google(let code): .google(authCode: code)
    case .googleId(let token): .google(idToken: token)
    case .apple(let token): .apple(idToken: token)
    case .emailPassword(let email, let password): .emailPassword(email, password)
    case .jwt(let token): .customToken(token)
    case .function(let payload): .function(payload.elements)
    case .userAPIKey(let key), .serverAPIKey(let key): .apiKey(key)
    case .anonymous: .anonymous
    }
  }
}
#endif
