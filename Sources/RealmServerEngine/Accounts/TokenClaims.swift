// SPDX-License-Identifier: Apache-2.0

// The content of tokens (P1 A.2).

package import RealmFormats

/// The claims of a token of this server.
package struct TokenClaims: Hashable, Sendable {
  /// The two kinds of tokens.
  package enum Kind: String, Hashable, Sendable {
    case access
    case refresh
  }

  package var kind: Kind
  package var app: String
  package var account: String
  package var session: String
  /// Seconds since 1970.
  package var issued: Int64
  package var expires: Int64
  package var userData: BSONValue?

  package init(
    kind: Kind, app: String, account: String, session: String, issued: Int64, expires: Int64,
    userData: BSONValue? = nil
  ) {
    self.kind = kind
    self.app = app
    self.account = account
    self.session = session
    self.issued = issued
    self.expires = expires
    self.userData = userData
  }

  /// - Parameter issuer: The name of the server.
  func json(issuer: String) -> JSONValue {
    var members = [
      JSONMember("baas_domain_id", .string(app)), JSONMember("baas_id", .string(session)),
      JSONMember("exp", .integer(expires)), JSONMember("iat", .integer(issued)),
      JSONMember("iss", .string(issuer)), JSONMember("sub", .string(account)),
      JSONMember("typ", .string(kind.rawValue)),
    ]
    if let userData { members.append(JSONMember("user_data", ExtendedJSONWriter.json(userData))) }
    return .object(members)
  }
}

extension TokenClaims {
  init?(_ json: JSONValue) {
    guard let kind = json["typ"]?.string.flatMap({ Kind(rawValue: $0) }),
      let app = json["baas_domain_id"]?.string, let account = json["sub"]?.string,
      let session = json["baas_id"]?.string, let issued = json["iat"]?.integer,
      let expires = json["exp"]?.integer
    else { return nil }
    self.init(
      kind: kind, app: app, account: account, session: session, issued: issued, expires: expires,
      userData: json["user_data"].flatMap { try? ExtendedJSONReader.value($0) })
  }
}
