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
  /// `LockFileSession` 6.
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
  /// `SharedMemory` 1.
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

  /// Opens the file on a thread, as another process does.
  private func openElsewhere(_ path: String) -> Handover<Result<UInt64, StorageError>> {
    let done = Handover<Result<UInt64, StorageError>>()
    _ = BackgroundThread.start(named: "other") {
      do throws(StorageError) {
        let file = try DatabaseFile.open(
          path: path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry())
        done.give(.success(file.newestVersion))
      } catch { done.give(.failure(error)) }
    }
    return done
  }

  /// What a Realm Core process writes to the lock file.
  private static let fenceOfRealmCore: UInt64 = 1 | 24 << 32 | 14 << 48

  /// `LockFileSession` 6, `DatabaseFile+Compact` 1: who joins waits for longer than it waits for
  /// anyone else who has the lock.
  @Test func whoJoinsWaitsForWhoIsAlone() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    try commit(path, SystemFiles(), 1)
    var other: Handover<Result<UInt64, StorageError>>?
    let isOver = Locked(false)
    let wasAlone = try DatabaseFile.whileClosed(path: path) { () throws(StorageError) in
      let lockFile = try SystemFiles().open(path: path + ".lock", mode: .readWrite)
      try lockFile.write(Self.fenceOfRealmCore, at: 0)
      other = openElsewhere(path)
      usleep(800_000)
      isOver.withLock { $0 = true }
    }
    expectTrue(wasAlone)
    try expectEqual(other?.wait().get(), 2)
    expectTrue(isOver.withLock { $0 })
  }

  /// `LockFileSession` 5.
  @Test func oneProcessAtATimeJoins() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    try commit(path, SystemFiles(), 1)
    let first = try SystemFiles().open(path: path + ".lock", mode: .readWrite)
    for isSession in [false, true] {
      let member =
        try isSession
        ? DatabaseFile.open(
          path: path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry()) : nil
      try expectEqual(first.lockByte(at: SharedMemory.joinLockOffset, waits: false), true)
      let isFree = Locked(false)
      let seen = Handover<Bool>()
      let other = openElsewhere(path)
      _ = BackgroundThread.start(named: "watch") {
        _ = other.wait()
        seen.give(isFree.withLock { $0 })
      }
      usleep(50_000)
      isFree.withLock { $0 = true }
      first.unlockByte(at: SharedMemory.joinLockOffset)
      expectTrue(seen.wait(), "\(isSession)")
      withExtendedLifetime(member) {}
    }
  }

  /// `LockFileSession` 2: a Realm Core process starts a session, and ends it, where the exclusive
  /// lock becomes the shared one.
  @Test func aSessionThatOthersStartedInBetweenIsNotJoined() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    try commit(path, SystemFiles(), 1)
    let calls = RefusingFiles.Calls(.max, 0)
    calls.fences.withLock { $0 = [Self.fenceOfRealmCore] }
    let file = try DatabaseFile.open(
      path: path, options: OpenOptions(), system: RefusingFiles(calls: calls),
      registry: FileRegistry())
    expectEqual(calls.fences.withLock { $0 }, [])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path + ".lock")).prefix(8)
    expectEqual(bytes[6...], withUnsafeBytes(of: SharedMemory.layoutVersion) { Data($0) })
    try expectEqual(NumberTree.numbers(of: file.snapshot()), [1])
  }

  /// Files that refuse a call which locks, as those of some network file systems do.
  private struct RefusingFiles: FileSystem {
    final class Calls: Sendable {
      /// The call that is refused, from 1; all for 0.
      let refused: Int
      let code: Int32
      let count = Locked(0)
      /// What is written to the beginning of a file before it is shared, once each.
      let fences = Locked<[UInt64]>([])

      init(_ refused: Int, _ code: Int32) { (self.refused, self.code) = (refused, code) }

      func step(_ path: String) throws(StorageError) {
        let number = count.withLock { count in
          count += 1
          return count
        }
        guard refused != 0, number != refused else {
          throw .system(operation: "Locking", path: path, code: code)
        }
      }
    }

    final class File: LayeredFile {
      let file: any StorageFile
      let calls: Calls

      init(_ file: any StorageFile, _ calls: Calls) { (self.file, self.calls) = (file, calls) }

      func tryLock(exclusive: Bool) throws(StorageError) -> Bool {
        try calls.step(path)
        if !exclusive, let fence = calls.fences.withLock({ $0.popLast() }) {
          try file.write(fence, at: 0)
        }
        return try file.tryLock(exclusive: exclusive)
      }
      func lockByte(at offset: Int, waits: Bool) throws(StorageError) -> Bool {
        try calls.step(path)
        return try file.lockByte(at: offset, waits: waits)
      }
      func shareByte(at offset: Int) throws(StorageError) -> Bool {
        try calls.step(path)
        return try file.shareByte(at: offset)
      }
      func isByteLocked(at offset: Int) throws(StorageError) -> Bool {
        try calls.step(path)
        return try file.isByteLocked(at: offset)
      }

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
    let calls: Calls

    func open(path: String, mode: FileOpenMode) throws(StorageError) -> any StorageFile {
      File(try files.open(path: path, mode: mode), calls)
    }
  }

  /// Opens a file as a process of its own, and commits to it.
  private func commit(_ path: String, _ system: any FileSystem, _ number: Int64) throws {
    let file = try DatabaseFile.open(
      path: path, options: OpenOptions(), system: system, registry: FileRegistry())
    let write = try file.beginWrite()
    try NumberTree.replace(with: [number], in: write)
    _ = try write.commit(changeset: [])
  }

  /// Two programs that cannot see each other would overwrite what the other one reads.
  @Test func aFileSystemWithoutLocksIsRefused() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    try commit(path, SystemFiles(), 1)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    for code in [ENOLCK, EOPNOTSUPP] {
      let files = RefusingFiles(calls: RefusingFiles.Calls(0, code))
      let error = #expect(throws: StorageError.self) { try commit(path, files, 2) }
      guard case .system("Locking", _, code) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      expectTrue(error?.description.contains("use a path on a local one") == true)
      try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), before)
    }
  }

  /// Where one call is refused, of a caller that is alone or joins another one: its error is told,
  /// nothing is written, and no lock is left.
  @Test(arguments: [false, true]) func eachLockMayBeRefused(isJoining: Bool) throws {
    var tried = 0
    for call in 1...100 {
      let directory = try TemporaryDirectory()
      let path = directory.file("a.realm")
      try commit(path, SystemFiles(), 1)
      let other =
        try isJoining
        ? DatabaseFile.open(
          path: path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry()) : nil
      let calls = RefusingFiles.Calls(call, call % 2 == 0 ? ENOLCK : EIO)
      do {
        try commit(path, RefusingFiles(calls: calls), 2)
        // The worker for new versions may be refused as well, which is no matter of the caller.
        if calls.count.withLock({ $0 }) < call { break }
      } catch let error as StorageError {
        expectEqual(
          error, .system(operation: "Locking", path: error.failedPath ?? "", code: calls.code))
        tried += 1
        let file = try DatabaseFile.open(
          path: path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry())
        try expectEqual(NumberTree.numbers(of: file.snapshot()), [1], "call \(call)")
      }
      withExtendedLifetime(other) {}
      try commit(path, SystemFiles(), 3)
    }
    expectTrue(tried > 3, "\(tried)")
    RandomRuns.report(tried, "refused locks")
  }
}

extension StorageError {
  fileprivate var failedPath: String? {
    if case .system(_, let path, _) = self { path } else { nil }
  }
}
