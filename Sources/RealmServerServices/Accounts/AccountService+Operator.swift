// SPDX-License-Identifier: Apache-2.0

// Users and log-ins that the operator makes.

#if Server
package import RealmFormats
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

extension AccountService {
  /// A user to be made. Nothing is stored yet.
  ///
  /// - Throws: `AccountError.unknownProvider` where the app has no passwords, `badName` or
  ///   `badPassword`.
  package func newUser(
    _ text: String, password: String, customData: BSONValue?
  ) async throws(AccountError) -> NewUser {
    let name = try userName(text)
    try check(password)
    let stored = try await passwords.stored(password, salt: random.bytes(16), for: "operator")
    return NewUser(
      id: random.identifier(), name: name.name, password: stored, customData: customData)
  }

  /// Makes a user, whose address counts as confirmed. A registration of the address that was not
  /// confirmed is void.
  ///
  /// - Throws: `AccountError.nameInUse` if the address is that of a user.
  package func create(_ user: NewUser) async throws(AccountError) {
    let name = IdentityName(provider: Self.passwordProvider, name: user.name)
    let (now, kinds, identityID) = (clock.now(), settings.recordedEvents, random.identifier())
    try await store.write { (accounts) throws(AccountError) in
      let known = try accounts.find(Identity.self, name.text)
      guard known?.account == nil, known?.isConfirmed != true,
        try accounts.find(Account.self, user.id) == nil
      else { throw .nameInUse }
      var identity = Identity(name, id: identityID)
      identity.account = user.id
      identity.password = user.password
      identity.created = now
      var account = Account(id: user.id, created: now)
      account.identities = [name]
      account.customData = user.customData
      try accounts.put(identity)
      try accounts.put(account)
      try accounts.removeTokens(of: [name])
      try accounts.record(.create, of: account, at: now, if: kinds)
    }
    if !kinds.isEmpty { news.report() }
  }

  /// Gives a user another password, for all addresses with which it logs in. What was made with the
  /// earlier one ends: sessions and mailed tokens; and the keys of the user are disabled.
  ///
  /// - Returns: The disabled keys, and the ways to log in beside the first address; nil if the user
  ///   logs in without a password.
  /// - Throws: `AccountError.unknownProvider` where the app has no passwords, `badPassword`,
  ///   `userNotFound`.
  package func setPassword(
    _ password: String, ofUser id: String
  ) async throws(AccountError) -> PasswordReset? {
    try await replacePassword(try await newPassword(password, ofUser: id))
  }

  /// A password to be given to a user. Nothing is stored yet.
  ///
  /// - Throws: `AccountError.unknownProvider` where the app has no passwords, `badPassword`.
  package func newPassword(
    _ password: String, ofUser id: String
  ) async throws(AccountError) -> NewPassword {
    try requirePasswords()
    try check(password)
    let stored = try await passwords.stored(password, salt: random.bytes(16), for: "operator")
    return NewPassword(user: id, password: stored)
  }

  /// Does what `setPassword(_:ofUser:)` does, with a password that was made before.
  ///
  /// - Throws: `AccountError.userNotFound`.
  package func replacePassword(
    _ new: NewPassword
  ) async throws(AccountError) -> PasswordReset? {
    let (id, stored) = (new.user, new.password)
    let outcome = try await store.write { (accounts) throws(AccountError) -> PasswordReset? in
      guard let account = try accounts.find(Account.self, id) else { throw .userNotFound }
      let names = account.identities.filter { $0.provider == Self.passwordProvider }
      guard let first = names.first else { return nil }
      for name in names {
        guard var identity = try accounts.find(Identity.self, name.text) else { continue }
        identity.password = stored
        try accounts.put(identity)
      }
      try accounts.removeTokens(of: account.identities)
      try accounts.removeSessions(of: id)
      return try Self.closeOthers(of: account, but: first, false, accounts)
    }
    if outcome != nil { ends.report(.sessions(id)) }
    return outcome
  }

  /// Begins a log-in of a user for the operator. It is no event, as the user has not come.
  ///
  /// - Throws: `AccountError.invalidSession` if there is no such user, `userDisabled`.
  package func logInForOperator(_ user: String) async throws(AccountError) -> LoginResult {
    let start = LoginStart(self, device: nil)
    let account = try await store.write { (accounts) throws(AccountError) -> Account in
      let account = try Self.enabled(user, accounts)
      try accounts.put(
        AccountSession(
          id: start.session, account: user, device: start.device, expires: start.expires))
      return account
    }
    return try await result(account, session: start.session, device: start.device)
  }

  /// How long an access token is valid.
  package var accessMinutes: Int { settings.accessMinutes }
}
#endif
