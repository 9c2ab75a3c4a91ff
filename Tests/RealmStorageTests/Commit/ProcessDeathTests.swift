// SPDX-License-Identifier: Apache-2.0

// Processes that die in a commit, programs that open the file after them, and then a crash of the
// system: what the next opener finds in the system's memory need not be on the disk.

import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct ProcessDeathTests {
  /// What the sessions of a course are.
  struct Shape: Sendable, CustomTestStringConvertible {
    var durability = CommitDurability.twoSyncs
    var isEncrypted = false
    /// Whether another process has the file open when one dies, and goes on.
    var othersLive = false
    /// A mistake to make: what the disk may select instead is not taken into account.
    var trustsTheHeader = false

    var testDescription: String {
      "\(durability)\(isEncrypted ? ", encrypted" : "")\(othersLive ? ", others live" : "")"
    }
  }

  /// Sessions on one simulated disk, of which all but the last die.
  private struct Course {
    let shape: Shape
    let old: OlderFile
    let key: EncryptionKey?
    let system: SimulatedFileSystem
    /// The numbers of all commits, those that failed among them, oldest first.
    private(set) var tried: [[Int64]]
    private var random: SeededGenerator

    init(_ shape: Shape, _ old: OlderFile, _ key: EncryptionKey?, seed: UInt64) throws {
      self.shape = shape
      self.old = old
      self.key = key
      system = try SimulatedFileSystem(contents: old.contents)
      try system.openDatabase(key: key).forgetPast()
      tried = [old.numbers]
      random = SeededGenerator(seed: seed)
    }

    /// Opens the file and commits, until call number `call` of the commits, at which the process
    /// dies; nil if it does not.
    ///
    /// - Returns: Whether the process lived.
    mutating func session(dyingAt call: Int? = nil) throws -> Bool {
      // Calls fail where a process would be gone: it marks no lock file.
      try system.forEachLockFile { file throws(StorageError) in
        try file.write(UInt32(0), at: SharedMemory.poisonedOffset)
      }
      let other = shape.othersLive && call != nil ? try system.openDatabase(key: key) : nil
      defer { withExtendedLifetime(other) {} }
      let isDone = try run(dyingAt: call)
      // What the dead process left undone ends with it, not with failing calls.
      system.file.fail(call: 0, nil)
      if let other {
        unsafe other.session.memory.poisoned.pointee.store(0, ordering: .relaxed)
        try commit(to: other)
      }
      return isDone
    }

    private mutating func run(dyingAt call: Int?) throws -> Bool {
      let file = try system.openDatabase(key: key)
      if shape.trustsTheHeader {
        unsafe file.session.memory.alternative.pointee.store(
          SessionStart.noAlternative, ordering: .relaxed)
      }
      guard let call else {
        try commit(to: file)
        return true
      }
      system.file.fail(call: system.file.callCount + call, .errorForever(EIO))
      do {
        for _ in 1...2 { try commit(to: file) }
        return true
      } catch { return false }
    }

    private mutating func commit(to file: DatabaseFile) throws {
      var numbers = try NumberTree.numbers(of: file.snapshot())
      expectTrue(tried.contains(numbers))
      numbers[0] = Int64(tried.count)
      // Most of the leaves, so that a commit needs what the ones before it gave up.
      for _ in 0..<30 { numbers[Int.random(in: 1..<numbers.count, using: &random)] &+= 1 }
      let write = try file.beginWrite()
      write.durability = shape.durability
      try NumberTree.replace(with: numbers, in: write)
      tried.append(numbers)
      _ = try write.commit(changeset: [1])
      if shape.durability != .deferred { system.file.acknowledge(UInt64(tried.count - 1)) }
    }

    /// Why the states that a crash of the system leaves are not acceptable; the count of states.
    func violations() throws -> (messages: [String], states: Int) {
      var random = random
      var messages: [String] = []
      let states = CrashStates(
        of: system.file.trace, initial: old.contents, subsetLimit: 4, sampleCount: 4, tornUnits: [])
      let count = states.forEach(using: &random) { state in
        guard messages.isEmpty else { return }
        do {
          if let message = try violation(of: state) { messages.append("\(state.name): \(message)") }
        } catch {
          messages.append("\(state.name): \(error)")
        }
      }
      return (messages, count)
    }

    private func violation(of state: CrashState) throws -> String? {
      let file = try SimulatedFileSystem(contents: state.contents).openDatabase(key: key)
      let numbers = try NumberTree.numbers(of: file.snapshot())
      guard let index = tried.lastIndex(of: numbers) else { return "nobody wrote these numbers" }
      guard index >= Int(state.acknowledged) else {
        return "commit \(index) instead of \(state.acknowledged) or a later one"
      }
      // The free lists of older encrypted files name what was never written.
      let findings = try file.check().filter { $0.severity == .error || key == nil }
      return findings.isEmpty ? nil : "\(findings)"
    }
  }

  /// Runs courses whose first process dies at some of its calls, and some whose second one dies as
  /// well.
  ///
  /// - Parameters:
  ///   - first: The first of the calls.
  ///   - step: From one of them to the next.
  private func violations(
    _ shape: Shape, from first: Int = 1, step: Int = 1
  ) throws -> (messages: [String], states: Int) {
    let key = shape.isEncrypted ? try TestKeys.vector() : nil
    let old = try OlderFile(1500, commitCount: 12, key: key)
    var random = SeededGenerator(seed: 7)
    var messages: [String] = []
    var stateCount = 0
    var call = first - step
    var isDone = false
    while !isDone, messages.isEmpty {
      call += step
      var course = try Course(shape, old, key, seed: UInt64(call))
      isDone = try course.session(dyingAt: call)
      let second = random.chance(0.4) ? Int.random(in: 1...20, using: &random) : nil
      if let second { _ = try course.session(dyingAt: second) }
      _ = try course.session()
      let (found, states) = try course.violations()
      messages += found.map { "death at call \(call), then \(second ?? 0): \($0)" }
      stateCount += states
    }
    return (messages, stateCount)
  }

  /// `SessionStart` 1.
  @Test(
    .heavy,
    arguments: [
      Shape(), Shape(durability: .oneSync), Shape(durability: .deferred),
      Shape(othersLive: true), Shape(durability: .oneSync, othersLive: true),
      Shape(isEncrypted: true), Shape(isEncrypted: true, othersLive: true),
    ])
  func aCrashAfterTheNextSessionLeavesItsCommitOrAnEarlierOne(_ shape: Shape) throws {
    // A quick run has a third of the calls; `REALM_CRASH_SEEDS=3` has all.
    let states = try CrashSeeds.total(1) { seed in
      let (messages, states) = try violations(shape, from: Int(seed), step: 3)
      expectEqual(messages, [])
      return states
    }
    expectTrue(states > 50)
  }

  /// A session that trusts what it finds damages files: the test above would notice.
  @Test(arguments: [Shape(trustsTheHeader: true), Shape(isEncrypted: true, trustsTheHeader: true)])
  func trustInTheHeaderIsNoticed(_ shape: Shape) throws {
    #expect(try violations(shape).messages != [])
  }

  // MARK: - Syncs

  private func syncCount(_ system: SimulatedFileSystem) -> Int {
    system.file.trace.count { $0 == .sync }
  }

  /// What a session spares costs no sync: opening has none, and a commit as many as ever.
  @Test(arguments: [(CommitDurability.twoSyncs, 2), (.oneSync, 1), (.deferred, 0)])
  func theFirstCommitOfASessionHasNoFurtherSync(
    _ durability: CommitDurability, _ count: Int
  ) throws {
    let system = try SimulatedFileSystem(contents: try OlderFile(300, commitCount: 3).contents)
    let file = try system.openDatabase()
    file.forgetPast()
    expectEqual(syncCount(system), 0)
    expectEqual(unsafe file.session.memory.alternative.pointee.load(ordering: .relaxed), 3)
    let write = try file.beginWrite()
    write.durability = durability
    try NumberTree.replace(with: [1], in: write)
    _ = try write.commit(changeset: [])
    expectEqual(syncCount(system), count)
  }

  /// Where the header names a later version, nobody knows which one the disk selects: one sync.
  @Test func anUnknownAlternativeIsRuledOutByOneSync() throws {
    var contents = try OlderFile(300, commitCount: 3).contents
    let header = try #require(contents.withUnsafeBytes { FileHeader($0) })
    let slot = 1 - header.selectedSlot
    contents.replaceSubrange(slot * 8..<slot * 8 + 8, with: [8, 0, 0, 0, 0, 0, 0, 0])
    let system = try SimulatedFileSystem(contents: contents)
    let file = try system.openDatabase()
    file.forgetPast()
    expectEqual(syncCount(system), 0)
    for count in [3, 5] {
      let write = try file.beginWrite()
      try NumberTree.replace(with: [Int64(count)], in: write)
      _ = try write.commit(changeset: [])
      expectEqual(syncCount(system), count)
    }
  }

  /// A file is not cut before the disk selects the version that is short enough.
  @Test func theFileIsSyncedBeforeItIsCut() throws {
    let contents = try OlderFile(300, commitCount: 3).contents
    let system = try SimulatedFileSystem(contents: contents + [UInt8](repeating: 0, count: 8192))
    _ = try system.openDatabase()
    let first = try #require(
      system.file.trace.firstIndex(of: .resize(byteCount: contents.count)))
    expectTrue(system.file.trace[..<first].contains(.sync))
  }

  /// What an agent of device sync tells a server must not be lost: its number would be given again.
  @Test func anAgentSyncsTheFileThatItFinds() throws {
    let system = try SimulatedFileSystem()
    for _ in 1...2 {
      let file = try system.openDatabase(history: .syncClient)
      _ = try file.beginWrite().commit(changeset: [])
    }
    let file = try system.openDatabase(history: .syncClient)
    let before = syncCount(system)
    let claim = try file.claimAgent()
    expectEqual(syncCount(system), before + 1)
    claim.release()
  }
}
