// SPDX-License-Identifier: Apache-2.0

// What a crash leaves of a reset: the file before it, with or without its record, or after it.

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
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
      sets = try QuerySet.all(in: group)
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

  /// A mistake that a reset could make.
  enum Fault: CaseIterable {
    /// The objects of the copy come in a transaction of their own.
    case objectsComeFirst
    /// The file gets its new identifier in a transaction of its own.
    case identifierComesFirst
    /// What was recorded goes in a transaction of its own.
    case historyGoesFirst
    /// The disk is not waited for.
    case syncsAreLeftOut
  }

  /// Makes a part of a reset before it.
  private func commit(_ fault: Fault, of file: DatabaseFile, to copy: DatabaseFile) throws {
    let group = try WriteGroup(file.beginWrite())
    try group.orRollback {
      switch fault {
      case .objectsComeFirst:
        var transfer = StateTransfer(
          from: try TableGroup(copy.snapshot()), ResetBench.ident, to: group, ResetBench.ident)
        try transfer.run()
      case .identifierComesFirst:
        try group.transaction.setFileIdentifier(
          Int(ResetBench.ident.rawValue), salt: Int64(ResetBench.salt))
      case .historyGoesFirst:
        try group.transaction.trimSyncHistory(through: group.transaction.base.version)
      case .syncsAreLeftOut: return group.rollback()
      }
      _ = try group.commit()
    }
  }

  private func record(
    _ mode: ResetMode, to copy: DatabaseFile, _ fault: Fault? = nil
  ) throws -> CrashBench<Mark> {
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
    if fault == .syncsAreLeftOut { bench.system.file.ignoreSyncs { _ in true } }
    if let fault { try commit(fault, of: file, to: copy) }
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

  /// `ClientReset` 2: the record is in the version before, and on the disk whether or not the reset
  /// is.
  @Test(arguments: RandomRuns.seeds(2), [ResetMode.discard, .recover])
  func everyCrashLeavesAStateBeforeOrAfter(_ seed: UInt64, _ mode: ResetMode) async throws {
    var random = SeededGenerator(seed: seed)
    let copy = try await copy()
    let bench = try record(mode, to: copy.file)
    let marks = bench.marks
    expectEqual(marks.map(\.hasRecord), [false, false, false, false, true, true])
    let isEqual = marks.last?.digest == (try copy.digest())
    expectEqual(isEqual, (mode == .discard))
    expectEqual(marks.last?.sets.map(\.version), (mode == .discard ? [0] : [0, 1]))
    // The record of the reset is not acknowledged to anyone.
    let (messages, count) = bench.crash(using: &random) { $0 == 3 ? 3 : 2 }
    expectEqual(messages, [], "seed \(seed)")
    expectTrue(count > 50)
  }

  @Test(arguments: Fault.allCases, [ResetMode.discard, .recover])
  func aFaultIsFound(_ fault: Fault, _ mode: ResetMode) async throws {
    var random = SeededGenerator(seed: 1)
    let copy = try await copy()
    let bench = try record(mode, to: copy.file, fault)
    let (messages, _) = bench.crash(using: &random) { $0 == 3 ? 3 : 2 }
    expectFalse(messages.isEmpty)
  }

  /// Between the record of a reset and its transaction another writer gets its turn: what it writes
  /// is a change as all others.
  @Test(arguments: [ResetMode.discard, .recover])
  func aWriteAfterTheRecordIsRecoveredOrDiscarded(_ mode: ResetMode) async throws {
    let bench = try await ResetBench(
      [Items.changeset { $0.addClass() }], uploaded: [{ try Items.makeClass($0) }],
      waiting: [{ try Items.put(1, "before", $0) }])
    let file = bench.device.file
    let hasWritten = Locked(false)
    let listener = try file.onNewVersion { _ in
      let isFirst = hasWritten.withLock { value in
        defer { value = true }
        return !value
      }
      guard isFirst, let group = try? WriteGroup(file.beginWrite()) else { return }
      try? group.orRollback {
        try RecordedWrite().attach(to: group)
        try Items.put(2, "between", group)
        _ = try group.commit()
      }
    }
    let outcome = try #require(try await bench.reset(mode))
    listener.cancel()
    let both: [Int64: String] = [1: "before", 2: "between"]
    try expectEqual(Items.texts(TableGroup(outcome.before)), both)
    try expectEqual(Items.texts(bench.device.read()), (mode == .recover ? both : [:]))
    try expectEqual(bench.uploads().count, (mode == .recover ? 2 : 0))
    #expect(try bench.device.findings().isEmpty)
  }
}
