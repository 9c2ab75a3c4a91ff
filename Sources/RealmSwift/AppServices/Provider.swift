// SPDX-License-Identifier: Apache-2.0

// The names of the kinds of login.

#if Sync
import RealmSync

/// The server's name of a kind of login, as `UserIdentity.providerType` has it.
public struct Provider: RawRepresentable, Hashable, Sendable {
  /// The name.
  public let rawValue: String

  /// The provider of a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// An e-mail address and a password.
  public static let usernamePassword = Provider(rawValue: "local-userpass")
  /// An account of Facebook.
  public static let facebook = Provider(rawValue: "oauth2-facebook")
  /// An account of Google.
  public static let google = Provider(rawValue: "oauth2-google")
  /// An account of Apple.
  public static let apple = Provider(rawValue: "oauth2-apple")
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// A token of the app's own authentication service.
  public static let JWT = Provider(rawValue: "custom-token")
  /// No credentials.
  public static let anonymous = Provider(rawValue: "anon-user")
  /// The app's own login function.
  public static let function = Provider(rawValue: "custom-function")
  /// An API key of a user.
  public static let userAPIKey = Provider(rawValue: "api-key")
  /// An API key of the app.
  public static let serverAPIKey = Provider(rawValue: "api-key")
}
#endif
