// SPDX-License-Identifier: Apache-2.0

// The files beside a database: looked at before anything in them is changed.
//
// Others may have put something under the name of a lock file or of a copy that is being made: a
// link to a file that is dear to them, a directory, a pipe, or a file of theirs.
//
// 1. No link is followed, and nothing is opened that has another name, too.
// 2. What is not ours stays as it is, and the error says what it is.

import CRealmPlatform

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Opens the files beside a database.
enum SideFile {
  /// Opens a file that is a plain one with one name.
  ///
  /// - Parameter role: What the file is to the database.
  /// - Returns: The descriptor.
  /// - Throws: `StorageError.foreignFile` for anything else.
  static func open(
    _ path: String, flags: CInt, mode: CInt, role: String
  ) throws(StorageError) -> CInt {
    // Opening a pipe would wait for its other end.
    let descriptor = unsafe realm_open(path, flags | O_NOFOLLOW | O_NONBLOCK, mode)
    guard descriptor >= 0 else {
      if let kind = kind(of: path) { throw .foreignFile(path: path, role: role, found: kind) }
      throw .system(operation: "Opening", path: path, code: -descriptor)
    }
    var status = stat()
    let code = unsafe fstat(descriptor, &status) == 0 ? 0 : errno
    if code == 0, let kind = kind(of: status) {
      close(descriptor)
      throw .foreignFile(path: path, role: role, found: kind)
    }
    guard code == 0 else {
      close(descriptor)
      throw .system(operation: "Opening", path: path, code: code)
    }
    return descriptor
  }

  /// Makes a file.
  ///
  /// - Parameter rights: Those that it gets, before any other process may open it; nil for those of
  ///   any new file.
  /// - Returns: The descriptor; nil if there is something at the path.
  static func make(_ path: String, _ rights: FileRights?) throws(StorageError) -> CInt? {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
    let descriptor = unsafe realm_open(path, flags, rights == nil ? 0o644 : 0o600)
    if descriptor == -EEXIST { return nil }
    guard descriptor >= 0 else {
      throw .system(operation: "Opening", path: path, code: -descriptor)
    }
    rights?.apply(toNew: descriptor)
    return descriptor
  }

  /// What is at a path that is not a plain file with one name; nil for such a file, and for nothing.
  private static func kind(of path: String) -> String? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return kind(of: status)
  }

  private static func kind(of status: stat) -> String? {
    switch status.st_mode & S_IFMT {
    case S_IFREG: status.st_nlink > 1 ? "a file that has another name, too (a hard link)" : nil
    case S_IFLNK: "a symbolic link"
    case S_IFDIR: "a directory"
    case S_IFIFO: "a named pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }

  // MARK: Lock files

  /// Checks that a file is empty or was a lock file, of this library or of Realm Core.
  static func requireLockFile(_ file: any StorageFile) throws(StorageError) {
    let byteCount = try file.byteCount()
    if byteCount == 0 { return }
    var bytes = [UInt8](repeating: 0, count: SharedMemory.busyMarkOffset)
    let result = unsafe bytes.withUnsafeMutableBytes { buffer -> StorageError? in
      do throws(StorageError) {
        _ = try unsafe file.read(into: buffer, at: 0)
        return nil
      } catch { return error }
    }
    if let result { throw result }
    if !isLockFile(bytes, byteCount: byteCount) {
      throw .foreignFile(
        path: file.path, role: "lock file", found: "a file with other contents")
    }
  }

  /// Whether the beginning of a file is that of a lock file, which may have been cut off while it was
  /// made (file format 2.9.2 and 2.9.3).
  static func isLockFile(_ bytes: [UInt8], byteCount: Int) -> Bool {
    guard byteCount <= SharedMemory.byteCountMax, bytes[0] <= 1 else { return false }
    let layout = UInt16(bytes[6]) | UInt16(bytes[7]) << 8
    switch layout {
    case SharedMemory.layoutVersion, 0:
      // The words between the fence and the revision are zeros.
      let isPlain =
        bytes[1...3].allSatisfy { $0 == 0 } && bytes[5] == 0
        && bytes[8..<2048].allSatisfy { $0 == 0 }
        && (bytes[4] == 0 || bytes[4] == UInt8(FileHeader.supportedVersion))
      return isPlain && bytes[2049..<2056].allSatisfy { $0 == 0 }
        || layout == 0 && bytes[0] == 0 && isCore(bytes)
    case 1...99: return isCore(bytes)
    default: return false
    }
  }

  /// Whether the fields fit that a lock file of Realm Core of any layout begins with.
  private static func isCore(_ bytes: [UInt8]) -> Bool {
    bytes[1] <= 200 && bytes[2] <= 200 && bytes[3] <= 1 && bytes[4] <= 100 && bytes[5] <= 10
      && bytes[9] == 0
  }

  // MARK: Copies

  /// Makes the file of a copy, in place of one that an interrupted attempt left.
  ///
  /// - Parameter rights: Those of the file that is copied.
  static func makeCopy(_ path: String, rights: FileRights?) throws(StorageError) -> SystemFile {
    try removeUnfinishedCopy(path)
    guard let descriptor = try make(path, rights) else {
      throw .system(operation: "Opening", path: path, code: EEXIST)
    }
    return try SystemFile(path: path, descriptor: descriptor)
  }

  /// Removes the copy that an interrupted attempt left.
  ///
  /// - Throws: `StorageError.foreignFile` for what is no copy.
  static func removeUnfinishedCopy(_ path: String) throws(StorageError) {
    if unsafe access(path, F_OK) != 0, kind(of: path) == nil { return }
    let descriptor = try open(path, flags: O_RDONLY, mode: 0, role: "unfinished copy")
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
    }
    guard count >= 0 else { throw .system(operation: "Reading", path: path, code: errno) }
    guard count == 0 || isCopy(bytes) else {
      throw .foreignFile(
        path: path, role: "unfinished copy", found: "a file with other contents")
    }
    guard unsafe unlink(path) == 0 else {
      throw .system(operation: "Removing", path: path, code: errno)
    }
  }

  /// Whether a file begins as a copy does: with the header of a file in streaming form, with the
  /// entry of a page that was written once, or with zeros that a crash left.
  private static func isCopy(_ bytes: [UInt8]) -> Bool {
    let header = unsafe bytes.withUnsafeBytes { unsafe FileHeader($0) }
    if let header { return header.isStreaming }
    let isFirst = bytes[0] == 1 && bytes[1...3].allSatisfy { $0 == 0 }
    return bytes.allSatisfy { $0 == 0 } || isFirst && bytes[32...].allSatisfy { $0 == 0 }
  }
}
