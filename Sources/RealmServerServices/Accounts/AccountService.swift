// SPDX-License-Identifier: Apache-2.0

// Users of an app: logging in, sessions, tokens, profiles (P1 A.2).
//
// Invariants:
// 1. A user without a session gets no token, and the tokens of a session end with it.
// 2. Neither passwords, tokens nor keys are stored, only proofs of them (rule SY14).
// 3. A new password ends the earlier sessions and mailed tokens, in the same transaction, and no
//    session begins with the old one.
// 4. Whether an address is registered shows in no answer about mails, nor in their time. Only where
//    registrations need no mail, a registration has to say it, and these answers do, too.

#if Server
import RealmFormats
package import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

/// The users of one app.
package struct AccountService: Sendable {
  package static let anonymousProvider = "anon-user"

  let app: String
  private let currentSettings: Locked<AccountSettings>
  let store: AccountStore
  let passwords: PasswordChecker
  let issuer: TokenIssuer
  let random: RandomBytes
  let clock: ServerClock
  let mailer: any AccountMailer
  let services: LoginServices
  let mails: Locked<RateLimit>
  /// The sessions and users whose access ends from now on.
  package let ends = AccessEnds()
  /// Wakes the triggers on users.
  package let news = AccountNews()
  private let documents = Locked<(any CustomDataSource)?>(nil)

  package init(
    app: String, settings: AccountSettings, store: AccountStore, passwords: PasswordChecker,
    issuer: TokenIssuer, random: RandomBytes, clock: ServerClock, mailer: any AccountMailer,
    services: LoginServices
  ) {
    self.app = app
    currentSettings = Locked(settings)
    self.store = store
    self.passwords = passwords
    self.issuer = issuer
    self.random = random
    self.clock = clock
    self.mailer = mailer
    self.services = services
    mails = Locked(RateLimit(settings.mailsPerHour, period: 3_600_000))
  }

  /// The settings of the app's file.
  var settings: AccountSettings { currentSettings.withLock { $0 } }

  /// Takes other settings, for logins and tokens from now on.
  package func apply(_ settings: AccountSettings) { currentSettings.withLock { $0 = settings } }

  /// Whether the app has a way to log in, by the name of its provider in requests.
  func accepts(_ provider: String) -> Bool {
    let settings = settings
    return switch provider {
    case Self.anonymousProvider: settings.allowsAnonymous
    case Self.passwordProvider: settings.confirmation != nil
    case Self.keyProvider: settings.allowsKeys
    case Self.functionProvider: settings.loginHook != nil
    case Self.facebookProvider: settings.facebook != nil
    default: settings.tokenProviders[provider] != nil
    }
  }

  /// Says where the custom data of users is, before the first of them logs in.
  package func findCustomData(in documents: any CustomDataSource) {
    self.documents.withLock { $0 = documents }
  }

  /// The custom data of a user, for rules and tokens.
  ///
  /// - Parameter given: The data from the operator.
  func customData(
    of user: String, given: BSONValue?
  ) async throws(AccountError) -> BSONValue? {
    guard let documents = documents.withLock({ $0 }) else { return given }
    do throws(StoreError) {
      return try await documents.data(of: user, given: given)
    } catch {
      throw .store(error)
    }
  }

  // MARK: Tokens

  /// The content of an access token, whose user is not looked up.
  package func claims(accessToken: String) throws(AccountError) -> TokenClaims {
    guard let claims = issuer.claims(accessToken, .access, now: unixSeconds), claims.app == app
    else { throw .invalidSession }
    return claims
  }

  /// The user of a token's content, if its session is not over.
  package func access(_ claims: TokenClaims) async throws(AccountError) -> UserAccess {
    try await store.read { (accounts) throws(AccountError) in
      let account = try Self.account(of: claims, accounts)
      let session = try accounts.find(AccountSession.self, claims.session)
      return UserAccess(
        account: account, session: claims.session, isByKey: session?.apiKey != nil)
    }
  }

  /// The user of an access token.
  package func access(accessToken: String) async throws(AccountError) -> UserAccess {
    try await access(claims(accessToken: accessToken))
  }

  /// The user of a refresh token, as calls about API keys have it (P1 A.2).
  package func access(refreshToken: String) async throws(AccountError) -> UserAccess {
    try await access(claims(refreshToken: refreshToken))
  }

  private static func account(
    of claims: TokenClaims, _ accounts: AccountTransaction
  ) throws(AccountError) -> Account {
    let account = try enabled(claims.account, accounts)
    guard try accounts.find(AccountSession.self, claims.session)?.account == claims.account
    else { throw .invalidSession }
    return account
  }

  /// A new access token for a refresh token.
  package func refresh(_ refreshToken: String) async throws(AccountError) -> String {
    let claims = try claims(refreshToken: refreshToken)
    let account = try await store.read { (accounts) throws(AccountError) -> Account in
      try Self.account(of: claims, accounts)
    }
    return try await accessToken(account, session: claims.session)
  }

  /// Ends the session of a refresh token.
  package func revoke(_ refreshToken: String) async throws(AccountError) {
    let claims = try claims(refreshToken: refreshToken)
    try await store.write { (accounts) throws(AccountError) in
      guard let session = try accounts.find(AccountSession.self, claims.session) else {
        throw .invalidSession
      }
      try Self.removePush(of: session.account, accounts) { $0.device == session.device }
      try accounts.remove(AccountSession.self, claims.session)
    }
    ends.report(.session(claims.session))
  }

  private func claims(refreshToken: String) throws(AccountError) -> TokenClaims {
    guard let claims = issuer.claims(refreshToken, .refresh, now: unixSeconds), claims.app == app
    else { throw .invalidSession }
    return claims
  }

  static func enabled(
    _ id: String, _ accounts: AccountTransaction
  ) throws(AccountError) -> Account {
    guard let account = try accounts.find(Account.self, id) else { throw .invalidSession }
    guard !account.isDisabled else { throw .userDisabled }
    return account
  }

  func accessToken(
    _ account: Account, session: String
  ) async throws(AccountError) -> String {
    var account = account
    account.customData = try await customData(of: account.id, given: account.customData)
    return token(.access, account, session: session)
  }

  func token(_ kind: TokenClaims.Kind, _ account: Account, session: String) -> String {
    let now = unixSeconds
    let lifetime =
      kind == .access ? settings.accessMinutes * 60 : settings.refreshDays * 24 * 60 * 60
    return issuer.token(
      TokenClaims(
        kind: kind, app: app, account: account.id, session: session, issued: now,
        expires: now + Int64(lifetime), userData: kind == .access ? account.customData : nil))
  }

  var unixSeconds: Int64 {
    Int64((clock.now().milliseconds + OriginTimestamp.unixOffset) / 1_000)
  }

  // MARK: Users

  /// The identities of a user, with their data for profiles.
  package func identities(of account: Account) async throws(AccountError) -> [Identity] {
    try await store.read { (accounts) throws(AccountError) in
      var identities: [Identity] = []
      for name in account.identities {
        if let identity = try accounts.find(Identity.self, name.text) {
          identities.append(identity)
        }
      }
      return identities
    }
  }

  /// Removes a user. Its sessions are over, as their user does not exist.
  package func delete(_ account: Account) async throws(AccountError) {
    let kinds = settings.recordedEvents
    _ = try await store.delete(account.id, at: clock.now(), recording: kinds)
    ends.report(.account(account.id))
    if !kinds.isEmpty { news.report() }
  }

  // MARK: Logging in

  /// Logs a new user in.
  package func logInAnonymously(device: String?) async throws(AccountError) -> LoginResult {
    guard settings.allowsAnonymous else { throw .unknownProvider(Self.anonymousProvider) }
    let name = IdentityName(provider: Self.anonymousProvider, name: random.identifier())
    let identity = Identity(name, id: random.identifier())
    return try await begin(name, new: identity, linkedTo: nil, device: device)
  }

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
  ///   - profile: The data of the user at the provider; nil if there is none.
  ///   - key: The API key of the login; it may have been disabled since.
  ///   - linked: The user of the new identity; nil in a login.
  ///   - device: The device of an earlier login.
  func begin(
    _ name: IdentityName, new: Identity? = nil, password: StoredPassword? = nil,
    profile: [BSONElement]? = nil, key: APIKey? = nil, linkedTo linked: UserAccess?,
    device: String?
  ) async throws(AccountError) -> LoginResult {
    let newAccount = random.identifier()
    let start = LoginStart(self, device: device)
    let session = linked?.session ?? start.session
    let kinds = settings.recordedEvents
    let account = try await store.write { (accounts) throws(AccountError) -> Account in
      guard var identity = try accounts.find(Identity.self, name.text) ?? new,
        password == nil || identity.password == password
      else { throw .invalidPassword }
      if let key { try Self.check(key, accounts) }
      if let linked {
        guard let session = try accounts.find(AccountSession.self, linked.session) else {
          throw .invalidSession
        }
        guard session.apiKey == nil else {
          throw .badParameter(
            "a session that an API key has begun adds no way to log in: log in another way")
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
    let start = LoginStart(self, device: device)
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

  func result(
    _ account: Account, session: String, device: String
  ) async throws(AccountError) -> LoginResult {
    LoginResult(
      accessToken: try await accessToken(account, session: session),
      refreshToken: token(.refresh, account, session: session), account: account.id,
      device: device)
  }
}

/// The values of a new session.
struct LoginStart {
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

/// A logged-in user, with the session of the token.
package struct UserAccess: Hashable, Sendable {
  package let account: Account
  /// 24 hexadecimal digits.
  package let session: String
  /// Whether an API key has begun the session.
  package let isByKey: Bool

  package init(account: Account, session: String, isByKey: Bool = false) {
    self.account = account
    self.session = session
    self.isByKey = isByKey
  }

  package var holder: AccessEnds.Holder {
    AccessEnds.Holder(account: account.id, session: session)
  }
}
#endif
