// SPDX-License-Identifier: Apache-2.0

// The lock of a byte of the database file, shared by its users under all names.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The lock of one open database file; released with its last owner.
final class MemberLock: Sendable {
  /// Beyond the end of any file; no byte is there.
  static let offset = 1 << 62

  private let database: any StorageFile
  private let lockFile: any StorageFile

  /// Takes the lock as one of several; nil if another one has it alone.
  ///
  /// - Parameter lockFile: The lock file of the session. Its lock is given up before this one.
  init?(
    sharing database: any StorageFile, under lockFile: any StorageFile
  ) throws(StorageError) {
    self.database = database
    self.lockFile = lockFile
    guard try database.shareByte(at: Self.offset) else { return nil }
  }

  deinit {
    // Threads that wait for versions may keep the lock file open for longer (`LockFileSession` 7).
    lockFile.unlock()
    database.unlockByte(at: Self.offset)
  }

  /// Has the lock alone from now on. False if others share it, and then it is still shared.
  ///
  /// A file opened for reading alone cannot have it, and the shared one keeps starters out as well.
  func makeExclusive() throws(StorageError) -> Bool {
    do throws(StorageError) {
      return try database.lockByte(at: Self.offset, waits: false)
    } catch {
      guard case .system(_, _, EBADF) = error else { throw error }
      return true
    }
  }

  /// Whether another user has the lock as well.
  func isShared() throws(StorageError) -> Bool { try database.isByteLocked(at: Self.offset) }

  /// Lets others share the lock again.
  func share() throws(StorageError) { _ = try database.shareByte(at: Self.offset) }
}

extension StorageError {
  /// A session of the file goes on, and this process cannot join it.
  static func openElsewhere(_ path: String) -> StorageError {
    .incompatibleLockFile(
      path: path,
      reason: "It is open in another process that reaches it by another path (a hard link, or a "
        + "mount of the file), or whose lock file was deleted meanwhile. Use one path in all "
        + "processes, and do not delete the lock file of a Realm that is open.")
  }

  /// A session goes on of the file that this one has replaced.
  static func replacedWhileOpen(_ path: String) -> StorageError {
    .incompatibleLockFile(
      path: path,
      reason: "It was put in the place of a file that this or another process still has open. "
        + "Replace or delete a Realm only while no process has it open.")
  }
}
