// SPDX-License-Identifier: Apache-2.0

// API keys in the file of users, also for the operator beside a running server.

#if Server
import RealmSyncProtocol

extension AccountStore {
  /// Stores a new key.
  ///
  /// - Throws: `AccountError.keyNameInUse`, or `.tooManyKeys`.
  package func add(_ key: APIKey) throws(AccountError) {
    try write { (accounts) throws(AccountError) in
      let others = try accounts.keys(of: key.account)
      guard !others.contains(where: { $0.name == key.name }) else { throw .keyNameInUse }
      guard others.count < APIKey.countMax else { throw .tooManyKeys }
      try accounts.put(key)
    }
  }

  /// The keys of a user, or of the app, the oldest first.
  package func keys(of account: String?) throws(AccountError) -> [APIKey] {
    try read { (accounts) throws(AccountError) in
      try accounts.keys(of: account).sorted {
        ($0.created.milliseconds, $0.id) < ($1.created.milliseconds, $1.id)
      }
    }
  }

  /// Enables or disables a key. Returns the sessions that ended.
  package func setKeyDisabled(
    _ isDisabled: Bool, _ id: String, of account: String?
  ) throws(AccountError) -> [String] {
    try write { (accounts) throws(AccountError) in
      guard var key = try accounts.find(APIKey.self, id), key.account == account else {
        throw .keyNotFound
      }
      key.isDisabled = isDisabled
      try accounts.put(key)
      return try isDisabled ? accounts.removeSessions(ofKey: id) : []
    }
  }

  /// Removes a key. Returns the sessions that ended.
  package func removeKey(_ id: String, of account: String?) throws(AccountError) -> [String] {
    try write { (accounts) throws(AccountError) in
      guard try accounts.find(APIKey.self, id)?.account == .some(account) else {
        throw .keyNotFound
      }
      try accounts.remove(APIKey.self, id)
      return try accounts.removeSessions(ofKey: id)
    }
  }
}
#endif
