// SPDX-License-Identifier: Apache-2.0

// Whether the file of an app's users is whole, and what it has, without opening it for a server.

#if Server
package import RealmServerEngine
import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// The findings about a file of users, as sentences without full stops, and its numbers.
package struct AccountCheck: Sendable {
  private static let findingCountMax = 1_000

  package private(set) var findings: [String] = []
  /// Nil if the file cannot be read.
  package private(set) var counts: AccountCounts?
  /// The ids of the users.
  package private(set) var users: Set<String> = []

  /// Checks the file at a path.
  ///
  /// - Parameter app: The app whose users it should have.
  package init(path: String, app: String) throws(StoreError) {
    self = try StoreError.storing(
      InspectedFiles.reading(path) { (snapshot) throws(StorageError) in
        try AccountCheck(snapshot, app)
      })
  }

  /// The numbers of users and sessions in a file.
  package static func counts(path: String) throws(StoreError) -> AccountCounts {
    try StoreError.storing(
      InspectedFiles.reading(path) { (snapshot) throws(StorageError) in
        try AccountCounts(
          AccountTransaction(TableGroup(snapshot, schemas: SchemaCache())))
      })
  }

  /// The time when the last session and mailed token of a file is over; nil if there are none.
  package static func lastExpiry(path: String) throws(StoreError) -> OriginTimestamp? {
    try StoreError.storing(
      InspectedFiles.reading(path) { (snapshot) throws(StorageError) in
        try AccountTransaction(TableGroup(snapshot, schemas: SchemaCache())).lastExpiry()
      })
  }

  private init(_ snapshot: Snapshot, _ app: String) throws(StorageError) {
    findings = try InspectedFiles.damage(in: snapshot)
    let group = try TableGroup(snapshot, schemas: SchemaCache())
    let accounts = AccountTransaction(group)
    attempt("the file") { (check) throws(StorageError) in
      let meta = try AccountTables.meta.table(in: group).find(.string("accounts"))
      let layout = try meta?.optionalInteger("layout") ?? 0
      if !(1...AccountTables.layout).contains(layout) {
        check.report("it has layout \(layout), which this server does not know")
      }
      if let known = try meta?.optionalText("app"), known != app {
        check.report("it has the users of the app '\(known)'")
      }
    }
    attempt("the numbers") { (check) throws(StorageError) in
      check.counts = try AccountCounts(accounts)
    }
    attempt("the users") { (check) throws(StorageError) in
      try check.checkUsers(accounts)
    }
  }

  private mutating func report(_ finding: String) {
    if findings.count < Self.findingCountMax { findings.append(finding) }
  }

  /// Runs a part of the check, whose error is a finding.
  private mutating func attempt(
    _ part: String, _ body: (inout AccountCheck) throws(StorageError) -> Void
  ) {
    do throws(StorageError) {
      try body(&self)
    } catch {
      report("\(part): \(error)")
    }
  }

  private mutating func checkUsers(_ accounts: AccountTransaction) throws(StorageError) {
    var owners: [String: String] = [:]
    var rows = try accounts.table(AccountTables.accounts).records()
    while let row = try rows.next() {
      attempt("the user in row \(row.key.rawValue)") { (check) throws(StorageError) in
        guard let account = try Account(row) else { return check.report("a user has no id") }
        check.users.insert(account.id)
        for name in account.identities { owners[name.text] = account.id }
      }
    }
    var identities = try accounts.table(AccountTables.identities).records()
    while let row = try identities.next() {
      attempt("the identity in row \(row.key.rawValue)") { (check) throws(StorageError) in
        guard let identity = try Identity(row) else {
          return check.report("an identity in row \(row.key.rawValue) has no name")
        }
        let owner = owners.removeValue(forKey: identity.name.text)
        if owner != identity.account {
          check.report("the identity \(identity.id) is not that of its user")
        }
      }
    }
    for (_, user) in owners.sorted(by: { $0.value < $1.value }) {
      report("the user \(user) has an identity that is not there")
    }
    var sessions = try accounts.table(AccountTables.sessions).records()
    while let row = try sessions.next() {
      attempt("the session in row \(row.key.rawValue)") { (_) throws(StorageError) in
        _ = try AccountSession(row)
      }
    }
  }
}
#endif
