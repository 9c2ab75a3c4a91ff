// SPDX-License-Identifier: Apache-2.0

// The file system by system calls.

import CRealmPlatform

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The files of the operating system.
package struct SystemFiles: FileSystem {
  /// The bytes of a page of memory, the unit of mappings.
  static let pageSize = Int(getpagesize())

  /// Whether no other user of the machine may read the files.
  private let isPrivate: Bool

  /// The rights of new files; nil for the usual ones.
  private let rights: FileRights?

  /// - Parameter path: New files get the owner and the rights of this one. A file with more rights
  ///   for others loses them when it is opened.
  package init(asFileAt path: String) {
    isPrivate = false
    rights = FileRights(of: path)
  }

  /// - Parameter isPrivate: Whether files are made with the rights 0600, and others that are opened
  ///   for writing get them, where the system lets them.
  package init(isPrivate: Bool = false) {
    self.isPrivate = isPrivate
    rights = nil
  }

  package func sideFiles(of path: String) -> any FileSystem { SystemFiles(asFileAt: path) }

  package func open(path: String, mode: FileOpenMode) throws(StorageError) -> any StorageFile {
    if realm_is_forked() { throw .forkedProcess(path: path) }
    let flags =
      switch mode {
      case .readOnly: O_RDONLY
      case .readWrite: O_RDWR
      case .readWriteCreating: O_RDWR | O_CREAT
      }
    var descriptor: CInt = -EEXIST
    if let rights, mode == .readWriteCreating {
      // Nobody else may open it before it has its rights.
      descriptor = unsafe realm_open(path, flags | O_EXCL, 0o600)
      if descriptor >= 0 { rights.apply(toNew: descriptor) }
    }
    if descriptor == -EEXIST {
      descriptor = unsafe realm_open(path, flags, isPrivate ? 0o600 : 0o644)
      if descriptor >= 0, mode != .readOnly { rights?.narrow(descriptor) }
    }
    guard descriptor >= 0 else {
      throw .system(operation: "Opening", path: path, code: -descriptor)
    }
    if isPrivate, mode != .readOnly { PrivatePlace.restrict(descriptor) }
    return try SystemFile(path: path, descriptor: descriptor)
  }

  package func makeCopy(
    _ path: String, rights: FileRights?
  ) throws(StorageError) -> any StorageFile {
    try SideFile.makeCopy(path, rights: rights)
  }

  package func resumeCopy(
    _ path: String, rights: FileRights?
  ) throws(StorageError) -> (any StorageFile)? {
    try SideFile.resumeCopy(path, rights: rights)
  }

  package func removeUnfinishedCopy(_ path: String) {
    // Anything else stays; a compaction says so.
    try? SideFile.removeUnfinishedCopy(path)
  }

  package func discard(_ path: String) { unsafe unlink(path) }

  package func replace(_ path: String, by copy: String) throws(StorageError) {
    guard unsafe rename(copy, path) == 0 else {
      throw .system(operation: "Replacing", path: path, code: errno)
    }
  }

  package func resolved(_ path: String) throws(StorageError) -> String {
    try SymbolicLinks.resolved(path)
  }

  package func openLockFile(
    path: String, check: (any StorageFile) throws(StorageError) -> Void
  ) throws(StorageError) -> any StorageFile {
    if let rights, let descriptor = try SideFile.make(path, rights) {
      return try SystemFile(path: path, descriptor: descriptor)
    }
    let descriptor = try SideFile.open(
      path, flags: O_RDWR | O_CREAT, mode: isPrivate ? 0o600 : 0o644, role: "lock file")
    let file = try SystemFile(path: path, descriptor: descriptor)
    try check(file)
    if isPrivate { PrivatePlace.restrict(descriptor) }
    rights?.narrow(descriptor)
    return file
  }
}
