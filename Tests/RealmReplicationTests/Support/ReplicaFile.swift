// SPDX-License-Identifier: Apache-2.0

// A database in memory whose transactions are recorded, or carried out from changesets.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import Synchronization
import Testing

/// One peer of a test.
final class ReplicaFile {
  private static let count = Atomic(0)

  let file: DatabaseFile
  let schemas = SchemaCache()
  let recorder = SyncRecorder()

  init() throws {
    let number = Self.count.add(1, ordering: .relaxed).newValue
    file = try DatabaseFile.open(
      path: "/replica-\(number).realm", options: OpenOptions(isInMemory: true))
  }

  /// Runs a transaction and gives the changeset that was recorded of it.
  @discardableResult
  func write(_ body: (WriteGroup) throws -> Void) throws -> [UInt8] {
    try write(by: recorder, body)
  }

  private func write(
    by recorder: SyncRecorder, _ body: (WriteGroup) throws -> Void
  ) throws -> [UInt8] {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    group.recorder = recorder
    do {
      try body(group)
      let bytes = try recorder.finish(group)
      _ = try group.commit()
      return bytes
    } catch {
      recorder.removeAll()
      group.rollback()
      throw error
    }
  }

  /// The instructions that are recorded of a transaction, as lines.
  func lines(
    by recorder: SyncRecorder? = nil, _ body: (WriteGroup) throws -> Void
  ) throws -> [String] {
    let changeset = try ChangesetParser.parse(write(by: recorder ?? self.recorder, body))
    return changeset.instructions.map(changeset.line)
  }

  /// The newest version.
  func read() throws -> TableGroup { try TableGroup(file.snapshot(), schemas: schemas) }

  func digest() throws -> StateDigest { try StateDigest(of: read()) }
}

extension WriteGroup {
  func existing(_ name: String) throws -> WritableTable {
    try #require(try table(named: "class_\(name)"), "table \(name) is missing")
  }
}

extension WritableTable {
  func column(named name: String) throws -> Column {
    try #require(schema.column(named: name), "column \(name) is missing")
  }

  /// Assigns a property by its name.
  func set(
    _ value: TableValue, _ name: String, _ key: ObjectKey, isDefault: Bool = false
  ) throws {
    try set(value, try column(named: name), key, isDefault: isDefault)
  }

  func list(_ name: String, _ key: ObjectKey, stored: Bool = false) throws -> ListEditor {
    try list(try column(named: name), key, stored: stored)
  }

  func members(_ name: String, _ key: ObjectKey) throws -> SetEditor {
    try set(try column(named: name), key)
  }

  func map(_ name: String, _ key: ObjectKey) throws -> DictionaryEditor {
    try dictionary(try column(named: name), key)
  }
}
