// SPDX-License-Identifier: Apache-2.0

// What logins need of a program: a network, a cryptographic library, the app's code.

#if Server
import RealmStorage
package import RealmSyncProtocol

/// The services of a program for the logins of its apps.
package struct LoginServices: Sendable {
  /// The hooks of all apps that are called at a time.
  private static let hookCountMax = 32

  let cryptography: any LoginCryptography
  let transport: any HTTPTransport
  private(set) var functions: LoginFunctions
  let publishedKeys: PublishedKeys
  /// The chains of triggers, handed to webhooks and back.
  let chain: CallChain
  /// Takes the runs of the apps' own code.
  let measure: @Sendable (CodeRun) -> Void
  private let hookCount = Locked(0)

  /// - Parameters:
  ///   - transport: Fetches published keys, and calls webhooks.
  ///   - functions: The closures of the program for logins.
  ///   - measure: Takes the runs of the apps' own code.
  package init(
    cryptography: any LoginCryptography, transport: any HTTPTransport,
    functions: LoginFunctions = LoginFunctions(),
    measure: @escaping @Sendable (CodeRun) -> Void = { _ in }
  ) {
    self.measure = measure
    self.cryptography = cryptography
    self.transport = transport
    self.functions = functions
    publishedKeys = PublishedKeys(transport)
    chain = CallChain(key: RandomBytes().bytes(32)) { cryptography.signature(of: $0, key: $1) }
  }

  /// The services with the closures of one app. All apps share the room for calls.
  package func with(_ functions: LoginFunctions) -> LoginServices {
    var services = self
    services.functions = functions
    return services
  }

  /// Sends the requests of webhooks.
  package var webhooks: WebhookSender { webhooks(by: transport) }

  /// Sends the requests of webhooks by another transport.
  package func webhooks(by transport: any HTTPTransport) -> WebhookSender {
    WebhookSender(transport, chain: chain, measure: measure) { [cryptography] in
      cryptography.signature(of: $0, key: $1)
    }
  }

  /// Takes the room of a call of a hook.
  func beginHook() throws(AccountError) {
    let isFree = hookCount.withLock { count in
      guard count < Self.hookCountMax else { return false }
      count += 1
      return true
    }
    guard isFree else { throw .busy }
  }

  func endHook() { hookCount.withLock { $0 -= 1 } }
}

/// The functions of a cryptographic library that logins need.
package protocol LoginCryptography: Sendable {
  /// SHA-256: 32 bytes.
  func digest(of message: [UInt8]) -> [UInt8]

  /// HMAC with SHA-256: 32 bytes.
  func signature(of message: [UInt8], key: [UInt8]) -> [UInt8]

  /// Whether a JSON Web Token has the signature of a key by an algorithm. A key of another kind has
  /// made none.
  func isSigned(
    _ token: String, by key: VerificationKey, _ algorithm: SigningAlgorithm
  ) -> Bool

  /// Whether a key can be used with an algorithm.
  func isUsable(_ key: VerificationKey, _ algorithm: SigningAlgorithm) -> Bool
}

/// A key for checking signatures.
package enum VerificationKey: Hashable, Sendable {
  /// The key of HS256.
  case secret([UInt8])
  /// A public key in PEM form.
  case pem(String)
  /// A public key as a JSON Web Key, with the member `kid`.
  case jwk(String)
}
#endif
