// SPDX-License-Identifier: Apache-2.0

// What is removed from the users of an app because it is not used any more.
//
// Rules:
// 1. Sessions and mailed tokens go when their time is over.
// 2. A user whose only identities are anonymous cannot log in again: without a session it goes,
//    some days after it was made.
// 3. An address that was registered and never confirmed goes some days later, with its tokens. One
//    whose time is not known begins to wait when it is seen first.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The numbers of what was removed.
package struct AccountCleaning: Hashable, Sendable {
  package private(set) var sessions = 0
  package private(set) var tokens = 0
  package private(set) var anonymousUsers: [String] = []
  package private(set) var registrations = 0
  private var notedRegistrations = 0

  var hasChanges: Bool {
    sessions + tokens + anonymousUsers.count + registrations + notedRegistrations > 0
  }

  /// Removes what the rules say.
  init(
    _ group: WriteGroup, _ rules: UpkeepRules, now: OriginTimestamp
  ) throws(StorageError) {
    sessions = try AccountStore.removeExpired(.sessions, now, in: group)
    tokens = try AccountStore.removeExpired(.tokens, now, in: group)
    try removeAnonymousUsers(group, rules, now)
    try removeRegistrations(group, rules, now)
  }

  private static func isOver(
    _ start: OriginTimestamp, _ days: Int, _ now: OriginTimestamp
  ) -> Bool {
    start.milliseconds + UpkeepRules.milliseconds(days: days) <= now.milliseconds
  }

  private mutating func removeAnonymousUsers(
    _ group: WriteGroup, _ rules: UpkeepRules, _ now: OriginTimestamp
  ) throws(StorageError) {
    var used: Set<String> = []
    try AccountStore.forEachRow(of: .sessions, in: group) { (_, _, reader) throws(StorageError) in
      used.insert(try reader.optionalText("account") ?? "")
    }
    var gone: [String] = []
    var names: Set<String> = []
    _ = try AccountStore.removeRows(of: .accounts, in: group) {
      (id, reader) throws(StorageError) in
      guard !used.contains(id), let account = try Account(reader, key: id),
        !account.isDisabled,
        account.identities.allSatisfy({ $0.provider == AccountService.anonymousProvider }),
        Self.isOver(account.created, rules.anonymousDays, now)
      else { return false }
      gone.append(id)
      names.formUnion(account.identities.map(\.text))
      return true
    }
    anonymousUsers = gone
    guard !names.isEmpty else { return }
    _ = try AccountStore.removeRows(of: .identities, in: group) { (name, _) in
      names.contains(name)
    }
  }

  private mutating func removeRegistrations(
    _ group: WriteGroup, _ rules: UpkeepRules, _ now: OriginTimestamp
  ) throws(StorageError) {
    var gone: Set<String> = []
    var unknown: [ObjectKey] = []
    try AccountStore.forEachRow(of: .identities, in: group) {
      (key, name, reader) throws(StorageError) in
      guard try reader.number("is_confirmed") == 0, try reader.optionalText("account") == nil
      else { return }
      guard let created = try reader.optionalNumber("created") else {
        unknown.append(key)
        return
      }
      let start = OriginTimestamp(milliseconds: UInt64(bitPattern: created))
      if Self.isOver(start, rules.unconfirmedDays, now) { gone.insert(name) }
    }
    if let table = try group.table(named: AccountTable.identities.rawValue),
      let column = table.schema.column(named: "created")
    {
      for key in unknown {
        try table.set(.int(Int64(bitPattern: now.milliseconds)), column, key)
      }
    }
    notedRegistrations = unknown.count
    guard !gone.isEmpty else { return }
    registrations = try AccountStore.removeRows(of: .identities, in: group) { (name, _) in
      gone.contains(name)
    }
    tokens += try AccountStore.removeRows(of: .tokens, in: group) {
      (_, reader) throws(StorageError) in
      gone.contains(try reader.optionalText("identity") ?? "")
    }
  }
}
