// SPDX-License-Identifier: Apache-2.0

// Authorization codes of Google: the server exchanges one for an ID token, which is checked as any
// other.

#if Server
import RealmFormats

/// How codes are exchanged.
package struct GoogleCodes: Hashable, Sendable {
  /// The id of the client that the app asks for codes of: that of the server.
  package var client: String
  package var secret: Secret
  /// The address that the code was sent to; empty for apps of devices.
  package var redirect: String
  /// Where codes are exchanged.
  package var url: String

  package static let googleURL = "https://oauth2.googleapis.com/token"

  package init(
    client: String, secret: Secret, redirect: String = "", url: String = Self.googleURL
  ) {
    self.client = client
    self.secret = secret
    self.redirect = redirect
    self.url = url
  }
}

extension AccountService {
  /// Whether the app exchanges codes of Google.
  var exchangesCodes: Bool { settings.googleCodes != nil }

  /// Exchanges an authorization code of Google, and checks the ID token that it is exchanged for.
  package func prove(googleCode code: String) async throws(AccountError) -> LoginProof {
    let settings = settings
    guard var tokens = settings.tokenProviders[Self.googleProvider],
      let codes = settings.googleCodes
    else { throw .unknownProvider(Self.googleProvider) }
    try ProviderCalls.checkSize(of: code)
    try services.beginHook()
    defer { services.endHook() }
    let answer = try await ProviderCalls(name: "Google", transport: services.transport).post(
      codes.url,
      [
        ("code", code), ("client_id", codes.client), ("client_secret", codes.secret.text),
        ("redirect_uri", codes.redirect), ("grant_type", "authorization_code"),
      ])
    guard let token = answer["id_token"]?.string else {
      throw .refused("the code has no ID token: the app has to ask for the scope openid")
    }
    // A token for a device has not come from this exchange.
    tokens.audiences = [codes.client]
    return try await prove(token: token, of: Self.googleProvider, by: tokens)
  }
}
#endif
