// SPDX-License-Identifier: Apache-2.0

// What is removed from the users of an app because it is not used any more.
//
// Rules:
// 1. Sessions and mailed tokens go when their time is over.
// 2. A user whose only identities are anonymous cannot log in again: without a session it goes,
//    some days after it was made.
// 3. An address that was registered and never confirmed goes some days later, with its tokens. One
//    whose time is not known begins to wait when it is seen first.

#if Server
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The numbers of removed users, tokens and addresses.
package struct AccountCleaning: Hashable, Sendable {
  package private(set) var sessions = 0
  package private(set) var tokens = 0
  package private(set) var anonymousUsers: [String] = []
  package private(set) var registrations = 0
  private var notedRegistrations = 0

  var hasChanges: Bool {
    sessions + tokens + anonymousUsers.count + registrations + notedRegistrations > 0
  }

  /// Nothing removed.
  init() {}

  /// Removes everything past its time in the rules.
  ///
  /// - Parameter kinds: The events to be stored.
  init(
    _ group: WriteGroup, _ rules: UpkeepRules, now: OriginTimestamp,
    recording kinds: Set<AccountEvent.Kind>
  ) throws(StorageError) {
    sessions = try Self.removeExpired(AccountTables.sessions, now, in: group)
    tokens = try Self.removeExpired(AccountTables.tokens, now, in: group)
    try removeAnonymousUsers(group, rules, now, recordsEvents: kinds.contains(.delete))
    try removeRegistrations(group, rules, now)
  }

  /// Removes the rows whose time is over; returns their number.
  static func removeExpired(
    _ layout: RecordLayout, _ now: OriginTimestamp, in group: WriteGroup
  ) throws(StorageError) -> Int {
    let table = try layout.table(in: group)
    var keys: [ObjectKey] = []
    var rows = try table.records()
    while let row = try rows.next() {
      if try row.time("expires").milliseconds <= now.milliseconds { keys.append(row.key) }
    }
    try table.delete(keys)
    return keys.count
  }

  private static func isOver(
    _ start: OriginTimestamp, _ days: Int, _ now: OriginTimestamp
  ) -> Bool {
    start.milliseconds + UpkeepRules.milliseconds(days: days) <= now.milliseconds
  }

  private mutating func removeAnonymousUsers(
    _ group: WriteGroup, _ rules: UpkeepRules, _ now: OriginTimestamp, recordsEvents: Bool
  ) throws(StorageError) {
    var used: Set<String> = []
    var sessions = try AccountTables.sessions.table(in: group).records()
    while let session = try sessions.next() { used.insert(try session.text("account")) }
    let table = try AccountTables.accounts.table(in: group)
    var keys: [ObjectKey] = []
    var names: Set<String> = []
    var gone: [Account] = []
    var accounts = try table.records()
    while let row = try accounts.next() {
      guard let account = try Account(row), !used.contains(account.id), !account.isDisabled,
        account.identities.allSatisfy({ $0.provider == AccountService.anonymousProvider }),
        Self.isOver(account.created, rules.anonymousDays, now)
      else { continue }
      keys.append(row.key)
      anonymousUsers.append(account.id)
      if recordsEvents { gone.append(account) }
      names.formUnion(account.identities.map(\.text))
    }
    for account in gone { try AccountEvent.record(.delete, of: account, at: now, in: group) }
    try table.delete(keys)
    guard !names.isEmpty else { return }
    try AccountTables.identities.table(in: group).removeAll("key", in: names)
  }

  private mutating func removeRegistrations(
    _ group: WriteGroup, _ rules: UpkeepRules, _ now: OriginTimestamp
  ) throws(StorageError) {
    let table = try AccountTables.identities.table(in: group)
    var gone: Set<String> = []
    var unknown: [ObjectKey] = []
    var identities = try table.records()
    while let row = try identities.next() {
      guard try row.integer("is_confirmed") == 0, try row.optionalText("account") == nil
      else { continue }
      guard let start = try row.optionalTime("created") else {
        unknown.append(row.key)
        continue
      }
      if Self.isOver(start, rules.unconfirmedDays, now) { gone.insert(try row.text("key")) }
    }
    for key in unknown { try table.record(key)?.set(now.milliseconds, "created") }
    notedRegistrations = unknown.count
    guard !gone.isEmpty else { return }
    registrations = try table.removeAll("key", in: gone)
    tokens += try AccountTables.tokens.table(in: group).removeAll("identity", in: gone)
  }
}
#endif
