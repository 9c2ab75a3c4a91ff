// SPDX-License-Identifier: Apache-2.0

// The beginning of sessions: all logins, and links of a user with another way to log in.

import RealmFormats
import RealmSyncProtocol

extension AccountService {
  /// Logs the user of a proof in, or adds its identity to a user who is logged in already.
  ///
  /// - Throws: `AccountError.notLinkable` for a key, as keys belong to users already.
  package func logIn(
    _ proof: LoginProof, linkedTo access: UserAccess?, device: String?
  ) async throws(AccountError) -> LoginResult {
    switch proof {
    case .identity(let name, let profile):
      return try await begin(
        name, new: Identity(name, id: random.identifier()), profile: profile, linkedTo: access,
        device: device)
    case .key(let key):
      guard access == nil else { throw .notLinkable }
      if let user = key.account { return try await begin(key, of: user, device: device) }
      let name = IdentityName(provider: Self.keyProvider, name: key.id)
      return try await begin(
        name, new: Identity(name, id: random.identifier()),
        profile: [BSONElement("name", .string(key.name))], key: key, linkedTo: nil,
        device: device)
    }
  }

  /// Begins a session of the user of an identity, made if there is none. A user with a new identity
  /// goes on with the present session.
  ///
  /// - Parameters:
  ///   - new: The identity, for a name that is not stored yet.
  ///   - password: The password found right; it may have been replaced since.
  ///   - profile: What the provider tells of the user; nil if it tells nothing.
  ///   - key: The API key of the login; it may have been disabled since.
  ///   - linked: The user of the new identity; nil in a login.
  ///   - device: The device of an earlier login.
  func begin(
    _ name: IdentityName, new: Identity? = nil, password: StoredPassword? = nil,
    profile: [BSONElement]? = nil, key: APIKey? = nil, linkedTo linked: UserAccess?,
    device: String?
  ) async throws(AccountError) -> LoginResult {
    let newAccount = random.identifier()
    let start = SessionStart(self, device: device)
    let session = linked?.session ?? start.session
    let kinds = settings.recordedEvents
    let account = try await store.write { (accounts) throws(AccountError) -> Account in
      guard var identity = try accounts.find(Identity.self, name.text) ?? new,
        password == nil || identity.password == password
      else { throw .invalidPassword }
      if let key { try Self.check(key, accounts) }
      if let linked {
        guard try accounts.find(AccountSession.self, linked.session) != nil else {
          throw .invalidSession
        }
        if let owner = identity.account, owner != linked.account.id { throw .linkedElsewhere }
      }
      let id = identity.account ?? linked?.account.id
      var account = Account(id: newAccount, created: start.time)
      if let id { account = try Self.enabled(id, accounts) }
      let isNew = identity.account == nil
      if isNew {
        identity.account = account.id
        account.identities.append(name)
        try accounts.put(account)
      }
      if isNew || (profile ?? identity.profile) != identity.profile {
        identity.profile = profile ?? identity.profile
        try accounts.put(identity)
      }
      try accounts.put(
        AccountSession(
          id: session, account: account.id, device: start.device, expires: start.expires,
          apiKey: key?.id))
      guard linked == nil else { return account }
      if isNew { try accounts.record(.create, of: account, at: start.time, if: kinds) }
      try accounts.record(.login, of: account, provider: name.provider, at: start.time, if: kinds)
      return account
    }
    if !kinds.isEmpty { news.report() }
    return try await result(account, session: session, device: start.device)
  }

  /// Begins a session of the user who made a key.
  private func begin(
    _ key: APIKey, of user: String, device: String?
  ) async throws(AccountError) -> LoginResult {
    let start = SessionStart(self, device: device)
    let kinds = settings.recordedEvents
    let account = try await store.write { (accounts) throws(AccountError) -> Account in
      try Self.check(key, accounts)
      let account = try Self.enabled(user, accounts)
      try accounts.put(
        AccountSession(
          id: start.session, account: user, device: start.device, expires: start.expires,
          apiKey: key.id))
      try accounts.record(
        .login, of: account, provider: Self.keyProvider, at: start.time, if: kinds)
      return account
    }
    if !kinds.isEmpty { news.report() }
    return try await result(account, session: start.session, device: start.device)
  }

  private static func check(_ key: APIKey, _ accounts: AccountTransaction) throws(AccountError) {
    guard try accounts.find(APIKey.self, key.id) == key else { throw .refused("invalid API key") }
  }

  private func result(
    _ account: Account, session: String, device: String
  ) async throws(AccountError) -> LoginResult {
    LoginResult(
      accessToken: try await accessToken(account, session: session),
      refreshToken: token(.refresh, account, session: session), account: account.id,
      device: device)
  }
}

/// The values of a new session.
private struct SessionStart {
  let session: String
  let device: String
  let time: OriginTimestamp
  let expires: OriginTimestamp

  init(_ accounts: AccountService, device known: String?) {
    session = accounts.random.identifier()
    device =
      known.flatMap { RandomBytes.isIdentifier($0) ? $0 : nil } ?? accounts.random.identifier()
    time = accounts.clock.now()
    let lifetime = UInt64(accounts.settings.refreshDays) * 24 * 60 * 60 * 1_000
    expires = OriginTimestamp(milliseconds: time.milliseconds + lifetime)
  }
}

/// The answer of a login for a client.
package struct LoginResult: Hashable, Sendable {
  package var accessToken: String
  package var refreshToken: String
  package var account: String
  package var device: String
}
