// SPDX-License-Identifier: Apache-2.0

// The file in which queries are run and changesets are carried out.

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
}
