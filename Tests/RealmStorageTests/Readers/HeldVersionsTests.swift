// SPDX-License-Identifier: Apache-2.0

// Old versions in use: who keeps them, since when, and what is said about them.

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

/// The receiver of warnings is one for the process, so these run one after the other.
@Suite(.serialized)
struct HeldVersionsTests {
  private let second: UInt64 = 1_000_000_000

  @discardableResult
  private func commit(_ number: Int64, to file: DatabaseFile) throws -> Snapshot {
    let write = try file.beginWrite()
    try NumberTree.replace(with: [number], in: write)
    return try write.commit(changeset: [1])
  }

  @Test func aVersionIsWarnedOfOnce() {
    let held = HeldVersions()
    let long = HeldVersions.patienceNanoseconds
    expectEqual(held.note([3, 5], at: 100), [])
    expectEqual(held.note([3, 5, 6], at: 100 + long - 1), [])
    expectEqual(held.nanoseconds(since: 3, at: 100 + long), long)
    expectEqual(held.nanoseconds(since: 4, at: 100 + long), nil)
    expectEqual(held.note([3, 6], at: 100 + long), [3])
    expectEqual(held.note([3, 6], at: 100 + 3 * long), [6])
    // Nobody can use a version again that was released.
    expectEqual(held.note([6], at: 100 + 4 * long), [])
    expectEqual(held.nanoseconds(since: 3, at: 100 + 4 * long), nil)
    expectFalse(held.isEmpty)
    expectEqual(held.note([], at: 100 + 5 * long), [])
    expectTrue(held.isEmpty)
  }

  @Test func readersAreCountedWithTheirProcess() throws {
    let file = try SimulatedFileSystem().openDatabase()
    let old = try commit(1, to: file)
    let again = try file.snapshot()
    try commit(2, to: file)
    let newest = try commit(3, to: file)
    let held = file.heldVersions
    expectEqual(held.map(\.version), [old.version, newest.version])
    expectEqual(held.first?.readerCount, 2)
    expectTrue(held.allSatisfy { $0.processes == [getpid()] }, "\(held)")
    expectTrue(held.first?.heldNanoseconds != nil)
    expectEqual(held.last?.heldNanoseconds, nil)
    withExtendedLifetime((old, again, newest)) {}
  }

  /// A note belongs to one pin: neither its slot nor the version keeps it.
  @Test func whoKeepsAVersionIsNamedAsLongAsItDoes() throws {
    let file = try SimulatedFileSystem().openDatabase()
    let old = try commit(1, to: file)
    let hold = VersionHold(old, by: .freezing)
    let second = VersionHold(old, by: .refreshing)
    try commit(2, to: file)
    func holders() -> [HeldVersion.Holder] { file.heldVersions.flatMap(\.holders) }
    expectEqual(holders().map(\.use), [.freezing, .refreshing])
    expectEqual(file.heldVersions.first?.readerCount, 1)
    let holder = try #require(holders().first)
    expectEqual(holder.process, getpid())
    expectTrue(holder.thread != 0)
    expectTrue(holder.heldNanoseconds < 600 * 1_000_000_000)
    _ = consume hold
    expectEqual(holders().map(\.use), [.refreshing])
    try old.held(by: .checking) { () throws(StorageError) in
      expectEqual(Set(holders().map(\.use)), [.refreshing, .checking])
    }
    #expect(throws: StorageError.limitExceeded("enough")) {
      try old.held(by: .backingUp) { () throws(StorageError) in throw .limitExceeded("enough") }
    }
    _ = consume second
    expectEqual(holders(), [])
    // The slots are used again, for the same version, without a word about who has it.
    let again = try (0..<64).map { _ in try file.readers.pin(old.version) }
    expectEqual(holders(), [])
    expectEqual(file.heldVersions.first?.readerCount, 65)
    for pin in again { file.readers.release(pin) }
  }

  @Test func whatIsHeldForLongIsSaid() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    let warnings = Mutex<[HeldVersions.Warning]>([])
    HeldVersions.onWarning { warning in
      if warning.path == system.file.path { warnings.withLock { $0.append(warning) } }
    }
    let old = try commit(1, to: file)
    let hold = VersionHold(old, by: .freezing)
    try commit(2, to: file)
    try commit(3, to: file)
    file.noteHeld([old.version], at: .max / 2)
    file.noteHeld([old.version], at: .max / 2 + second)
    let said = warnings.withLock { $0 }
    expectEqual(said.map(\.version), [old.version])
    expectEqual(said.first?.newestVersion, file.newestVersion)
    expectEqual(said.first?.processes, [getpid()])
    expectEqual(said.first?.holders.map(\.use), [.freezing])
    HeldVersions.onWarning { _ in }
    expectTrue(hold != nil)
  }

  /// `HeldVersions` 1.
  @Test func whoIsWarnedMayWrite() throws {
    let file = try SimulatedFileSystem().openDatabase()
    let old = try commit(1, to: file)
    try commit(2, to: file)
    file.noteHeld([], at: 0)
    file.noteHeld([old.version], at: 0)
    let thread = pthread_self().hashValue
    let warned = Mutex<[UInt64]>([])
    HeldVersions.onWarning { [weak file] warning in
      guard let file, warning.path == file.path, pthread_self().hashValue == thread,
        !file.heldVersions.isEmpty, let start = try? file.writers.startAtOnce(on: file)
      else { return }
      withExtendedLifetime(start) { warned.withLock { $0.append(warning.version) } }
    }
    for number in 3...5 as ClosedRange<Int64> { try commit(number, to: file) }
    HeldVersions.onWarning { _ in }
    expectEqual(warned.withLock { $0 }, [old.version])
    withExtendedLifetime(old) {}
  }

  @Test func theFiguresOfAFile() throws {
    let file = try SimulatedFileSystem().openDatabase()
    let old = try commit(1, to: file)
    let before = try file.statistics()
    expectEqual(before.pinnedByteCount, 0)
    for number in 2..<30 as Range<Int64> { try commit(number, to: file) }
    let after = try file.statistics()
    expectEqual(after.version, file.newestVersion)
    expectTrue(after.pinnedByteCount > 0)
    expectEqual(after.commitCount, 29)
    expectEqual(after.work.transactionCount, 29)
    expectTrue(after.work.byteCount > before.work.byteCount)
    expectTrue(after.usedByteCount > 0 && after.byteCount >= after.usedByteCount)
    expectEqual(after.waiterCount, 0)
    withExtendedLifetime(old) {}
  }
}
