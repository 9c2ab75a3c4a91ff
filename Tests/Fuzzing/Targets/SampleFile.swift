// SPDX-License-Identifier: Apache-2.0

// The file in which queries are run and changesets are carried out.

#if Tools && Server
import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmTestSupport

/// A database in memory with every kind of property, the same in every run.
final class SampleFile: Sendable {
  static let shared = Result { try SampleFile(isLarge: true) }

  let file: DatabaseFile
  let schemas = SchemaCache()

  /// - Parameter isLarge: Whether it has all kinds of properties, and not a few of them.
  init(
    isLarge: Bool, path: String? = nil, history: HistoryKind = .inFile, seed: UInt64 = 7
  ) throws {
    file = try DatabaseFile.open(
      path: path ?? "/sample-\(isLarge)-\(seed).realm",
      options: OpenOptions(isInMemory: path == nil, history: history))
    var random = SeededGenerator(seed: seed)
    try write { try RandomSchema.make(in: $0, &random, share: isLarge ? 100 : 12) }
    var writer = RandomWriter(seed: seed, writesInTurn: true)
    writer.objectCountMax = isLarge ? 6 : 4
    writer.erasesSchema = false
    for _ in 0..<(isLarge ? 60 : 12) { try write { try writer.writeData($0) } }
  }

  func write(_ body: (WriteGroup) throws -> Void) throws {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    try group.orRollback {
      let recorder = file.options.history == .syncClient ? SyncRecorder() : nil
      group.recorder = recorder
      try body(group)
      if let changeset = try recorder?.finish(group) {
        group.transaction.syncEntry = SyncEntry(
          changeset: StoredChangesetFraming.encode(changeset))
      }
      _ = try group.commit()
    }
  }

  /// Runs a transaction that is rolled back.
  func trial<R>(_ body: (WriteGroup) throws -> R) throws -> R {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    defer { group.rollback() }
    return try body(group)
  }

  func read() throws -> TableGroup { try TableGroup(file.snapshot(), schemas: schemas) }

  /// Changesets that fit the file, recorded of transactions that are rolled back.
  func changesets(_ count: Int, seed: UInt64) throws -> [[UInt8]] {
    var writer = RandomWriter(seed: seed, writesInTurn: true)
    return try (0..<count).map { _ in
      try trial { group in
        let recorder = SyncRecorder()
        group.recorder = recorder
        try writer.write(group)
        return try recorder.finish(group)
      }
    }
  }

  /// Makes a file whose trees have inner nodes: those of clusters, lists, sets and an index.
  static func makeWide(_ path: String) throws {
    do {
      let file = try DatabaseFile.open(path: path)
      try WriteGroup(file.beginWrite()).commit { (group: WriteGroup) throws(StorageError) in
        let table = try group.createTable(named: "class_Wide")
        let number = try table.addColumn(named: "number", type: .int, isIndexed: true)
        let list = try table.addColumn(named: "list", type: .int, collection: .list)
        let set = try table.addColumn(named: "set", type: .int, collection: .set)
        let links = try table.addColumn(
          named: "links", type: .link, collection: .list, target: table.key)
        var keys: [ObjectKey] = []
        for index in 0..<300 {
          let (key, _) = try table.createObject()
          try table.set(.int(Int64(index % 3)), number, key)
          keys.append(key)
        }
        for index in 0..<1_001 {
          try table.list(list, keys[0]).insert(.int(0), at: index)
          try table.list(links, keys[0]).insert(.link(keys[0]), at: index)
          _ = try table.set(set, keys[0]).insert(.int(Int64(index)))
        }
      }
    }
    _ = try DatabaseFile.compact(path: path)
  }
}
#endif
