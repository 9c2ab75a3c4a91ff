// SPDX-License-Identifier: Apache-2.0

// The ways to log in.

#if Server
import RealmServerEngine
import RealmServerServices

/// A way to log in, as the settings of an app have it.
///
/// Logins by a function are declared with their code: `AppDefinition.logIn(_:)`.
public struct LogInKind: Hashable, Sendable {
  /// The proof that an address is its user's.
  public enum Confirmation: Hashable, Sendable {
    /// None is asked for.
    case automatic
    /// A token in a mail.
    case mail
  }

  /// The signatures of tokens.
  public enum TokenKey: Hashable, Sendable {
    /// The secret of HS256, 32 bytes at least.
    case secret(String)
    /// A public key for RS256, in PEM form.
    case rs256(String)
    /// A public key for ES256, in PEM form.
    case es256(String)
    /// The address of a set of public keys for RS256 (JWKS).
    case published(String)
  }

  let apply: @Sendable (inout AccountSettings) -> Void
  private let name: String

  private init(_ name: String, _ apply: @escaping @Sendable (inout AccountSettings) -> Void) {
    self.name = name
    self.apply = apply
  }

  /// Two kinds are equal if they are of one provider.
  public static func == (left: LogInKind, right: LogInKind) -> Bool { left.name == right.name }

  /// Hashes the provider.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// New users without a name.
  public static let anonymous = LogInKind("anon-user") { $0.allowsAnonymous = true }

  /// Keys that users make for their programs, and that the operator makes for servers.
  public static let apiKey = LogInKind("api-key") { $0.allowsKeys = true }

  /// Addresses and passwords. A function for the confirmation is declared with its code:
  /// `AppDefinition.confirm(_:)`.
  public static func emailPassword(confirm: Confirmation = .automatic) -> LogInKind {
    LogInKind("local-userpass") { $0.confirmation = confirm == .mail ? .mail : .auto }
  }

  /// Identity tokens of Apple.
  ///
  /// - Parameter clientIDs: The identifiers of the apps and services.
  public static func apple(clientIDs: [String]) -> LogInKind {
    LogInKind("oauth2-apple") {
      $0.tokenProviders[AccountService.appleProvider] = .apple(clientIDs)
    }
  }

  /// Identity tokens of Google.
  ///
  /// - Parameter clientIDs: The identifiers of the clients.
  public static func google(clientIDs: [String]) -> LogInKind {
    LogInKind("oauth2-google") {
      $0.tokenProviders[AccountService.googleProvider] = .google(clientIDs)
    }
  }

  /// Tokens of another service (JWT).
  ///
  /// - Parameters:
  ///   - key: The key of the signatures.
  ///   - audiences: The audiences of which a token has to have one.
  ///   - issuers: The issuers of which a token has to have one; any if there are none.
  public static func jwt(
    _ key: TokenKey, audiences: [String], issuers: [String] = []
  ) -> LogInKind {
    let (algorithm, keys): (SigningAlgorithm, TokenProvider.Keys) =
      switch key {
      case .secret(let text): (.hs256, .given([SigningKey(Secret(text))]))
      case .rs256(let text): (.rs256, .given([SigningKey(Secret(text))]))
      case .es256(let text): (.es256, .given([SigningKey(Secret(text))]))
      case .published(let url): (.rs256, .published(url))
      }
    return LogInKind("custom-token") {
      $0.tokenProviders[AccountService.tokenProvider] = TokenProvider(
        algorithm, keys: keys, issuers: issuers, audiences: audiences)
    }
  }
}
#endif
