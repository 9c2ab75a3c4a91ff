// SPDX-License-Identifier: Apache-2.0

// Logins with access tokens of Facebook. They are no documents that a server could read: Facebook
// says whose they are.
//
// Invariants:
// 1. A token counts if Facebook says that it is valid and was made for this app: one of another app
//    proves nothing about who sends it.

#if Server
import RealmFormats
import RealmText

/// How tokens of Facebook are checked.
package struct FacebookProvider: Hashable, Sendable {
  /// The app at Facebook.
  package var app: String
  package var secret: Secret
  /// The address of the Graph API.
  package var url: String

  package static let facebookURL = "https://graph.facebook.com/v21.0"

  package init(app: String, secret: Secret, url: String = Self.facebookURL) {
    self.app = app
    self.secret = secret
    self.url = url
  }
}

extension AccountService {
  package static let facebookProvider = "oauth2-facebook"

  /// The fields of Facebook's profiles, with their names here.
  private static let facebookFields = [
    ("name", "name"), ("first_name", "first_name"), ("last_name", "last_name"), ("email", "email"),
  ]

  /// Has Facebook check an access token.
  package func prove(facebookToken token: String) async throws(AccountError) -> LoginProof {
    guard let facebook = settings.facebook else { throw .unknownProvider(Self.facebookProvider) }
    try ProviderCalls.checkSize(of: token)
    try services.beginHook()
    defer { services.endHook() }
    let calls = ProviderCalls(name: "Facebook", transport: services.transport)
    let answer = try await calls.get(
      facebook.url + "/debug_token",
      [("input_token", token), ("access_token", "\(facebook.app)|\(facebook.secret.text)")])
    let facts = answer["data"]
    guard facts?["is_valid"]?.bool == true else {
      throw .refused("the token is not valid, or has expired")
    }
    guard facts?["app_id"]?.string == facebook.app else {
      throw .refused("the token is for another app")
    }
    guard let user = facts?["user_id"]?.string, (1...256).contains(user.utf8.count),
      facts?["type"]?.string ?? "USER" == "USER"
    else { throw .refused("the token is of no user") }
    let proof = services.cryptography.signature(
      of: Array(token.utf8), key: facebook.secret.bytes)
    let profile = try await calls.get(
      facebook.url + "/me",
      [
        ("fields", "id,name,first_name,last_name,email,picture"), ("access_token", token),
        (
          "appsecret_proof",
          HexadecimalText.text(proof)
        ),
      ])
    guard profile["id"]?.string == user else {
      throw .refused("Facebook names another user than that of the token")
    }
    return .identity(
      IdentityName(provider: Self.facebookProvider, name: user), profile: Self.fields(profile))
  }

  private static func fields(_ profile: JSONValue) -> [BSONElement] {
    var elements = facebookFields.compactMap { key, name in
      profile[key]?.string.map { BSONElement(name, .string($0)) }
    }
    if let picture = profile["picture"]?["data"]?["url"]?.string {
      elements.append(BSONElement("picture_url", .string(picture)))
    }
    return elements
  }
}
#endif
