// SPDX-License-Identifier: Apache-2.0

// What is left of a file after a crash at any point in time (invariants of `CommitWriter`).

import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

struct CrashTests {
  /// A run of commits on a simulated file, and what each version holds.
  struct Recording {
    let initial: [UInt8]
    let trace: [FileEvent]
    let numbers: [UInt64: [Int64]]
  }

  /// Records `commits` random commits on a file with the contents `initial`.
  private func record(
    commits: Int, seed: UInt64, initial: [UInt8] = [], numbers: [Int64] = [],
    ignoring ignores: (@Sendable (Int) -> Bool)? = nil
  ) throws -> Recording {
    var random = SeededGenerator(seed: seed)
    let system = try SimulatedFileSystem(contents: initial)
    if !initial.isEmpty { system.file.ignoreSyncs(ignores) }
    var numbers = numbers
    var expected: [UInt64: [Int64]] = [:]
    let file = try system.openDatabase()
    expected[file.newestVersion] = numbers
    system.file.acknowledge(file.newestVersion)
    for _ in 0..<commits {
      if random.chance(0.2), numbers.count > 10 {
        numbers.removeLast(Int.random(in: 1..<numbers.count, using: &random))
      }
      for _ in 0..<Int.random(in: 0..<120, using: &random) {
        numbers.append(Int64.random(in: .min ... .max, using: &random) >> 20)
      }
      if !numbers.isEmpty {
        numbers[Int.random(in: 0..<numbers.count, using: &random)] &+= 1
      }
      let write = try file.beginWrite()
      try NumberTree.replace(with: numbers, in: write)
      let snapshot = try write.commit(changeset: [UInt8(truncatingIfNeeded: numbers.count)])
      expected[snapshot.version] = numbers
      system.file.acknowledge(snapshot.version)
    }
    return Recording(initial: initial, trace: system.file.trace, numbers: expected)
  }

  /// Why the states of a crash are not acceptable; the count of states.
  private func violations(
    of recording: Recording, seed: UInt64, limit: Int = 5
  ) throws -> (messages: [String], states: Int) {
    var random = SeededGenerator(seed: seed)
    var messages: [String] = []
    let states = CrashStates(of: recording.trace, initial: recording.initial)
    let count = states.forEach(using: &random) { state in
      guard messages.count < limit else { return }
      do {
        if let message = try violation(of: state, recording) {
          messages.append("\(state.name): \(message)")
        }
      } catch {
        messages.append("\(state.name): \(error)")
      }
    }
    return (messages, count)
  }

  private func violation(of state: CrashState, _ recording: Recording) throws -> String? {
    let system = try SimulatedFileSystem(contents: state.contents)
    let file = try system.openDatabase()
    let snapshot = try file.snapshot()
    let known = max(recording.numbers.keys.min() ?? 1, state.acknowledged)
    let allowed = known...known + 1
    guard allowed.contains(snapshot.version) else {
      return "version \(snapshot.version) instead of one in \(allowed)"
    }
    guard let numbers = recording.numbers[snapshot.version],
      try NumberTree.numbers(of: snapshot) == numbers
    else { return "version \(snapshot.version) has other contents" }
    let findings = try file.check()
    guard findings.isEmpty else { return "\(findings)" }
    // Life goes on, and does not touch what readers of this version see.
    let write = try file.beginWrite()
    try NumberTree.replace(with: numbers.map { $0 &+ 1 } + [7], in: write)
    let next = try write.commit(changeset: [])
    guard try NumberTree.numbers(of: next) == numbers.map({ $0 &+ 1 }) + [7],
      try NumberTree.numbers(of: snapshot) == numbers
    else { return "the next commit after version \(snapshot.version) went wrong" }
    let nextFindings = try file.check()
    return nextFindings.isEmpty ? nil : "after the next commit: \(nextFindings)"
  }

  /// `CommitWriter` 1, 2 and 3, `ARCHITECTURE` 3.
  @Test(.heavy) func everyCrashLeavesTheVersionBeforeOrAfter() throws {
    let total = try CrashSeeds.total(8) { seed in
      let recording = try record(commits: 20, seed: seed)
      let (messages, states) = try violations(of: recording, seed: seed)
      expectEqual(messages, [], "seed \(seed)")
      return states
    }
    expectTrue(total > 2000)
  }

  /// A file with some history: its free list has holes, so commits are not one run of bytes.
  @Test func crashesOfAnOlderFileLeaveTheVersionBeforeOrAfter() throws {
    let old = try OlderFile()
    let recording = try record(
      commits: 12, seed: 3, initial: old.contents, numbers: old.numbers)
    let (messages, states) = try violations(of: recording, seed: 4)
    expectEqual(messages, [])
    expectTrue(states > 200)
  }

  /// Without either sync of a commit, some crash loses or damages a version: this shows that the
  /// tests above would notice.
  /// `CommitWriter` 2 and 4.
  @Test(arguments: [0, 1]) func aMissingSyncIsNoticed(_ parity: Int) throws {
    let old = try OlderFile()
    let recording = try record(
      commits: 6, seed: 3, initial: old.contents, numbers: old.numbers,
      ignoring: { $0 % 2 == parity })
    #expect(try violations(of: recording, seed: 4).messages != [])
  }

  /// `DatabaseFile+Open` 3.
  @Test func crashesWhileAStreamIsConvertedLeaveIt() throws {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("RealmTablesTests/Fixtures/streaming.realm")
    let contents = Array(try Data(contentsOf: url))
    let system = try SimulatedFileSystem(contents: contents)
    do {
      let file = try system.openDatabase()
      let write = try file.beginWrite()
      write.roots.tables = try write.allocator.makeWritable(write.roots.tables).ref
      _ = try write.commit(changeset: [])
    }
    var random = SeededGenerator(seed: 1)
    let states = CrashStates(of: system.file.trace, initial: contents)
    let count = try states.forEach(using: &random) { state in
      let file = try SimulatedFileSystem(contents: state.contents).openDatabase()
      try expectEqual(file.check(), [], "\(state.name)")
      _ = try file.beginWrite().commit(changeset: [])
      try expectEqual(file.check(), [], "\(state.name)")
    }
    expectTrue(count > 10)
  }
}
