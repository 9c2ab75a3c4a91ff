// SPDX-License-Identifier: Apache-2.0

// Joining the processes that have a database open, and keeping other implementations out.
//
// 1. A session lasts as long as a process holds the shared lock of the lock file. The process that
//    gets the exclusive lock is alone, and starts a new session: no reader exists, every free block
//    may be reused, and the header says the newest version.
// 2. Changing the exclusive lock into the shared one is not atomic. If another process started a
//    session in between, the layout version says whether it was one of ours.
// 3. A process that joins a session never reads the header: the shared memory says what is
//    committed.
// 4. A process that keeps the exclusive lock for long (to compact a file, or to bring it to the
//    present format) records that in the lock file, and those who want to join wait as long as it
//    takes. If the process dies the lock goes, and with it the meaning of the mark.

import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Membership in the group of processes that have a database open.
final class LockFileSession: Sendable {
  let memory: SharedMemory
  let readers: ReaderTable

  private init(_ memory: SharedMemory) throws(StorageError) {
    self.memory = memory
    readers = try ReaderTable(memory)
  }

  /// Joins the session of the lock file at `path`, or starts one.
  ///
  /// - Parameter start: Called if this process starts the session, alone with the database: makes
  ///   the file ready and says what is committed.
  static func join(
    path: String, system: any FileSystem,
    start: () throws(StorageError) -> SessionStart
  ) throws(StorageError) -> LockFileSession {
    let file = try system.open(path: path, mode: .readWriteCreating)
    let memory = try SharedMemory(file)
    var attempt = 0
    while true {
      if try file.tryLock(exclusive: true) {
        try memory.initialise(try start())
        guard try file.tryLock(exclusive: false) else { continue }
        if try layoutVersion(of: file) == SharedMemory.layoutVersion {
          return try LockFileSession(memory)
        }
        file.unlock()
      } else if try file.tryLock(exclusive: false) {
        if try layoutVersion(of: file) == SharedMemory.layoutVersion {
          try requireOurRevision(memory)
          return try LockFileSession(memory)
        }
        file.unlock()
      }
      if try !isMarkedBusy(file) {
        try giveUpIfHopeless(attempt, file)
        attempt += 1
      }
      usleep(2000)
    }
  }

  /// Runs `body` while no process is in a session of the lock file at `path`, or can join one;
  /// false if a process is in one.
  static func alone(
    path: String, system: any FileSystem, _ body: () throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let file = try system.open(path: path, mode: .readWriteCreating)
    guard try file.tryLock(exclusive: true) else { return false }
    defer { file.unlock() }
    try file.write(UInt64(1), at: SharedMemory.busyMarkOffset)
    // If this fails, the next session's start clears the mark.
    defer { try? file.write(UInt64(0), at: SharedMemory.busyMarkOffset) }
    try body()
    return true
  }

  /// Whether the holder of the exclusive lock, if there is one, needs it for long.
  private static func isMarkedBusy(_ file: any StorageFile) throws(StorageError) -> Bool {
    let mark = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)
    defer { unsafe mark.deallocate() }
    guard try unsafe file.read(into: mark, at: SharedMemory.busyMarkOffset) == mark.count else {
      return false
    }
    return unsafe mark.contains { $0 != 0 }
  }

  /// The layout version of an initialised lock file; nil if it is not initialised.
  private static func layoutVersion(of file: any StorageFile) throws(StorageError) -> UInt16? {
    var bytes: (UInt64, UInt64) = (0, 0)
    let read = unsafe withUnsafeMutableBytes(of: &bytes) { raw -> Result<Int, StorageError> in
      do throws(StorageError) {
        return unsafe .success(try file.read(into: raw, at: 0))
      } catch {
        return .failure(error)
      }
    }
    guard try read.get() == 16, bytes.0 & 0xFF == 1 else { return nil }
    return UInt16(truncatingIfNeeded: bytes.0.littleEndian &>> 48)
  }

  private static func requireOurRevision(_ memory: SharedMemory) throws(StorageError) {
    let revision = unsafe memory.word(at: 2048).pointee.load(ordering: .relaxed)
    guard revision == SharedMemory.layoutRevision else {
      throw .incompatibleLockFile(
        path: memory.file.path,
        reason: "Another process has the file open with another version of OpenRealm. "
          + "Use the same version in all processes, or close the Realm in the other one.")
    }
  }

  /// Others hold their locks for a few milliseconds while they start; Realm Core holds a session.
  private static func giveUpIfHopeless(
    _ attempt: Int, _ file: any StorageFile
  ) throws(StorageError) {
    if attempt >= 200, try layoutVersion(of: file) == SharedMemory.realmCoreLayoutVersion {
      throw .incompatibleLockFile(
        path: file.path,
        reason: "The file is in use by an incompatible process (another Realm SDK has it open). "
          + "Close it there first.")
    }
    if attempt >= 2500 {
      throw .incompatibleLockFile(
        path: file.path,
        reason: "The lock file is held by another process that does not finish opening the Realm.")
    }
  }
}
