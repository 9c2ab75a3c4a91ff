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
// 4. The session belongs to the database file, and not to the name of its lock file: a hard link, a
//    mount of the single file or a new lock file after the old one was deleted would make a second
//    one. So members share the lock of a byte of the database file (`MemberLock`). The
//    starter of a session, or of work alone with the file, has it exclusively; if it is taken,
//    there is another session, and the starter refuses.
// 5. One process at a time joins or starts the session of a lock file (`joinLockOffset`). It takes
//    the shared lock of the database file first. If it then finds the lock file taken, there is a
//    session, and no other was started since.
// 6. A process that keeps the exclusive lock for long (to compact a file, or to bring it to the
//    present format) records that in the lock file, and those who want to join wait as long as it
//    takes. If the process dies the lock goes, and with it the meaning of the mark.
// 7. A member gives up the lock of the lock file before that of the database file. In the other
//    order, a starter under another name could begin a session in between, while a caller that
//    finds this lock file still taken joins the session that has just ended.
// 8. Who joins a session has the same database file as its members: another user has the lock of
//    its byte. Otherwise the file has replaced theirs, and what the shared memory says of it is
//    untrue; or they have just left, and the next attempt starts a session.

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
  private let member: MemberLock?

  private init(_ memory: SharedMemory, _ member: MemberLock?) throws(StorageError) {
    self.memory = memory
    self.member = member
    readers = try ReaderTable(memory)
  }

  deinit {
    // The next session takes segments as soon as `member` has gone.
    readers.giveUpSegments()
  }

  /// Joins the session of the lock file at `path`, or starts one.
  ///
  /// - Parameters:
  ///   - database: The database file; nil if the lock file is this caller's own.
  ///   - start: Called if this process starts the session, alone with the database: makes the file
  ///     ready and says what is committed. Its argument says if a sync of the database failed
  ///     before.
  static func join(
    path: String, of database: (any StorageFile)? = nil, system: any FileSystem,
    start: (_ isInDoubt: Bool) throws(StorageError) -> SessionStart
  ) throws(StorageError) -> LockFileSession {
    let file = try system.openLockFile(path: path, check: LockFileContents.require)
    let memory = try SharedMemory(file)
    var attempt = 0
    var conflicts = 0
    while true {
      let outcome = try enter(file, memory, database, start)
      switch outcome {
      case .joined(let session): return session
      case .isElsewhere, .isOfAnother:
        conflicts += 1
        if conflicts >= conflictCountMax, let database {
          throw outcome.isOfAnother
            ? .replacedWhileOpen(database.path) : .openElsewhere(database.path)
        }
        // Two starters under different names must not meet again and again.
        usleep(UInt32.random(in: 0..<4000))
      case .isTaken: break
      }
      if try !isMarkedBusy(file) {
        try giveUpIfHopeless(attempt, file)
        attempt += 1
      }
      usleep(2000)
    }
  }

  private enum Outcome {
    case joined(LockFileSession)
    /// Another process is in the way, for a short time or for longer.
    case isTaken
    /// There is no session of this lock file, and one of the database file.
    case isElsewhere
    /// There is a session of this lock file, and none of the database file.
    case isOfAnother

    var isOfAnother: Bool { if case .isOfAnother = self { true } else { false } }
  }

  /// So many times it is tried to be alone with the database file.
  private static let conflictCountMax = 100

  private static func enter(
    _ file: any StorageFile, _ memory: SharedMemory, _ database: (any StorageFile)?,
    _ start: (_ isInDoubt: Bool) throws(StorageError) -> SessionStart
  ) throws(StorageError) -> Outcome {
    guard try file.lockByte(at: SharedMemory.joinLockOffset, waits: false) else { return .isTaken }
    defer { file.unlockByte(at: SharedMemory.joinLockOffset) }
    var member: MemberLock?
    if let database {
      member = try MemberLock(sharing: database, under: file)
      if member == nil { return try isFree(file) ? .isElsewhere : .isTaken }
    }
    if try file.tryLock(exclusive: true) {
      guard try member?.makeExclusive() ?? true else {
        file.unlock()
        return .isElsewhere
      }
      let former = try FormerSession(file)
      let sessionStart = try notingFailure(in: file) { () throws(StorageError) in
        try start(former?.isInDoubt ?? false)
      }
      let entry = sessionStart.entry
      try memory.initialise(
        sessionStart,
        recordedVersion: former?.recordedVersion(at: entry.version)
          ?? FormerSession.recordedVersionMax(at: entry))
      try member?.share()
      guard try file.tryLock(exclusive: false) else { return .isTaken }
      if try layoutVersion(of: file) == SharedMemory.layoutVersion {
        return .joined(try LockFileSession(memory, member))
      }
      file.unlock()
    } else if try file.tryLock(exclusive: false) {
      if try layoutVersion(of: file) == SharedMemory.layoutVersion {
        try requireOurRevision(memory)
        guard try member?.isShared() ?? true else {
          file.unlock()
          return .isOfAnother
        }
        return .joined(try LockFileSession(memory, member))
      }
      file.unlock()
    }
    return .isTaken
  }

  /// Whether no process is in a session of a lock file.
  private static func isFree(_ file: any StorageFile) throws(StorageError) -> Bool {
    guard try file.tryLock(exclusive: true) else { return false }
    file.unlock()
    return true
  }

  /// Runs `body` while no process is in a session of the lock file at `path` or of the database
  /// file, or can join one; false if a process is in one.
  ///
  /// - Parameter database: The database file.
  static func alone(
    path: String, of database: any StorageFile, system: any FileSystem,
    _ body: () throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let file = try system.openLockFile(path: path, check: LockFileContents.require)
    guard let member = try enterAlone(file, database) else { return false }
    defer { withExtendedLifetime(member) { file.unlock() } }
    try file.write(UInt64(1), at: SharedMemory.busyMarkOffset)
    // If this fails, the next session's start clears the mark.
    defer { try? file.write(UInt64(0), at: SharedMemory.busyMarkOffset) }
    try notingFailure(in: file, body)
    return true
  }

  private static func enterAlone(
    _ file: any StorageFile, _ database: any StorageFile
  ) throws(StorageError) -> MemberLock? {
    guard try file.lockByte(at: SharedMemory.joinLockOffset, waits: false) else { return nil }
    defer { file.unlockByte(at: SharedMemory.joinLockOffset) }
    guard let member = try MemberLock(sharing: database, under: file), try member.makeExclusive(),
      try file.tryLock(exclusive: true)
    else { return nil }
    return member
  }

  /// Runs `body`; if a sync fails in it, the next session knows.
  private static func notingFailure<Result>(
    in file: any StorageFile, _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    do throws(StorageError) {
      return try body()
    } catch {
      SharedMemory.noteFailure(error, in: file)
      throw error
    }
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
    let revision = unsafe memory.word(at: SharedMemory.revisionOffset).pointee.load(
      ordering: .relaxed)
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
