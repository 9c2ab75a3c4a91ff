// SPDX-License-Identifier: Apache-2.0

// Users as the operator finds and changes them, also beside a running server.

#if Server
package import RealmFormats
package import RealmServerEngine
import RealmStorage
package import RealmSyncProtocol

extension AccountStore {
  /// A user by its id; nil if there is none.
  package func account(_ id: String) throws(AccountError) -> Account? {
    try read { (accounts) throws(AccountError) in try accounts.find(Account.self, id) }
  }

  /// Those without access: users who are disabled or not there any more, and ended sessions.
  func ends(
    among holders: Set<AccessEnds.Holder>
  ) throws(AccountError) -> Set<AccessEnds.End> {
    try read { (accounts) throws(AccountError) in
      var ended: Set<AccessEnds.End> = []
      for holder in holders {
        if try accounts.find(Account.self, holder.account)?.isDisabled ?? true {
          ended.insert(.account(holder.account))
        } else if try accounts.find(AccountSession.self, holder.session)?.account
          != holder.account
        {
          ended.insert(.session(holder.session))
        }
      }
      return ended
    }
  }

  /// The user with an address of e-mail; nil if there is none, or it has never logged in.
  package func account(email: String) throws(AccountError) -> Account? {
    let name = IdentityName(provider: AccountService.passwordProvider, name: email)
    return try read { (accounts) throws(AccountError) in
      guard let id = try accounts.find(Identity.self, name.text)?.account else { return nil }
      return try accounts.find(Account.self, id)
    }
  }

  /// Sets the document in the next access tokens of a user. Rules read it, too.
  ///
  /// - Parameter data: Nil for no document.
  package func setCustomData(_ data: BSONValue?, of id: String) throws(AccountError) {
    try change(id) { $0.customData = data }
  }

  /// Disables a user, or enables it again. Its connections stay.
  package func setDisabled(_ isDisabled: Bool, of id: String) throws(AccountError) {
    try change(id) { $0.isDisabled = isDisabled }
  }

  /// Removes a user with its identities and keys. Its sessions are over, as their user does not
  /// exist.
  ///
  /// - Parameter kinds: The events to be stored.
  /// - Returns: Whether there was one.
  package func delete(
    _ id: String, at time: OriginTimestamp = OriginTimestamp(milliseconds: 0),
    recording kinds: Set<AccountEvent.Kind> = []
  ) throws(AccountError) -> Bool {
    try write { (accounts) throws(AccountError) in
      guard let account = try accounts.find(Account.self, id) else { return false }
      try accounts.record(.delete, of: account, at: time, if: kinds)
      for name in account.identities { try accounts.remove(Identity.self, name.text) }
      try accounts.removeKeys(of: id)
      try accounts.remove(Account.self, id)
      return true
    }
  }

  /// Some users, in the order of their rows.
  package func page(_ request: AccountPage.Request) throws(AccountError) -> AccountPage {
    try read { (accounts) throws(AccountError) in
      try AccountError.storing(AccountPage(request, accounts))
    }
  }

  /// The numbers of users and sessions.
  package func counts() throws(AccountError) -> AccountCounts {
    try read { (accounts) throws(AccountError) in
      try AccountError.storing(AccountCounts(accounts))
    }
  }

  /// When the last session and mailed token is over; nil if there are none.
  package func lastExpiry() throws(StoreError) -> OriginTimestamp? {
    let group = try snapshot()
    return try StoreError.storing(AccountTransaction(group).lastExpiry())
  }

  /// Changes the record of a user.
  func change(_ id: String, _ body: @Sendable (inout Account) -> Void) throws(AccountError) {
    try write { (accounts) throws(AccountError) in
      guard var account = try accounts.find(Account.self, id) else { throw .userNotFound }
      body(&account)
      try accounts.put(account)
    }
  }
}
#endif
