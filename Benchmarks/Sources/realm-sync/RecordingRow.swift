// SPDX-License-Identifier: Apache-2.0

// How many objects are inserted in a second in a local file and in one that is recorded, and how
// many a client integrates.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import Synchronization

extension SyncRow {
  private static let objectCount = 100_000
  private static let fileCount = Atomic(0)

  /// Inserts of objects with an ObjectId as key and three properties, in one transaction.
  static var insertLocally: SyncRow { insert("insert, local", isRecorded: false) }

  /// The same where the transaction is recorded; the goal is two thirds of the local rate.
  static var insertRecorded: SyncRow { insert("insert, recorded", isRecorded: true) }

  private static func insert(_ name: String, isRecorded: Bool) -> SyncRow {
    SyncRow(name: name, unit: "objects") {
      succeeding {
        let file = try openFile()
        let recorder = isRecorded ? SyncRecorder() : nil
        _ = try write(file, recorder, makeSchema)
        var inserted: Result<Int, any Error> = .success(0)
        let rate = rate(of: objectCount) {
          inserted = Result { try write(file, recorder, insertObjects).count }
        }
        _ = try inserted.get()
        return rate
      }
    }
  }

  /// The objects of the rows above in one changeset, as a bootstrap has them, from bytes to the
  /// committed version.
  static var bootstrap: SyncRow {
    SyncRow(name: "bootstrap", unit: "objects") {
      succeeding {
        let origin = try openFile()
        let recorder = SyncRecorder()
        let parts = [
          try write(origin, recorder, makeSchema), try write(origin, recorder, insertObjects),
        ]
        let file = try openFile()
        var applied: Result<Void, any Error> = .success(())
        let rate = rate(of: objectCount) {
          applied = Result {
            _ = try write(file, nil) { group in
              var applier = InstructionApplier(group)
              for part in parts { try applier.apply(ChangesetParser.parse(part)) }
            }
          }
        }
        try applied.get()
        return rate
      }
    }
  }

  // MARK: Files

  private static func succeeding(_ body: () throws -> Double) -> Double {
    do { return try body() } catch { preconditionFailure("the work fails: \(error)") }
  }

  private static func openFile() throws(StorageError) -> DatabaseFile {
    let number = fileCount.add(1, ordering: .relaxed).newValue
    return try DatabaseFile.open(
      path: "/realm-sync-\(number).realm", options: OpenOptions(isInMemory: true))
  }

  /// Runs a transaction; what was recorded of it.
  private static func write(
    _ file: DatabaseFile, _ recorder: SyncRecorder?, _ body: (WriteGroup) throws -> Void
  ) throws -> [UInt8] {
    let group = try WriteGroup(file.beginWrite())
    group.recorder = recorder
    try body(group)
    let bytes = try recorder?.finish(group) ?? []
    _ = try group.commit()
    return bytes
  }

  private static func makeSchema(_ group: WriteGroup) throws {
    let items = try group.createTable(named: "class_Item")
    let id = try items.addColumn(named: "_id", type: .objectId)
    try items.addColumn(named: "name", type: .string)
    try items.addColumn(named: "count", type: .int)
    try items.addColumn(named: "isDone", type: .bool)
    try items.setPrimaryKey(id.key)
  }

  private static func insertObjects(_ group: WriteGroup) throws {
    guard let items = try group.table(named: "class_Item"),
      let name = items.schema.column(named: "name"),
      let count = items.schema.column(named: "count"),
      let isDone = items.schema.column(named: "isDone")
    else { preconditionFailure("the class is missing") }
    for number in 0..<objectCount {
      let id = Bytes12(
        high: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, low: UInt32(truncatingIfNeeded: number))
      let (key, _) = try items.createObject(primaryKey: .objectId(id))
      try "item number \(number)".withByteView { (text) throws(StorageError) in
        try items.set(StringLeaf.self, to: text, name, key)
      }
      try items.set(IntegerLeaf.self, to: Int64(number & 1023), count, key)
      try items.set(BoolLeaf.self, to: number & 1 == 0, isDone, key)
    }
  }
}
