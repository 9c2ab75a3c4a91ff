// SPDX-License-Identifier: Apache-2.0

// Users without a name: the provider `anon-user`.

extension AccountService {
  package static let anonymousProvider = "anon-user"

  /// Logs a new user in.
  package func logInAnonymously(device: String?) async throws(AccountError) -> LoginResult {
    guard settings.allowsAnonymous else { throw .unknownProvider(Self.anonymousProvider) }
    let name = IdentityName(provider: Self.anonymousProvider, name: random.identifier())
    let identity = Identity(name, id: random.identifier())
    return try await begin(name, new: identity, linkedTo: nil, device: device)
  }
}
