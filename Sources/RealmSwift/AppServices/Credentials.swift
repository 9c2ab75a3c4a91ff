// SPDX-License-Identifier: Apache-2.0

// What users log in with.

import RealmSync

/// The credentials of a login.
public enum Credentials: Sendable {
  /// A token that Facebook gave the program.
  case facebook(accessToken: String)
  /// A code that the app's server exchanges for the user's identity.
  case google(serverAuthCode: String)
  /// An identity token of Google.
  case googleId(token: String)
  /// An identity token of Sign in with Apple.
  case apple(idToken: String)
  /// The address and the password of an account of the app.
  case emailPassword(email: String, password: String)
  /// A token of the app's own authentication service.
  case jwt(token: String)
  /// The argument of the app's own login function.
  case function(payload: Document)
  /// A key that a user made.
  case userAPIKey(String)
  /// A key that was made at the server.
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
