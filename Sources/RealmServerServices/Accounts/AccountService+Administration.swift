// SPDX-License-Identifier: Apache-2.0

// Users as the operator of a running server finds, changes and ends them.

#if Server
package import RealmFormats
package import RealmServerEngine
package import RealmSyncProtocol

extension AccountService {
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
}
#endif
