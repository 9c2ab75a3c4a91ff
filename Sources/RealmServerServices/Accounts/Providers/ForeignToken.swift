// SPDX-License-Identifier: Apache-2.0

// JSON Web Tokens of others (RFC 7519), and the rules about their claims.
//
// Rules:
// 1. The algorithm is the provider's, never the token's choice: a token with another one is refused
//    before a key is looked up.
// 2. A token needs a subject, an expiry and an audience of the app.
// 3. Claims count after the signature was found right.

#if Server
import RealmFormats
import RealmText

/// A token of another issuer, read but not checked.
struct ForeignToken {
  static let byteCountMax = 16 << 10
  /// How far clocks of issuers may be apart from ours, in seconds.
  static let leeway: Int64 = 60
  private static let subjectByteCountMax = 256

  let text: String
  let algorithm: String
  /// The name of the key; nil if the token has none.
  let keyID: String?
  private let claims: JSONValue

  /// Reads a token.
  ///
  /// - Throws: `AccountError.refused` for a text that is none.
  init(_ text: String) throws(AccountError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= Self.byteCountMax else {
      throw .refused("the token is longer than \(Self.byteCountMax) bytes")
    }
    guard parts.count == 3, let header = Self.document(parts[0]),
      let claims = Self.document(parts[1]), let algorithm = header["alg"]?.string
    else { throw .refused("the token is no JSON Web Token") }
    // RFC 7515, 4.1.11: an extension that must be understood, and is not.
    guard header["crit"] == nil else {
      throw .refused("the token has a header 'crit', which is not supported")
    }
    self.text = text
    self.algorithm = algorithm
    keyID = header["kid"]?.string
    self.claims = claims
  }

  private static func document(_ part: Substring) -> JSONValue? {
    guard let bytes = Base64.decode(String(part)), let json = try? JSONParser.parse(bytes),
      case .object = json
    else { return nil }
    return json
  }

  /// The subject of a token that a provider accepts.
  ///
  /// - Parameter now: Seconds since 1970.
  func subject(_ provider: TokenProvider, now: Int64) throws(AccountError) -> String {
    guard let expires = try time("exp") else { throw .refused("the token has no expiry") }
    guard now < expires + Self.leeway else { throw .refused("the token has expired") }
    if let start = try time("nbf"), now < start - Self.leeway {
      throw .refused("the token is not valid yet")
    }
    if let issued = try time("iat"), now < issued - Self.leeway {
      throw .refused("the token was issued in the future")
    }
    if !provider.issuers.isEmpty {
      guard let issuer = claims["iss"]?.string, provider.issuers.contains(issuer) else {
        throw .refused("the token is of another issuer")
      }
    }
    let audiences = Set(Self.texts(claims["aud"]))
    let isMeant =
      provider.acceptsAnyAudience
      ? provider.audiences.contains { audiences.contains($0) }
      : provider.audiences.allSatisfy { audiences.contains($0) }
    guard isMeant else { throw .refused("the token is for another audience") }
    guard let subject = claims["sub"]?.string,
      (1...Self.subjectByteCountMax).contains(subject.utf8.count)
    else {
      throw .refused(
        "the token needs a subject of 1 to \(Self.subjectByteCountMax) bytes in 'sub'")
    }
    return subject
  }

  /// The fields of the profile that the token gives.
  func profile(_ provider: TokenProvider) throws(AccountError) -> [BSONElement] {
    var profile: [BSONElement] = []
    for field in provider.fields {
      var value: JSONValue? = claims
      for step in field.steps { value = value?[step] }
      if let value, value != .null, let bson = try? ExtendedJSONReader.value(value) {
        profile.append(BSONElement(field.name, bson))
      } else if field.isRequired {
        throw .refused("the token lacks '\(field.path)'")
      }
    }
    if provider.provesEmail, let email = claims["email"]?.string,
      // Apple writes a string in some tokens.
      claims["email_verified"] == .bool(true) || claims["email_verified"] == .string("true")
    {
      profile.append(BSONElement("email", .string(email)))
    }
    return profile
  }

  /// A time in seconds since 1970, which may have a fraction; nil if the token has none.
  private func time(_ claim: String) throws(AccountError) -> Int64? {
    switch claims[claim] {
    case nil: return nil
    case .integer(let seconds)? where (0...1 << 40).contains(seconds): return seconds
    case .double(let seconds)? where (0...0x1p40).contains(seconds): return Int64(seconds)
    default: throw .refused("the token's '\(claim)' is no time")
    }
  }

  private static func texts(_ json: JSONValue?) -> [String] {
    switch json {
    case .string(let text)?: [text]
    case .array(let values)?: values.compactMap(\.string)
    default: []
    }
  }
}
#endif
