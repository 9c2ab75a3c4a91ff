// SPDX-License-Identifier: Apache-2.0

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct ReaderTableTests {
  /// A process has so many segments, and an error beyond, until a slot is free again.
  @Test func segmentsHaveALimit() throws {
    let directory = try TemporaryDirectory()
    let file = try SystemFiles().open(path: directory.file("a.lock"), mode: .readWriteCreating)
    let memory = try SharedMemory(file)
    try memory.reserve(0..<SharedMemory.initialByteCount)
    let table = try ReaderTable(memory, ownedCountMax: 2)
    let count = UInt64(2 * ReaderTable.segmentSlotCount)
    let pins = try (1...count).map { try table.pin($0) }
    expectEqual(table.pinnedVersions(), Array(1...count))
    let error = #expect(throws: StorageError.self) { try table.pin(count + 1) }
    guard case .limitExceeded = error else { throw error ?? .corrupted("no limit") }
    table.release(pins[9])
    _ = try table.pin(count + 1)
    expectEqual(table.pinnedVersions(), (1...count + 1).filter { $0 != 10 })
  }

  /// Processes of different builds share lock files: who changes a number of these changes the
  /// revision, too.
  @Test func theLayoutIsThatOfItsRevision() {
    typealias Layout = SharedMemory
    expectEqual(Layout.layoutRevision, 6)
    expectEqual(
      [
        Layout.busyMarkOffset, Layout.revisionOffset, Layout.newestOffset, Layout.poisonedOffset,
        Layout.recordedOffset, Layout.systemStartOffset, Layout.slotsOffset, Layout.slotByteCount,
      ], [2056, 2048, 2112, 2180, 2224, 2232, 8192, 64])
    let locks = [
      Layout.writerLockOffset, Layout.growthLockOffset, Layout.agentLockOffset,
      Layout.joinLockOffset, Layout.segmentLockOffset,
    ]
    expectEqual(locks.map { $0 - 1 << 40 }, [0, 1, 2, 3, 16])
  }
}
