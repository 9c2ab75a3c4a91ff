// SPDX-License-Identifier: Apache-2.0

// API keys: those that users make for themselves, and logins with them.

#if Server
import RealmServerEngine
import RealmSyncProtocol
import RealmText

extension AccountService {
  package static let keyProvider = "api-key"

  private func requireKeys() throws(AccountError) {
    guard settings.allowsKeys else { throw .unknownProvider(Self.keyProvider) }
  }

  /// Checks the text of a key.
  package func prove(key text: String) async throws(AccountError) -> LoginProof {
    try requireKeys()
    let digest = services.cryptography.digest(of: Array(text.utf8))
    let id = APIKey.id(in: text) ?? ""
    let found = try await store.read { (accounts) throws(AccountError) in
      try accounts.find(APIKey.self, id)
    }
    guard let key = found, ConstantTime.areEqual(key.digest, digest), !key.isDisabled else {
      throw .refused("invalid API key")
    }
    return .key(key)
  }

  /// Makes a key of a user. Users without another way to log in have none: their keys would end
  /// with them.
  ///
  /// - Returns: The key and its text, which cannot be had again.
  package func makeKey(
    named name: String, for account: Account
  ) async throws(AccountError) -> (key: APIKey, text: String) {
    try requireKeys()
    guard APIKey.isName(name) else {
      throw .badParameter(
        "the name of an API key has 1 to \(APIKey.nameCountMax) letters, digits, '_' and '-'")
    }
    let providers = Set(account.identities.map(\.provider))
    guard !providers.isSubset(of: [Self.anonymousProvider, Self.keyProvider]) else {
      throw .badParameter(
        "a user who is anonymous, or the user of a key of the app, has no API keys")
    }
    let made = APIKey.make(
      named: name, for: account.id, now: clock.now(), random, services.cryptography)
    try await store.add(made.key)
    return made
  }

  /// The keys of a user, the oldest first.
  package func keys(of account: Account) async throws(AccountError) -> [APIKey] {
    try requireKeys()
    return try await store.keys(of: account.id)
  }

  /// A key of a user.
  package func key(_ id: String, of account: Account) async throws(AccountError) -> APIKey {
    guard let key = try await keys(of: account).first(where: { $0.id == id }) else {
      throw .keyNotFound
    }
    return key
  }

  /// Enables or disables a key of a user. The sessions of a disabled key end.
  package func setKeyDisabled(
    _ isDisabled: Bool, _ id: String, of account: Account
  ) async throws(AccountError) {
    _ = try await key(id, of: account)
    let ended = try await store.setKeyDisabled(isDisabled, id, of: account.id)
    for session in ended { ends.report(.session(session)) }
  }

  /// Removes a key of a user, and its sessions.
  package func removeKey(_ id: String, of account: Account) async throws(AccountError) {
    _ = try await key(id, of: account)
    for session in try await store.removeKey(id, of: account.id) { ends.report(.session(session)) }
  }
}
#endif
