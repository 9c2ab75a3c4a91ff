// SPDX-License-Identifier: Apache-2.0

// Users of an app: sessions, tokens, profiles (P1 A.2).
//
// Invariants:
// 1. A user without a session gets no token, and the tokens of a session end with it.
// 2. Neither passwords, tokens nor keys are stored, only proofs of them (rule SY14).
// 3. A new password ends the earlier sessions and mailed tokens, in the same transaction, and no
//    session begins with the old one.
// 4. Whether an address is registered shows in no answer about mails, nor in their time. Only where
//    registrations need no mail, a registration has to tell.

package import RealmFormats
import RealmStorage
package import RealmSyncProtocol

/// The users of one app.
package struct AccountService: Sendable {
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
    UserAccess(
      account: try await store.read { (accounts) throws(AccountError) in
        try Self.account(of: claims, accounts)
      }, session: claims.session)
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

  // MARK: Administration

  /// Disables a user, or enables it again.
  package func setDisabled(_ isDisabled: Bool, _ id: String) async throws(AccountError) {
    try await store.setDisabled(isDisabled, of: id)
    if isDisabled { ends.report(.account(id)) }
  }

  /// Reports the end of the access of those users who were disabled or deleted by another process,
  /// and of sessions that it has ended.
  ///
  /// - Parameter holders: Who has connections.
  /// - Returns: What has ended.
  package func endAccess(
    among holders: Set<AccessEnds.Holder>
  ) async throws(AccountError) -> Set<AccessEnds.End> {
    let ended = try await store.ends(among: holders)
    for end in ended { ends.report(end) }
    return ended
  }

  /// Removes a user, whose connections end.
  ///
  /// - Throws: `AccountError.userNotFound`.
  package func delete(user id: String) async throws(AccountError) {
    let kinds = settings.recordedEvents
    guard try await store.delete(id, at: clock.now(), recording: kinds) else {
      throw .userNotFound
    }
    ends.report(.account(id))
    if !kinds.isEmpty { news.report() }
  }

  /// Ends all sessions of a user, who may log in again.
  ///
  /// - Throws: `AccountError.userNotFound`.
  package func endSessions(ofUser id: String) async throws(AccountError) {
    try await store.write { (accounts) throws(AccountError) in
      guard try accounts.find(Account.self, id) != nil else { throw .userNotFound }
      try accounts.removeSessions(of: id)
    }
    ends.report(.sessions(id))
  }

  /// Some users, for an operator.
  package func page(_ request: AccountPage.Request) async throws(AccountError) -> AccountPage {
    try await store.page(request)
  }

  /// When the last session and mailed token is over; nil if there are none.
  package func lastExpiry() async throws(StoreError) -> OriginTimestamp? {
    try await store.lastExpiry()
  }

  /// The numbers of users and sessions.
  package func counts() async throws(AccountError) -> AccountCounts { try await store.counts() }

  /// Sets the document in the next access tokens of a user.
  package func setCustomData(_ data: BSONValue?, of id: String) async throws(AccountError) {
    try await store.setCustomData(data, of: id)
  }

  package static let anonymousProvider = "anon-user"

  /// Logs a new user in.
  package func logInAnonymously(device: String?) async throws(AccountError) -> LoginResult {
    guard settings.allowsAnonymous else { throw .unknownProvider(Self.anonymousProvider) }
    let name = IdentityName(provider: Self.anonymousProvider, name: random.identifier())
    let identity = Identity(name, id: random.identifier())
    return try await begin(name, new: identity, linkedTo: nil, device: device)
  }
}

/// A logged-in user, with the session of the token.
package struct UserAccess: Hashable, Sendable {
  package let account: Account
  /// 24 hexadecimal digits.
  package let session: String

  package var holder: AccessEnds.Holder {
    AccessEnds.Holder(account: account.id, session: session)
  }
}
