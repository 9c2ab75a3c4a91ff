// SPDX-License-Identifier: Apache-2.0

// Several transactions that share the syncs of one commit (invariants of `PendingCommit`).

import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

struct GroupCommitTests {
  private let system: SimulatedFileSystem
  private let file: DatabaseFile

  init() throws {
    system = try SimulatedFileSystem()
    file = try system.openDatabase()
    try write([0])
    system.file.clearTrace()
  }

  private func write(_ numbers: [Int64]) throws {
    let write = try file.beginWrite()
    try NumberTree.replace(with: numbers, in: write)
    _ = try write.commit(changeset: [])
  }

  private func writeVersion(_ write: WriteTransaction, _ numbers: [Int64]) throws -> PendingCommit {
    try NumberTree.replace(with: numbers, in: write)
    return try write.writeVersion(changeset: [])
  }

  /// Writes one version after the other, each holding one number more.
  private func writeGroup(of count: Int, from numbers: [Int64] = [0]) throws -> PendingCommit {
    var numbers = numbers + [1]
    var pending = try writeVersion(file.beginWrite(), numbers)
    for number in 2..<max(2, Int64(count) + 1) {
      numbers.append(number)
      pending = try writeVersion(pending.begin(), numbers)
    }
    return pending
  }

  private var newest: [Int64] { get throws { try NumberTree.numbers(of: file.snapshot()) } }

  private var syncCount: Int { system.file.trace.count { $0 == .sync } }

  /// `PendingCommit` 1.
  @Test func aHundredTransactionsShareOnePairOfSyncs() throws {
    let pending = try writeGroup(of: 100)
    expectEqual(syncCount, 0)
    try pending.makeDurable()
    expectEqual(syncCount, 2)
    try expectEqual(newest, Array(0...100))
    try expectEqual(file.check(), [])
  }

  /// `CommitWriter` 4.
  @Test func nobodyElseSeesAVersionBeforeItIsDurable() throws {
    let before = file.newestVersion
    let pending = try writeGroup(of: 3)
    expectEqual(file.newestVersion, before)
    try expectEqual(newest, [0])
    try expectEqual(NumberTree.numbers(of: pending.snapshot), [0, 1, 2, 3])
    try pending.makeDurable()
    expectEqual(file.newestVersion, before + 3)
  }

  /// `PendingCommit` 3.
  @Test func writtenVersionsStayAsTheyAreWhileOthersFollow() throws {
    var seen: [(Snapshot, [Int64])] = []
    var numbers: [Int64] = [0]
    var pending = try writeVersion(file.beginWrite(), numbers)
    var random = SeededGenerator(seed: 5)
    for _ in 0..<60 {
      numbers[Int.random(in: 0..<numbers.count, using: &random)] &+= 1
      numbers.append(Int64.random(in: 0...1 << 30, using: &random))
      pending = try writeVersion(pending.begin(), numbers)
      seen.append((pending.snapshot, numbers))
      for (snapshot, numbers) in seen {
        try expectEqual(NumberTree.numbers(of: snapshot), numbers)
      }
    }
    try pending.makeDurable()
    for (snapshot, numbers) in seen {
      try expectEqual(NumberTree.numbers(of: snapshot), numbers)
    }
  }

  @Test func aTransactionThatIsRolledBackLeavesThoseBefore() throws {
    var pending = try writeGroup(of: 2)
    let undone = try pending.begin()
    try NumberTree.replace(with: [9, 9, 9], in: undone)
    undone.rollback()
    pending = try writeVersion(pending.begin(), [0, 1, 2, 3])
    try pending.makeDurable()
    try expectEqual(newest, [0, 1, 2, 3])
    try expectEqual(file.check(), [])
  }

  @Test func aTransactionThatCannotBeWrittenLeavesThoseBefore() throws {
    for call in 1...5 {
      let before = try newest
      let pending = try writeGroup(of: 2, from: before)
      system.file.clearTrace()
      system.file.fail(call: call, .errorForever(ENOSPC))
      #expect(throws: StorageError.self) {
        let failing = try pending.begin()
        try NumberTree.replace(with: (0..<100_000).map { $0 << 20 }, in: failing)
        _ = try failing.writeVersion(changeset: [])
      }
      system.file.fail(call: 0, nil)
      try pending.makeDurable()
      try expectEqual(newest, before + [1, 2])
      try expectEqual(file.check(), [])
    }
  }

  /// `PendingCommit` 4.
  @Test func aFailedSyncLosesTheGroupAndEndsWriting() throws {
    let pending = try writeGroup(of: 3)
    system.file.failSync(after: 1)
    #expect(throws: StorageError.self) { try pending.makeDurable() }
    try expectEqual(newest, [0])
    // What was seen can still be read: nothing overwrites it any more.
    try expectEqual(NumberTree.numbers(of: pending.snapshot), [0, 1, 2, 3])
    #expect(throws: StorageError.self) { try file.beginWrite() }
  }

  @Test func whatIsLetGoOfIsMadeDurable() throws {
    do { _ = try writeGroup(of: 3) }
    try expectEqual(newest, [0, 1, 2, 3])
    try write([5])
    try expectEqual(newest, [5])
  }

  /// `PendingCommit` 1.
  @Test func theNextWriterWaitsForTheWholeGroup() throws {
    var pending = try writeGroup(of: 1)
    let granted = Locked(false)
    let place = WriterPlace(identity: 1)
    let waiter = file.enqueueWriter(at: place) { granted.withLock { $0 = true } }
    try pending.begin().rollback()
    pending = try writeVersion(pending.begin(), [7])
    try expectEqual(newest, [0])
    #expect(!granted.withLock { $0 })
    try pending.makeDurable()
    #expect(granted.withLock { $0 })
    file.writers.withdraw(waiter)
    try expectEqual(newest, [7])
  }

  /// After a crash the file holds what the last completed group left, or all of the next one.
  /// `PendingCommit` 2.
  @Test(.heavy, arguments: 1...4) func aCrashLosesAllOfAGroupOrNothing(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let initial = try system.file.contents()
    let system = try SimulatedFileSystem(contents: initial)
    let file = try system.openDatabase()
    var numbers: [Int64] = [0]
    var durable: [(version: UInt64, numbers: [Int64])] = [(file.newestVersion, numbers)]
    system.file.acknowledge(file.newestVersion)
    for _ in 0..<8 {
      var pending: PendingCommit?
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        for _ in 0..<Int.random(in: 1...150, using: &random) {
          numbers.append(Int64.random(in: 0...1 << 40, using: &random))
        }
        numbers[Int.random(in: 0..<numbers.count, using: &random)] &+= 1
        if numbers.count > 400 { numbers.removeFirst(300) }
        let write = try pending?.begin() ?? file.beginWrite()
        try NumberTree.replace(with: numbers, in: write)
        pending = try write.writeVersion(changeset: [1])
      }
      try pending?.makeDurable()
      durable.append((file.newestVersion, numbers))
      system.file.acknowledge(file.newestVersion)
    }
    let states = CrashStates(of: system.file.trace, initial: initial)
    let count = try states.forEach(using: &random) { state in
      let file = try SimulatedFileSystem(contents: state.contents).openDatabase()
      let snapshot = try file.snapshot()
      let known = durable.lastIndex { $0.version <= state.acknowledged } ?? 0
      let found = durable[known...].prefix(2).first { $0.version == snapshot.version }
      try expectEqual(NumberTree.numbers(of: snapshot), found?.numbers, "\(seed): \(state.name)")
      try expectEqual(file.check(), [], "\(seed): \(state.name)")
    }
    expectTrue(count > 100)
  }
}
