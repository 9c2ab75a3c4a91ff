// SPDX-License-Identifier: Apache-2.0

// What a crash, a failing disk and damage leave of an encrypted file (invariants of
// `EncryptedFile`).

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct EncryptedCrashTests {
  private struct Recording {
    var initial: [UInt8] = []
    var trace: [FileEvent] = []
    var numbers: [UInt64: [Int64]] = [:]
  }

  private let key: EncryptionKey

  init() throws { key = try TestKeys.vector() }

  private func record(
    commits: Int, seed: UInt64, initial: [UInt8] = [], numbers: [Int64] = [],
    ignoring ignores: (@Sendable (Int) -> Bool)? = nil
  ) throws -> Recording {
    var random = SeededGenerator(seed: seed)
    let system = try SimulatedFileSystem(contents: initial)
    var recording = Recording(initial: initial)
    var numbers = numbers
    let file = try system.openDatabase(key: key)
    system.file.ignoreSyncs(ignores)
    recording.numbers[file.newestVersion] = numbers
    system.file.acknowledge(file.newestVersion)
    for _ in 0..<commits {
      if random.chance(0.3), numbers.count > 10 {
        numbers.removeLast(Int.random(in: 1..<numbers.count, using: &random))
      }
      for _ in 0..<Int.random(in: 0..<600, using: &random) {
        numbers.append(Int64.random(in: .min ... .max, using: &random) >> 20)
      }
      let write = try file.beginWrite()
      try NumberTree.replace(with: numbers, in: write)
      let snapshot = try write.commit(changeset: [3])
      recording.numbers[snapshot.version] = numbers
      system.file.acknowledge(snapshot.version)
    }
    recording.trace = system.file.trace
    return recording
  }

  /// What is wrong with a state; nil if it is the version before or after.
  private func violation(of state: CrashState, _ recording: Recording) throws -> String? {
    let system = try SimulatedFileSystem(contents: state.contents)
    let file = try system.openDatabase(key: key)
    let snapshot = try file.snapshot()
    let known = max(recording.numbers.keys.min() ?? 1, state.acknowledged)
    guard (known...known + 1).contains(snapshot.version) else {
      return "version \(snapshot.version) instead of \(known) or the next"
    }
    guard let numbers = recording.numbers[snapshot.version],
      try NumberTree.numbers(of: snapshot) == numbers
    else { return "version \(snapshot.version) has other contents" }
    if let error = try file.check().first(where: { $0.severity == .error }) { return "\(error)" }
    let write = try file.beginWrite()
    try NumberTree.replace(with: numbers + [7], in: write)
    let next = try write.commit(changeset: [])
    guard try NumberTree.numbers(of: next) == numbers + [7],
      try NumberTree.numbers(of: snapshot) == numbers
    else { return "the next commit after version \(snapshot.version) went wrong" }
    return nil
  }

  private func violations(
    of recording: Recording, tornUnits: [Int] = [4096], seed: UInt64
  ) throws -> (messages: [String], errors: Int, states: Int) {
    var random = SeededGenerator(seed: seed)
    var messages: [String] = []
    var errors = 0
    let states = CrashStates(
      of: recording.trace, initial: recording.initial, subsetLimit: 4, sampleCount: 12,
      tornUnits: tornUnits)
    let count = states.forEach(using: &random) { state in
      guard messages.count < 5 else { return }
      do {
        if let message = try violation(of: state, recording) {
          messages.append("\(state.name): \(message)")
        }
      } catch {
        errors += 1
        if tornUnits == [4096] { messages.append("\(state.name): \(error)") }
      }
    }
    return (messages, errors, count)
  }

  /// `EncryptedFile` 2 and 3.
  @Test(.heavy) func everyCrashLeavesTheVersionBeforeOrAfter() throws {
    let total = try CrashSeeds.total(2) { seed in
      let (messages, _, states) = try violations(
        of: record(commits: 8, seed: seed), seed: seed)
      expectEqual(messages, [], "seed \(seed)")
      return states
    }
    expectTrue(total > 150)
  }

  /// Pages with old and new nodes side by side are overwritten.
  @Test func crashesOfAnOlderFileLeaveTheVersionBeforeOrAfter() throws {
    let old = try OlderFile(1500, commitCount: 15, key: key)
    let recording = try record(
      commits: 6, seed: 3, initial: old.contents, numbers: old.numbers)
    let (messages, _, states) = try violations(of: recording, seed: 4)
    expectEqual(messages, [])
    expectTrue(states > 50)
  }

  /// A page of which half is old is found out; nothing wrong is ever read.
  @Test func aTornPageIsAnErrorOrHarmless() throws {
    let old = try OlderFile(1500, commitCount: 15, key: key)
    let recording = try record(
      commits: 3, seed: 5, initial: old.contents, numbers: old.numbers)
    let (messages, errors, states) = try violations(of: recording, tornUnits: [512], seed: 6)
    expectEqual(messages, [])
    expectTrue(errors > 0)
    expectTrue(errors < states)
  }

  /// Without one of the three syncs of a commit some crash loses a version: the tests above would
  /// notice.
  /// `EncryptedFile` 2.
  @Test(arguments: 0..<3) func aMissingSyncIsNoticed(_ which: Int) throws {
    let old = try OlderFile(1500, commitCount: 15, key: key)
    let recording = try record(
      commits: 4, seed: 3, initial: old.contents, numbers: old.numbers,
      ignoring: { $0 % 3 == which })
    #expect(try violations(of: recording, seed: 4).messages != [])
  }

  // MARK: Failing calls

  private func workload(_ system: SimulatedFileSystem) -> (done: Int, error: StorageError?) {
    var done = 0
    do throws(StorageError) {
      let file = try system.openDatabase(key: key)
      for step in 1...2 {
        let write = try file.beginWrite()
        try NumberTree.replace(with: [Int64](repeating: 5, count: step * 700), in: write)
        _ = try write.commit(changeset: [1])
        done = step
      }
      return (done, nil)
    } catch {
      return (done, error)
    }
  }

  @Test(arguments: [
    FileFault.error(EIO), .errorForever(ENOSPC), .short, .error(EINTR),
  ])
  func failuresAreReportedAndHarmless(_ fault: FileFault) throws {
    let counting = try SimulatedFileSystem()
    expectEqual(workload(counting).done, 2)
    RandomRuns.report(counting.file.callCount, "failing calls")
    for call in 1...counting.file.callCount {
      let system = try SimulatedFileSystem()
      system.file.fail(call: call, fault)
      let (done, error) = workload(system)
      if fault == .short { #expect(error == nil && done == 2, "call \(call)") }
      if fault == .error(EIO) { #expect(error != nil, "call \(call)") }
      system.file.fail(call: 0, nil)
      let file = try system.openDatabase(key: key)
      let count = try NumberTree.numbers(of: file.snapshot()).count
      expectTrue([done * 700, (done + 1) * 700].contains(count), "call \(call)")
      try expectEqual(file.check().filter { $0.severity == .error }, [], "call \(call)")
      let write = try file.beginWrite()
      try NumberTree.replace(with: [1], in: write)
      try expectEqual(NumberTree.numbers(of: write.commit(changeset: [])), [1], "call \(call)")
    }
  }

  // MARK: Damage

  @Test func aFlippedBitIsAnErrorOrInFreeSpace() throws {
    let old = try OlderFile(1500, commitCount: 15, key: key)
    var random = SeededGenerator(seed: 21)
    var errors = 0
    for round in 0..<200 {
      var damaged = old.contents
      let index = Int.random(in: 0..<damaged.count, using: &random)
      damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      do throws(StorageError) {
        let file = try SimulatedFileSystem(contents: damaged).openDatabase(key: key)
        try expectEqual(NumberTree.numbers(of: file.snapshot()), old.numbers, "round \(round)")
        expectEqual(file.newestVersion, 16)
      } catch {
        errors += 1
        switch error {
        case .corrupted, .notADatabase: break
        default: Issue.record("byte \(index): \(error)")
        }
      }
    }
    expectTrue(errors > 20)
  }

  @Test func swappedPagesAndMissingEndsAreErrors() throws {
    let old = try OlderFile(1500, commitCount: 15, key: key)
    for (first, second) in [(1, 2), (1, 3), (2, 4)] {
      var damaged = old.contents
      for index in 0..<4096 { damaged.swapAt(first * 4096 + index, second * 4096 + index) }
      #expect(throws: StorageError.self) {
        _ = try SimulatedFileSystem(contents: damaged).openDatabase(key: key)
      }
      // Together with their entries they are authentic (a code does not cover the place), but not
      // what they were: the place is in the cipher's vector. No trap, whatever is read.
      for index in 0..<64 { damaged.swapAt((first - 1) * 64 + index, (second - 1) * 64 + index) }
      let file = try? SimulatedFileSystem(contents: damaged).openDatabase(key: key)
      if let snapshot = try file?.snapshot() {
        #expect((try? NumberTree.numbers(of: snapshot)) != old.numbers)
      }
    }
    for count in stride(from: 64, to: old.contents.count - 4096, by: 2048) {
      let part = Array(old.contents[..<count])
      #expect(throws: StorageError.self, "\(count)") {
        _ = try SimulatedFileSystem(contents: part).openDatabase(key: key).snapshot()
      }
    }
  }

  // MARK: Keys and texts

  private func refusal(_ contents: [UInt8], _ key: EncryptionKey?) throws -> String {
    let system = try SimulatedFileSystem(contents: contents)
    let error = #expect(throws: StorageError.self) { try system.openDatabase(key: key) }
    try expectEqual(system.file.contents(), contents)
    return error.map { "\($0)" } ?? ""
  }

  @Test func wrongKeysAreNamedAndChangeNothing() throws {
    let old = try OlderFile(1500, commitCount: 15, key: key)
    let start = "Failed to open Realm file at path '/simulated/test.realm': "
    let wrong =
      start + "it cannot be decrypted with the given encryption key. The key is another one, or "
      + "the file is damaged, or no encrypted Realm file."
    let plainSystem = try SimulatedFileSystem()
    _ = try plainSystem.openDatabase().beginWrite().commit(changeset: [])
    try expectEqual(refusal(old.contents, TestKeys.other()), wrong)
    try expectEqual(refusal([UInt8](repeating: 9, count: 20_000), key), wrong)
    try expectEqual(
      refusal(old.contents, nil),
      start
        + "it is not a Realm file, or it is encrypted. Check the path and the encryption key.")
    for contents in [try plainSystem.file.contents(), WorkedExamples.firstCommit + old.contents] {
      try expectEqual(
        refusal(contents, key),
        start
          + "the file is not encrypted. Open it without an encryption key.")
    }
    #expect(try refusal([UInt8](repeating: 9, count: 60), key).contains("too small (60 bytes)"))
    // A file that was written once has no earlier stamps to compare with.
    let copySystem = try SimulatedFileSystem()
    let source = try SimulatedFileSystem(contents: old.contents).openDatabase(key: key)
    try source.snapshot().write(to: copySystem.file, key: key)
    try expectEqual(refusal(copySystem.file.contents(), TestKeys.other()), wrong)
    let blank = try SimulatedFileSystem()
    _ = try blank.openDatabase(key: key)
    try expectEqual(refusal(blank.file.contents(), TestKeys.other()), wrong)
  }
}
