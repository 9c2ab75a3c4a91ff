// SPDX-License-Identifier: Apache-2.0

// Opening a database only to read it, whether or not another process writes to it.
//
// 1. Nothing is created and no byte of the database is changed: a file that no process has open is
//    read without its lock file, and who joins others writes to the lock file alone.

import CRealmPlatform

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension DatabaseFile {
  /// Opens the database at `path` for reading.
  ///
  /// If a process has it open, this one joins its session, so that the version that a snapshot
  /// shows stays as it is. If none has, the file is read alone; a process that opens and changes it
  /// meanwhile does not know of this one, so the caller compares `stamp(ofFileAt:)` before and
  /// after.
  ///
  /// - Returns: The database, and whether other processes know that it is read.
  package static func openForReading(
    path: String, key: EncryptionKey? = nil
  ) throws(StorageError) -> (file: DatabaseFile, isShared: Bool) {
    var options = OpenOptions(
      isReadOnly: true, joinsSession: true, mustExist: true, encryptionKey: key)
    let path = try resolvedPath(path)
    if unsafe access(path + ".lock", R_OK | W_OK) == 0 {
      do throws(StorageError) {
        return (try open(path: path, options: options), true)
      } catch {
        guard error == .nothingToJoin(path) else { throw error }
      }
    }
    options.joinsSession = false
    return (try open(path: path, options: options), false)
  }

  /// Opens the database at `path` as a program does that writes, so that versions which are shown
  /// are kept, and that commits are known. A file without a database in it is not made one.
  package static func openToWatch(
    path: String, key: EncryptionKey? = nil
  ) throws(StorageError) -> DatabaseFile {
    let (file, isShared) = try openForReading(path: path, key: key)
    if isShared { return file }
    // The history of a synchronised file is continued as its app would, and never written.
    let type = try file.snapshot().top().historyType
    return try open(
      path: path,
      options: OpenOptions(
        mustExist: true, encryptionKey: key,
        history: type == HistoryKind.syncClient.type ? .syncClient : .inFile))
  }

  /// The path at the end of a symbolic link, or `path` itself. The names of the files beside a
  /// database are made from it.
  package static func resolvedPath(_ path: String) throws(StorageError) -> String {
    try SymbolicLinks.resolved(path)
  }

  /// Whether a writer that opens the file changes no byte of it before its first commit: the header
  /// selects the version that is read, and the length is the one of that version.
  package func isSettled() throws(StorageError) -> Bool {
    guard let header = try? storedHeader() else { return false }
    if header.isStreaming { return true }
    let snapshot = try snapshot()
    let page = SystemFiles.pageSize
    let byteCount = (try snapshot.top().logicalSize + page - 1) / page * page
    guard try storage.byteCount() == byteCount else { return false }
    return header.topRef(slot: header.selectedSlot) == UInt64(snapshot.topRef.offset)
  }

  /// What changes when a file is committed to: its length, the time of its last change, and its
  /// header. Nil for a file that cannot be read.
  package static func stamp(ofFileAt path: String) -> [UInt64]? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    let descriptor = unsafe realm_open(path, O_RDONLY, 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var header: (UInt64, UInt64, UInt64) = (0, 0, 0)
    let count = unsafe withUnsafeMutableBytes(of: &header) {
      unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
    }
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    return [
      UInt64(status.st_ino), UInt64(status.st_size), UInt64(bitPattern: Int64(time.tv_sec)),
      UInt64(time.tv_nsec), UInt64(max(count, 0)), header.0, header.1, header.2,
    ]
  }
}

extension StorageError {
  /// No process has the database open that a reader was to join.
  static func nothingToJoin(_ path: String) -> StorageError {
    .system(operation: "Joining", path: path, code: ENOENT)
  }
}
