// SPDX-License-Identifier: Apache-2.0

// Users as an operator lists them.
//
// Invariants:
// 1. A page has no more users than were asked for, and reads no more rows of users than its limit:
//    a search without results ends with a page whose successor goes on.

#if Server
import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// A user, for an operator.
package struct AccountSummary: Hashable, Sendable {
  /// 24 hexadecimal digits.
  package let id: String
  package let created: OriginTimestamp
  package let isDisabled: Bool
  /// The ways to log in, oldest first.
  package let identities: [IdentityName]
  /// The logins that are not over.
  package fileprivate(set) var sessionCount = 0
}

/// Some users, and where the next ones are.
package struct AccountPage: Hashable, Sendable {
  /// Which users are asked for.
  package struct Request: Hashable, Sendable {
    /// The `next` of an earlier page; nil for the first.
    package var start: Int64?
    /// The most users.
    package var countMax: Int
    /// A part of an id or of a name at a provider; an empty one is a part of all.
    package var search: String

    package init(from start: Int64? = nil, countMax: Int = .max, search: String = "") {
      self.start = start
      self.countMax = countMax
      self.search = search
    }
  }

  /// The most rows of users that a request with a limit reads.
  static let readCountMax = 100_000

  package private(set) var users: [AccountSummary] = []
  /// Where the next page begins; nil after the last.
  package private(set) var next: Int64?

  init(_ request: Request, _ accounts: AccountTransaction) throws(StorageError) {
    var places: [String: Int] = [:]
    var readCount = 0
    var rows = try accounts.table(AccountTables.accounts).records(
      from: request.start.map { ObjectKey($0) })
    while let row = try rows.next() {
      guard users.count < request.countMax,
        request.countMax == .max || readCount < Self.readCountMax
      else {
        next = row.key.rawValue
        break
      }
      readCount += 1
      guard let account = try Account(row), Self.has(account, request.search) else { continue }
      places[account.id] = users.count
      users.append(
        AccountSummary(
          id: account.id, created: account.created, isDisabled: account.isDisabled,
          identities: account.identities))
    }
    guard !places.isEmpty else { return }
    var sessions = try accounts.table(AccountTables.sessions).records()
    while let row = try sessions.next() {
      if let place = places[try row.text("account")] { users[place].sessionCount += 1 }
    }
  }

  private static func has(_ account: Account, _ search: String) -> Bool {
    search.isEmpty || account.id.contains(search)
      || account.identities.contains { $0.name.contains(search) }
  }
}

/// The numbers of users and sessions of an app.
package struct AccountCounts: Hashable, Sendable {
  package let users: Int
  package let sessions: Int

  init(_ accounts: AccountTransaction) throws(StorageError) {
    users = try accounts.table(AccountTables.accounts).count()
    sessions = try accounts.table(AccountTables.sessions).count()
  }
}
#endif
