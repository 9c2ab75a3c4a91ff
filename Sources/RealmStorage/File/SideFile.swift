// SPDX-License-Identifier: Apache-2.0

// The files beside a database: looked at before anything in them is changed.
//
// Others may have put something under the name of a lock file or of an unfinished copy: a link to a
// file of value to them, a directory, a pipe, or a file of theirs.
//
// 1. No link is followed, and no file with a second name is opened.
// 2. Foreign files stay as they are, and the error names their kind.

import CRealmPlatform

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Opens the files beside a database.
enum SideFile {
  /// Opens a plain file with one name.
  ///
  /// - Parameter role: The purpose of the file, for the error.
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

  /// Opens a plain file with one name for reading; nil if nothing is there.
  static func openIfPresent(_ path: String, role: String) throws(StorageError) -> CInt? {
    if unsafe access(path, F_OK) != 0, kind(of: path) == nil { return nil }
    return try open(path, flags: O_RDONLY, mode: 0, role: role)
  }

  /// The kind of file at a path; nil for a plain one with one name, and for nothing.
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

  // MARK: Copies

  /// Opens what an interrupted attempt left of a copy, or makes the file of one, and locks it until
  /// it is closed; nil if that is not possible.
  ///
  /// - Parameter rights: Those of the file that is copied.
  static func resumeCopy(_ path: String, rights: FileRights?) throws(StorageError) -> SystemFile? {
    while true {
      let made = try make(path, rights)
      guard let descriptor = made ?? (try? open(path, flags: O_RDWR, mode: 0, role: role)) else {
        // Its owner may just have given it its name.
        if unsafe access(path, F_OK) != 0, kind(of: path) == nil { continue }
        return nil
      }
      let file = try SystemFile(path: path, descriptor: descriptor)
      guard let isLocked = try? file.lockByte(at: copyLockOffset, waits: false) else {
        if made != nil { unsafe unlink(path) }
        return nil
      }
      guard isLocked else { return nil }
      guard isInPlace(file) else { continue }
      if made == nil {
        guard try beginsAsCopy(descriptor, path) else { return nil }
        rights?.narrow(descriptor)
      }
      return file
    }
  }

  /// A byte that no session of a database locks: who opens the copy under its last name must not
  /// find it locked.
  private static let copyLockOffset = 1 << 41

  /// Whether a file is still the one at its path.
  static func isInPlace(_ file: SystemFile) -> Bool {
    var status = stat()
    return unsafe lstat(file.path, &status) == 0 && UInt64(status.st_ino) == file.identity.inode
      && UInt64(truncatingIfNeeded: status.st_dev) == file.identity.device
  }

  /// Makes the file of a copy, in place of the one of an interrupted attempt.
  ///
  /// - Parameter rights: Those of the file that is copied.
  static func makeCopy(_ path: String, rights: FileRights?) throws(StorageError) -> SystemFile {
    try removeUnfinishedCopy(path)
    guard let descriptor = try make(path, rights) else {
      throw .system(operation: "Opening", path: path, code: EEXIST)
    }
    return try SystemFile(path: path, descriptor: descriptor)
  }

  /// Removes the copy of an interrupted attempt.
  ///
  /// - Throws: `StorageError.foreignFile` for anything else.
  static func removeUnfinishedCopy(_ path: String) throws(StorageError) {
    guard let descriptor = try openIfPresent(path, role: role) else { return }
    defer { close(descriptor) }
    guard try beginsAsCopy(descriptor, path) else {
      throw .foreignFile(
        path: path, role: role, found: "a file with other contents")
    }
    guard unsafe unlink(path) == 0 else {
      throw .system(operation: "Removing", path: path, code: errno)
    }
  }

  private static let role = "unfinished copy"

  /// Whether an open file is empty, or begins as a copy does.
  private static func beginsAsCopy(
    _ descriptor: CInt, _ path: String
  ) throws(StorageError) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
    }
    guard count >= 0 else { throw .system(operation: "Reading", path: path, code: errno) }
    return count == 0 || isCopy(bytes)
  }

  /// Whether bytes are the beginning of a copy: the header of a file in streaming form, the entry
  /// of a page written once, or zeros left by a crash.
  private static func isCopy(_ bytes: [UInt8]) -> Bool {
    let header = unsafe bytes.withUnsafeBytes { unsafe FileHeader($0) }
    if let header { return header.isStreaming }
    let isFirst = bytes[0] == 1 && bytes[1...3].allSatisfy { $0 == 0 }
    return bytes.allSatisfy { $0 == 0 } || isFirst && bytes[32...].allSatisfy { $0 == 0 }
  }
}
