// SPDX-License-Identifier: Apache-2.0

// The tables of users and their belongings.

import RealmTables

/// The tables of accounts. The first property is the primary key, a string.
enum AccountTable: String, CaseIterable {
  case meta = "server_accounts_meta"
  case accounts = "server_accounts"
  case identities = "server_identities"
  case sessions = "server_sessions"
  case tokens = "server_mailed_tokens"

  /// The number of the layout. Files of an earlier one get the missing columns, and files of a
  /// later one are refused.
  static let layout: Int64 = 3

  var fields: [(name: String, type: ColumnType, isNullable: Bool)] {
    switch self {
    case .meta: [("layout", .int, false), ("app", .string, true)]
    case .accounts:
      [
        ("created", .int, false), ("is_disabled", .int, false), ("custom_data", .string, true),
        ("identities", .string, false),
      ]
    case .identities:
      [
        ("id", .string, false), ("account", .string, true), ("salt", .binary, true),
        ("hash", .binary, true), ("is_confirmed", .int, false),
        ("created", .int, true),
      ]
    case .sessions:
      [("account", .string, false), ("device", .string, false), ("expires", .int, false)]
    case .tokens:
      [
        ("purpose", .string, false), ("identity", .string, false), ("signature", .binary, false),
        ("expires", .int, false), ("salt", .binary, true), ("hash", .binary, true),
      ]
    }
  }
}
