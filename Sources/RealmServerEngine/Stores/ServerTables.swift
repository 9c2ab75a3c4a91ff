// SPDX-License-Identifier: Apache-2.0

// The internal tables of a realm file (P4 G.2).
//
// Rows are found by their object keys: an entry under its version, a client file under its
// identifier, and what belongs to both under the identifier and the version.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The internal tables of a realm file.
enum ServerTables: String, CaseIterable {
  case meta = "server_meta"
  case history = "server_history"
  case touches = "server_touches"
  case files = "server_files"
  case reciprocals = "server_reciprocals"
  case privates = "server_private"

  /// The number of the arrangement of tables; files with another are refused.
  static let layout: Int64 = 1

  /// The key of the only row of `meta`.
  static let metaKey = ObjectKey(0)

  /// Exclusive upper bound of versions: 40 bits, so that a version and a file identifier fit in one
  /// object key.
  static let versionLimit: UInt64 = 1 << 40
  /// A file identifier is below.
  static let identLimit: UInt64 = 1 << 22

  var fields: [(name: String, type: ColumnType)] {
    switch self {
    case .meta:
      [
        ("layout", .int), ("app", .string), ("partition", .string), ("version", .int),
        ("salt", .int), ("total_size", .int), ("base", .int), ("epoch", .int), ("last_file", .int),
      ]
    case .history:
      [
        ("salt", .int), ("file", .int), ("client_version", .int), ("timestamp", .int),
        ("committed", .int), ("original_size", .int), ("total_size", .int), ("changeset", .binary),
      ]
    case .touches: [("touches", .binary)]
    case .files:
      [
        ("salt", .int), ("user", .string), ("client_version", .int), ("reciprocal_base", .int),
        ("locked_version", .int), ("last_seen", .int), ("first_download", .int),
        ("first_download_base", .int), ("query_version", .int), ("query", .string),
        ("fingerprint", .int), ("expired", .int),
      ]
    case .reciprocals: [("changeset", .binary)]
    case .privates: [("timestamp", .int), ("objects", .binary), ("changeset", .binary)]
    }
  }

  /// The properties that may be null.
  private static let nullable: Set<String> = ["partition", "query_version"]

  /// Makes the tables of a new file.
  static func make(in group: WriteGroup, for name: RealmName) throws(StorageError) {
    for kind in allCases {
      let table = try group.createTable(named: kind.rawValue)
      for (name, type) in kind.fields {
        _ = try table.addColumn(
          named: name, type: type, isNullable: nullable.contains(name))
      }
    }
    let row = try ServerRow(.meta, at: metaKey, in: group, isNew: true)
    try row.set(.int(layout), "layout")
    try row.set(.string(name.app), "app")
    try row.set(name.partition.map { .string($0) } ?? .null, "partition")
    try row.set(FileIdentifier.server.rawValue, "last_file")
  }

  /// The properties that files of older servers lack.
  private static let later: [(table: ServerTables, field: String, type: ColumnType)] = [
    (privates, "objects", .binary), (files, "expired", .int),
  ]

  /// Whether the file is one of an older server.
  static func lacksFields(_ group: TableGroup) throws(StorageError) -> Bool {
    for (kind, field, _) in later {
      if try group.table(named: kind.rawValue)?.schema.column(named: field) == nil { return true }
    }
    return false
  }

  /// Adds the properties that a file of an older server lacks.
  static func addMissing(in group: WriteGroup) throws(StorageError) -> Bool {
    var isChanged = false
    for (kind, field, type) in later {
      guard let table = try group.table(named: kind.rawValue),
        table.schema.column(named: field) == nil
      else { continue }
      _ = try table.addColumn(named: field, type: type)
      isChanged = true
    }
    return isChanged
  }

  /// The key of a row that belongs to a file and a version.
  static func key(_ ident: FileIdentifier, _ version: UInt64) -> ObjectKey {
    ObjectKey(Int64(bitPattern: ident.rawValue << 40 | version))
  }

  /// The version in a key of that kind.
  static func version(in key: ObjectKey) -> UInt64 {
    UInt64(bitPattern: key.rawValue) & (versionLimit - 1)
  }
}
