// SPDX-License-Identifier: Apache-2.0

// How far an unfinished import has come, as the file itself keeps it.

import Foundation
import RealmStorage
import RealmTables

/// The mark that an unfinished import leaves in a file.
struct ImportMark {
  /// The last line that was committed, and what had been read by then.
  struct Value {
    let line: Int
    /// Nil in the mark of an earlier version of the tools.
    let digest: UInt64?
  }

  /// The table of the mark; apps do not see it.
  private static let tableName = "realm_import"
  private let sourceName: String

  init(source: ImportSource) {
    sourceName =
      source.isStream ? "-" : URL(fileURLWithPath: source.path).standardizedFileURL.path
  }

  /// The mark of an earlier import of the same source.
  func read(from group: WriteGroup) throws -> Value? {
    guard let table = try group.table(named: Self.tableName)?.table,
      let path = table.schema.column(named: "path"),
      let line = table.schema.column(named: "line"),
      let key = try table.key(at: 0), let row = try table.row(of: key),
      try row.value(of: path) == .string(sourceName),
      case .int(let number) = try row.value(of: line)
    else { return nil }
    guard let column = table.schema.column(named: "digest"),
      case .int(let digest) = try row.value(of: column)
    else { return Value(line: Int(number), digest: nil) }
    return Value(line: Int(number), digest: UInt64(bitPattern: digest))
  }

  func write(_ value: Value, to group: WriteGroup) throws {
    try remove(from: group)
    let table = try group.createTable(named: Self.tableName)
    let path = try table.addColumn(named: "path", type: .string)
    let line = try table.addColumn(named: "line", type: .int)
    let digest = try table.addColumn(named: "digest", type: .int)
    let key = try table.createObject().key
    try table.set(.string(sourceName), path, key)
    try table.set(.int(Int64(value.line)), line, key)
    try table.set(.int(Int64(bitPattern: value.digest ?? 0)), digest, key)
  }

  func remove(from group: WriteGroup) throws {
    if let key = try group.key(ofTable: Self.tableName) { try group.removeTable(key) }
  }
}
