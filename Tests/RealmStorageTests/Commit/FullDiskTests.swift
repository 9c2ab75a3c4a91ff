// SPDX-License-Identifier: Apache-2.0

// A full disk is an error of the call that needs space, also where memory of a file is touched.

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

struct FullDiskTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let files = WatchedFiles()

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.realm")
  }

  private func open() throws(StorageError) -> DatabaseFile {
    try DatabaseFile.open(
      path: path, options: OpenOptions(), system: files, registry: FileRegistry())
  }

  private var noSpaceForTheLockFile: StorageError {
    .system(operation: "Growing", path: path + ".lock", code: ENOSPC)
  }

  /// `SharedMemory` 3: the lock file has its space before its memory is touched.
  @Test func openingWithoutSpaceForTheLockFileThrows() throws {
    do { _ = try open().beginWrite().commit(changeset: []) }
    expectEqual(unlink(path + ".lock"), 0)
    files.fillDisk(true)
    #expect(throws: noSpaceForTheLockFile) { try open() }
    files.fillDisk(false)
    try expectEqual(open().newestVersion, 2)
  }

  /// A disk is full when it has no room, and when its user may have no more of it.
  @Test(arguments: [(ENOSPC, true), (EDQUOT, true), (EIO, false)])
  func messagesSayWhatHelps(code: Int32, isFull: Bool) {
    for operation in ["Syncing", "Growing"] {
      let error = StorageError.system(operation: operation, path: path, code: code)
      expectEqual("\(error)".contains("Make room on the disk"), isFull, "\(error)")
    }
  }

  /// A lock file that has a hole, as one has that was copied or that an interrupted start left.
  /// `SharedMemory` 3.
  @Test func theSpaceOfTheLockFileIsWrittenWhateverItsLength() throws {
    do { _ = try open() }
    expectEqual(truncate(path + ".lock", 0), 0)
    expectEqual(truncate(path + ".lock", off_t(SharedMemory.initialByteCount)), 0)
    let file = try open()
    var status = stat()
    expectEqual(stat(path + ".lock", &status), 0)
    expectTrue(Int(status.st_blocks) * 512 >= SharedMemory.initialByteCount)
    withExtendedLifetime(file) {}
  }

  /// `SharedMemory` 3.
  @Test func aReaderTableThatCannotGrowThrows() throws {
    let file = try open()
    files.fillDisk(true)
    var snapshots: [Snapshot] = []
    let error = #expect(throws: StorageError.self) {
      for _ in 0...ReaderTable.segmentSlotCount { snapshots.append(try file.snapshot()) }
    }
    expectEqual(error, noSpaceForTheLockFile)
    expectEqual(snapshots.count, ReaderTable.segmentSlotCount)
    files.fillDisk(false)
    snapshots.append(try file.snapshot())
    // The failure kept no segment: another process gets the next one.
    let other = try open()
    try expectEqual(other.snapshot().version, 1)
    expectEqual(
      file.session.memory.slotCount.pointee.load(ordering: .relaxed),
      UInt64(3 * ReaderTable.segmentSlotCount))
  }
}
