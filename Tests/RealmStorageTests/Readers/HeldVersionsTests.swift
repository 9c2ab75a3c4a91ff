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

  @Test func whatIsHeldForLongIsSaid() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    let warnings = Mutex<[HeldVersions.Warning]>([])
    HeldVersions.onWarning { warning in
      if warning.path == system.file.path { warnings.withLock { $0.append(warning) } }
    }
    let old = try commit(1, to: file)
    try commit(2, to: file)
    try commit(3, to: file)
    file.noteHeld([old.version], at: .max / 2)
    file.noteHeld([old.version], at: .max / 2 + second)
    let said = warnings.withLock { $0 }
    expectEqual(said.map(\.version), [old.version])
    expectEqual(said.first?.newestVersion, file.newestVersion)
    expectEqual(said.first?.processes, [getpid()])
    HeldVersions.onWarning { _ in }
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
