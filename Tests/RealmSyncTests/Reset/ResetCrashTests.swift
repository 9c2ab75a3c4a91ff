// SPDX-License-Identifier: Apache-2.0

// What a crash leaves of a reset: the file before it, with or without its record, or after it.

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import Testing

struct ResetCrashTests {
  /// All that a reset changes.
  private struct Mark: CrashMark {
    let version: UInt64
    let digest: StateDigest
    let state: FileState
    let entryCount: Int
    let hasRecord: Bool
    let sets: [QuerySet]

    init(_ file: DatabaseFile) throws {
      let snapshot = try file.snapshot()
      version = snapshot.version
      let group = try TableGroup(snapshot)
      state = try FileState(snapshot)
      digest = try StateDigest(of: group, file: state.ident)
      entryCount = try snapshot.syncHistory()?.count ?? 0
      hasRecord = try ResetRecord.stored(in: group) != nil
      sets = try StoredQuerySets.all(in: group)
    }
  }

  private func copy() async throws -> TestDevice {
    let copy = try TestDevice()
    _ = try await copy.agent.adoptIdent(ResetBench.ident, salt: ResetBench.salt)
    let changeset = Items.changeset { items in
      items.addClass()
      for id in 1...20 as ClosedRange<Int64> {
        items.create(id)
        items.setText("server \(id)", of: id)
      }
    }
    _ = try await copy.agent.integrate(.of([changeset], from: 3))
    return copy
  }

  private func record(_ mode: ResetMode, to copy: DatabaseFile) throws -> CrashBench<Mark> {
    var bench = try CrashBench<Mark>()
    let file = bench.file
    try bench.write { group in
      try Items.makeClass(group)
      for id in 10..<30 as Range<Int64> { try Items.put(id, "device", group) }
      let store = try SubscriptionStore.make(in: group)
      try store.setState(.complete, of: 0)
      try store.add(1)
    }
    try IdentAdoption.adopt(FileIdentifier(9), salt: 4, in: file)
    try bench.note()
    try bench.write { try Items.put(40, "waits", $0) }
    // The record is a version of its own, which is seen from within the transaction after it.
    let watch = Locked<Mark?>(nil)
    let listener = try file.onNewVersion { _ in
      watch.withLock { mark in
        if mark == nil { mark = try? Mark(file) }
      }
    }
    _ = try ClientReset(of: file, to: copy, ResetBench.cause, now: .zero).run(mode)
    listener.cancel()
    bench.note(unacknowledged: try #require(watch.withLock { $0 }))
    try bench.note()
    return bench
  }

  @Test(arguments: RandomRuns.seeds(2), [ResetMode.discard, .recover])
  func everyCrashLeavesAStateBeforeOrAfter(_ seed: UInt64, _ mode: ResetMode) async throws {
    var random = SeededGenerator(seed: seed)
    let copy = try await copy()
    let bench = try record(mode, to: copy.file)
    let marks = bench.marks
    #expect(marks.map(\.hasRecord) == [false, false, false, false, true, true])
    let isEqual = marks.last?.digest == (try copy.digest())
    #expect(isEqual == (mode == .discard))
    #expect(marks.last?.sets.map(\.version) == (mode == .discard ? [0] : [0, 1]))
    // The record of the reset is not acknowledged to anyone.
    let (messages, count) = try bench.crash(using: &random) { $0 == 3 ? 3 : 2 }
    #expect(messages == [], "seed \(seed)")
    #expect(count > 50)
  }
}
