// SPDX-License-Identifier: Apache-2.0

// Users as rules see them.

#if Server
package import RealmServerEngine
package import RealmSyncProtocol

extension AccountService {
  /// A user for the rules of a session. One who is disabled or deleted has none.
  package func ruleUser(_ id: String) async throws(SessionRefusal) -> RuleUser {
    do throws(AccountError) {
      var user = try await store.read { (accounts) throws(AccountError) -> RuleUser in
        guard let account = try accounts.find(Account.self, id), !account.isDisabled else {
          throw .userNotFound
        }
        var user = RuleUser(id: id, customData: account.customData)
        user.isServer = account.isServer
        for name in account.identities where name.provider == AccountService.passwordProvider {
          let identity = try accounts.find(Identity.self, name.text)
          if user.email == nil, identity?.isConfirmed == true { user.email = name.name }
        }
        return user
      }
      user.customData = try await customData(of: id, given: user.customData)
      return user
    } catch {
      switch error {
      case .store(let cause): throw SessionRefusal(cause)
      default:
        throw SessionRefusal(.permissionDenied, "Permission denied: the user has no access")
      }
    }
  }
}
#endif
