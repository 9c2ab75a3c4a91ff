// SPDX-License-Identifier: Apache-2.0

// The signatures of tokens of others, checked by swift-crypto.
//
// A key is used with one algorithm, that of the app's file: neither the header of a token nor the
// kind of a key chooses another. The rules about headers and claims are in `ForeignToken`.

#if Server
import Crypto
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmText
import _CryptoExtras

/// Checks signatures of JSON Web Tokens (RFC 7515, RFC 7518).
enum TokenSignature {
  /// Whether a token has the signature of a key.
  static func isValid(
    _ token: String, by key: VerificationKey, _ algorithm: SigningAlgorithm
  ) -> Bool {
    guard let point = token.lastIndex(of: "."),
      let signature = Base64.decode(String(token[token.index(after: point)...]))
    else { return false }
    let message = Array(token[..<point].utf8)
    switch algorithm {
    case .hs256:
      guard case .secret(let secret) = key else { return false }
      return HMAC<SHA256>.isValidAuthenticationCode(
        signature, authenticating: message, using: SymmetricKey(data: secret))
    case .rs256:
      return rsa(key)?.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: signature),
        for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5) ?? false
    case .es256:
      guard let point = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
        return false
      }
      return curve(key)?.isValidSignature(point, for: SHA256.hash(data: message)) ?? false
    }
  }

  /// Whether a key of an app's file fits an algorithm.
  static func isUsable(_ key: VerificationKey, _ algorithm: SigningAlgorithm) -> Bool {
    switch (algorithm, key) {
    case (.hs256, .secret(let secret)): secret.count >= 32
    case (.rs256, .pem): rsa(key) != nil
    case (.es256, .pem): curve(key) != nil
    default: false
    }
  }

  /// An RSA key of 2048 bits at least.
  private static func rsa(_ key: VerificationKey) -> _RSA.Signing.PublicKey? {
    switch key {
    case .secret: return nil
    case .pem(let pem): return try? _RSA.Signing.PublicKey(pemRepresentation: pem)
    case .jwk(let text):
      guard let key = JWK(text, "RSA"), let modulus = key["n"], let exponent = key["e"] else {
        return nil
      }
      return try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
    }
  }

  /// A key of the curve P-256.
  private static func curve(_ key: VerificationKey) -> P256.Signing.PublicKey? {
    switch key {
    case .secret: return nil
    case .pem(let pem): return try? P256.Signing.PublicKey(pemRepresentation: pem)
    case .jwk(let text):
      guard let key = JWK(text, "EC"), let x = key["x"], let y = key["y"], x.count == 32,
        y.count == 32
      else { return nil }
      return try? P256.Signing.PublicKey(x963Representation: [4] + x + y)
    }
  }

  /// The members of a JSON Web Key.
  private struct JWK {
    private let json: JSONValue

    /// Nil for a key of another type.
    init?(_ text: String, _ type: String) {
      guard let json = try? JSONParser.parse(text), json["kty"]?.string == type else { return nil }
      self.json = json
    }

    /// A member's number, the highest byte first.
    subscript(name: String) -> [UInt8]? { json[name]?.string.flatMap { Base64.decode($0) } }
  }
}
#endif
