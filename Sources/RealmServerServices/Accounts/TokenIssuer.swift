// SPDX-License-Identifier: Apache-2.0

// The tokens of users (P1 A.2): JSON Web Tokens signed with HS256, by keys that an operator may
// replace while users are logged in.
//
// Invariants:
// 1. New tokens have the signature of the present key alone. Those of an earlier key are accepted
//    until its end, and not after it.

#if Server
package import RealmFormats
import RealmStorage
import RealmText

/// Makes and checks tokens.
package struct TokenIssuer: Sendable {
  /// The only header of our tokens: no other algorithm is accepted, "none" least of all.
  private static let header = encoded(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
  /// No token of ours is longer, apart from custom data.
  private static let byteCountMax = 64 << 10
  /// How long the token of a server is valid.
  private static let nodeSeconds: Int64 = 60

  private let keys: SigningKeys
  private let issuer: String

  /// - Parameter issuer: The name of the server, for each token.
  package init(_ keys: SigningKeys, issuer: String = "openrealm") {
    self.keys = keys
    self.issuer = issuer
  }

  /// Signs with a key that stays.
  package init(_ signer: any MessageSigner, issuer: String = "openrealm") {
    self.init(SigningKeys(signer), issuer: issuer)
  }

  /// The token with these claims.
  package func token(_ claims: TokenClaims) -> String {
    let content = Self.encoded(JSONWriter.bytes(claims.json(issuer: issuer)))
    let message = Self.header + "." + content
    return message + "." + Self.encoded(keys.present.signature(of: Array(message.utf8)))
  }

  /// The claims of a token of this server before its expiry; nil for all other texts.
  package func claims(_ token: String, _ kind: TokenClaims.Kind, now: Int64) -> TokenClaims? {
    guard token.utf8.count <= Self.byteCountMax else { return nil }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == Self.header,
      let signature = Base64.decode(String(parts[2])),
      keys.isValid(signature, of: Array((parts[0] + "." + parts[1]).utf8), now: now),
      let content = Base64.decode(String(parts[1])), let json = try? JSONParser.parse(content),
      let claims = TokenClaims(json), claims.kind == kind, claims.expires > now
    else { return nil }
    return claims
  }

  /// The token with which a server connects to another one that has the same keys. It is for that
  /// one alone, and valid for a minute.
  package func nodeToken(of node: String, for other: String, now: Int64) -> String {
    token(
      TokenClaims(
        kind: .node, app: "", account: node, session: other, issued: now,
        expires: now + Self.nodeSeconds))
  }

  /// The name of the server whose token this is, for a server; nil for all other texts.
  package func node(ofToken token: String, for node: String, now: Int64) -> String? {
    guard let claims = claims(token, .node, now: now), claims.session == node, claims.app.isEmpty,
      claims.expires - claims.issued <= Self.nodeSeconds
    else { return nil }
    return claims.account
  }

  /// The app in a text if it is a token. The signature is not checked.
  static func app(of token: String) -> String? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard token.utf8.count <= byteCountMax, parts.count == 3,
      let content = Base64.decode(String(parts[1])), let json = try? JSONParser.parse(content)
    else { return nil }
    return json["baas_domain_id"]?.string
  }

  /// The signature to store in place of a token.
  func signature(ofToken token: String) -> [UInt8] {
    keys.present.signature(of: Array(token.utf8))
  }

  /// Whether a signature was stored in place of a token.
  func isSignature(_ signature: [UInt8], ofToken token: String, now: Int64) -> Bool {
    keys.isValid(signature, of: Array(token.utf8), now: now)
  }

  /// Base64 with the URL alphabet and without padding.
  private static func encoded(_ bytes: [UInt8]) -> String {
    String(
      Base64.encode(bytes).compactMap { character in
        switch character {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: character
        }
      } as [Character])
  }
}

/// The present key of tokens, and earlier ones with tokens that are not over yet.
package final class SigningKeys: Sendable {
  /// A key that signs no more.
  package struct Earlier: Sendable {
    let signer: any MessageSigner
    /// Seconds since 1970.
    let end: Int64

    package init(_ signer: any MessageSigner, end: Int64) {
      self.signer = signer
      self.end = end
    }
  }

  private struct State {
    var signer: any MessageSigner
    var earlier: [Earlier]
  }

  private let state: Locked<State>

  package init(_ signer: any MessageSigner, earlier: [Earlier] = []) {
    state = Locked(State(signer: signer, earlier: earlier))
  }

  /// Takes other keys, for all tokens from now on.
  package func replace(by signer: any MessageSigner, earlier: [Earlier]) {
    state.withLock { $0 = State(signer: signer, earlier: earlier) }
  }

  /// The key of new tokens.
  var present: any MessageSigner { state.withLock { $0.signer } }

  /// Whether a key that is accepted at a time, in seconds since 1970, has signed a message.
  func isValid(_ signature: [UInt8], of message: [UInt8], now: Int64) -> Bool {
    let state = state.withLock { $0 }
    if state.signer.isValid(signature, of: message) { return true }
    return state.earlier.contains { $0.end > now && $0.signer.isValid(signature, of: message) }
  }
}

/// Signs messages with a key of the server.
package protocol MessageSigner: Sendable {
  /// The HMAC with SHA-256 of a message: 32 bytes.
  func signature(of message: [UInt8]) -> [UInt8]
}

extension MessageSigner {
  /// Whether a signature is that of a message, in a time independent of their first difference.
  func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    ConstantTime.areEqual(signature, self.signature(of: message))
  }
}

/// The claims of a token of this server.
package struct TokenClaims: Hashable, Sendable {
  /// The kinds of tokens.
  package enum Kind: String, Hashable, Sendable {
    case access
    case refresh
    /// Of a server, for another one with the same keys.
    case node
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
#endif
