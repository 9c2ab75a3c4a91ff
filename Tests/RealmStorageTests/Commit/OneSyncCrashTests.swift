// SPDX-License-Identifier: Apache-2.0

// What is left of a file after a crash, if its commits have one sync, or none (`CommitWriter`).

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct OneSyncCrashTests {
  private func expectWhole(
    _ shape: CommitProgram.Shape, seed: UInt64, initial: [UInt8] = [], numbers: [Int64] = []
  ) throws -> Int {
    let program = try CommitProgram(shape, seed: seed, initial: initial, numbers: numbers)
    let (messages, states) = try program.violations(seed: seed)
    expectEqual(messages, [], "seed \(seed)")
    return states
  }

  /// `ARCHITECTURE` 3, `DatabaseFile+Selector` 1.
  @Test(.heavy) func everyCrashLeavesWhatWasAcknowledgedOrTheCommitAfterIt() throws {
    let total = try CrashSeeds.total(1) { try expectWhole(.init(), seed: $0) }
    expectTrue(total > 100)
  }

  /// A reader that does not know the records finds the version before, at worst.
  @Test func withOneSyncAReaderOfTheHeaderLacksOneVersionAtMost() throws {
    let program = try CommitProgram(.init(commitCount: 20), seed: 7)
    expectEqual(program.settled.count, 21)
    for (version, settled) in program.settled { #expect(settled >= version - 1) }
  }

  /// Commits of all durabilities and groups, some of which are given up, beside readers.
  private static func mixture(processCount: Int) -> CommitProgram.Shape {
    CommitProgram.Shape(
      commitCount: 10, durabilities: [.twoSyncs, .oneSync, .deferred, .deferred], hasGroups: true,
      hasDiscards: true, processCount: processCount, hasReaders: true, growth: 40, sizeMax: 300)
  }

  /// The programs in which a version that was given up was written to the same place as the next
  /// one of its number, and a crash left the former.
  /// `CommitRecord` 4.
  @Test(.heavy, arguments: [102, 115]) func aVersionThatWasGivenUpDoesNotComeBack(
    _ seed: UInt64
  ) throws {
    expectTrue(try expectWhole(Self.mixture(processCount: 1), seed: seed) > 100)
  }

  @Test(.heavy, arguments: [1, 2]) func everyMixtureOfCommitsSurvivesEveryCrash(
    _ processCount: Int
  ) throws {
    let shape = Self.mixture(processCount: processCount)
    let total = try CrashSeeds.total(1) { try expectWhole(shape, seed: 100 + $0) }
    expectTrue(total > 300)
  }

  /// `CommitRecord` 4: processes die with versions that they wrote.
  @Test(.heavy, arguments: [1, 2]) func versionsOfTheDeadAreNotMixedWithThoseOfOthers(
    _ processCount: Int
  ) throws {
    let shape = CommitProgram.Shape(
      commitCount: 10, durabilities: [.twoSyncs, .oneSync, .oneSync, .deferred], hasGroups: true,
      hasDeaths: true, processCount: processCount, growth: 80, isSteady: true)
    let total = try CrashSeeds.total(1) { try expectWhole(shape, seed: 100 + $0) }
    expectTrue(total > 300)
  }

  /// `FormerSession` 2: what the system had written of versions when it crashed is not known after
  /// it has started again, and not mixed with the next ones when it crashes a second time.
  @Test(.heavy) func versionsOfBeforeACrashAreNotMixedWithThoseOfAfter() throws {
    let shape = CommitProgram.Shape(
      commitCount: 5, durabilities: [.oneSync, .oneSync, .deferred], hasGroups: true,
      hasDeaths: true,
      growth: 80, isSteady: true)
    let total = try CrashSeeds.total(2) { seed in
      let program = try CommitProgram(shape, seed: 200 + seed)
      var random = SeededGenerator(seed: seed)
      let states = CrashStates(
        of: program.trace, initial: [], subsetLimit: 2, sampleCount: 6, tornUnits: [])
      var count = 0
      try states.forEach(using: &random) { state in
        let file = try SimulatedFileSystem(contents: state.contents).openDatabase()
        guard file.newestVersion > 1 else { return }
        let numbers = try NumberTree.numbers(of: file.snapshot())
        let next = try CommitProgram(
          shape, seed: 200 + seed, initial: state.contents, numbers: numbers)
        let (messages, number) = try next.violations(seed: seed, subsetLimit: 2, sampleCount: 6)
        expectEqual(messages, [], "seed \(seed), \(state.name)")
        count += number
      }
      return count
    }
    expectTrue(total > 300)
  }

  /// What a session writes may lie where the lost base of a named version lay, with its number: it
  /// does not prove that version. All parts of the last writes before a crash, and all parts of the
  /// first writes after it. `CommitRecord` 5.
  @Test(.heavy) func whatFollowsALostVersionProvesNoneOfItsSuccessors() throws {
    let shape = CommitProgram.Shape(
      commitCount: 5, durabilities: [.oneSync, .oneSync, .deferred], hasGroups: true,
      hasDeaths: true, growth: 80, isSteady: true)
    let program = try CommitProgram(shape, seed: 201)
    var random = SeededGenerator(seed: 1)
    var count = 0
    let states = CrashStates(of: program.trace, initial: [], subsetLimit: 4, sampleCount: 0)
    try states.forEach(using: &random) { state in
      guard state.position < program.trace.count, program.trace[state.position] == .sync else {
        return
      }
      let file = try SimulatedFileSystem(contents: state.contents).openDatabase()
      guard file.newestVersion > 1 else { return }
      let numbers = try NumberTree.numbers(of: file.snapshot())
      let next = try CommitProgram(
        shape, seed: 201, initial: state.contents, numbers: numbers)
      let first = CrashStates(
        of: Array(next.trace.prefix(9)), initial: state.contents, subsetLimit: 5, sampleCount: 0,
        tornUnits: [])
      var others = SeededGenerator(seed: 2)
      count += try first.forEach(using: &others) { later in
        try expectEqual(next.violation(of: later), nil, "\(state.name), then \(later.name)")
      }
    }
    expectTrue(count > 100, "\(count) states")
  }

  /// A file with some history: its free list has holes, so commits are not one run of bytes.
  @Test func crashesOfAnOlderFileLeaveWhatWasAcknowledged() throws {
    let old = try OlderFile()
    let states = try expectWhole(
      .init(commitCount: 4, growth: 20), seed: 3, initial: old.contents, numbers: old.numbers)
    expectTrue(states > 50)
  }

  /// Without the sync, some crash loses or damages a version: this shows that the tests above would
  /// notice.
  @Test func aMissingSyncIsNoticed() throws {
    let old = try OlderFile()
    let program = try CommitProgram(
      .init(commitCount: 6, growth: 20), seed: 3, initial: old.contents, numbers: old.numbers,
      ignoring: { _ in true })
    #expect(try program.violations(seed: 4).messages != [])
  }
}
