// SPDX-License-Identifier: Apache-2.0

// Users of an app from another server.
//
// Invariants:
// 1. A known user stays as it is, but for missing ways to log in: users can be added any number of
//    times.

#if Server
package import RealmFormats
import RealmSyncProtocol

extension AccountStore {
  /// Adds users, whose passwords are not known.
  ///
  /// - Returns: The ways to log in of other users here.
  package func add(_ users: [MovedUser]) throws(AccountError) -> [IdentityName] {
    try write { (accounts) throws(AccountError) in
      var taken: [IdentityName] = []
      for user in users {
        var account = try accounts.find(Account.self, user.id)
        if account == nil {
          var new = Account(id: user.id, created: user.created)
          new.isDisabled = user.isDisabled
          account = new
        }
        guard var account else { continue }
        for moved in user.identities {
          if let known = try accounts.find(Identity.self, moved.name.text) {
            if known.account != user.id { taken.append(moved.name) }
            continue
          }
          var identity = Identity(moved.name, id: moved.id)
          identity.account = user.id
          identity.created = user.created
          identity.profile = moved.profile
          try accounts.put(identity)
          account.identities.append(moved.name)
        }
        try accounts.put(account)
      }
      return taken
    }
  }

  /// Sets the custom data of users.
  ///
  /// - Returns: How many of them there are.
  package func setCustomData(
    _ data: [(user: String, document: BSONValue)]
  ) throws(AccountError) -> Int {
    try write { (accounts) throws(AccountError) in
      var count = 0
      for (user, document) in data {
        guard var account = try accounts.find(Account.self, user) else { continue }
        account.customData = document
        try accounts.put(account)
        count += 1
      }
      return count
    }
  }

  /// The addresses of users with neither a password nor a valid mail for choosing one.
  func addressesWithoutPassword(now: OriginTimestamp) throws(AccountError) -> [String] {
    try read { (accounts) throws(AccountError) in
      let mailed = try accounts.mailedNames(.passwordReset, now: now)
      return try accounts.identities(of: AccountService.passwordProvider)
        .filter { $0.account != nil && $0.password == nil && !mailed.contains($0.name) }
        .map(\.name.name)
    }
  }
}
#endif
