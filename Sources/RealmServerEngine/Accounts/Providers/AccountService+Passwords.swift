// SPDX-License-Identifier: Apache-2.0

// Users with e-mail address and password: the provider `local-userpass`.

import RealmSyncProtocol

extension AccountService {
  package static let passwordProvider = "local-userpass"

  /// The sizes of passwords, in characters.
  private static let passwordCounts = 6...128
  private static let addressByteCounts = 1...320

  /// Logs a user in, or adds the address to a user who is logged in already.
  package func logIn(
    _ address: String, _ password: String, linkedTo access: UserAccess?, device: String?
  ) async throws(AccountError) -> LoginResult {
    let name = try name(address)
    let identity = try await store.read { (accounts) throws(AccountError) in
      try accounts.find(Identity.self, name.text)
    }
    guard try await passwords.matches(password, identity?.password), let identity else {
      throw .invalidPassword
    }
    guard identity.isConfirmed else { throw .confirmationRequired }
    return try await begin(name, linkedTo: access, device: device)
  }

  /// Registers an address.
  package func register(_ address: String, _ password: String) async throws(AccountError) {
    let name = try name(address)
    guard Self.addressByteCounts.contains(address.utf8.count) else { throw .badName }
    try check(password)
    try await store.read { (accounts) throws(AccountError) in
      guard try accounts.find(Identity.self, name.text) == nil else { throw .nameInUse }
    }
    var new = Identity(name, id: random.identifier())
    new.password = try await passwords.stored(password, salt: random.bytes(16))
    new.isConfirmed = settings.confirmation == .auto
    let identity = new
    try await store.write { (accounts) throws(AccountError) in
      guard try accounts.find(Identity.self, name.text) == nil else { throw .nameInUse }
      try accounts.put(identity)
    }
    if !identity.isConfirmed { try await mail(.confirmation, name) }
  }

  /// Confirms an address with a mailed token.
  package func confirm(token: String, id: String) async throws(AccountError) {
    try requirePasswords()
    try await redeem(token, id, .confirmation) { $0.isConfirmed = true }
  }

  /// Mails a token again.
  package func sendConfirmation(_ address: String) async throws(AccountError) {
    let name = try name(address)
    guard !(try await identity(name).isConfirmed) else { throw .alreadyConfirmed }
    try await mail(.confirmation, name)
  }

  /// Mails a token with which the password can be changed.
  package func sendReset(_ address: String) async throws(AccountError) {
    let name = try name(address)
    _ = try await identity(name)
    try await mail(.passwordReset, name)
  }

  /// Changes the password with a mailed token, which shows that the address is the user's, too.
  package func reset(
    to password: String, token: String, id: String
  ) async throws(AccountError) {
    try requirePasswords()
    try check(password)
    try await checkToken(token, id, .passwordReset)
    let stored = try await passwords.stored(password, salt: random.bytes(16))
    try await redeem(token, id, .passwordReset) { identity in
      identity.password = stored
      identity.isConfirmed = true
    }
  }

  // MARK: Names

  private func requirePasswords() throws(AccountError) {
    guard settings.confirmation != nil else { throw .unknownProvider(Self.passwordProvider) }
  }

  private func name(_ address: String) throws(AccountError) -> IdentityName {
    try requirePasswords()
    return IdentityName(provider: Self.passwordProvider, name: address)
  }

  private func check(_ password: String) throws(AccountError) {
    guard Self.passwordCounts.contains(password.count) else {
      throw .badPassword(
        "password must be between \(Self.passwordCounts.lowerBound) and "
          + "\(Self.passwordCounts.upperBound) characters")
    }
  }

  private func identity(_ name: IdentityName) async throws(AccountError) -> Identity {
    try await store.read { (accounts) throws(AccountError) in
      guard let identity = try accounts.find(Identity.self, name.text) else { throw .userNotFound }
      return identity
    }
  }

  // MARK: Mailed tokens

  private func mail(
    _ purpose: MailedToken.Purpose, _ name: IdentityName
  ) async throws(AccountError) {
    let token = random.digits(64)
    let lifetime = UInt64(settings.mailedTokenMinutes) * 60_000
    let stored = MailedToken(
      id: random.identifier(), purpose: purpose, identity: name,
      signature: issuer.signature(ofToken: token),
      expires: OriginTimestamp(milliseconds: clock.now().milliseconds + lifetime))
    try await store.write { (accounts) throws(AccountError) in try accounts.put(stored) }
    do {
      try await mailer.deliver(
        AccountMail(purpose: purpose, address: name.name, token: token, tokenID: stored.id))
    } catch {
      throw .mailFailed("\(error)")
    }
  }

  private func checkToken(
    _ token: String, _ id: String, _ purpose: MailedToken.Purpose
  ) async throws(AccountError) {
    let (signature, now) = (issuer.signature(ofToken: token), clock.now())
    try await store.read { (accounts) throws(AccountError) in
      _ = try Self.valid(signature, id, purpose, now, accounts)
    }
  }

  private static func valid(
    _ signature: [UInt8], _ id: String, _ purpose: MailedToken.Purpose, _ now: OriginTimestamp,
    _ accounts: AccountTransaction
  ) throws(AccountError) -> MailedToken {
    guard let stored = try accounts.find(MailedToken.self, id), stored.purpose == purpose,
      stored.expires > now, ConstantTime.areEqual(stored.signature, signature)
    else { throw .invalidToken }
    return stored
  }

  /// Uses a token up and changes what it is for.
  private func redeem(
    _ token: String, _ id: String, _ purpose: MailedToken.Purpose,
    _ change: @Sendable (inout Identity) -> Void
  ) async throws(AccountError) {
    let (signature, now) = (issuer.signature(ofToken: token), clock.now())
    try await store.write { (accounts) throws(AccountError) in
      let stored = try Self.valid(signature, id, purpose, now, accounts)
      guard var identity = try accounts.find(Identity.self, stored.identity.text) else {
        throw .invalidToken
      }
      change(&identity)
      try accounts.put(identity)
      try accounts.remove(MailedToken.self, id)
    }
  }
}
