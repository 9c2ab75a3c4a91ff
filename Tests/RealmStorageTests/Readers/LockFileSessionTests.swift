// SPDX-License-Identifier: Apache-2.0

// What processes that want to join a session learn of one that is alone with the file for long.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct LockFileSessionTests {
  /// `LockFileSession` 4.
  @Test func whoIsAloneSaysSo() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    do { _ = try DatabaseFile.open(path: path) }
    func mark() throws -> UInt8? {
      let data = try Data(contentsOf: URL(fileURLWithPath: path + ".lock"))
      return data.count > SharedMemory.busyMarkOffset ? data[SharedMemory.busyMarkOffset] : nil
    }
    try expectEqual(mark(), 0)
    var seen: UInt8?
    let wasAlone = try DatabaseFile.whileClosed(path: path) { () throws(StorageError) in
      seen = (try? mark()) ?? nil
    }
    expectTrue(wasAlone)
    expectEqual(seen, 1)
    try expectEqual(mark(), 0)
    #expect(throws: StorageError.limitExceeded("enough")) {
      _ = try DatabaseFile.whileClosed(path: path) { () throws(StorageError) in
        throw .limitExceeded("enough")
      }
    }
    try expectEqual(mark(), 0)
    // A mark that a crash has left excludes no process.
    let lockFile = try SystemFiles().open(path: path + ".lock", mode: .readWrite)
    try lockFile.write(UInt64(1), at: SharedMemory.busyMarkOffset)
    let file = try DatabaseFile.open(path: path)
    expectEqual(file.newestVersion, 1)
    try expectEqual(mark(), 0)
    #expect(try !DatabaseFile.whileClosed(path: path) {})
  }

  /// `LockFileSession` 7: a lock file that somebody keeps open beyond its session admits nobody to
  /// it, while a session under another name goes on.
  @Test(arguments: [false, true]) func aSessionThatEndedCannotBeJoined(isEncrypted: Bool) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    let kept = directory.file("kept.lock")
    func open() throws -> DatabaseFile {
      try DatabaseFile.open(
        path: path, options: OpenOptions(encryptionKey: isEncrypted ? try TestKeys.vector() : nil),
        system: SystemFiles(), registry: FileRegistry())
    }
    var first: DatabaseFile? = try open()
    // As a thread does that waits for versions, until it learns of the end.
    let memory = try #require(first?.session.memory)
    try #require(link(path + ".lock", kept) == 0)
    first = nil
    try #require(unlink(path + ".lock") == 0)
    let second = try open()
    // A caller that opened the first lock file before it was deleted.
    try #require(rename(kept, path + ".lock") == 0)
    let error = #expect(throws: StorageError.self) { try open() }
    guard case .incompatibleLockFile = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    withExtendedLifetime((memory, second)) {}
  }

  /// `ReaderTable` 3: what a session that ended still has open takes no segments from the next one.
  @Test(arguments: [false, true]) func theNextSessionHasSegmentsOfItsOwn(isHeld: Bool) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    func open() throws -> DatabaseFile {
      try DatabaseFile.open(
        path: path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry())
    }
    var first: DatabaseFile? = try open()
    var memory = first?.session.memory
    first = nil
    if isHeld {
      try expectEqual(
        memory?.file.lockByte(at: SharedMemory.segmentLockOffset, waits: false), true)
    }
    let second = try open()
    let snapshot = try second.snapshot()
    memory = nil
    let third = try open()
    expectEqual(second.readers.heldVersions().first?.readerCount, 1)
    withExtendedLifetime((memory, third, snapshot)) {}
  }

  /// Files of a file system that has no locks, as some network file systems.
  private struct UnlockableFiles: FileSystem {
    final class File: LayeredFile {
      let file: any StorageFile

      init(_ file: any StorageFile) { self.file = file }

      private func refusal() -> StorageError {
        .system(operation: "Locking", path: path, code: ENOLCK)
      }

      func tryLock(exclusive: Bool) throws(StorageError) -> Bool { throw refusal() }
      func lockByte(at offset: Int, waits: Bool) throws(StorageError) -> Bool { throw refusal() }
      func shareByte(at offset: Int) throws(StorageError) -> Bool { throw refusal() }

      func byteCount() throws(StorageError) -> Int { try file.byteCount() }
      func readSome(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
      ) throws(StorageError) -> Int { try file.readSome(into: buffer, at: offset) }
      func writeSome(
        _ bytes: UnsafeRawBufferPointer, at offset: Int
      ) throws(StorageError) -> Int { try file.writeSome(bytes, at: offset) }
      func syncOnce() throws(StorageError) { try file.syncOnce() }
      func resize(to byteCount: Int) throws(StorageError) { try file.resize(to: byteCount) }
      func allocate(_ range: Range<Int>) throws(StorageError) { try file.allocate(range) }
      func map(
        _ range: Range<Int>, at address: UnsafeMutableRawPointer, isWritable: Bool
      ) throws(StorageError) { try file.map(range, at: address, isWritable: isWritable) }
    }

    let files = SystemFiles()

    func open(path: String, mode: FileOpenMode) throws(StorageError) -> any StorageFile {
      File(try files.open(path: path, mode: mode))
    }
  }

  /// Two programs that cannot see each other would overwrite what the other one reads.
  @Test func aFileSystemWithoutLocksIsRefused() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    do { _ = try DatabaseFile.open(path: path) }
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let error = #expect(throws: StorageError.self) {
      try DatabaseFile.open(
        path: path, options: OpenOptions(), system: UnlockableFiles(), registry: FileRegistry())
    }
    guard case .system("Locking", _, ENOLCK) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), before)
  }
}
