// SPDX-License-Identifier: Apache-2.0

// Users with e-mail address and password: the provider `local-userpass`.

#if Server
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

extension AccountService {
  package static let passwordProvider = "local-userpass"

  /// The sizes of passwords, in characters.
  private static let passwordCounts = 6...128

  /// Logs a user in, or adds the address to a user who is logged in already.
  ///
  /// An address that is not confirmed is answered as one that is not registered: who registers
  /// addresses of others would learn otherwise which of them were new.
  ///
  /// - Parameter requester: Who asks, as limits count it.
  package func logIn(
    _ address: String, _ password: String, linkedTo access: UserAccess?, device: String?,
    for requester: String
  ) async throws(AccountError) -> LoginResult {
    let name = try name(address)
    let identity = try await store.read { (accounts) throws(AccountError) in
      try accounts.find(Identity.self, name.text)
    }
    guard try await passwords.matches(password, identity?.password, for: requester), let identity,
      identity.isConfirmed
    else { throw .invalidPassword }
    return try await begin(
      name, password: identity.password, linkedTo: access, device: device)
  }

  /// Registers an address. Where a mail confirms it, an address that is registered already is no
  /// error, and one that is not confirmed is registered a second time.
  package func register(
    _ address: String, _ password: String, for requester: String
  ) async throws(AccountError) {
    let name = try userName(address)
    try check(password)
    let confirmation = settings.confirmation
    let isAutomatic = confirmation == .auto
    // The app's code may say whether an address is registered, too.
    let isTold = confirmation != .mail
    if isTold {
      try await store.read { (accounts) throws(AccountError) in
        if try accounts.find(Identity.self, name.text)?.isConfirmed == true { throw .nameInUse }
      }
    }
    let stored = try await passwords.stored(password, salt: random.bytes(16), for: requester)
    let new = Identity(name, id: random.identifier())
    let now = clock.now()
    let isNew = try await store.write { (accounts) throws(AccountError) -> Bool in
      let known = try accounts.find(Identity.self, name.text)
      if known?.isConfirmed == true {
        if isTold { throw .nameInUse }
        return false
      }
      var identity = known ?? new
      identity.created = now
      identity.isConfirmed = isAutomatic
      // Of several registrations none has the address yet: each token brings its own password.
      identity.password = isAutomatic || known == nil ? stored : nil
      try accounts.put(identity)
      if isAutomatic, known != nil { try accounts.removeTokens(of: [name]) }
      return true
    }
    switch confirmation {
    case .auto?, nil: break
    case .mail?: try await mail(.confirmation, name, stored, isWanted: isNew)
    case .function?: try await askForConfirmation(newToken(.confirmation, name, stored))
    }
  }

  /// Confirms an address with a mailed token. The password becomes that of the registration that
  /// the mail belongs to; what others have registered for the address is void.
  package func confirm(token: String, id: String) async throws(AccountError) {
    try requirePasswords()
    try await redeem(token, id, .confirmation) { (identity, stored) throws(AccountError) in
      // A registration may have been on its way when another one was confirmed.
      guard !identity.isConfirmed else { throw .invalidToken }
      identity.isConfirmed = true
      if let password = stored.password { identity.password = password }
    }
  }

  /// Mails a token again, if the address waits for one.
  package func sendConfirmation(_ address: String) async throws(AccountError) {
    let name = try userName(address)
    try await checkIsWaiting(name)
    guard settings.confirmation != .function else {
      throw .functionRefused("the app confirms addresses by a function, and sends no mails for it")
    }
    let identity = try await identity(mailName(address))
    try await mail(.confirmation, name, isWanted: identity?.isConfirmed == false)
  }

  /// Throws if nothing is to be confirmed, where registrations say that anyway
  /// (`AccountService` 4).
  func checkIsWaiting(_ name: IdentityName) async throws(AccountError) {
    guard settings.confirmation != .mail else { return }
    guard let identity = try await identity(name) else { throw .userNotFound }
    guard !identity.isConfirmed else { throw .alreadyConfirmed }
  }

  /// Mails a token for a change of the password, if the address is registered.
  package func sendReset(_ address: String) async throws(AccountError) {
    let name = try userName(address)
    let identity = try await identity(name)
    guard identity != nil || settings.confirmation == .mail else { throw .userNotFound }
    guard settings.resetHook == nil else {
      throw .functionRefused("the app resets passwords by a function, and sends no mails for it")
    }
    _ = try mailName(address)
    try await mail(.passwordReset, name, isWanted: identity != nil)
  }

  /// The addresses of users of another server without a password here and without a valid mail for
  /// choosing one.
  package func addressesToInvite() async throws(AccountError) -> [String] {
    try requirePasswords()
    return try await store.addressesWithoutPassword(now: clock.now())
  }

  /// Mails a token for the first password here to a user of another server.
  ///
  /// The mail goes before its token is stored: after an interruption between them it is sent again.
  package func invite(_ address: String) async throws(AccountError) {
    let name = try mailName(address)
    let (stored, token) = token(
      .passwordReset, name, nil, minutes: AccountSettings.invitationMinutes)
    var mail = token
    mail.isInvitation = true
    do {
      try await mailer.deliver(mail, by: settings.mail)
    } catch {
      throw .mailFailed("\(error)")
    }
    try await store.write { (accounts) throws(AccountError) in try accounts.put(stored) }
  }

  /// Changes the password with a mailed token, which shows that the address is the user's, too.
  /// Sessions and tokens made with the old password end, and the user's keys are disabled: whoever
  /// knew the password may have made them.
  ///
  /// - Parameter endsOthers: Whether all other ways to log in end, too.
  /// - Returns: The ways to log in that there are beside the password.
  @discardableResult
  package func reset(
    to password: String, token: String, id: String, endingOthers endsOthers: Bool = false,
    for requester: String
  ) async throws(AccountError) -> PasswordReset {
    try requirePasswords()
    try check(password)
    try await checkToken(token, id, .passwordReset)
    let stored = try await passwords.stored(password, salt: random.bytes(16), for: requester)
    let outcome = Locked(PasswordReset())
    let account = try await redeem(
      token, id, .passwordReset,
      { (identity, _) throws(AccountError) in
        identity.password = stored
        identity.isConfirmed = true
      },
      { (account, name, accounts) throws(AccountError) in
        let found = try Self.closeOthers(of: account, but: name, endsOthers, accounts)
        outcome.withLock { $0 = found }
      })
    if let account { ends.report(.sessions(account)) }
    return outcome.withLock { $0 }
  }

  /// Disables the keys of a user with a new password. Ends the other ways to log in, or names them.
  static func closeOthers(
    of account: Account, but name: IdentityName, _ endsOthers: Bool,
    _ accounts: AccountTransaction
  ) throws(AccountError) -> PasswordReset {
    var outcome = PasswordReset(hasEndedOthers: endsOthers)
    for var key in try accounts.keys(of: account.id) {
      outcome.keys.append(key.name)
      key.isDisabled = true
      try accounts.put(key)
    }
    outcome.others = account.identities.filter { $0 != name }
    guard endsOthers, !outcome.others.isEmpty else { return outcome }
    for other in outcome.others { try accounts.remove(Identity.self, other.text) }
    var account = account
    account.identities = [name]
    try accounts.put(account)
    return outcome
  }

  // MARK: Names

  func requirePasswords() throws(AccountError) {
    guard settings.confirmation != nil else { throw .unknownProvider(Self.passwordProvider) }
  }

  private func name(_ address: String) throws(AccountError) -> IdentityName {
    try requirePasswords()
    return IdentityName(provider: Self.passwordProvider, name: address)
  }

  func check(_ password: String) throws(AccountError) {
    guard Self.passwordCounts.contains(password.count) else {
      throw .badPassword(
        "password must be between \(Self.passwordCounts.lowerBound) and "
          + "\(Self.passwordCounts.upperBound) characters")
    }
  }

  /// The name of a user. Only where mails confirm names these need to be addresses.
  func userName(_ text: String) throws(AccountError) -> IdentityName {
    if settings.confirmation == .mail { return try mailName(text) }
    let name = try name(text)
    guard MailAddress.isUserName(text) else { throw .badName }
    return name
  }

  func mailName(_ address: String) throws(AccountError) -> IdentityName {
    let name = try name(address)
    guard MailAddress.isValid(address) else { throw .badName }
    return name
  }

  func identity(_ name: IdentityName) async throws(AccountError) -> Identity? {
    try await store.read { (accounts) throws(AccountError) in
      try accounts.find(Identity.self, name.text)
    }
  }

  // MARK: Mailed tokens

  /// Mails a token.
  ///
  /// - Parameters:
  ///   - password: The one of the confirmed registration.
  ///   - isWanted: Whether the mail is sent. If not, the same work is done but for the mail.
  private func mail(
    _ purpose: MailedToken.Purpose, _ name: IdentityName, _ password: StoredPassword? = nil,
    isWanted: Bool
  ) async throws(AccountError) {
    let (stored, mail) = token(purpose, name, password)
    // It counts for an address that is not registered, too.
    let isCounted = isAllowed(name)
    let isSent = isWanted && isCounted
    try await store.write { (accounts) throws(AccountError) in
      try accounts.put(stored)
      if !isSent { try accounts.remove(MailedToken.self, stored.id) }
    }
    guard isSent else { return }
    do {
      try await mailer.deliver(mail, by: settings.mail)
    } catch {
      throw .mailFailed("\(error)")
    }
  }

  /// Counts a mail to an address. Returns false if it is one too many.
  private func isAllowed(_ name: IdentityName) -> Bool {
    let now = clock.now().milliseconds
    return mails.withLock { $0.begin(name.text, now: now) }
  }

  private func token(
    _ purpose: MailedToken.Purpose, _ name: IdentityName, _ password: StoredPassword?,
    minutes: Int? = nil
  ) -> (stored: MailedToken, mail: AccountMail) {
    let token = random.digits(64)
    let minutes = minutes ?? settings.mailedTokenMinutes
    let expires = clock.now().milliseconds + UInt64(minutes) * 60_000
    let stored = MailedToken(
      id: random.identifier(), purpose: purpose, identity: name,
      signature: issuer.signature(ofToken: token),
      expires: OriginTimestamp(milliseconds: expires), password: password)
    return (
      stored,
      AccountMail(
        purpose: purpose, address: name.name, token: token, tokenID: stored.id, minutes: minutes)
    )
  }

  /// Stores a token for the app's code, which may send it on.
  ///
  /// - Throws: `AccountError.tooManyAttempts`, as for mails.
  func newToken(
    _ purpose: MailedToken.Purpose, _ name: IdentityName, _ password: StoredPassword? = nil
  ) async throws(AccountError) -> AccountMail {
    guard isAllowed(name) else { throw .tooManyAttempts }
    let (stored, mail) = token(purpose, name, password)
    try await store.write { (accounts) throws(AccountError) in try accounts.put(stored) }
    return mail
  }

  /// Removes a token.
  func forgetToken(_ id: String) async throws(AccountError) {
    try await store.write { (accounts) throws(AccountError) in
      try accounts.remove(MailedToken.self, id)
    }
  }

  private func checkToken(
    _ token: String, _ id: String, _ purpose: MailedToken.Purpose
  ) async throws(AccountError) {
    try await store.read { (accounts) throws(AccountError) in
      _ = try valid(token, id, purpose, accounts)
    }
  }

  private func valid(
    _ token: String, _ id: String, _ purpose: MailedToken.Purpose, _ accounts: AccountTransaction
  ) throws(AccountError) -> MailedToken {
    guard let stored = try accounts.find(MailedToken.self, id), stored.purpose == purpose,
      stored.expires > clock.now(),
      issuer.isSignature(stored.signature, ofToken: token, now: unixSeconds)
    else { throw .invalidToken }
    return stored
  }

  /// Uses a token up and changes what it is for. The other tokens of the user end with it, and with
  /// a new password the sessions. Returns the user.
  @discardableResult
  private func redeem(
    _ token: String, _ id: String, _ purpose: MailedToken.Purpose,
    _ change: @Sendable (inout Identity, MailedToken) throws(AccountError) -> Void,
    _ close: @Sendable (Account, IdentityName, AccountTransaction) throws(AccountError) -> Void = {
      (_, _, _) throws(AccountError) in
    }
  ) async throws(AccountError) -> String? {
    try await store.write { (accounts) throws(AccountError) in
      let stored = try valid(token, id, purpose, accounts)
      guard var identity = try accounts.find(Identity.self, stored.identity.text) else {
        throw .invalidToken
      }
      try change(&identity, stored)
      try accounts.put(identity)
      var names = [identity.name]
      if let id = identity.account, let account = try accounts.find(Account.self, id) {
        names += account.identities
        try close(account, identity.name, accounts)
      }
      try accounts.removeTokens(of: names)
      if purpose == .passwordReset, let id = identity.account {
        try accounts.removeSessions(of: id)
      }
      return identity.account
    }
  }
}
#endif
