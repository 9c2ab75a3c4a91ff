// SPDX-License-Identifier: Apache-2.0

// Which realms an app has.
//
// A realm file that is gone cannot show that it was there, so another file does.
//
// Invariants:
// 1. A realm is recorded once its file has its name on the disk, and stays so until the operator
//    goes on without it. So what is recorded and has no file was lost.
// 2. The file is open for the time of a call: it is used when a realm is new, and an operator may
//    put another one in its place between two runs of the server.

import RealmStorage
import RealmTables

/// The record of the realms of one app.
final class RealmRecord: Sendable {
  private static let layout = RecordLayout(
    "server_realms", hasPrimaryKey: true, [RecordField("name", .string)])
  /// The record is small, and each app has one.
  private static let slabByteCount = 1 << 30

  private let path: String
  private let system: any FileSystem
  /// One call at a time has the file open.
  private let turn = Locked(())

  init(_ path: String, _ system: any FileSystem) {
    self.path = path
    self.system = system
  }

  private static func options(mustExist: Bool) -> OpenOptions {
    var options = OpenOptions(mustExist: mustExist)
    options.slabByteCount = slabByteCount
    return options
  }

  /// The open file, which is made if it is missing.
  private func opened() throws(StorageError) -> DatabaseFile {
    if !CompleteFile.exists(path) {
      try CompleteFile.make(path, options: Self.options(mustExist: false), system: system) {
        (file) throws(StorageError) in
        try WriteGroup(file.beginWrite()).commit { (group) throws(StorageError) in
          try Self.layout.make(in: group)
        }
      }
    }
    return try DatabaseFile.open(
      path: path, options: Self.options(mustExist: true), system: system)
  }

  /// The realms that were recorded.
  func names() throws(StorageError) -> Set<String> {
    try turn.withLock { (_) throws(StorageError) -> Set<String> in
      guard CompleteFile.exists(path) else { return [] }
      return try Self.names(opened().snapshot())
    }
  }

  /// The realms that a version of a record has.
  static func names(_ version: Snapshot) throws(StorageError) -> Set<String> {
    var names: Set<String> = []
    var rows = try layout.table(in: TableGroup(version)).records()
    while let row = try rows.next() { names.insert(try row.text("name")) }
    return names
  }

  /// Records realms whose files are there, and forgets others; durable when this returns.
  func change(
    adding added: some Sequence<String>, removing removed: some Sequence<String>
  )
    throws(StorageError)
  {
    try turn.withLock { (_) throws(StorageError) -> Void in
      try WriteGroup(opened().beginWrite()).commit { (group) throws(StorageError) in
        let table = try Self.layout.table(in: group)
        for name in added { _ = try table.findOrCreate(.string(name)) }
        for name in removed {
          if let row = try table.find(.string(name)) { try table.delete(row.key) }
        }
      }
    }
  }
}

/// Gives the record of an app, one for all its users.
final class RealmRecords: Sendable {
  private let system: any FileSystem
  private let records = Locked<[String: RealmRecord]>([:])

  init(_ system: any FileSystem) { self.system = system }

  subscript(path: String) -> RealmRecord {
    records.withLock { records in
      if let known = records[path] { return known }
      let record = RealmRecord(path, system)
      records[path] = record
      return record
    }
  }
}
