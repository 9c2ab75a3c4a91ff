// SPDX-License-Identifier: Apache-2.0

// The settings for tokens of others: custom tokens, and those of Apple and Google.

#if Server
/// Which tokens of a provider are accepted.
package struct TokenProvider: Hashable, Sendable {
  /// Where the keys of the signatures are.
  package enum Keys: Hashable, Sendable {
    case given([SigningKey])
    /// The address of a JSON Web Key Set.
    case published(String)
  }

  package var algorithm: SigningAlgorithm
  package var keys: Keys
  /// The accepted issuers; empty for any.
  package var issuers: [String]
  package var audiences: [String]
  /// Whether a token needs one of the audiences; otherwise it needs all.
  package var acceptsAnyAudience: Bool
  /// What is copied from a token to the profile.
  package var fields: [MetadataField]
  /// Whether `email` goes to the profile if `email_verified` is true.
  package var provesEmail: Bool

  package init(
    _ algorithm: SigningAlgorithm, keys: Keys, issuers: [String] = [], audiences: [String],
    acceptsAnyAudience: Bool = true, fields: [MetadataField] = [], provesEmail: Bool = false
  ) {
    self.algorithm = algorithm
    self.keys = keys
    self.issuers = issuers
    self.audiences = audiences
    self.acceptsAnyAudience = acceptsAnyAudience
    self.fields = fields
    self.provesEmail = provesEmail
  }

  /// Tokens of Apple for the apps and services of some identifiers.
  package static func apple(_ clients: [String], keys: String = appleKeys) -> TokenProvider {
    TokenProvider(
      .rs256, keys: .published(keys), issuers: ["https://appleid.apple.com"], audiences: clients,
      provesEmail: true)
  }

  /// Tokens of Google for clients of some identifiers.
  package static func google(_ clients: [String], keys: String = googleKeys) -> TokenProvider {
    TokenProvider(
      .rs256, keys: .published(keys),
      issuers: ["https://accounts.google.com", "accounts.google.com"], audiences: clients,
      fields: [
        MetadataField("name", as: "name"), MetadataField("given_name", as: "first_name"),
        MetadataField("family_name", as: "last_name"), MetadataField("picture", as: "picture_url"),
      ], provesEmail: true)
  }

  package static let appleKeys = "https://appleid.apple.com/auth/keys"
  package static let googleKeys = "https://www.googleapis.com/oauth2/v3/certs"
}

/// The algorithms of signatures (RFC 7518).
package enum SigningAlgorithm: String, CaseIterable, Hashable, Sendable {
  case hs256 = "HS256"
  case rs256 = "RS256"
  case es256 = "ES256"
}

/// A key of signatures, from the file of an app.
package struct SigningKey: Hashable, Sendable {
  /// The `kid` of its tokens; nil for a key that is tried for all tokens.
  package var id: String?
  /// The shared secret for HS256; otherwise the public key in PEM form.
  package var key: Secret

  package init(id: String? = nil, _ key: Secret) {
    self.id = id
    self.key = key
  }
}

/// A claim of a token that becomes a field of the profile.
package struct MetadataField: Hashable, Sendable {
  /// The names on the way to the claim, separated by points.
  package var path: String
  package var name: String
  /// Whether a token without the claim is refused.
  package var isRequired: Bool

  package init(_ path: String, as name: String, isRequired: Bool = false) {
    self.path = path
    self.name = name
    self.isRequired = isRequired
  }

  /// The names of the path. `\.` is a point in a name.
  var steps: [String] {
    var steps = [""]
    var isEscaped = false
    for character in path {
      switch character {
      case "\\" where !isEscaped:
        isEscaped = true
        continue
      case "." where !isEscaped: steps.append("")
      default: steps[steps.count - 1].append(character)
      }
      isEscaped = false
    }
    return steps
  }
}
#endif
