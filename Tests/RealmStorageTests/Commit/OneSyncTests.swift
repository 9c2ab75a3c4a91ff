// SPDX-License-Identifier: Apache-2.0

// Commits with one sync, and without: their syncs, what is found after them, and who may have died.

import Foundation
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

struct OneSyncTests {
  private let system: SimulatedFileSystem
  private var initial: [UInt8] = []

  init() throws {
    system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    for number in 1...3 { try Self.commit([Int64(number)], to: file, .twoSyncs) }
    initial = try system.file.contents()
    system.file.clearTrace()
  }

  @discardableResult
  private static func commit(
    _ numbers: [Int64], to file: DatabaseFile, _ durability: CommitDurability
  ) throws -> Snapshot {
    let write = try file.beginWrite()
    write.durability = durability
    try NumberTree.replace(with: numbers, in: write)
    return try write.commit(changeset: [1])
  }

  private var syncCount: Int { syncCount(of: system) }

  private func syncCount(of system: SimulatedFileSystem) -> Int {
    system.file.trace.count { $0 == .sync }
  }

  private static func numbers(in contents: [UInt8]) throws -> [Int64] {
    let file = try SimulatedFileSystem(contents: contents).openDatabase()
    try expectEqual(file.check(), [])
    return try NumberTree.numbers(of: file.snapshot())
  }

  // MARK: - Syncs

  @Test(arguments: [(CommitDurability.twoSyncs, 2), (.oneSync, 1), (.deferred, 0)])
  func aCommitWaitsAsOftenAsItsDurabilitySays(_ durability: CommitDurability, _ count: Int) throws {
    let file = try system.openDatabase()
    for number in 1...5 {
      system.file.clearTrace()
      try Self.commit([Int64(number)], to: file, durability)
      expectEqual(syncCount, count)
    }
    try expectEqual(NumberTree.numbers(of: file.snapshot()), [5])
  }

  @Test func largeCommitsHaveTwoSyncs() throws {
    let file = try system.openDatabase()
    try Self.commit((0..<200_000).map { $0 << 20 }, to: file, .oneSync)
    expectEqual(syncCount, 2)
    expectEqual(unsafe file.session.memory.settled.pointee.load(ordering: .relaxed), 5)
  }

  @Test func aGroupOfTransactionsSharesTheOneSync() throws {
    let file = try system.openDatabase()
    var pending: PendingCommit?
    for number in 1...4 {
      let write = try pending?.begin() ?? file.beginWrite()
      write.durability = .deferred
      try NumberTree.replace(with: [Int64(number)], in: write)
      pending = try write.writeVersion(changeset: [1])
    }
    try pending?.makeDurable()
    expectEqual(syncCount, 1)
    try expectEqual(Self.numbers(in: system.file.contents()), [4])
  }

  /// `SessionStart` 2.
  @Test func aSessionThatHasSyncedHasNoAlternative() throws {
    let file = try SimulatedFileSystem(contents: initial).openDatabase()
    let alternative = unsafe file.session.memory.alternative
    func isLeft() -> Bool {
      unsafe alternative.pointee.load(ordering: .relaxed) != SessionStart.noAlternative
    }
    expectTrue(isLeft())
    try Self.commit([4], to: file, .oneSync)
    expectFalse(isLeft())
  }

  @Test func manyDeferredCommitsAreNotLeftWithoutASync() throws {
    let file = try system.openDatabase()
    for number in 1...40 { try Self.commit([Int64(number)], to: file, .deferred) }
    expectTrue(syncCount >= 4)
    let memory = file.session.memory
    expectTrue(unsafe file.newestVersion - memory.settled.pointee.load(ordering: .relaxed) < 16)
  }

  /// The sixteenth version after the one that is settled is not deferred.
  @Test func fifteenVersionsAreDeferred() throws {
    let file = try system.openDatabase()
    let settled = unsafe file.session.memory.settled.pointee.load(ordering: .relaxed)
    expectEqual(settled, file.newestVersion)
    for (count, isDeferred) in [(1, true), (15, true), (16, false), (17, false)] {
      expectEqual(file.mayDefer(settled + UInt64(count)), isDeferred)
    }
  }

  // MARK: - Closing

  /// The header of a closed file selects the newest version, and all of it is durable.
  @Test(arguments: [CommitDurability.oneSync, .deferred])
  func aClosedFileIsAsWithTwoSyncs(_ durability: CommitDurability) throws {
    do {
      let file = try system.openDatabase()
      for number in 1...5 { try Self.commit([Int64(number)], to: file, durability) }
    }
    expectEqual(system.file.trace.last, .sync)
    let contents = CommitProgram.withoutOtherSlot(try system.file.contents())
    try expectEqual(Self.numbers(in: contents), [5])
    try expectEqual(findings(of: try system.file.contents()), nil)
  }

  private func findings(of contents: [UInt8]) throws -> String? {
    let folder = try TemporaryDirectory()
    let path = folder.file("closed.realm")
    try Data(contents).write(to: URL(fileURLWithPath: path))
    return try IndependentChecker.findings(path)
  }

  /// While other processes have the file open, the last of them settles it.
  @Test func theLastProcessSettlesTheFile() throws {
    let other = try system.openDatabase()
    do {
      let file = try system.openDatabase()
      try Self.commit([7], to: file, .oneSync)
    }
    expectEqual(unsafe other.session.memory.settled.pointee.load(ordering: .relaxed), 5)
    try expectEqual(NumberTree.numbers(of: other.snapshot()), [7])
  }

  // MARK: - Recovery

  /// A file as a crash leaves it after the sync of the last commit: its selector did not arrive.
  private func crashed(after numbers: [[Int64]], _ durability: CommitDurability) throws -> [UInt8] {
    let file = try system.openDatabase()
    for numbers in numbers { try Self.commit(numbers, to: file, durability) }
    var contents = try system.file.contents()
    if durability == .oneSync { contents[FileHeader.flagsOffset] ^= 1 }
    return contents
  }

  /// `CommitRecovery` 1 and 2.
  @Test(arguments: [CommitDurability.oneSync, .deferred])
  func whatTheHeaderDoesNotSelectYetIsFound(_ durability: CommitDurability) throws {
    let contents = try crashed(after: [[5], [6], [7]], durability)
    try expectEqual(Self.numbers(in: contents), [7])
    let before: [Int64] = durability == .oneSync ? [6] : [3]
    try expectEqual(Self.numbers(in: CommitProgram.withoutOtherSlot(contents)), before)
  }

  /// `DatabaseFile+Reading` 1.
  @Test func aReaderFindsTheVersionAndWritesNothing() throws {
    let contents = try crashed(after: [[5], [6]], .oneSync)
    let system = try SimulatedFileSystem(contents: contents)
    let file = try DatabaseFile.open(
      path: system.file.path, options: OpenOptions(isReadOnly: true), system: system,
      registry: FileRegistry())
    try expectEqual(NumberTree.numbers(of: file.snapshot()), [6])
    try expectEqual(system.file.contents(), contents)
  }

  /// `CommitRecord` 2 and 3: no byte of a commit may be another one.
  @Test func aVersionOfWhichAnyByteIsMissingIsNotTaken() throws {
    let contents = try crashed(after: [[5], [6]], .oneSync)
    let header = try #require(contents.withUnsafeBytes { FileHeader($0) })
    let topRef = Ref(Int(header.topRef(slot: 1 - header.selectedSlot)))
    let (record, recordEnd) = try contents.withUnsafeBytes { bytes in
      let space = NodeSpace(base: try #require(bytes.baseAddress), fileEnd: bytes.count)
      let record = try #require(CommitRecord(at: topRef, in: space))
      let start = topRef.offset + (try space.node(at: topRef)).header.nodeByteCount
      return (record, start + CommitRecord.byteCount(pieceCount: record.pieces.count))
    }
    expectTrue(record.pieces.count <= 3)
    var places = record.pieces.flatMap { Array($0.position..<$0.position + $0.byteCount) }
    places += Array(recordEnd - CommitRecord.byteCount(pieceCount: record.pieces.count)..<recordEnd)
    for place in places {
      var damaged = contents
      damaged[place] ^= 1 << UInt8(place % 8)
      try expectEqual(Self.numbers(in: damaged), [5], "byte \(place)")
    }
  }

  /// `CommitRecovery` 3: a crash while a version is recovered leaves it to be recovered.
  @Test func crashesOfTheRecoveryLeaveTheVersion() throws {
    for durability in [CommitDurability.oneSync, .deferred] {
      let contents = try crashed(after: [[5], [6], [7]], durability)
      let system = try SimulatedFileSystem(contents: contents)
      do {
        let file = try system.openDatabase()
        try Self.commit([8], to: file, .oneSync)
      }
      var random = SeededGenerator(seed: 1)
      let states = CrashStates(of: system.file.trace, initial: contents, reorders: true)
      let count = try states.forEach(using: &random) { state in
        let numbers = try Self.numbers(in: state.contents)
        expectTrue([[7], [8]].contains(numbers), "\(state.name)")
        let old = try Self.numbers(in: CommitProgram.withoutOtherSlot(state.contents))
        expectTrue([[3], [6], [7], [8]].contains(old), "\(state.name)")
      }
      expectTrue(count > 8)
    }
  }

  /// A writer that does not know records commits to a file with one: whatever it has written when a
  /// crash comes, the next opener finds its version, or the one before, or the recorded one whole.
  @Test func anOlderWriterMayGoOnFromTheVersionBefore() throws {
    let contents = try crashed(after: [[5], [6]], .oneSync)
    let system = try SimulatedFileSystem(contents: CommitProgram.withoutOtherSlot(contents))
    let file = try system.openDatabase()
    system.file.clearTrace()
    try Self.commit([50], to: file, .twoSyncs)
    var random = SeededGenerator(seed: 2)
    var found: Set<[Int64]> = []
    let states = CrashStates(of: system.file.trace, initial: contents, reorders: true)
    states.forEach(using: &random) { state in
      if let numbers = try? Self.numbers(in: state.contents) { found.insert(numbers) }
    }
    expectEqual(found, [[5], [6], [50]])
  }

  // MARK: - Failures

  /// The system's memory may hold what the disk did not take: it is not found there.
  @Test func afterAFailedSyncTheVersionIsGone() throws {
    let file = try system.openDatabase()
    try Self.commit([5], to: file, .oneSync)
    system.file.failSync(after: 1)
    #expect(throws: StorageError.self) { try Self.commit([6], to: file, .oneSync) }
    #expect(throws: StorageError.poisoned(path: system.file.path)) { try file.beginWrite() }
    try expectEqual(Self.numbers(in: system.file.contents()), [5])
  }

  /// No commit follows that could throw: the file is closed, or is settled some time later.
  /// `UnsettledVersions` 1.
  @Test func whatCannotBeSettledIsSaid() throws {
    for isClosed in [true, false] {
      let system = try SimulatedFileSystem(contents: initial)
      let file = try system.openDatabase()
      let said = Mutex<[UnsettledVersions]>([])
      let mayStart = Mutex(false)
      UnsettledVersions.onFailure { [weak file] failure in
        guard let file, failure.path == file.path else { return }
        said.withLock { $0.append(failure) }
        let start = try? file.writers.startAtOnce(on: file)
        mayStart.withLock { $0 = start != nil }
      }
      let first = try Self.commit([5], to: file, .twoSyncs).version
      // The second after which that happens may pass here.
      file.isSettlingLater.store(true, ordering: .relaxed)
      for number in 6...8 { try Self.commit([Int64(number)], to: file, .deferred) }
      // A commit that shrinks the file is settled.
      let settled = unsafe file.session.memory.settled.pointee.load(ordering: .relaxed)
      expectTrue(settled < first + 3)
      system.file.failSync(after: 1, losing: .all)
      if isClosed { file.settleBeforeClosing() } else { file.settleIfFree() }
      let failures = said.withLock { $0 }
      expectEqual(failures.map(\.versions), [settled + 1...first + 3])
      expectEqual(
        failures.first?.error, .system(operation: "Syncing", path: file.path, code: EIO))
      expectTrue(mayStart.withLock { $0 })
      #expect(throws: StorageError.poisoned(path: file.path)) { try file.beginWrite() }
    }
  }

  /// A process dies at each of its calls, with another one that goes on, or none.
  @Test(arguments: [CommitDurability.oneSync, .deferred], [true, false])
  func aProcessMayDieAtEachCall(_ durability: CommitDurability, _ othersLive: Bool) throws {
    var call = 0
    var isDone = false
    while !isDone {
      call += 1
      let system = try SimulatedFileSystem(contents: initial)
      let other = othersLive ? try system.openDatabase() : nil
      var done: Int64 = 3
      do {
        let file = try system.openDatabase()
        try Self.commit([4], to: file, durability)
        done = 4
        system.file.clearTrace()
        system.file.fail(call: call, .errorForever(EIO))
        for number in 5...7 {
          do {
            try Self.commit([Int64(number)], to: file, durability)
            done = Int64(number)
          } catch { break }
        }
        isDone = done == 7
      }
      system.file.fail(call: 0, nil)
      // A process that dies does not say that a call failed.
      if let other {
        unsafe other.session.memory.poisoned.pointee.store(0, ordering: .relaxed)
        try Self.commit([20], to: other, durability)
        try expectEqual(NumberTree.numbers(of: other.snapshot()), [20], "call \(call)")
        try expectEqual(other.check(), [], "call \(call)")
        try expectEqual(Self.numbers(in: system.file.contents()), [20], "call \(call)")
      } else {
        let numbers = try Self.numbers(in: system.file.contents())
        expectTrue([[done], [done + 1]].contains(numbers), "call \(call)")
      }
    }
    expectTrue(call > 8)
  }

  /// A version that a process did not finish takes the place of a deferred one in the header, which
  /// gets it back.
  @Test func aDeferredVersionIsNamedAgain() throws {
    var call = 0
    var isDone = false
    while !isDone {
      call += 1
      let system = try SimulatedFileSystem(contents: initial)
      let other = try system.openDatabase()
      other.forgetPast()
      do {
        let file = try system.openDatabase()
        try Self.commit([4], to: file, .deferred)
        expectEqual(syncCount(of: system), 0)
        system.file.clearTrace()
        system.file.fail(call: call, .errorForever(EIO))
        isDone = (try? Self.commit([5], to: file, .oneSync)) != nil
      }
      system.file.fail(call: 0, nil)
      unsafe other.session.memory.poisoned.pointee.store(0, ordering: .relaxed)
      try other.settle()
      let numbers = try NumberTree.numbers(of: other.snapshot())
      expectTrue([[4], [5]].contains(numbers), "call \(call)")
      let selected = CommitProgram.withoutOtherSlot(try system.file.contents())
      try expectEqual(Self.numbers(in: selected), numbers, "call \(call)")
    }
    expectTrue(call > 3)
  }

  // MARK: - Sharing

  /// `DatabaseFile+Selector` 2: a writer with two syncs spares what one with one sync left open.
  @Test func writersOfDifferentDurabilitiesTakeTurns() throws {
    let files = [try system.openDatabase(), try system.openDatabase()]
    let durabilities: [CommitDurability] = [.oneSync, .twoSyncs, .deferred, .deferred, .oneSync]
    for number in 0..<60 {
      let file = files[number % 2]
      try Self.commit([Int64(number)], to: file, durabilities[number % durabilities.count])
      try expectEqual(NumberTree.numbers(of: files[0].snapshot()), [Int64(number)])
      try expectEqual(files[1].check(), [])
      try expectEqual(Self.numbers(in: system.file.contents()), [Int64(number)])
    }
  }

  /// What the sync of the next commit settles is free again: the file does not grow by it.
  @Test func aFileDoesNotGrowWithTheNumberOfCommits() throws {
    let file = try system.openDatabase()
    for number in 1...50 { try Self.commit([Int64(number)], to: file, .oneSync) }
    let byteCount = try file.fileByteCount()
    for number in 1...300 { try Self.commit([Int64(number)], to: file, .oneSync) }
    try expectEqual(file.fileByteCount(), byteCount)
  }

  /// Free space at the end is cut from the file, though each commit leaves a version to protect.
  @Test func aFileThatShrinksIsCut() throws {
    let file = try system.openDatabase()
    try Self.commit((0..<300_000).map { $0 << 20 }, to: file, .oneSync)
    let byteCount = try file.fileByteCount()
    for number in 1...60 { try Self.commit([Int64(number)], to: file, .oneSync) }
    #expect(try file.fileByteCount() < byteCount / 4)
    try expectEqual(file.check(), [])
  }
}
