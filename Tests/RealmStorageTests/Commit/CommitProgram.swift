// SPDX-License-Identifier: Apache-2.0

// Random commits of every durability on a simulated file, for tests of what a crash leaves.

import RealmTestSupport
import Synchronization

@testable import RealmStorage

/// A run of random commits, and what each of its versions holds.
struct CommitProgram {
  /// What the commits are.
  struct Shape {
    var commitCount = 8
    /// The durabilities that commits are chosen from.
    var durabilities: [CommitDurability] = [.oneSync]
    /// Whether several transactions may share a commit.
    var hasGroups = false
    /// Whether some groups are given up after they were written.
    var hasDiscards = false
    /// Whether processes end, and others take their places, after they wrote some versions.
    var hasDeaths = false
    /// How many processes take turns.
    var processCount = 1
    /// Whether readers keep some versions.
    var hasReaders = false
    /// How many numbers a commit adds at most, and how many the file keeps.
    var growth = 60
    /// Whether all versions have equally many numbers after the first, so that they lie at the same
    /// places more often.
    var isSteady = false
    var sizeMax = 400
  }

  let initial: [UInt8]
  private(set) var trace: [FileEvent] = []
  /// The numbers of each version that was written.
  private(set) var numbers: [UInt64: [Int64]] = [:]
  /// For each acknowledged version, the oldest one that readers without recovery may find.
  private(set) var settled: [UInt64: UInt64] = [:]

  /// What a process had written when it died, and the version that it went on from. A crash may
  /// leave it as long as no other writer went on from there.
  private struct LastWords {
    var version: UInt64
    var numbers: [Int64]
    var base: UInt64
  }

  private let shape: Shape
  private var lastWords: [LastWords] = []
  /// When others saw a version for the first time, in events of the trace.
  private var publications: [(version: UInt64, position: Int)] = []
  private var dead: [DatabaseFile] = []
  private var random: SeededGenerator
  private let system: SimulatedFileSystem
  private var files: [DatabaseFile] = []
  private var readers: [Snapshot] = []
  private var now: [Int64]

  /// Runs the commits on a file with the contents `initial`, which holds `numbers`.
  init(
    _ shape: Shape, seed: UInt64, initial: [UInt8] = [], numbers now: [Int64] = [],
    ignoring ignores: (@Sendable (Int) -> Bool)? = nil
  ) throws {
    self.shape = shape
    self.initial = initial
    self.now = now
    random = SeededGenerator(seed: seed)
    system = try SimulatedFileSystem(
      contents: initial, lockDirectory: shape.hasDeaths ? try TemporaryDirectory() : nil)
    files = try (0..<shape.processCount).map { _ in try system.openDatabase() }
    if !shape.hasDeaths { files[0].forgetPast() }
    if let ignores {
      system.file.clearTrace()
      system.file.ignoreSyncs(ignores)
    }
    numbers[files[0].newestVersion] = now
    if !initial.isEmpty {
      // Until the opener has made what it found durable.
      let header = try SimulatedFileSystem(contents: Self.withoutOtherSlot(initial)).openDatabase()
      settled[0] = header.newestVersion
      if header.newestVersion != files[0].newestVersion {
        numbers[header.newestVersion] = try NumberTree.numbers(of: header.snapshot())
      }
    }
    acknowledge()
    for _ in 0..<shape.commitCount { try step() }
    for reader in readers where try NumberTree.numbers(of: reader) != numbers[reader.version] {
      throw StorageError.corrupted("what a reader of version \(reader.version) sees was changed")
    }
    readers = []
    files = []
    trace = system.file.trace
    dead = []
  }

  private mutating func acknowledge() {
    let version = files[0].newestVersion
    publications.append((version, system.file.trace.count))
    settled[version] = unsafe files[0].session.memory.settled.pointee.load(ordering: .relaxed)
    system.file.acknowledge(version)
  }

  private mutating func step() throws {
    let index = Int.random(in: 0..<files.count, using: &random)
    if shape.hasDeaths, random.chance(0.4) { try die(at: index) }
    let file = files[index]
    if shape.hasReaders {
      if random.chance(0.3) { readers.append(try file.snapshot()) }
      if readers.count > 2 || random.chance(0.2), !readers.isEmpty {
        readers.remove(at: Int.random(in: 0..<readers.count, using: &random))
      }
    }
    let choice = Int.random(in: 0..<shape.durabilities.count, using: &random)
    let durability = shape.durabilities[choice]
    if shape.hasDiscards, random.chance(0.3) { try discardGroup(of: file, durability) }
    var write = try file.beginWrite()
    if shape.hasGroups, random.chance(0.4) {
      var pending: PendingCommit?
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        if let pending { write = try pending.begin() }
        write.durability = durability
        try change(in: write)
        pending = try write.writeVersion(changeset: [1])
        numbers[write.version] = now
      }
      try pending?.makeDurable()
      return acknowledge()
    }
    write.durability = durability
    try change(in: write)
    numbers[write.version] = now
    _ = try write.commit(changeset: [UInt8(truncatingIfNeeded: now.count)])
    publications.append((files[0].newestVersion, system.file.trace.count))
    if durability != .deferred { acknowledge() }
  }

  private mutating func discardGroup(
    of file: DatabaseFile, _ durability: CommitDurability
  ) throws {
    let before = now
    var pending: PendingCommit?
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let write = try pending?.begin() ?? file.beginWrite()
      write.durability = durability
      try change(in: write)
      pending = try write.writeVersion(changeset: [1])
    }
    pending?.discard()
    now = before
  }

  private mutating func die(at index: Int) throws {
    let before = now
    let file = files[index]
    let base = file.newestVersion
    var pending: PendingCommit?
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let write = try pending?.begin() ?? file.beginWrite()
      write.durability = .oneSync
      try change(in: write)
      pending = try write.writeVersion(changeset: [1])
      lastWords.append(LastWords(version: write.version, numbers: now, base: base))
    }
    pending?.giveUp()
    file.releaseWriter()
    dead.append(file)
    files[index] = try system.openDatabase()
    now = before
  }

  private mutating func change(in write: WriteTransaction) throws {
    let isChanged = !shape.isSteady || now.isEmpty
    if isChanged, random.chance(0.2), now.count > 10 {
      now.removeLast(Int.random(in: 1..<now.count, using: &random))
    }
    if isChanged, now.count < shape.sizeMax {
      for _ in 0..<Int.random(in: 0..<shape.growth, using: &random) {
        now.append(Int64.random(in: .min ... .max, using: &random) >> 20)
      }
    }
    if !now.isEmpty { now[Int.random(in: 0..<now.count, using: &random)] &+= 1 }
    try NumberTree.replace(with: now, in: write)
  }

  // MARK: - Crashes

  /// Why the states of a crash are not acceptable; the count of states.
  func violations(
    seed: UInt64, subsetLimit: Int = 6, sampleCount: Int = 32, limit: Int = 3
  ) throws -> (messages: [String], states: Int) {
    var random = SeededGenerator(seed: seed)
    var messages: [String] = []
    let states = CrashStates(
      of: trace, initial: initial, subsetLimit: subsetLimit, sampleCount: sampleCount,
      tornUnits: [512], reorders: true)
    let count = states.forEach(using: &random) { state in
      guard messages.count < limit else { return }
      do {
        if let message = try violation(of: state) { messages.append("\(state.name): \(message)") }
      } catch {
        messages.append("\(state.name): \(error)")
      }
    }
    return (messages, count)
  }

  /// What is wrong with a state: for this library, which recovers the newest version, and for a
  /// reader of the header alone.
  func violation(of state: CrashState) throws -> String? {
    let known = max(settled.keys.filter { $0 > 0 }.min() ?? 1, state.acknowledged)
    let oldest = settled[state.acknowledged] ?? known
    let published = publications.last { $0.position <= state.position }?.version ?? known
    if let message = try violation(
      in: state.contents, since: known, after: published, goingOn: true)
    {
      return message
    }
    let contents = Self.withoutOtherSlot(state.contents)
    if let message = try violation(
      in: contents, since: oldest, after: published, goingOn: false)
    {
      return "without recovery: \(message)"
    }
    return nil
  }

  private func isFromTheDead(
    _ version: UInt64, _ numbers: [Int64], _ published: UInt64
  ) -> Bool {
    lastWords.contains {
      $0.version == version && $0.base >= published && $0.numbers == numbers
    }
  }

  /// The same file as a reader sees it that does not interpret the slot which is not selected.
  static func withoutOtherSlot(_ contents: [UInt8]) -> [UInt8] {
    guard contents.count >= FileHeader.byteCount else { return contents }
    var contents = contents
    let slot = 1 - Int(contents[FileHeader.flagsOffset] & 1)
    contents.replaceSubrange(slot * 8..<slot * 8 + 8, with: repeatElement(0, count: 8))
    return contents
  }

  private func violation(
    in contents: [UInt8], since known: UInt64, after published: UInt64, goingOn: Bool
  ) throws -> String? {
    let system = try SimulatedFileSystem(contents: contents)
    let file = try system.openDatabase()
    let snapshot = try file.snapshot()
    guard snapshot.version >= known else {
      return "version \(snapshot.version) instead of \(known) or a later one"
    }
    let numbers = try NumberTree.numbers(of: snapshot)
    guard
      numbers == self.numbers[snapshot.version]
        || isFromTheDead(snapshot.version, numbers, published)
    else { return "version \(snapshot.version) has other contents" }
    let findings = try file.check()
    guard findings.isEmpty else { return "\(findings)" }
    guard goingOn else { return nil }
    // Life goes on, and does not touch what readers of this version see.
    var next = snapshot
    for (number, durability) in [CommitDurability.oneSync, .oneSync, .twoSyncs].enumerated() {
      let write = try file.beginWrite()
      write.durability = durability
      try NumberTree.replace(with: numbers.map { $0 &+ 1 } + [Int64(number)], in: write)
      next = try write.commit(changeset: [])
    }
    guard try NumberTree.numbers(of: next) == numbers.map({ $0 &+ 1 }) + [2],
      try NumberTree.numbers(of: snapshot) == numbers
    else { return "the next commits after version \(snapshot.version) went wrong" }
    let nextFindings = try file.check()
    return nextFindings.isEmpty ? nil : "after the next commits: \(nextFindings)"
  }
}
