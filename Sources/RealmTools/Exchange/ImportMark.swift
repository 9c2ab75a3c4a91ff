// SPDX-License-Identifier: Apache-2.0

// How far an unfinished import has come, as the file itself keeps it.

#if Tools
import Foundation
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
  private static let layout = RecordLayout(
    "realm_import",
    [
      RecordField("path", .string), RecordField("line", .int),
      RecordField("digest", .int, isLater: true),
    ])
  /// The table of the objects' keys in the source.
  private static let keyLayout = RecordLayout(
    "realm_import_keys",
    [RecordField("class", .int), RecordField("old", .int), RecordField("new", .int)])
  private let sourceName: String

  init(source: ImportSource) {
    sourceName =
      source.isStream ? "-" : URL(fileURLWithPath: source.path).standardizedFileURL.path
  }

  /// The mark of an earlier import of the same source.
  func read(from group: WriteGroup) throws -> Value? {
    var rows = try Self.layout.find(in: group)?.records()
    guard let row = try rows?.next(), try row.text("path") == sourceName else { return nil }
    return Value(
      line: Int(try row.integer("line")),
      digest: try row.optionalInteger("digest").map { UInt64(bitPattern: $0) })
  }

  func write(_ value: Value, to group: WriteGroup) throws {
    try Self.layout.remove(from: group)
    let row = try Self.layout.make(in: group).create()
    try row.set(sourceName, "path")
    try row.set(clamping: value.line, "line")
    try row.set(value.digest ?? 0, "digest")
  }

  /// Removes all traces of an unfinished import.
  func remove(from group: WriteGroup) throws {
    try Self.layout.remove(from: group)
    try Self.keyLayout.remove(from: group)
  }

  // MARK: Keys

  /// Adds the keys of a batch's objects.
  func add(_ keys: [(TableKey, Int64, ObjectKey)], to group: WriteGroup) throws {
    guard !keys.isEmpty else { return }
    let table = try Self.keyLayout.find(in: group) ?? Self.keyLayout.make(in: group)
    for (owner, number, key) in keys {
      let row = try table.create()
      try row.set(clamping: owner.rawValue, "class")
      try row.set(number, "old")
      try row.set(key.rawValue, "new")
    }
  }

  /// Reads the keys of an unfinished import.
  func readKeys(from group: WriteGroup, into keys: ObjectKeyMap) throws {
    var rows = try Self.keyLayout.find(in: group)?.records()
    while let row = try rows?.next() {
      let owner = TableKey(UInt32(truncatingIfNeeded: try row.integer("class")))
      keys.set(ObjectKey(try row.integer("new")), for: try row.integer("old"), in: owner)
    }
  }
}
#endif
