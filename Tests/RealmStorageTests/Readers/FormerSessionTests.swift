// SPDX-License-Identifier: Apache-2.0

// What a session learns from the lock file of the one before, of records that no one published.

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

/// `FormerSession` 2 and `CommitRecord` 4.
struct FormerSessionTests {
  private let system: SimulatedFileSystem

  init() throws {
    system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    for number in 1...3 { try Self.commit(Int64(number), to: file, .twoSyncs) }
  }

  private static func commit(
    _ number: Int64, to file: DatabaseFile, _ durability: CommitDurability
  ) throws {
    let write = try file.beginWrite()
    write.durability = durability
    try NumberTree.replace(with: [number], in: write)
    _ = try write.commit(changeset: [1])
  }

  /// Writes versions that are not published.
  private static func write(_ count: Int, to file: DatabaseFile) throws -> PendingCommit? {
    var pending: PendingCommit?
    for number in 0..<count {
      let write = try pending?.begin() ?? file.beginWrite()
      write.durability = .oneSync
      try NumberTree.replace(with: [Int64(100 + number)], in: write)
      pending = try write.writeVersion(changeset: [1])
    }
    return pending
  }

  /// A process writes versions, and dies.
  private static func die(after count: Int, in file: DatabaseFile) throws {
    try write(count, to: file)?.giveUp()
    file.releaseWriter()
  }

  private static func recorded(of file: DatabaseFile) -> UInt64 {
    unsafe file.session.memory.recorded.pointee.load(ordering: .relaxed)
  }

  /// The syncs of commits, one after the other.
  private func syncCounts(
    _ count: Int, of file: DatabaseFile, _ durability: CommitDurability
  ) throws -> [Int] {
    try (0..<count).map { number in
      system.file.clearTrace()
      try Self.commit(Int64(number), to: file, durability)
      return system.file.trace.count { $0 == .sync }
    }
  }

  @Test(arguments: [(CommitDurability.twoSyncs, 2), (.oneSync, 1), (.deferred, 0)])
  func afterADeathCommitsSyncOnceMoreUntilTheNumbersAreUsedUp(
    _ durability: CommitDurability, _ usual: Int
  ) throws {
    let file = try system.openDatabase()
    try Self.die(after: 2, in: file)
    // A deferred commit waits for the disk, as the header must name it there before it is seen.
    let first = max(usual, 1) + 1
    try expectEqual(syncCounts(4, of: file, durability), [first, first, usual, usual])
  }

  @Test func theNextSessionKnowsOfADeath() throws {
    do {
      let file = try system.openDatabase()
      try Self.die(after: 2, in: file)
    }
    let file = try system.openDatabase()
    expectEqual(Self.recorded(of: file), file.newestVersion + 2)
    try expectEqual(syncCounts(3, of: file, .oneSync), [2, 2, 1])
  }

  @Test func afterAnOrderlyEndNothingIsLeft() throws {
    do {
      let file = try system.openDatabase()
      for number in 1...3 { try Self.commit(Int64(number), to: file, .oneSync) }
      try Self.write(2, to: file)?.discard()
      expectEqual(Self.recorded(of: file), file.newestVersion)
    }
    let file = try system.openDatabase()
    expectEqual(Self.recorded(of: file), file.newestVersion)
    try expectEqual(syncCounts(2, of: file, .oneSync), [1, 1])
  }

  /// A version that another one replaces in its group has a record, too, perhaps.
  @Test func aVersionThatIsGivenUpInAGroupThatGoesOnHasNoRecordLeft() throws {
    let file = try system.openDatabase()
    let first = try #require(try Self.write(1, to: file))
    let second = try first.begin()
    second.durability = .oneSync
    try NumberTree.replace(with: [200], in: second)
    second.rollback()
    expectEqual(Self.recorded(of: file), first.snapshot.version)
    try first.makeDurable()
    try expectEqual(syncCounts(2, of: file, .oneSync), [1, 1])
  }

  /// An unknown past costs a known number of syncs.
  @Test func anUnknownPastEndsAfterAsManyVersionsAsItCanHaveRecordsOf() throws {
    system.removeLockFiles()
    let file = try system.openDatabase()
    let count = 2 * Int(FormerSession.provenVersionCountMax)
    let expected = Array(repeating: 2, count: count) + [1, 1]
    try expectEqual(syncCounts(count + 2, of: file, .oneSync), expected)
  }

  // MARK: - What is believed

  /// Changes of the lock file of a session that knows of no record.
  enum Doubt: CaseIterable {
    case none
    /// The system was started since.
    case otherStart
    /// The system does not say which start it is.
    case noStart
    /// The lock file is older than the database, or of another one.
    case otherVersion
    case otherRevision
  }

  /// `LockFileSession` 1.
  @Test(arguments: Doubt.allCases) func aLockFileIsBelievedIfTheSystemRemembersIt(
    _ doubt: Doubt
  ) throws {
    do {
      let file = try system.openDatabase()
      let memory = file.session.memory
      func store(_ value: UInt64, at offset: Int) {
        unsafe memory.word(at: offset).pointee.store(value, ordering: .relaxed)
      }
      switch doubt {
      case .none: break
      case .otherStart: store(1, at: SharedMemory.systemStartOffset)
      case .noStart:
        for half in [0, 8] { store(0, at: SharedMemory.systemStartOffset + half) }
      case .otherVersion: store(file.newestVersion - 1, at: SharedMemory.newestOffset)
      case .otherRevision: store(1, at: SharedMemory.revisionOffset)
      }
    }
    let file = try system.openDatabase()
    let greatest = file.newestVersion + 2 * FormerSession.provenVersionCountMax
    expectEqual(Self.recorded(of: file), doubt == .none ? 1 : greatest)
  }

  /// `FormerSession` 1: the mark of a first start that failed is all that a new lock file has.
  @Test func aStartThatFailedIsKnownInANewLockFile() throws {
    let file = try SimulatedFileSystem().open(path: "/a.lock", mode: .readWriteCreating)
    SharedMemory.noteFailure(
      .system(operation: "Syncing", path: file.path, code: EIO), in: file)
    expectEqual(try FormerSession(file)?.isInDoubt, true)
    expectEqual(try FormerSession(file)?.recordedVersion(at: 0), nil)
  }

  @Test func theSystemSaysWhichStartItIs() {
    #expect(SystemStart.identifier != (0, 0))
  }

  @Test func theGreatestNumberOfAVersionIsNotPassed() {
    func greatest(_ version: UInt64, _ topRef: Int) -> UInt64 {
      FormerSession.recordedVersionMax(
        at: VersionEntry(version: version, topRef: Ref(topRef), logicalSize: 4096))
    }
    expectEqual(greatest(.max - 1, 24), .max)
    expectEqual(greatest(3, 24), 3 + 2 * FormerSession.provenVersionCountMax)
    expectEqual(greatest(1, 0), 1)
  }

  /// No commit of a new file waits longer than it must.
  @Test func aNewFileHasNoPast() throws {
    let file = try SimulatedFileSystem().openDatabase()
    try Self.commit(1, to: file, .oneSync)
    expectTrue(Self.recorded(of: file) <= file.newestVersion)
  }

  /// So many versions prove each other; the next one needs a second sync.
  @Test(arguments: [(24, 1), (25, 2)]) func aGroupProvesSoManyVersions(
    count: Int, syncCount: Int
  ) throws {
    expectEqual(FormerSession.provenVersionCountMax, 24)
    let file = try system.openDatabase()
    try expectEqual(syncCounts(1, of: file, .oneSync), [1])
    let pending = try Self.write(count, to: file)
    system.file.clearTrace()
    try pending?.makeDurable()
    expectEqual(system.file.trace.count { $0 == .sync }, syncCount)
    try expectEqual(NumberTree.numbers(of: file.snapshot()), [Int64(99 + count)])
  }
}
