// SPDX-License-Identifier: Apache-2.0

// An issuer of tokens with keys of its own, as services for logins are.

#if Server
import Crypto
import Foundation
import RealmFormats
import RealmText
import _CryptoExtras

/// The claims of a test's tokens.
struct TestClaims {
  var sub = "ann"
  var aud = "todos"
  var iss = "https://id.example.org"
  /// Seconds since 1970: far in the future, unless a test says so.
  var exp: Int64 = 4_102_444_800
  var name: String?
  var email: String?
  var isEmailVerified: Bool?

  fileprivate var json: JSONValue {
    var members = [
      JSONMember("sub", .string(sub)), JSONMember("aud", .string(aud)),
      JSONMember("iss", .string(iss)), JSONMember("exp", .integer(exp)),
    ]
    if let name { members.append(JSONMember("name", .string(name))) }
    if let email { members.append(JSONMember("email", .string(email))) }
    if let isEmailVerified {
      members.append(JSONMember("email_verified", .bool(isEmailVerified)))
    }
    return .object(members)
  }
}

/// Signs tokens in all ways that the server knows, and in others.
struct TestIssuer: Sendable {
  static let secret = "a secret of forty bytes, known to no one"

  private let rsa: _RSA.Signing.PrivateKey
  private let curve = P256.Signing.PrivateKey()

  init() throws { rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048) }

  var rsaPEM: String { rsa.publicKey.pemRepresentation }
  var curvePEM: String { curve.publicKey.pemRepresentation }

  /// The published set: "rsa" and "ec".
  func published() throws -> String {
    let numbers = try rsa.publicKey.getKeyPrimitives()
    let point = Array(curve.publicKey.rawRepresentation)
    return """
      {"keys":[
        {"kty":"RSA","kid":"rsa","use":"sig","alg":"RS256",
          "n":"\(Self.url(numbers.modulus))","e":"\(Self.url(numbers.publicExponent))"},
        {"kty":"EC","kid":"ec","crv":"P-256",
          "x":"\(Self.url(point.prefix(32)))","y":"\(Self.url(point.suffix(32)))"}
      ]}
      """
  }

  private static func url(_ bytes: some Sequence<UInt8>) -> String {
    Base64.encode(Array(bytes)).replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  /// A signature of a token.
  enum Way: String, CaseIterable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case rs512 = "RS512"
    case es256 = "ES256"
    /// HS256 with the public RSA key in PEM form as the secret, which anybody has.
    case confused
    case none
  }

  func token(_ way: Way) throws -> String { try token(TestClaims(), way) }

  func token(_ claims: TestClaims, _ way: Way) throws -> String {
    let key = way == .es256 ? "ec" : "rsa"
    let name = way == .confused ? "HS256" : way.rawValue
    let header = #"{"alg":"\#(name)","kid":"\#(key)","typ":"JWT"}"#
    let text = Self.url(header.utf8) + "." + Self.url(JSONWriter.bytes(claims.json))
    let message = Array(text.utf8)
    let signature: [UInt8]
    switch way {
    case .hs256, .confused:
      let secret = way == .hs256 ? Self.secret : rsaPEM
      signature = Array(
        HMAC<SHA256>.authenticationCode(
          for: message, using: SymmetricKey(data: Array(secret.utf8))))
    case .rs256:
      signature = Array(
        try rsa.signature(
          for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5
        ).rawRepresentation)
    case .rs512:
      signature = Array(
        try rsa.signature(
          for: SHA512.hash(data: message), padding: .insecurePKCS1v1_5
        ).rawRepresentation)
    case .es256:
      signature = Array(try curve.signature(for: SHA256.hash(data: message)).rawRepresentation)
    case .none: signature = []
    }
    return text + "." + Self.url(signature)
  }
}
#endif
