// SPDX-License-Identifier: Apache-2.0

// What other servers with the same users have changed.

#if Server
import RealmServerEngine
import RealmStorage

extension AccountService {
  /// Has an element soon after other servers have changed users, and one at the beginning. It ends
  /// at once where there are no others.
  package func newsOfOtherServers() -> AsyncStream<Void> { store.news() }

  /// Takes what other servers have changed: ends the access of those who have none any more, and
  /// wakes triggers on users.
  ///
  /// - Parameter holders: Who has connections. It is called after the changes are known, so one
  ///   that comes later looks its user up among them.
  /// - Returns: What has ended, and the changed users; nil for any of them.
  package func takeChangesOfOtherServers(
    _ holders: @Sendable () -> Set<AccessEnds.Holder>
  ) async throws(AccountError) -> (ended: Set<AccessEnds.End>, changed: Set<String>?) {
    let changes: RecordChanges
    do throws(StoreError) { changes = try await store.takeChanges() } catch { throw .store(error) }
    guard !changes.isEmpty else { return ([], []) }
    if changes.concern(AccountTables.events) { news.report() }
    let accounts = changes.texts(of: AccountTables.accounts)
    let sessions = changes.texts(of: AccountTables.sessions)
    let concerned = holders().filter { holder in
      accounts?.contains(holder.account) ?? true || sessions?.contains(holder.session) ?? true
    }
    guard !concerned.isEmpty else { return ([], accounts) }
    return (try await endAccess(among: concerned), accounts)
  }
}
#endif
