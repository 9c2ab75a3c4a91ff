// SPDX-License-Identifier: Apache-2.0

// Credentials of logins, and the documents with them (P1 A.2).

package import RealmFormats
import RealmSyncProtocol

/// The credentials of one login.
package struct LoginCredentials: Hashable, Sendable {
  /// The server's name of the provider, like `local-userpass`.
  package let provider: String
  /// The provider's own members of the request's document.
  private let members: [JSONMember]

  private init(_ provider: String, _ texts: [(String, String)] = []) {
    self.provider = provider
    members = ([("provider", provider)] + texts).map { JSONMember($0.0, .string($0.1)) }
  }

  private init(provider: String, members: [JSONMember]) {
    self.provider = provider
    self.members = members
  }

  /// None: a new user.
  package static let anonymous = LoginCredentials("anon-user")

  /// A registered user.
  package static func emailPassword(_ email: String, _ password: String) -> LoginCredentials {
    LoginCredentials("local-userpass", [("username", email), ("password", password)])
  }

  /// A key of a user or of the app.
  package static func apiKey(_ key: String) -> LoginCredentials {
    LoginCredentials("api-key", [("key", key)])
  }

  /// A token of the app's own authentication service.
  package static func customToken(_ token: String) -> LoginCredentials {
    LoginCredentials("custom-token", [("token", token)])
  }

  /// A token of Apple.
  package static func apple(idToken: String) -> LoginCredentials {
    LoginCredentials("oauth2-apple", [("id_token", idToken)])
  }

  /// A code, exchanged by the server for the user's identity.
  package static func google(authCode: String) -> LoginCredentials {
    LoginCredentials("oauth2-google", [("authCode", authCode)])
  }

  /// A token of Google.
  package static func google(idToken: String) -> LoginCredentials {
    LoginCredentials("oauth2-google", [("id_token", idToken)])
  }

  /// A token of Facebook.
  package static func facebook(accessToken: String) -> LoginCredentials {
    LoginCredentials("oauth2-facebook", [("accessToken", accessToken)])
  }

  /// The document goes to the app's own login function as it is.
  package static func function(_ payload: [BSONElement]) -> LoginCredentials {
    LoginCredentials(
      provider: "custom-function",
      members: payload.map { JSONMember($0.key, ExtendedJSONWriter.json($0.value)) })
  }

  // MARK: The request

  /// The document of a login.
  ///
  /// - Parameter id: The id of the device, from the answer to an earlier login.
  func document(_ device: DeviceDescription, app: String, id: String?) -> JSONValue {
    let version = DeviceDescription.libraryVersion
    let texts = [
      ("appId", app), ("platform", device.platform), ("platformVersion", device.platformVersion),
      ("sdk", DeviceDescription.libraryName), ("sdkVersion", version),
      ("cpuArch", Self.processor), ("deviceName", device.deviceName),
      ("deviceVersion", device.deviceVersion), ("frameworkName", ""), ("frameworkVersion", ""),
      ("coreVersion", version), ("bundleId", device.bundleID),
    ]
    var options = texts.map { JSONMember($0.0, .string($0.1)) }
    if let id { options.append(JSONMember("deviceId", .string(id))) }
    return .object(members + [JSONMember("options", ["device": .object(options)])])
  }

  private static var processor: String {
    #if arch(x86_64)
    "x86_64"
    #elseif arch(arm64)
    "arm64"
    #else
    "other"
    #endif
  }
}
