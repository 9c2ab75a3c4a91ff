// SPDX-License-Identifier: Apache-2.0

// Records of tests, with tables of both kinds: with a primary key and without.

import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmTables

#if Postgres
@testable import RealmServerPostgres
#endif

/// The tables of the tests of records.
enum ThingRecords {
  static let things = RecordLayout(
    "things", hasPrimaryKey: true,
    [
      RecordField("key", .string), RecordField("count", .int),
      RecordField("text", .string, isNullable: true),
      RecordField("bytes", .binary, isNullable: true),
    ])
  static let notes = RecordLayout("notes", [RecordField("text", .string)])

  /// What the tables have.
  struct Content: Hashable {
    struct Thing: Hashable {
      var count: Int64
      var text: String?
      var bytes: [UInt8]?
    }

    var things: [String: Thing] = [:]
    var notes: [Int64: String] = [:]
  }

  static func make(in group: WriteGroup) throws(StorageError) -> Bool {
    guard try things.find(in: group) == nil else { return false }
    try things.make(in: group)
    try notes.make(in: group)
    return true
  }

  /// Adds to the count of a thing, which is made if there is none.
  static func count(_ key: String, in group: WriteGroup) throws(StorageError) {
    let row = try things.table(in: group).findOrCreate(.string(key))
    try row.set(try row.integer("count") + 1, "count")
  }

  static func set(
    _ text: String?, _ bytes: [UInt8]?, of key: String, in group: WriteGroup
  ) throws(StorageError) {
    let row = try things.table(in: group).findOrCreate(.string(key))
    try row.set(text, "text")
    try row.set(bytes, "bytes")
  }

  static func remove(_ key: String, in group: WriteGroup) throws(StorageError) {
    let table = try things.table(in: group)
    if let row = try table.find(.string(key)) { try table.delete(row.key) }
  }

  static func note(_ text: String?, _ key: Int64, in group: WriteGroup) throws(StorageError) {
    let table = try notes.table(in: group)
    let known = try table.record(ObjectKey(key))
    guard let text else {
      if let known { try table.delete(known.key) }
      return
    }
    if let known { return try known.set(text, "text") }
    try table.create(under: ObjectKey(key)).set(text, "text")
  }

  static func content(of records: any RecordStore) throws -> Content {
    let group = try records.snapshot()
    var content = Content()
    var rows = try things.table(in: group).records()
    while let row = try rows.next() {
      content.things[try row.text("key")] = Content.Thing(
        count: try row.integer("count"), text: try row.optionalText("text"),
        bytes: try row.optionalBytes("bytes"))
    }
    var notes = try notes.table(in: group).records()
    while let row = try notes.next() { content.notes[row.key.rawValue] = try row.text("text") }
    return content
  }
}

extension StoreBench {
  /// The records of a server. Those of the embedded kind have one server.
  func records(_ kind: StoreKind, server number: Int = 0) throws -> any RecordStore {
    #if Postgres
    if kind != .embedded {
      // The store is followed as long as its realms are there.
      return try StoredRecords(self, server: number)
    }
    #endif
    let file = try DatabaseFile.open(path: path("records.realm"))
    return LocalRecords(file)
  }
}

#if Postgres
/// Records with the store that follows them.
struct StoredRecords: RecordStore {
  let store: PostgresStore
  let base: any RecordStore
  /// It has the folder of the replicas.
  private let bench: StoreBench

  init(_ bench: StoreBench, server number: Int) throws {
    self.bench = bench
    store = try bench.server(number)
    base = try store.records(.users, ofApp: bench.name.app)
  }

  var isShared: Bool { base.isShared }
  var lease: (any RecordLease)? { base.lease }
  func snapshot() throws(StoreError) -> TableGroup { try base.snapshot() }
  func news() -> AsyncStream<Void> { base.news() }

  func change(by author: RecordAuthor, _ body: RecordChange) throws(StoreError) {
    try base.change(by: author, body)
  }

  func takeChanges() throws(StoreError) -> (changes: RecordChanges, newest: TableGroup) {
    try base.takeChanges()
  }
}
#endif
