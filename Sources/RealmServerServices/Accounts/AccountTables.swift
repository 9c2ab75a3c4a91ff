// SPDX-License-Identifier: Apache-2.0

// The tables of an app's users.

#if Server
import RealmStorage
import RealmTables

/// The tables of accounts. The first field is the primary key, a string.
enum AccountTables {
  static let meta = RecordLayout(
    "server_accounts_meta", hasPrimaryKey: true,
    [
      RecordField("key", .string), RecordField("layout", .int),
      RecordField("app", .string, isNullable: true, isLater: true),
      RecordField("last_event", .int, isNullable: true, isLater: true),
    ])
  static let accounts = RecordLayout(
    "server_accounts", hasPrimaryKey: true,
    [
      RecordField("key", .string), RecordField("created", .int), RecordField("is_disabled", .int),
      RecordField("custom_data", .string, isNullable: true), RecordField("identities", .string),
      RecordField("push_devices", .string, isNullable: true, isLater: true),
    ])
  static let identities = RecordLayout(
    "server_identities", hasPrimaryKey: true,
    [
      RecordField("key", .string), RecordField("id", .string),
      RecordField("account", .string, isNullable: true),
      RecordField("salt", .binary, isNullable: true),
      RecordField("hash", .binary, isNullable: true), RecordField("is_confirmed", .int),
      RecordField("created", .int, isNullable: true, isLater: true),
      RecordField("profile", .string, isNullable: true, isLater: true),
    ])
  static let sessions = RecordLayout(
    "server_sessions", hasPrimaryKey: true,
    [
      RecordField("key", .string), RecordField("account", .string),
      RecordField("device", .string), RecordField("expires", .int),
      RecordField("api_key", .string, isNullable: true, isLater: true),
    ])
  static let tokens = RecordLayout(
    "server_mailed_tokens", hasPrimaryKey: true,
    [
      RecordField("key", .string), RecordField("purpose", .string),
      RecordField("identity", .string), RecordField("signature", .binary),
      RecordField("expires", .int), RecordField("salt", .binary, isNullable: true, isLater: true),
      RecordField("hash", .binary, isNullable: true, isLater: true),
    ])

  static let keys = RecordLayout(
    "server_api_keys", hasPrimaryKey: true,
    [
      RecordField("key", .string), RecordField("account", .string, isNullable: true),
      RecordField("name", .string), RecordField("digest", .binary),
      RecordField("is_disabled", .int), RecordField("created", .int),
    ])

  /// The events of users for triggers. The key of a row is the number of its event.
  static let events = RecordLayout(
    "server_account_events",
    [
      RecordField("kind", .string), RecordField("event", .string),
      RecordField("depth", .int, isNullable: true, isLater: true),
    ])

  static let all = [meta, accounts, identities, sessions, tokens, keys, events]

  /// The number of the layout. Files of an earlier one get the missing columns and tables, and
  /// files of a later one are refused.
  static let layout: Int64 = 6

  /// The first layout whose servers can share records of this one with later servers: since then
  /// only columns and tables were added, and null in a column means what its absence does.
  static let usableSince: Int64 = 6

  /// The tables that files of a layout may lack.
  static func additions(since layout: Int64) -> [RecordLayout] {
    (layout < 4 ? [keys] : []) + (layout < 5 ? [events] : [])
  }

  /// The only row of `meta`; nil if there is none.
  static func meta(in group: WriteGroup) throws(StorageError) -> RecordRow? {
    try meta.table(in: group).find(.string("accounts"))
  }

  /// Whether records of a later layout can be used by this program, as the later one says.
  static func isUsable(in group: WriteGroup) throws(StorageError) -> Bool {
    let row = try meta.table(in: group).find(.string("usable"))
    guard let since = try row?.integer("layout") else { return false }
    return since <= layout
  }

  /// Notes which earlier servers can use the records.
  static func setUsable(in group: WriteGroup) throws(StorageError) {
    let table = try meta.table(in: group)
    if try table.find(.string("usable"))?.integer("layout") == usableSince { return }
    try table.findOrCreate(.string("usable")).set(usableSince, "layout")
  }

  /// Makes the tables of a new file.
  static func make(in group: WriteGroup) throws(StorageError) {
    for layout in all { try layout.make(in: group) }
    try meta.table(in: group).findOrCreate(.string("accounts")).set(layout, "layout")
  }
}
#endif
