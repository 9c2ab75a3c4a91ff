// SPDX-License-Identifier: Apache-2.0

// Logins with tokens of others: custom tokens, Apple and Google.

#if Server
package import RealmFormats
import RealmServerEngine
import RealmSyncProtocol

extension AccountService {
  package static let tokenProvider = "custom-token"
  package static let appleProvider = "oauth2-apple"
  package static let googleProvider = "oauth2-google"

  /// The most keys without a name that a token is tried with.
  private static let triedKeyCountMax = 8

  /// Checks a token of another issuer.
  ///
  /// - Parameter provider: The name of the provider in requests.
  /// - Throws: `AccountError.refused` for a token that is not accepted.
  package func prove(
    token text: String, of provider: String
  ) async throws(AccountError) -> LoginProof {
    guard let settings = settings.tokenProviders[provider] else {
      throw .unknownProvider(provider)
    }
    return try await prove(token: text, of: provider, by: settings)
  }

  /// Checks a token by other settings than the provider's.
  func prove(
    token text: String, of provider: String, by settings: TokenProvider
  ) async throws(AccountError) -> LoginProof {
    let token = try ForeignToken(text)
    guard token.algorithm == settings.algorithm.rawValue else {
      throw .refused(
        "the token is signed with another algorithm than \(settings.algorithm.rawValue)")
    }
    let keys = try await keys(of: settings, for: token)
    guard !keys.isEmpty else { throw .refused("the token is signed with an unknown key") }
    for key in keys.prefix(Self.triedKeyCountMax)
    where services.cryptography.isSigned(token.text, by: key, settings.algorithm) {
      let subject = try token.subject(settings, now: unixSeconds)
      return .identity(
        IdentityName(provider: provider, name: subject), profile: try token.profile(settings))
    }
    throw .refused("the signature of the token is wrong")
  }

  private func keys(
    of settings: TokenProvider, for token: ForeignToken
  ) async throws(AccountError) -> [VerificationKey] {
    switch settings.keys {
    case .given(let keys):
      return keys.filter { $0.id == nil || token.keyID == nil || $0.id == token.keyID }
        .map { $0.verification(settings.algorithm) }
    case .published(let url):
      return try await services.publishedKeys.keys(
        token.keyID, settings.algorithm, at: url, now: clock.now().milliseconds
      ).map(\.verification)
    }
  }
}

extension SigningKey {
  /// The key as it checks signatures by an algorithm.
  package func verification(_ algorithm: SigningAlgorithm) -> VerificationKey {
    switch algorithm {
    case .hs256: .secret(key.bytes)
    case .rs256, .es256: .pem(key.text)
    }
  }
}

/// Who asks for a login, found right.
package enum LoginProof: Hashable, Sendable {
  /// A name at a provider, which may be new, with its data for the profile.
  case identity(IdentityName, profile: [BSONElement])
  case key(APIKey)

  /// The name that logins are counted by.
  var name: String {
    switch self {
    case .identity(let name, _): name.text
    case .key(let key): AccountService.keyProvider + " " + key.id
    }
  }
}
#endif
