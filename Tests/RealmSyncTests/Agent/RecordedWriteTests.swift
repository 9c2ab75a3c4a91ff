// SPDX-License-Identifier: Apache-2.0

// What local transactions write becomes their entry.

import Dispatch
import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct RecordedWriteTests {
  /// `RecordedWrite` 2.
  @Test func writesOfATransactionAreTheEntryOfItsVersion() throws {
    let device = try TestDevice()
    device.clock.set(77)
    let version = try device.write { group in
      try Items.makeClass(group)
      try Items.put(1, "a", group)
    }
    let history = try device.history()
    let entry = try history.entry(at: version)
    expectTrue(entry.isLocal)
    expectEqual(entry.originTimestamp, 77)
    let bytes = try StoredChangesetFraming.decode(entry.changeset)
    let lines = try ChangesetParser.parse(bytes).instructions.count
    expectEqual(lines, 5)
    expectEqual(history.progress.uploadableByteCount, bytes.count)
  }

  /// `RecordedWrite` 4.
  @Test func aClockThatIsSetBackMakesNoOlderEntry() async throws {
    let device = try TestDevice()
    let year: UInt64 = 365 * 24 * 3_600_000
    device.clock.set(2 * year)
    try device.write(Items.makeClass)
    device.clock.set(year)
    let second = try device.write { try Items.put(1, "a", $0) }
    try expectEqual(device.history().entry(at: second).originTimestamp, Int64(2 * year))
    // So it is after a start of the process, and behind entries without writes.
    try await device.restart()
    for _ in 0..<3 { try device.write { _ in } }
    let third = try device.write { try Items.put(2, "b", $0) }
    try expectEqual(device.history().entry(at: third).originTimestamp, Int64(2 * year))
    device.clock.set(3 * year)
    let fourth = try device.write { try Items.put(3, "c", $0) }
    try expectEqual(device.history().entry(at: fourth).originTimestamp, Int64(3 * year))
  }

  /// `RecordedWrite` 1.
  @Test func eachOfManyWritersHasAnEntryOfItsOwn() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase(history: .syncClient)
    let recorded = RecordedWrite()
    @Sendable func write(_ body: (WriteGroup) throws -> Void) throws -> UInt64 {
      let group = try WriteGroup(file.beginWrite())
      try recorded.attach(to: group)
      try body(group)
      return try group.commit().version
    }
    _ = try write(Items.makeClass)
    let versions = Locked<[Int: UInt64]>([:])
    DispatchQueue.concurrentPerform(iterations: 16) { writer in
      do {
        let version = try write { group in
          for part in 0..<4 { try Items.put(Int64(4 * writer + part), "a", group) }
        }
        versions.withLock { $0[writer] = version }
      } catch { Issue.record(error) }
    }
    let history = try #require(try file.snapshot().syncHistory())
    let found = versions.withLock { $0 }
    expectEqual(found.count, 16)
    for (writer, version) in found {
      let bytes = try StoredChangesetFraming.decode(history.changeset(at: version))
      let changeset = try ChangesetParser.parse(bytes)
      let created = changeset.instructions.map(changeset.line).filter {
        $0.hasPrefix("CreateObject")
      }
      expectEqual(created, (0..<4).map { "CreateObject \"Item\"[int(\(4 * writer + $0))]" })
    }
  }

  /// Writes items with texts of 5,000,000 letters, and one with the rest.
  private func put(_ letters: Int, _ group: WriteGroup) throws {
    for id in 0...letters / 5_000_000 {
      let count = min(5_000_000, letters - id * 5_000_000)
      try Items.put(Int64(id), String(repeating: "x", count: count), group)
    }
  }

  /// `RecordedWrite` 3: what no message can have is not committed, and the error names the limit.
  @Test(.heavy, arguments: [17 << 20, 64 << 20])
  func aTransactionThatCannotBeUploadedIsNotCommitted(_ size: Int) throws {
    let device = try TestDevice()
    let first = try device.write(Items.makeClass)
    let error = #expect(throws: StorageError.self) { try device.write { try put(size, $0) } }
    expectTrue("\(error as Any)".contains("limited to 16777088 bytes"))
    try expectEqual(device.read().table(named: "class_Item")?.objectCount(), 0)
    expectEqual(device.written, [first])
    // The next one is uploaded.
    let next = try device.write { try Items.put(1, "a", $0) }
    let batch = try UploadScan().batch(in: device.file.snapshot(), after: first)
    expectEqual(batch.lastVersion, next)
  }

  /// What is recorded of a transaction that is not committed.
  private func recorded(_ body: (WriteGroup) throws -> Void) throws -> [UInt8] {
    let group = try WriteGroup(
      SimulatedFileSystem().openDatabase(history: .syncClient).beginWrite())
    defer { group.rollback() }
    try Items.makeClass(group)
    let recorder = SyncRecorder()
    group.recorder = recorder
    try body(group)
    return try recorder.finish(group, within: .standard)
  }

  /// The largest transaction is a body that the server takes, and one byte more is refused.
  @Test(.heavy) func theLimitIsThatOfAMessage() throws {
    let (limit, letters) = (UploadLimit.standard.byteCount, 16_700_000)
    try expectTrue(recorded { try put(15 << 20, $0) }.count > 15 << 20)
    let rest = try limit - recorded { try put(letters, $0) }.count
    try expectEqual(recorded { try put(letters + rest, $0) }.count, limit)
    let error = #expect(throws: StorageError.self) {
      _ = try recorded { try put(letters + rest + 1, $0) }
    }
    expectTrue("\(error as Any)".contains("and these have \(limit + 1)"))
    let largest = UInt64(Int64.max)
    let entry = UploadEntry(
      clientVersion: largest, serverVersion: largest,
      timestamp: OriginTimestamp(milliseconds: largest), changeset: [])
    expectTrue(entry.byteCount(withChangesetOf: limit) <= MessageBody.uploadByteCountMax)
  }

  /// One value of 16 MB is uploaded; the largest that a file can have is above the limit.
  @Test(.heavy) func aLargeValueIsUploadedOrRefused() throws {
    func put(_ count: Int) throws {
      _ = try recorded { try Items.put(1, String(repeating: "x", count: count), $0) }
    }
    try put(16_000_000)
    let error = #expect(throws: StorageError.self) { try put(16_777_199) }
    expectTrue("\(error as Any)".contains("limited to 16777088 bytes"))
  }

  /// The server counts instructions, and the steps of their paths, too.
  @Test func changesAndStepsHaveALimit() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase(history: .syncClient)
    let recorded = RecordedWrite(limit: UploadLimit(byteCount: 1 << 20, instructionCount: 20))
    func write(_ body: (WriteGroup) throws -> Void) throws -> UInt64 {
      let group = try WriteGroup(file.beginWrite())
      return try group.orRollback {
        try recorded.attach(to: group)
        try body(group)
        return try group.commit().version
      }
    }
    _ = try write(Items.makeClass)
    // Each has a creation and an assignment.
    _ = try write { group in for id in 0..<10 { try Items.put(Int64(id), "a", group) } }
    let error = #expect(throws: StorageError.self) {
      _ = try write { group in for id in 10..<21 { try Items.put(Int64(id), "a", group) } }
    }
    expectTrue("\(error as Any)".contains("20 changes"))
    // 1 MiB is not reached, and no count of instructions says so.
    _ = try write { group in
      let table = try group.createTable(named: "class_Tree")
      let id = try table.addColumn(named: "_id", type: .int)
      try table.addColumn(named: "any", type: .mixed)
      try table.setPrimaryKey(id.key)
    }
    let nested = (0..<5).reduce(TableValue.list([.int(1)])) { value, _ in .list([value]) }
    #expect(throws: StorageError.self) {
      _ = try write { group in
        let table = try #require(try group.table(named: "class_Tree"))
        let key = try table.createObject(primaryKey: .int(1)).key
        try table.set(nested, try #require(table.schema.column(named: "any")), key)
      }
    }
  }

  @Test func transactionsThatWriteNothingHaveAnEmptyEntry() throws {
    let device = try TestDevice()
    let version = try device.write { _ in }
    #expect(try device.history().entry(at: version).changeset.isEmpty)
    expectEqual(device.written, [])
  }

  @Test func writesToInternalTablesAreNotRecorded() throws {
    let device = try TestDevice()
    try device.write { group in
      _ = try SubscriptionStore.make(in: group)
      _ = try BootstrapStore.make(in: group)
    }
    expectEqual(device.written, [])
  }

  @Test func aRollbackLeavesNothingForTheNextTransaction() throws {
    struct Stop: Error {}
    let device = try TestDevice()
    try device.write(Items.makeClass)
    #expect(throws: Stop.self) {
      try device.write { group in
        try Items.put(1, "a", group)
        throw Stop()
      }
    }
    let version = try device.write { _ in }
    #expect(try device.history().entry(at: version).changeset.isEmpty)
  }

  /// `RecordedWrite` 2: what the commit itself deletes is recorded too.
  @Test func objectsThatGoByRulesAreRecorded() throws {
    let device = try TestDevice()
    try device.write { group in
      let targets = try group.createTable(named: "class_Target")
      let id = try targets.addColumn(named: "_id", type: .int)
      try targets.setPrimaryKey(id.key)
      let parts = try group.createTable(named: "class_Part", kind: .embedded)
      try parts.addColumn(named: "target", type: .link, target: targets.key)
      let items = try group.createTable(named: "class_Owner")
      let owner = try items.addColumn(named: "_id", type: .int)
      let part = try items.addColumn(named: "part", type: .link, target: parts.key)
      try items.setPrimaryKey(owner.key)
      let target = try targets.createObject(primaryKey: .int(1)).key
      let (row, _) = try items.createEmbedded(
        part, of: try items.createObject(primaryKey: .int(2)).key)
      let column = try #require(parts.schema.column(named: "target"))
      try parts.set(.link(target), column, row)
    }
    let version = try device.write { group in
      let items = try #require(try group.table(named: "class_Owner"))
      let parts = try #require(try group.table(named: "class_Part"))
      let link = try #require(parts.schema.column(named: "target"))
      group.deleteRules = DeleteRules(
        [parts.key: [.init(.links(link.key), .cascade)]], owned: [items.key: [parts.key]])
      let key = try #require(try items.findRow(primaryKey: .int(2))?.key)
      try items.set(.null, try #require(items.schema.column(named: "part")), key)
    }
    try expectEqual(device.read().table(named: "class_Target")?.objectCount(), 0)
    let bytes = try StoredChangesetFraming.decode(device.history().changeset(at: version))
    let changeset = try ChangesetParser.parse(bytes)
    expectEqual(
      changeset.instructions.map(changeset.line).last, "EraseObject \"Target\"[int(1)]")
  }

  @Test func asymmetricObjectsAreRecordedAndInNoVersion() throws {
    let device = try TestDevice()
    let version = try device.write { group in
      let table = try group.createTable(named: "class_Event", kind: .asymmetric)
      let id = try table.addColumn(named: "_id", type: .int)
      try table.setPrimaryKey(id.key)
      _ = try table.createObject(primaryKey: .int(4))
    }
    let bytes = try StoredChangesetFraming.decode(device.history().changeset(at: version))
    let changeset = try ChangesetParser.parse(bytes)
    expectEqual(changeset.instructions.map(changeset.line).last, "CreateObject \"Event\"[int(4)]")
    try expectEqual(device.read().table(named: "class_Event")?.objectCount(), 0)
  }
}
