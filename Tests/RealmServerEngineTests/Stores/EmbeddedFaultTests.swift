// SPDX-License-Identifier: Apache-2.0

// Faults and crashes below the embedded store leave an append whole or undone.

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct EmbeddedFaultTests {
  private let name = RealmName(app: "app", partition: "P 1")
  private let now = OriginTimestamp(milliseconds: 77)

  private func entry(_ version: UInt64) -> StoredEntry {
    StoredEntry(
      version: version, salt: 1000 + version, file: FileIdentifier(2),
      clientVersion: 10 * version, timestamp: OriginTimestamp(milliseconds: 5), committed: now,
      originalByteCount: 3, totalByteCount: 3 * Int(version), changeset: [UInt8(version)])
  }

  /// A fault at each call of an append leaves the version before or after, and the store goes on
  /// or says that it cannot (rule SY10).
  @Test func aFaultAtAnyCallLeavesAllOrNothing() async throws {
    var call = 0
    while true {
      call += 1
      let files = SimulatedFiles()
      let store = EmbeddedStore(files, salts: SaltSource(SeededGenerator(seed: 5)))
      let realm = try await store.open(name)
      let first = Batch(entries: [entry(1)])
      let head = try #require(
        try await realm.append(expecting: 0, epoch: realm.own().epoch) { _ in first })
      let file = try await realm.allocateFile(for: "u", now: now)
      var changed = file
      changed.clientVersion = 4
      let batch = Batch(
        entries: [entry(2)], files: [changed],
        reciprocals: [ReciprocalChange(file: file.ident, version: 1, changeset: [1])])
      let system = try files.system(head.realm)
      system.file.clearTrace()
      system.file.fail(call: call, .error(5))
      var isDone = false
      do {
        isDone =
          try await realm.append(expecting: 1, epoch: head.epoch) { _ in
            batch
          } != nil
      } catch {
        expectTrue(system.file.callCount >= call, "call \(call): \(error)")
      }
      let wasReached = system.file.callCount >= call
      system.file.fail(call: 0, nil)
      let other = try await EmbeddedStore(files.restarted()).open(name)
      let found = try await other.own()
      expectTrue(found.version == 1 || found.version == 2, "call \(call)")
      expectTrue(!isDone || found.version == 2, "call \(call)")
      let isAfter = found.version == 2
      try await expectEqual(
        other.file(file.ident), (isAfter ? changed : file))
      try await expectEqual(
        other.reciprocals(of: file.ident, after: 0),
        (isAfter ? [1: [1]] : [:]))
      if !wasReached { break }
    }
    expectTrue(call > 3)
  }

  /// `EmbeddedRealm` 1 (rule SY10).
  @Test func everyCrashLeavesAnAppendWholeOrUndone() throws {
    let id = RealmID("app/p_x")
    let name = RealmName(app: "app", partition: "x")
    let files = SimulatedFiles()
    let realm = try EmbeddedRealm(id, named: name, in: files)
    let head = try realm.own()
    let file = try realm.allocateFile(for: "u", now: now)
    let system = try files.system(id)
    let initial = try system.file.contents()
    system.file.clearTrace()
    for version in 1...3 as ClosedRange<UInt64> {
      _ = try realm.append(expecting: version - 1, epoch: head.epoch) {
        (group) throws(StorageError) in
        _ = try group.createTable(named: "class_T\(version)")
        var changed = file
        changed.clientVersion = version
        return Batch(
          entries: [entry(version)], files: [changed],
          reciprocals: [ReciprocalChange(file: file.ident, version: version, changeset: [9])])
      }
      system.file.acknowledge(version)
    }
    var random = SeededGenerator(seed: 1)
    var messages: [String] = []
    let states = CrashStates(of: system.file.trace, initial: initial, sampleCount: 16)
    let count = try states.forEach(using: &random) { state in
      let found = try EmbeddedRealm(
        id, named: name, in: SimulatedFiles(id, contents: state.contents))
      let snapshot = try found.snapshot()
      let version = snapshot.head.version
      let isWhole =
        try version >= state.acknowledged && version <= state.acknowledged + 1
        && found.file(file.ident)?.clientVersion == version
        && found.entries(in: 1..<9).count == Int(version)
        && found.reciprocals(of: file.ident, after: 0).count == Int(version)
        && snapshot.objects.table(named: "class_T\(version + 1)") == nil
        && (version == 0 || snapshot.objects.table(named: "class_T\(version)") != nil)
      if !isWhole { messages.append("\(state.name): version \(version)") }
    }
    expectEqual(messages.prefix(5), [])
    expectTrue(count > 50)
  }
}
