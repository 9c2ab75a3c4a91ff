// SPDX-License-Identifier: Apache-2.0

// How far an unfinished import has come, as the file itself keeps it.

import Foundation
import RealmStorage
import RealmTables

/// The mark of an unfinished import in a file.
struct ImportMark {
  /// The last committed line, and the digest of the rows up to it.
  struct Value {
    let line: Int
    /// Nil in the mark of an earlier version of the tools.
    let digest: UInt64?
  }

  /// The table of the mark; apps do not see it.
  private static let tableName = "realm_import"
  /// The table of the objects' keys in the source.
  private static let keyTableName = "realm_import_keys"
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
    if let key = try group.key(ofTable: Self.tableName) { try group.removeTable(key) }
    let table = try group.createTable(named: Self.tableName)
    let path = try table.addColumn(named: "path", type: .string)
    let line = try table.addColumn(named: "line", type: .int)
    let digest = try table.addColumn(named: "digest", type: .int)
    let key = try table.createObject().key
    try table.set(.string(sourceName), path, key)
    try table.set(.int(Int64(value.line)), line, key)
    try table.set(.int(Int64(bitPattern: value.digest ?? 0)), digest, key)
  }

  /// Removes all traces of an unfinished import.
  func remove(from group: WriteGroup) throws {
    for name in [Self.tableName, Self.keyTableName] {
      if let key = try group.key(ofTable: name) { try group.removeTable(key) }
    }
  }

  // MARK: Keys

  /// Adds the keys of a batch's objects.
  func add(_ keys: [(TableKey, Int64, ObjectKey)], to group: WriteGroup) throws {
    guard !keys.isEmpty else { return }
    var table = try group.table(named: Self.keyTableName)
    if table == nil {
      let new = try group.createTable(named: Self.keyTableName)
      for name in ["class", "old", "new"] { _ = try new.addColumn(named: name, type: .int) }
      table = try group.table(named: Self.keyTableName)
    }
    guard let table else { return }
    let schema = try table.table.schema
    guard let type = schema.column(named: "class"), let old = schema.column(named: "old"),
      let new = schema.column(named: "new")
    else { return }
    for (owner, number, key) in keys {
      let row = try table.createObject().key
      try table.set(.int(Int64(owner.rawValue)), type, row)
      try table.set(.int(number), old, row)
      try table.set(.int(key.rawValue), new, row)
    }
  }

  /// Reads the keys of an unfinished import.
  func readKeys(from group: WriteGroup, into keys: ObjectKeyMap) throws {
    guard let table = try group.table(named: Self.keyTableName)?.table,
      let type = table.schema.column(named: "class"), let old = table.schema.column(named: "old"),
      let new = table.schema.column(named: "new")
    else { return }
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let row = cluster.row(at: index)
        guard case .int(let schema) = try row.value(of: type),
          case .int(let number) = try row.value(of: old),
          case .int(let key) = try row.value(of: new)
        else { continue }
        keys[TableKey(UInt32(truncatingIfNeeded: schema)), number] = ObjectKey(key)
      }
    }
  }
}
