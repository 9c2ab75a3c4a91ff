// SPDX-License-Identifier: Apache-2.0

// The calls that look at all rows of a table: for the operator, and where a user's belongings end.

#if Server
import RealmStorage
import RealmSyncProtocol
import RealmTables

extension AccountTransaction {
  /// Removes the mailed tokens of some names. Reads all tokens.
  func removeTokens(of names: [IdentityName]) throws(AccountError) {
    try AccountError.storing(
      table(MailedToken.layout).removeAll("identity", in: Set(names.map(\.text))))
  }

  /// The names with a valid mailed token of a purpose. Reads all tokens.
  func mailedNames(
    _ purpose: MailedToken.Purpose, now: OriginTimestamp
  ) throws(AccountError) -> Set<IdentityName> {
    try AccountError.storing(storedNames(purpose, now))
  }

  private func storedNames(
    _ purpose: MailedToken.Purpose, _ now: OriginTimestamp
  ) throws(StorageError) -> Set<IdentityName> {
    var names: Set<IdentityName> = []
    var rows = try table(AccountTables.tokens).records()
    while let row = try rows.next() {
      if let token = try MailedToken(row), token.purpose == purpose, token.expires > now {
        names.insert(token.identity)
      }
    }
    return names
  }

  /// The identities of a provider. Reads all identities.
  func identities(of provider: String) throws(AccountError) -> [Identity] {
    try AccountError.storing(storedIdentities(provider))
  }

  private func storedIdentities(_ provider: String) throws(StorageError) -> [Identity] {
    var identities: [Identity] = []
    var rows = try table(AccountTables.identities).records()
    while let row = try rows.next() {
      if let identity = try Identity(row), identity.name.provider == provider {
        identities.append(identity)
      }
    }
    return identities
  }

  /// The keys of a user, or of the app. Reads all keys.
  func keys(of account: String?) throws(AccountError) -> [APIKey] {
    try AccountError.storing(storedKeys(account))
  }

  private func storedKeys(_ account: String?) throws(StorageError) -> [APIKey] {
    var keys: [APIKey] = []
    var rows = try table(AccountTables.keys).records()
    while let row = try rows.next() {
      if let key = try APIKey(row), key.account == account { keys.append(key) }
    }
    return keys
  }

  /// Removes the keys of a user. Reads all keys.
  func removeKeys(of account: String) throws(AccountError) {
    try AccountError.storing(table(AccountTables.keys).removeAll("account", in: [account]))
  }

  /// Removes the sessions of a key; returns their ids. Reads all sessions.
  func removeSessions(ofKey key: String) throws(AccountError) -> [String] {
    try AccountError.storing(removeStoredSessions(key))
  }

  private func removeStoredSessions(_ key: String) throws(StorageError) -> [String] {
    let sessions = try table(AccountTables.sessions)
    var ids: [String] = []
    var rows = try sessions.records()
    while let row = try rows.next() {
      if try row.optionalText("api_key") == key { ids.append(try row.text("key")) }
    }
    try sessions.removeAll("key", in: Set(ids))
    return ids
  }

  /// The time when the last session and mailed token is over. Reads all of them.
  func lastExpiry() throws(StorageError) -> OriginTimestamp? {
    var last: OriginTimestamp?
    for layout in [AccountTables.sessions, AccountTables.tokens] {
      var rows = try table(layout).records()
      while let row = try rows.next() {
        let time = try row.time("expires")
        last = last.map { max($0, time) } ?? time
      }
    }
    return last
  }

  /// Removes the sessions of a user. Reads all sessions.
  func removeSessions(of account: String) throws(AccountError) {
    try AccountError.storing(table(AccountSession.layout).removeAll("account", in: [account]))
  }
}

extension RecordTable {
  /// Removes the records with one of some strings in a field.
  ///
  /// - Returns: Their number.
  @discardableResult
  func removeAll(_ field: String, in texts: Set<String>) throws(StorageError) -> Int {
    var keys: [ObjectKey] = []
    var rows = try records()
    while let row = try rows.next() {
      if let text = try row.optionalText(field), texts.contains(text) { keys.append(row.key) }
    }
    try delete(keys)
    return keys.count
  }
}
#endif
